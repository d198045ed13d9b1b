/** The context of a role besides its task, gathered once when a run starts (SPEC F1). */
import type { Ending } from "@mimikit/core/views/ending";
import type { MessageLog } from "@mimikit/memory/search/history-index";
import type { MemoryPlace } from "@mimikit/memory/sources/memory-query";
import type { Role } from "@mimikit/protocol/base/role";
import type { SkillSummary } from "@mimikit/protocol/base/skill";
import type { HistoryMessage } from "@mimikit/protocol/records/history";
import type { ClientClock, Message } from "@mimikit/protocol/records/inbox";
import type { Question } from "@mimikit/protocol/records/question";
import type { HistoryHit, MemoryHit, PoolSummary, TaskSummary, TriggerSummary } from "@mimikit/protocol/wire/api";
import type { PersonZone } from "@mimikit/runtime/clock/person-zone";
import type { AttachmentEvidence } from "../prompt/evidence.ts";
import type { Guide } from "../skills/guides.ts";
import type { BudgetSettings } from "../talk/budgets.ts";

export interface Context {
  /** The files that this is about, where there are any (SPEC I8). */
  evidence?: readonly AttachmentEvidence[];
  /** The server's clock when the run started, ISO 8601. */
  now: string;
  /** The clock of the client whose message this is about, if it told. */
  client?: ClientClock;
  /** The owner's time zone: of messages that name none, and of all where it is a setting. */
  zone?: PersonZone;
  /** The messages that the work began with; empty for a turn, which has its own. */
  origin: Message[];
  /** The conversation as it now stands, oldest first: what `summary` does not stand for. A prompt takes the newest of it. */
  history: HistoryMessage[];
  /** The bounds of the conversation and of memory in the settings; the defaults if not given. */
  budgets?: BudgetSettings;
  /** The texts that the messages of this run quote, by their ids: also what was said before `history` begins. */
  quoted?: Readonly<Record<string, string>>;
  /** The summary of the conversation before that; empty if it was never compressed (SPEC F3). */
  summary: string;
  /** The owner's rules for every run. */
  rules: string;
  /** The Teller's persona and the user's profile, from their own files. */
  persona: string;
  profile: string;
  /** Documents among these that are there and cannot be read, each with its reason; not given where all can. */
  unread?: readonly string[];
  /** The files with the whole text of messages that are too long for a prompt, by the ids of the messages. */
  longTexts: Readonly<Record<string, string>>;
  /** Everything that was ever said, for the tools that look it up. */
  said: MessageLog;
  /** Every open task and the newest finished ones, newest first. A turn is none. */
  tasks: TaskSummary[];
  /** Texts that are read in place of tasks' results, by their ids. */
  summaries: Readonly<Record<string, string>>;
  /** The outcomes of ended ones among `tasks`, by their ids. Paths are of files in the workspace. */
  endings?: Readonly<Record<string, Ending>>;
  /** The last step of running ones among them, by their ids. */
  steps?: Readonly<Record<string, string>>;
  /** The scheduled triggers, newest first, with their whole prompts. */
  triggers: TriggerSummary[];
  /** The open questions to the user, newest first. */
  questions: Question[];
  /** Hits of long-term memory for the pending messages, best first (SPEC E5). */
  memory: MemoryHit[];
  /** Earlier messages about them that the prompt does not show as part of the conversation, best first. */
  recalled: HistoryHit[];
  /** Where memory is, for the tool that looks something else up in it. */
  memoryPlace: MemoryPlace;
  /** The skills, for roles that do work or plan it. */
  skills: SkillSummary[];
  /** The other machines that work for this home, for those who plan; not given where none do. */
  pools?: readonly PoolSummary[];
  /** The workspace's guides, for roles that do work. */
  guides?: readonly Guide[];
  backlog: { item: string; done: boolean }[];
  /** Which provider answers for each role. */
  providers: Record<Role, string>;
  version: string;
}
