/** The conversation as people read it: a view of `archive/t-*` (docs/file-protocol.md#the-life-of-a-message step 6). */
import { z } from "zod";
import { AttachedFiles } from "../base/attachment.ts";
import { ProviderProblem } from "../base/cause.ts";
import { Id } from "../base/id.ts";
import { Usage } from "../base/usage.ts";
import { ChannelName } from "../channels/via.ts";

export const HISTORY_MESSAGES_MAX = 800;

export const HistoryMessage = z.object({
  id: Id,
  role: z.enum(["user", "assistant", "system"]),
  text: z.string(),
  at: z.iso.datetime(),
  /** Assistant messages: the user messages that this one answers. */
  answers: z.array(Id).optional(),
  /** Assistant messages: the tasks that the turn started, or that it reports. */
  taskIds: z.array(Id).optional(),
  /** Assistant messages: the triggers that the turn made, as it named them. */
  triggers: z.array(z.object({ id: Id, title: z.string() })).optional(),
  quote: Id.optional(),
  /** Questions of the assistant: the answers that were offered. */
  options: z.array(z.string()).optional(),
  /** User messages: they came with words of others, which are in their attachments. */
  isQuoting: z.literal(true).optional(),
  /** User messages: what was given along with the words (SPEC I8). */
  attachments: AttachedFiles.optional(),
  /** User messages: the channel that they came by; none for the page, a terminal, the API and files. */
  via: ChannelName.optional(),
  /** `clear`: the conversation starts over after this line; contexts read no further back (SPEC F3). */
  marker: z.literal("clear").optional(),
  /** System messages: the user was to see this at once (SPEC G, notify). */
  notification: z.object({ title: z.string().optional() }).optional(),
  /** User messages: said to a turn or a task while it ran (SPEC I5). */
  meanwhile: z.literal(true).optional(),
  /** Why there is no answer, and who did not give it: of the reply of a turn that failed, and while one cannot be reached. */
  problem: ProviderProblem.optional(),
  /** The user ended this reply before its end. */
  stopped: z.literal(true).optional(),
  /** Assistant messages that end in a notice of the code: how many characters before it the assistant said itself. */
  spoken: z.number().int().nonnegative().optional(),
  /** The earlier version of the same: it stays here, and neither contexts nor the conversation show it. */
  instead: Id.optional(),
  /** Assistant messages: so much of memory was the model shown; the result of the turn says what. */
  used: z.number().int().positive().optional(),
  usage: Usage.optional(),
  /** Assistant messages: who answered, by the name of the provider. */
  provider: z.string().optional(),
  /** Assistant messages: the model that answered, where its name is known. */
  model: z.string().optional(),
});
export type HistoryMessage = z.infer<typeof HistoryMessage>;

export const History = z.object({
  throughTurn: z.number().int().nonnegative(),
  messages: z.array(HistoryMessage),
  /** The turn whose summary stands for all that was said before it, in what a model is told (SPEC F3). */
  compressed: z.number().int().positive().optional(),
  /** The number of the last note that was looked at: what it and those before it say of the window is done (SPEC E2). */
  flushed: z.number().int().positive().optional(),
});
export type History = z.infer<typeof History>;

/** A line of `history/YYYY-MM.jsonl`: what was said in one applied turn. A turn in which nothing was said has one too. */
export const HistoryTurn = z.object({ turn: z.number().int().positive(), messages: z.array(HistoryMessage) });
export type HistoryTurn = z.infer<typeof HistoryTurn>;
