/** The context of a role besides its task, read from the state directory when its run starts (SPEC F1). */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { clockOf, isoIn } from "@mimikit/agent/prompt/clock";
import { type AttachmentEvidence, gatherEvidence } from "@mimikit/agent/prompt/evidence";
import { type PromptInput, shownOfHistory } from "@mimikit/agent/prompt/talk";
import { definitionOf } from "@mimikit/agent/roles/index";
import type { BudgetSettings } from "@mimikit/agent/talk/budgets";
import type { Context } from "@mimikit/agent/tools/context";
import { summaryOf, triggerSummary } from "@mimikit/core/views/board";
import { type Ending, endingOf } from "@mimikit/core/views/ending";
import { newestVersions, replacedBy, sinceClear, sinceCompressed, summaryIn } from "@mimikit/core/views/history";
import type { Forgotten } from "@mimikit/memory/forgotten/forgotten";
import { readForgotten, shownHits, shownLog, shownMessages } from "@mimikit/memory/forgotten/read-forgotten";
import type { HistoryIndex, MessageLog } from "@mimikit/memory/search/history-index";
import type { MemoryPlace } from "@mimikit/memory/sources/memory-query";
import { toldOf } from "@mimikit/memory/text/told";
import { compareTaskIds, resultSummaryId, turnId } from "@mimikit/protocol/base/id";
import type { Role } from "@mimikit/protocol/base/role";
import type { SkillSummary } from "@mimikit/protocol/base/skill";
import type { History, HistoryMessage } from "@mimikit/protocol/records/history";
import type { ClientClock, Message } from "@mimikit/protocol/records/inbox";
import { forgottenTurns } from "@mimikit/protocol/records/memory-entry";
import type { Question } from "@mimikit/protocol/records/question";
import type { Result } from "@mimikit/protocol/records/result";
import { isTurn, type Task, type TurnInput } from "@mimikit/protocol/records/task";
import type { PoolSummary, TaskSummary, TriggerSummary } from "@mimikit/protocol/wire/api";
import type { PersonZone } from "@mimikit/runtime/clock/person-zone";
import { VERSION } from "@mimikit/runtime/home/version";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { BACKLOG_PATH, FORGOTTEN_PATH, MEMORY_PATH, PERSONA_PATH, PROFILE_PATH } from "@mimikit/store/disk/state";
import { parseBacklog } from "@mimikit/store/documents/backlog";
import type { ArchiveIndex } from "@mimikit/store/state-cache/archive-index";
import type { StateCache } from "@mimikit/store/state-cache/state-cache";
import type { HistoryWindow } from "@mimikit/store/views/history";
import { readStep } from "@mimikit/store/views/shown-text";
import { layOutTexts } from "./lay-out-texts.ts";
import type { OpenTasks } from "./open-tasks.ts";
import { originOf } from "./origin-of.ts";
import { type OwnerRules, rulesForTurn } from "./owner-rules.ts";
import { readOrReason } from "./read-document.ts";
import { recall } from "./recall.ts";

/** Ended tasks that a role is told of; the rest is in the history. */
const ENDED_TASKS_MAX = 20;
const FORGOTTEN = "(forgotten)";
/** Running tasks whose last step is read. */
const STEPS_MAX = 20;
const NOTHING_RECALLED = { memory: [], recalled: [] };

export interface Sources {
  home: string;
  workDir: string;
  fs: FileSystem;
  cache: StateCache;
  openTasks: OpenTasks;
  /** The newest messages. */
  conversation: HistoryWindow;
  /** Everything that was ever said. */
  said: HistoryIndex;
  rules: Pick<OwnerRules, "read">;
  providers: Record<Role, string>;
  /** The skills; asked for again by each run, so that an edit counts from the next one on. */
  listSkills(): Promise<SkillSummary[]>;
  nowMs(): number;
  /** The owner's time zone, where this is the owner's home. */
  zone?(): PersonZone;
  /** The other machines that work for this home. */
  listPools?(): Promise<readonly PoolSummary[]>;
  /** The settings `context`; the defaults if not given. */
  budgets?(): BudgetSettings;
  /** The tokens that a request to the model of a task may have; that of a small window if not given. */
  tokensMaxOf?(task: Task): Promise<number>;
  /** The files that a run is about, where another home has given them. */
  evidence?: readonly AttachmentEvidence[];
}

/** @param runDir the folder of the attempt, which exists. Throws what the disk throws. */
export async function gatherContext(
  task: Task,
  runDir: string,
  {
    home,
    workDir,
    fs,
    cache,
    openTasks,
    conversation,
    said,
    rules,
    providers,
    listSkills,
    listPools,
    zone,
    nowMs,
    budgets,
    tokensMaxOf,
    evidence: given,
  }: Sources,
): Promise<Context> {
  await cache.archiveIndex.follow();
  const forgotten = await readForgotten(home);
  const view = await conversation.read();
  const { messages: newest } = view;
  const { history, summary } = await conversationIn(view, cache.archiveIndex, task.turn, forgotten);
  const origin = isTurn(task) ? [] : shownToWork(await originOf(task, cache), forgotten);
  const messages = task.turn?.messages ?? origin;
  const now = new Date(nowMs()).toISOString();
  const evidence = given ?? (await gatherEvidence(messages, history, { home, fs }));
  const sender = messages.findLast((message) => message.client !== undefined);
  const { tasks: listed, endings } = await listTasks(openTasks.list, cache, sinceClear(newest), workDir, forgotten);
  const tasks = listed.map((each) => shownTask(each, forgotten));
  // Thousands may wait, and what has not ended has no summary.
  const ended = tasks.filter(({ completedAt }) => completedAt !== undefined);
  const conversed = {
    now,
    history,
    origin,
    ...quotedBy(messages, shownMessages(newest, forgotten)),
    ...(budgets !== undefined && { budgets: budgets() }),
    ...(zone !== undefined && { zone: zone() }),
    ...(sender?.client !== undefined && { client: clientOf(sender, sender.client, now) }),
  };
  const place = { home, workDir };
  const unread: string[] = [];
  const read = async (path: string) => {
    const { text, reason } = await readOrReason(fs, path);
    if (reason !== undefined) unread.push(reason);
    return text;
  };
  const persona = await read(PERSONA_PATH);
  const profile = await read(PROFILE_PATH);
  // It is known by now; where it cannot be read, that is said.
  await read(FORGOTTEN_PATH);
  const all = shownLog(said.with(newest), forgotten);
  const { sections } = definitionOf(task);
  const pools = sections.includes("pools") ? ((await listPools?.()) ?? []) : [];
  return {
    ...conversed,
    ...(sections.includes("memory")
      ? await reminded(
          { task, context: conversed },
          { tokensMax: await tokensMaxOf?.(task), isOffline: providers[task.role] === "offline" },
          { said: all, newest, forgotten },
          place,
          [await read(MEMORY_PATH), persona, profile],
        )
      : NOTHING_RECALLED),
    summary,
    rules: isTurn(task) ? await rulesForTurn(rules) : await rules.read(),
    persona: toldOf(persona),
    profile: toldOf(profile),
    longTexts: await layOutTexts(messages, task.role, { fs, runDir }),
    said: all,
    tasks,
    endings,
    steps: await stepsOf(tasks, fs),
    summaries: await summariesOf([...ended, ...task.upstream], cache.archiveIndex, forgotten),
    triggers: listTriggers(cache),
    questions: listQuestions(cache),
    memoryPlace: place,
    skills: sections.includes("skills") ? await listSkills() : [],
    backlog: parseBacklog(await read(BACKLOG_PATH)).map(({ item, done }) => ({ item, done })),
    providers,
    version: VERSION,
    ...(unread.length > 0 && { unread }),
    ...(evidence.length > 0 && { evidence }),
    ...(pools.length > 0 && { pools }),
  };
}

/**
 * Finds memories and earlier messages about the messages of a run, without those that its prompt shows anyway.
 * @param tokensMax what a request to its model may have. @param isOffline code answers, to which nothing is shown.
 * @param documents in which the Teller remembers for good.
 */
async function reminded(
  conversation: PromptInput,
  { tokensMax, isOffline }: { tokensMax: number | undefined; isOffline: boolean },
  { said, newest, forgotten }: { said: MessageLog; newest: readonly HistoryMessage[]; forgotten: Forgotten },
  place: MemoryPlace,
  documents: readonly string[],
): Promise<Pick<Context, "memory" | "recalled">> {
  const { task, context } = conversation;
  const messages = task.turn?.messages ?? context.origin;
  const shown = shownOfHistory(conversation, tokensMax);
  const pending = new Set(messages.map(({ id }) => id));
  // A message that was edited or answered again counts as it was said last.
  const again = task.turn === undefined ? [] : replacedBy(task.turn);
  const replaced = new Set([...newest.flatMap(({ instead }) => instead ?? []), ...again]);
  const found = await recall({
    asked: messages.map(({ text }) => text),
    before: context.history.map(({ text }) => text),
    place,
    said,
    isShown: (id) => shown.has(id) || pending.has(id) || replaced.has(id),
    shown: isOffline ? [] : context.history.filter(({ id }) => shown.has(id)).map(({ text }) => text),
    forgotten: new Set(documents.flatMap((document) => [...forgottenTurns(document)])),
  });
  return { ...found, memory: shownHits(found.memory, forgotten) };
}

/** The messages since the last new conversation, in their last version; messages before it was compressed are in the summary (SPEC F3). */
async function conversationIn(
  { messages, compressed }: History,
  archiveIndex: ArchiveIndex,
  now: TurnInput | undefined,
  forgotten: Forgotten,
): Promise<Pick<Context, "history" | "summary">> {
  const replaced = now === undefined ? [] : replacedBy(now);
  const current = (said: HistoryMessage[]) =>
    shownMessages(newestVersions(said), forgotten).filter(({ id }) => !replaced.includes(id));
  const history = sinceClear(messages);
  const turn = compressed === undefined ? null : await archiveIndex.readResult(turnId(compressed));
  if (turn === null) return { history: current(history), summary: "" };
  return { history: current(sinceCompressed(history, turn)), summary: shownSummary(turn, forgotten) };
}

function shownSummary(turn: Result, forgotten: Forgotten): string {
  return forgotten.without(summaryIn(turn) ?? "", { atMs: Date.parse(turn.completedAt) });
}

/** The messages that work is about, without what the user wants forgotten since. One that says nothing else is not shown, nor are its files. */
function shownToWork(messages: readonly Message[], forgotten: Forgotten): Message[] {
  return messages.flatMap((message) => {
    const text = forgotten.without(message.text, { atMs: Date.parse(message.at), isUsers: true });
    return text === "" ? [] : { ...message, text };
  });
}

/** A task whose title tells what is forgotten has none any more. Its own prompt stays: the work goes on by it. */
function shownTask(task: TaskSummary, forgotten: Forgotten): TaskSummary {
  const said = { atMs: Date.parse(task.createdAt) };
  const [title, prompt] = [forgotten.without(task.title, said), forgotten.without(task.prompt, said)];
  if (title === task.title && prompt === task.prompt) return task;
  return { ...task, title: title === "" ? FORGOTTEN : title, prompt };
}

/** A user who quotes a message means just that, even if a new conversation has begun since. */
function quotedBy(messages: readonly Message[], window: readonly HistoryMessage[]): Pick<Context, "quoted"> {
  const ids = new Set(messages.flatMap(({ quote }) => quote ?? []));
  const quoted = window.filter(({ id }) => ids.has(id)).map(({ id, text }) => [id, text] as const);
  return quoted.length === 0 ? {} : { quoted: Object.fromEntries(quoted) };
}

/** The Teller's summaries of the results of these tasks, by their ids. */
async function summariesOf(
  tasks: readonly { id: string }[],
  archiveIndex: ArchiveIndex,
  forgotten: Forgotten,
): Promise<Record<string, string>> {
  const summaries: Record<string, string> = {};
  for (const { id } of tasks) {
    const record = await archiveIndex.read(resultSummaryId(id));
    if (record !== null && "summary" in record && "taskId" in record)
      summaries[id] = forgotten.without(record.summary, { atMs: Date.parse(record.at) }) || FORGOTTEN;
  }
  return summaries;
}

/** Work may run long after its message was sent: then only the place of the client's clock still counts. */
function clientOf(sender: Message, client: ClientClock, now: string): ClientClock {
  const { timeZone } = clockOf(sender);
  const msSince = Date.parse(now) - Date.parse(sender.at);
  return { timeZone: client.timeZone, now: isoIn(Date.parse(client.now) + msSince, timeZone) };
}

function listTriggers({ triggers, archiveIndex }: StateCache): TriggerSummary[] {
  const open = [...triggers.values()]
    .filter(({ id, over }) => over === undefined && !archiveIndex.has(id))
    .map((trigger) => ({ ...triggerSummary(trigger), prompt: trigger.prompt }));
  return open.sort((a, b) => newestFirst(a.createdAt, b.createdAt) || compareTaskIds(b.id, a.id));
}

function listQuestions({ questions, archiveIndex }: StateCache): Question[] {
  const open = [...questions.values()].filter(({ id }) => !archiveIndex.has(id));
  return open.sort((a, b) => newestFirst(a.at, b.at) || compareTaskIds(b.id, a.id));
}

function newestFirst(a: string, b: string): number {
  return Date.parse(b) - Date.parse(a);
}

/** The open ones, then those that the conversation tells the end of; and what the ended ones came to. */
async function listTasks(
  open: readonly TaskSummary[],
  { archiveIndex, results }: StateCache,
  history: HistoryMessage[],
  workDir: string,
  forgotten: Forgotten,
): Promise<{ tasks: TaskSummary[]; endings: Record<string, Ending> }> {
  const known = new Set(open.map((task) => task.id));
  const ended: TaskSummary[] = [];
  const endings: Record<string, Ending> = {};
  const note = async (result: Result) => {
    const { gist, ...ending } = await withFiles(endingOf(result), workDir);
    const shown = gist === undefined ? "" : forgotten.without(gist, { atMs: Date.parse(result.completedAt) });
    endings[result.id] = { ...ending, ...(shown !== "" && { gist: shown }) };
  };
  for (const { id } of open) {
    const result = results.get(id);
    if (result !== undefined) await note(result);
  }
  for (const id of history.toReversed().flatMap((message) => message.taskIds ?? [])) {
    if (ended.length >= ENDED_TASKS_MAX) break;
    if (known.has(id)) continue;
    known.add(id);
    const result = await archiveIndex.readResult(id);
    if (result === null) continue;
    ended.push(summaryOf(result));
    await note(result);
  }
  return { tasks: [...open, ...ended], endings };
}

/** Only paths at which there is a file: a word with a dot in it is no path yet. */
async function withFiles(ending: Ending, workDir: string): Promise<Ending> {
  const paths: string[] = [];
  for (const path of ending.paths) {
    const info = await stat(join(workDir, path)).catch(() => null);
    if (info?.isFile() === true) paths.push(path);
  }
  return { ...ending, paths };
}

async function stepsOf(tasks: readonly TaskSummary[], fs: FileSystem): Promise<Record<string, string>> {
  const steps: Record<string, string> = {};
  for (const { id } of tasks.filter(({ state }) => state === "running").slice(0, STEPS_MAX)) {
    const step = await readStep(fs, id);
    if (step !== undefined) steps[id] = step;
  }
  return steps;
}
