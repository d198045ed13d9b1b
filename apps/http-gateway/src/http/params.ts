/** The parameters in the paths of routes. */
import { AttachmentId } from "@mimikit/protocol/base/attachment";
import { Id } from "@mimikit/protocol/base/id";
import { z } from "zod";

export const IdParams = z.strictObject({ id: Id });
export const AttachmentParams = z.strictObject({ id: AttachmentId });
