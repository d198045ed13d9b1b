/** The layout of the state directory: the only file that names its directories (docs/files.md#layout). */
import { Role } from "@mimikit/protocol/base/role";

/** Directories of records that come and go, in the order in which a record moves through them. */
export const INBOX = "inbox";
export const TRIGGERS = "triggers";
export const QUESTIONS = "questions";
/** Steering messages for running tasks (SPEC I5). */
export const SIGNALS = "signals";
/** Changes that can be undone (SPEC J3). */
export const CHANGES = "undo";
export const ARCHIVE = "archive";
export const COMPACTED = "archive/folded";
export const QUARANTINE = "quarantine";
export const STREAMS = "streams";
export const RUNS = "runs";
/** The cost of runs, one file a day. */
export const USAGE = "usage";
export const SESSIONS = "sessions";
/** Everything that was ever said, one file a month. */
export const HISTORY = "history";
/**
 * Conversations of other assistants that came along, apart from what was said here: `imported/<source>/history/YYYY-MM.jsonl`
 * (docs/import.md).
 */
export const IMPORTED = "imported";
/** One record for each import, so that it can be undone. */
export const IMPORTS = "imports";
/** Recipes that were added. */
export const RECIPES = "recipes";
/** Files that users attach: `attachments/<sha256>`, and beside each the record with its type (SPEC I8). */
export const ATTACHMENTS = "attachments";
/** The sessions of the page. */
export const WEB_SESSIONS = "sessions/web";
/**
 * Web Push: the keys of this instance, and for each browser that subscribed, under the id of its session, where it is reached and
 * what it was told. Made with the first subscription.
 */
export const PUSH = "push";
/** Where self-improvement works, one worktree for each improvement that is under way (SPEC J2). */
export const WORKTREES = "worktrees";
/** Finished parts of the audit log, beside the file that is being written (SPEC N1). */
export const AUDIT = "log";
/** The hooks of the owner: commands and addresses for events. The directory is there only where the owner has made it. */
export const HOOKS = "hooks";
/** A record for each event and hook, and its end; made when there is a hook. */
export const DELIVERIES = "deliveries";
/** The data of channels, a folder for each; made when one is set up. */
export const CHANNELS = "channels";
/** Worker pools on other machines, the permits of what runs there, and who this home is to them; made with the first. */
export const POOLS = "pools";
/** A record for each attempt that a pool may have begun; gone when its task is over. */
export const PERMITS = `${POOLS}/permits`;
/** On the machine of a pool: what it has joined, and the attempts that its home has not reclaimed yet. */
export const JOINED_POOL_PATH = "pool.json";
export const AWAY = "away";
export const POOLS_HOME_PATH = `${POOLS}/home.json`;
/** The last word of each pool: a view. */
export const POOLS_SEEN_PATH = `${POOLS}/seen.json`;
/** The owner's permanent approvals, a record each; made with the first. */
export const APPROVALS = "approvals";
export const REVOKED_ENDING = ".revoked";
/** Earlier states of this home and backups of them, with their secrets; made with the first. */
export const COPIES = "copies";
export const LOCKS = "locks";
export const TEMPORARY = "tmp";

export const queueOf = (role: Role) => `${role}/queue`;
export const runningOf = (role: Role) => `${role}/running`;
export const resultsOf = (role: Role) => `${role}/results`;

export const recordIn = (dir: string, id: string) => `${dir}/${id}.json`;
export const queuePath = (role: Role, id: string) => recordIn(queueOf(role), id);
export const resultPath = (role: Role, id: string) => recordIn(resultsOf(role), id);
export const claimPath = (role: Role, id: string, attempt: number) => recordIn(runningOf(role), `${id}.a${attempt}`);
export const failedAttemptPath = (role: Role, id: string, attempt: number) =>
  recordIn(runningOf(role), `${id}.a${attempt}.failed`);
export const joinedPath = (role: Role, id: string, attempt: number) =>
  recordIn(runningOf(role), `${id}.a${attempt}.joined`);
export const poolPath = (name: string) => recordIn(POOLS, `${name}.pool`);
export const begunAwayPath = (job: string) => recordIn(AWAY, `${job}.begun`);
export const endedAwayPath = (job: string) => recordIn(AWAY, `${job}.ended`);
/** The tool calls that an attempt has made, a line each. */
export const callsAwayPath = (job: string) => `${AWAY}/${job}.calls.jsonl`;
/** Files of the messages of an attempt, under their hashes. */
export const filesAwayPath = (job: string) => `${AWAY}/${job}.files`;
/** Files of its result, under their hashes, until the home has them. */
export const filesOutPath = (job: string) => `${AWAY}/${job}.out`;
export const permitPath = (id: string, attempt: number) => recordIn(PERMITS, `${id}.a${attempt}`);
/** How many tool calls of an attempt are in the audit log. */
export const notedCallsPath = (id: string, attempt: number) => recordIn(PERMITS, `${id}.a${attempt}.calls`);
export const triggerPath = (id: string, version: number) => recordIn(TRIGGERS, `${id}.v${version}`);
export const approvalPath = (id: string) => recordIn(APPROVALS, id);
/** Says that an approval was revoked, also where a process that was held up creates it once more. */
export const revokedApprovalPath = (id: string) => `${APPROVALS}/${id}${REVOKED_ENDING}`;
export const questionPath = (id: string) => recordIn(QUESTIONS, id);
export const signalPath = (id: string) => recordIn(SIGNALS, id);
export const inboxPath = (id: string) => recordIn(INBOX, id);
export const changePath = (id: string) => recordIn(CHANGES, id);
export const deliveryPath = (id: string) => recordIn(DELIVERIES, id);
export const begunDeliveryPath = (id: string) => recordIn(DELIVERIES, `${id}.begun`);
export const failedTriesPath = (id: string) => recordIn(DELIVERIES, `${id}.tries`);
export const endedDeliveryPath = (id: string) => recordIn(DELIVERIES, `${id}.ended`);
export const hookBeginningPath = (name: string) => recordIn(DELIVERIES, `hook-${name}`);
export const channelOf = (name: string) => `${CHANNELS}/${name}`;
/** The people that are paired. */
export const channelPeopleOf = (name: string) => `${channelOf(name)}/people`;
/** Sent messages: a record before each try, and one for its end. */
export const channelSendsOf = (name: string) => `${channelOf(name)}/sends`;
/** The last words of the messages that were taken. */
export const channelHeardOf = (name: string) => `${channelOf(name)}/heard`;
export const heardPath = (name: string, id: string) => recordIn(channelHeardOf(name), id);
export const pairedPersonPath = (name: string, id: string) => recordIn(channelPeopleOf(name), id);
export const begunSendPath = (name: string, id: string, attempt: number) =>
  recordIn(channelSendsOf(name), `${id}.b${attempt}`);
export const endedSendPath = (name: string, id: string) => recordIn(channelSendsOf(name), `${id}.end`);
/** @param hash of the code. */
export const pairingOfferPath = (name: string, hash: string) => recordIn(channelOf(name), `offer-${hash}`);
export const strangersPath = (name: string) => recordIn(channelOf(name), "strangers");
export const channelStatePath = (name: string) => recordIn(channelOf(name), "state");
export const formerAccountPath = (name: string) => recordIn(channelOf(name), "former");
export const channelCursorPath = (name: string) => recordIn(channelOf(name), "cursor");
export const archivePath = (id: string) => recordIn(ARCHIVE, id);
export const streamPath = (id: string) => `${STREAMS}/${id}.jsonl`;
/** The prompts and answers of a task's runs, and the texts that became too long to show (SPEC I3). */
export const sessionPath = (id: string) => `${SESSIONS}/${id}.jsonl`;
/** The words and calls of a task while it ran, for people; all its attempts. */
export const transcriptPath = (id: string) => `${SESSIONS}/${id}.transcript.jsonl`;
export const summaryPath = (id: string) => `${SESSIONS}/${id}.summary.md`;
/** The session of the conversation itself, which is no task. */
export const CHAT = "chat";
/** @param id the SHA-256 of the bytes that are there. */
export const attachmentPath = (id: string) => `${ATTACHMENTS}/${id}`;
/** There while a sweep removes that attachment: it can no longer be used. */
export const goingAttachmentPath = (id: string) => `${ATTACHMENTS}/${id}.going`;
/** A long message of a user, whole: a view of the message. @param sha256 of the text. */
export const longTextPath = (sha256: string) => `${ATTACHMENTS}/${sha256}.txt`;
/** Why the text of a document cannot be read, so that it is not tried again for a day. */
export const unreadTextPath = (sha256: string) => `${ATTACHMENTS}/${sha256}.unread.txt`;
/** Is this the path of such a file? */
export const isLongText = (path: string) => /\/[0-9a-f]{64}(\.unread)?\.txt$/.test(path);
/** @param day `2026-11-22`, by the server's clock. */
export const usagePath = (day: string) => `${USAGE}/${day}.jsonl`;
/** @param month `2026-11`, in UTC. */
export const historyPath = (month: string) => `${HISTORY}/${month}.jsonl`;
/** The search data of a month that is over: a view of its file. @param month `2026-10`, in UTC. */
export const monthIndexPath = (month: string) => `${HISTORY}/${month}.index`;
/** Is this the path of such a view? */
export const isMonthIndex = (path: string) => /^history\/\d{4}-\d{2}\.index$/.test(path);
export const runPath = (id: string, attempt: number) => `${RUNS}/${id}.a${attempt}`;
/** Which task the folder of a run is of, by its name; undefined where it is no such folder. */
export const taskOfRun = (name: string) => /^(.+)\.a\d+$/.exec(name)?.[1];
/** In the folder of the attempt that asked: its yes was used. */
export const USED_YES = "used-yes";
/** Part 1 of a month has no number: `archive/folded/2026-10.jsonl`, then `2026-10.2.jsonl`. */
export const compactedPath = (month: string, part: number) =>
  `${COMPACTED}/${month}${part === 1 ? "" : `.${part}`}.jsonl`;

export const HISTORY_PATH = "history.json";
/** Keys of providers: no log, answer or other file holds one. */
export const SECRETS_PATH = "secrets.json";
/** The MCP servers of the owner, with keys in their environment and headers. */
export const MCP_PATH = "mcp.json";
/** The logins of MCP servers. */
export const MCP_LOGINS_PATH = "mcp-logins.json";
/** The worker pool's word on its MCP servers. */
export const MCP_STATE_PATH = "locks/mcp.json";
/** The owner's own commands as tools, a file for each. */
export const OWN_TOOLS = "tools";
/** The keys that sign pushes and check answers from notifications: no log and no answer holds a private part of them. */
export const PUSH_KEYS_PATH = `${PUSH}/keys.json`;
/** @param session of the browser that subscribed. */
export const subscriptionPath = (session: string) => recordIn(PUSH, session);
/** Written again when providers that could not be reached are to be asked again at once. */
export const TRY_NOW_PATH = "try-now";
/** Which providers the worker pool leaves alone, because they could not be reached. */
export const CIRCUITS_PATH = "locks/circuits.json";
/** A note of what endpoints refuse to models, so that they are not asked for it again. */
export const LEARNT_PATH = "locks/learnt.json";
/** A note of the gateway: the messages whose reply a client of /v1 has, a line each. */
export const DELIVERED_PATH = "locks/delivered.txt";
export const MEMORY_PATH = "memory.md";
export const BACKLOG_PATH = "backlog.md";
/** The owner's own rules, which every role gets in every run. */
export const RULES_PATH = "rules.md";
export const PERSONA_PATH = "agent_persona.md";
export const PROFILE_PATH = "user_profile.md";
/** Words that no model is shown again. */
export const FORGOTTEN_PATH = "forgotten.md";
/** Notes of the conversation and of days. */
export const MEMORY = "memory";
/** Summaries of days and months. */
export const MEMORY_SUMMARY = "memory/summary";
/** A view of self-improvement: what runs, what came of the last one, and when it looks next. */
export const SELF_AWAKE_PATH = "self_awake.json";
export const TASKS_PATH = "tasks.md";
/** The answering provider, on this machine. */
export const ANSWERS_PATH = `${LOCKS}/answers.json`;
/** There while a person wants nothing to run: `mimikit down` makes it, `mimikit up` takes it away. */
export const STOPPED_PATH = `${LOCKS}/stopped`;
/** The time zone of the browser that was signed in last. */
export const BROWSER_ZONE_PATH = "browser-zone.json";
/** The lines typed in the chat at a terminal, for its arrow keys. */
export const CHAT_LINES_PATH = "chat-lines.txt";

/** Every directory that exists from the first start on; all of them 0700. */
export const DIRECTORIES: readonly string[] = [
  INBOX,
  TRIGGERS,
  QUESTIONS,
  SIGNALS,
  CHANGES,
  ...Role.options.flatMap((role) => [role, queueOf(role), runningOf(role), resultsOf(role)]),
  ARCHIVE,
  COMPACTED,
  QUARANTINE,
  STREAMS,
  RUNS,
  USAGE,
  WORKTREES,
  LOCKS,
  TEMPORARY,
  MEMORY,
  MEMORY_SUMMARY,
  SESSIONS,
  WEB_SESSIONS,
  HISTORY,
  ATTACHMENTS,
  AUDIT,
];
