/** The answer of a tool that is text by itself; any other answer is shown to the model as JSON. */
import { ATTACHMENT_TYPES } from "@mimikit/protocol/base/attachment";
import { z } from "zod";

/** A picture that a tool has answered with: a file of the run, whose type was found by its bytes. */
export const Picture = z.strictObject({ path: z.string(), type: z.enum(ATTACHMENT_TYPES) });
export type Picture = z.infer<typeof Picture>;

export const ToolText = z.strictObject({
  text: z.string(),
  /** The file that holds all of it. */
  artifact: z.string().optional(),
  /** A model that sees is shown them. */
  pictures: z.array(Picture).optional(),
});
