/** What a role is told besides its task, gathered once when a run starts (SPEC F1). */
import type { Said } from "@mimikit/memory/search/history-index";
import type { MemoryPlace } from "@mimikit/memory/sources/memory-query";
import type { Role } from "@mimikit/protocol/base/role";
import type { SkillSummary } from "@mimikit/protocol/base/skill";
import type { HistoryMessage } from "@mimikit/protocol/records/history";
import type { ClientClock, Message } from "@mimikit/protocol/records/inbox";
import type { Question } from "@mimikit/protocol/records/question";
import type { HistoryHit, MemoryHit, PoolSummary, TaskSummary, TriggerSummary } from "@mimikit/protocol/wire/api";
import type { Evidence } from "../prompt/evidence.ts";
import type { Guide } from "../skills/guides.ts";

export interface Context {
  /** The files that this is about, where there are any (SPEC I8). */
  evidence?: readonly Evidence[];
  /** The server's clock when the run started, ISO 8601. */
  now: string;
  /** The clock of the client whose message this is about, if it told. */
  client?: ClientClock;
  /** The messages that the work began with; empty for a turn, which has its own. */
  origin: Message[];
  /** The conversation as it now stands, oldest first: what `summary` does not stand for. A prompt takes the newest of it. */
  history: HistoryMessage[];
  /** The texts that the messages of this run quote, by their ids: also what was said before `history` begins. */
  quoted?: Readonly<Record<string, string>>;
  /** What is left of the conversation before that; empty where it was never compressed (SPEC F3). */
  summary: string;
  /** What the owner has laid down for every run. */
  rules: string;
  /** Who the Teller is, and who the user is, in their own files. */
  persona: string;
  profile: string;
  /** The files with the whole text of messages that are too long for a prompt, by the ids of the messages. */
  longTexts: Readonly<Record<string, string>>;
  /** Everything that was ever said, for the tools that look it up. */
  said: Said;
  /** Every open task and the newest finished ones, newest first. A turn is none. */
  tasks: TaskSummary[];
  /** What is read in place of what tasks have handed in, by their ids. */
  summaries: Readonly<Record<string, string>>;
  /** What stands to start later, newest first. */
  triggers: TriggerSummary[];
  /** What the user was asked and has not answered yet, newest first. */
  questions: Question[];
  /** What long-term memory says about the pending messages, best first (SPEC E5). */
  memory: MemoryHit[];
  /** What was said about them and the prompt does not show as part of the conversation, best first. */
  recalled: HistoryHit[];
  /** Where memory is, for the tool that looks something else up in it. */
  memoryPlace: MemoryPlace;
  /** What there is to follow, for those who do work or plan it. */
  skills: SkillSummary[];
  /** The other machines that work for this home, for those who plan; not given where none do. */
  pools?: readonly PoolSummary[];
  /** What the workspace says of how work is done in it, for those who do work. */
  guides?: readonly Guide[];
  backlog: { item: string; done: boolean }[];
  /** Which provider answers for each role. */
  providers: Record<Role, string>;
  version: string;
}
