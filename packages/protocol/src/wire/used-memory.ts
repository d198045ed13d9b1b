/** The memories that a reply has used, for people: as they were then, and whether they still say so. */
import { z } from "zod";
import { Id } from "../base/id.ts";
import { ShownMemory } from "../records/shown-memory.ts";

export const UsedMemory = z.object({
  ...ShownMemory.omit({ digest: true }).shape,
  /** The message that it was found in, or the reply with which it came into its file. */
  message: Id.optional(),
  /** Does the file still say so? Text from the conversation always does. */
  isAsShown: z.boolean(),
  /** The beginning of its entry in the file as it is now: by that `POST /api/memory/edit` names it. */
  entry: z.string().optional(),
});
export type UsedMemory = z.infer<typeof UsedMemory>;

/** `GET /api/messages/{id}/used` */
export const UsedAnswer = z.object({
  /** Of the reply. */
  id: Id,
  /** First the memories of every turn, then the hits, the best first. */
  used: z.array(UsedMemory),
});
export type UsedAnswer = z.infer<typeof UsedAnswer>;
