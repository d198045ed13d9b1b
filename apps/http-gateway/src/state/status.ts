/** One page of facts about the instance: who answers, who is alive, how much waits, and what the owner should look at. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Account, budgetStates, ceilingOf, type SpendingLimits } from "@mimikit/core/base/budget";
import { aheadOfClock } from "@mimikit/core/triggers/ahead-of-clock";
import { unansweredTriggers } from "@mimikit/core/triggers/unanswered";
import { byRole, type Pausable } from "@mimikit/protocol/base/kind";
import { Role } from "@mimikit/protocol/base/role";
import { dayOf } from "@mimikit/protocol/base/usage";
import type { Task } from "@mimikit/protocol/records/task";
import { sentence, withCodes } from "@mimikit/protocol/texts/coded";
import type { ProcessState, Status, TaskSummary } from "@mimikit/protocol/wire/api";
import { whyUnwritable } from "@mimikit/runtime/home/home";
import { ROOM_BYTES_MIN, roomBytes } from "@mimikit/runtime/home/room";
import { VERSION } from "@mimikit/runtime/home/version";
import { silentSecOf } from "@mimikit/runtime/process/heartbeat";
import { isAlive } from "@mimikit/runtime/process/identity";
import { ACTORS, deathsOf, type ProcessRole, type RoleRecord, readRole } from "@mimikit/runtime/process/role-record";
import { hasCode } from "@mimikit/store/disk/error-code";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { HOOKS, MCP_STATE_PATH, MEMORY, MEMORY_SUMMARY, QUARANTINE } from "@mimikit/store/disk/state";
import type { StateCache } from "@mimikit/store/state-cache/state-cache";
import { accountsAt } from "@mimikit/store/views/accounts";
import type { DailyUsage, UsageLog } from "@mimikit/store/views/usage-log";
import type { Demo } from "./demo.ts";
import type { Mishaps } from "./mishaps.ts";
import type { StateView } from "./view.ts";

/** Triggers of one kind of problem; more of them are not listed. */
const TRIGGERS_SHOWN_MAX = 3;

/** Facts that follow from the settings as they are now. */
export interface SettingsFacts {
  /** May the content of the state directory run and be believed? */
  adopted: boolean;
  /** Which provider answers for each role. */
  providers: Record<Role, string>;
  /** Which model it asks for it; null where none is named. */
  models: Record<Role, string | null>;
  /** The providers that `auto` skipped, and why. */
  passedOver: readonly string[];
  /** Mistakes in the configuration, one line each. */
  problems: readonly string[];
  /** Roles whose queues are paused. */
  paused: readonly Pausable[];
  /** The limits of a day and of a month. */
  limits: SpendingLimits;
  /** Is a channel set up? */
  hasChannels: boolean;
  /** Is an engine set up that carries work to other machines? */
  hasPools: boolean;
}

/** Facts that do not change while the gateway runs, and sources of those that do. */
export interface StatusFacts {
  home: string;
  workDir: string;
  startedAt: string;
  settings: () => SettingsFacts;
  usage: UsageLog;
  cache: StateCache;
  mishaps: Mishaps;
  demo: Demo;
}

/** The status at one look. @param nowMs wall clock, for "today". */
export async function statusOf(facts: StatusFacts, fs: FileSystem, state: StateView, nowMs: number): Promise<Status> {
  const supervisor = processState(facts.home, "supervisor");
  const workers = processState(facts.home, "workers");
  const quarantine = (await fs.list(QUARANTINE)).length;
  const settings = facts.settings();
  const channels = settings.hasChannels ? await channelsOf(fs, facts.home) : undefined;
  const accounts = accountsAt(settings.limits, facts.usage, facts.cache, nowMs);
  const problems = [
    ...settings.problems,
    ...outagesIn(state, nowMs),
    ...ceilingsIn(accounts),
    ...(await memoryProblems(fs)),
  ];
  if (settings.adopted && (await fs.exists(HOOKS))) problems.push(...(await hookProblems(fs, facts.home)));
  for (const role of settings.paused) problems.push(sentence("queue_paused", { role }));
  const { triggers, archiveIndex } = facts.cache;
  for (const { title, last } of aheadOfClock(triggers.values(), nowMs).slice(0, TRIGGERS_SHOWN_MAX))
    problems.push(sentence("trigger_ahead", { title, until: last }));
  const unanswered = unansweredTriggers(triggers.values()).filter(({ id }) => !archiveIndex.has(id));
  for (const { id, title, count, at } of unanswered.slice(0, TRIGGERS_SHOWN_MAX))
    problems.push(sentence("trigger_unanswered", { id, title, count, moment: at }));
  const pools = settings.hasPools ? await poolsOf(fs, facts, nowMs, problems) : undefined;
  const today = facts.usage.readDay(dayOf(nowMs));
  const unwritable = whyUnwritable(facts.home);
  if (unwritable !== null) problems.push(sentence("unwritable", { detail: unwritable }));
  else if (roomBytes(facts.home) < ROOM_BYTES_MIN) problems.push(sentence("no_room", { path: facts.home }));
  problems.push(...facts.mishaps.problems(nowMs));
  if (!supervisor.alive) problems.push(sentence("supervisor_down"));
  if (!workers.alive) problems.push(sentence("workers_down"));
  for (const [role, state] of Object.entries({
    supervisor,
    workers,
    channels: channels?.process,
    dispatcher: pools?.process,
  }))
    if (state?.silentSec !== undefined) problems.push(sentence("role_hangs", { role, seconds: state.silentSec }));
  problems.push(...crashLoops(facts.home));
  if (channels?.process.alive === false) problems.push(sentence("channels_down"));
  if (pools?.process.alive === false) problems.push(sentence("dispatcher_down"));
  for (const { name, state, seenAt, tasks = [] } of pools?.each ?? [])
    if (state === "away" && seenAt !== undefined && tasks.length > 0)
      problems.push(sentence("machine_away", { name, moment: seenAt }));
  for (const [name, { state, detail = "" }] of Object.entries(channels?.each ?? {}))
    if (state === "unreachable" || state === "refused")
      problems.push(sentence("channel_stands_still", { name, detail }));
  problems.push(...(await mcpProblems(facts.home)));
  if (quarantine > 0) problems.push(sentence("quarantined", { count: quarantine }));
  return withCodes({
    ready: [supervisor, workers].every(({ alive, silentSec }) => alive && silentSec === undefined),
    adopted: settings.adopted,
    ...(facts.demo.report() !== null && { demo: true as const }),
    version: VERSION,
    startedAt: facts.startedAt,
    workDir: facts.workDir,
    providers: settings.providers,
    models: settings.models,
    ...answeredIn(state),
    passedOver: [...settings.passedOver],
    processes: { supervisor, workers, gateway: ownState(facts.home) },
    ...(channels !== undefined && { channels }),
    ...(pools !== undefined && { pools }),
    counts: {
      inbox: state.inbox,
      queued: { ...state.queued },
      running: countByRole(state.running),
      questions: state.questions.length,
      triggers: state.triggers.length,
      quarantine,
    },
    paused: [...settings.paused],
    next: nextOf(state),
    usage: { today: today.total, budget: budgetStates(accounts) },
    tools: toolsOf(today),
    problems,
  });
}

/** Loaded where there is something to say of MCP servers. */
async function mcpProblems(home: string): Promise<string[]> {
  if (!existsSync(join(home, MCP_STATE_PATH))) return [];
  const { readMcpRecord } = await import("@mimikit/runtime/process/mcp-record");
  return Object.entries(readMcpRecord(home)).flatMap(([name, { state, problems }]) =>
    state === "failed" ? [sentence("mcp_failed", { name, detail: problems.join("; ") })] : [],
  );
}

function processState(home: string, role: ProcessRole): ProcessState {
  const record = readRole(home, role);
  if (record === null) return { alive: false };
  if (!isAlive(record)) return { pid: record.pid, alive: false };
  const silentSec = silentSecOf(home, role);
  return {
    pid: record.pid,
    alive: true,
    ...(silentSec !== undefined && { silentSec }),
    ...deathsIn(record),
  };
}

/** The gateway of this process: its loop cannot be silent here. */
function ownState(home: string): ProcessState {
  const record = readRole(home, "gateway");
  return { pid: process.pid, alive: true, ...(record !== null && deathsIn(record)) };
}

function deathsIn(record: RoleRecord): Pick<ProcessState, "deaths"> {
  const { count } = deathsOf(record);
  return count > 0 ? { deaths: count } : {};
}

/** The processes that die again and again. */
function crashLoops(home: string): string[] {
  return ACTORS.flatMap((role) => {
    const record = readRole(home, role);
    const { count, isLoop } = record === null ? { count: 0, isLoop: false } : deathsOf(record);
    return isLoop ? [sentence("crash_loop", { role, count })] : [];
  });
}

/** The trigger that fires next, as far as schedules say. */
function nextOf({ triggers: [soonest] }: StateView): Status["next"] {
  return soonest === undefined || soonest.next === null ? null : { triggerId: soonest.id, at: soonest.next };
}

function countByRole(tasks: readonly Task[]): Record<Role, number> {
  return byRole((role) => tasks.filter((task) => task.role === role).length);
}

/** The provider that answered last for each role, as far as the view reaches back. */
function answeredIn({ messages, tasks }: StateView): Pick<Status, "answered" | "answeredModels"> {
  const answered: Status["answered"] = {};
  const answeredModels: Status["answeredModels"] = {};
  const note = (role: Role, { provider, model }: Pick<TaskSummary, "provider" | "model">) => {
    if (provider === undefined) return;
    answered[role] = provider;
    if (model === undefined) delete answeredModels[role];
    else answeredModels[role] = model;
  };
  for (const message of messages) note("teller", message);
  const ended = tasks.filter(({ completedAt }) => completedAt !== undefined);
  for (const task of ended.sort(byCompletion)) note(task.role, task);
  return { answered, answeredModels };
}

function byCompletion(a: TaskSummary, b: TaskSummary): number {
  const [first = "", second = ""] = [a.completedAt, b.completedAt];
  return first < second ? -1 : first > second ? 1 : 0;
}

/** For each role that waits for a provider: until when its limit lasts, or since when nobody is reached, and why. */
function outagesIn({ outages }: StateView, nowMs: number): string[] {
  return Role.options.flatMap((role) => {
    const waiting = outages.filter(({ task, isOpen }) => isOpen && task.role === role);
    const limits = waiting.flatMap(({ newest: { until, error } }) =>
      until === undefined || Date.parse(until) <= nowMs ? [] : [{ until, error }],
    );
    const [limit] = limits.sort((a, b) => (a.until > b.until ? -1 : 1));
    if (limit !== undefined) return [sentence("limit_reached", { role, moment: limit.until, detail: limit.error })];
    const [first] = waiting.map(({ outage }) => outage).sort((a, b) => (a.since < b.since ? -1 : 1));
    if (first === undefined) return [];
    return [sentence("nobody_reached", { role, moment: first.since, detail: first.error })];
  });
}

/** Budgets that are used up: until when work waits, and what can be done. */
function ceilingsIn(accounts: readonly Account[]): string[] {
  const ceiling = ceilingOf(accounts);
  if (ceiling === null) return [];
  const { scope, period, resumesAt } = ceiling;
  return [sentence("budget_used_up", { scope, period, moment: resumesAt })];
}

/** A search passes over what it may not read, so the owner hears of it here. */
async function memoryProblems(fs: FileSystem): Promise<string[]> {
  const problems: string[] = [];
  for (const dir of [MEMORY, MEMORY_SUMMARY]) {
    try {
      await fs.list(dir);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (!hasCode(error, "ENOENT")) problems.push(sentence("memory_unreadable", { path: `${dir}/`, detail: reason }));
    }
  }
  return problems;
}

/** Loaded only where a channel is set up. */
async function channelsOf(fs: FileSystem, home: string): Promise<NonNullable<Status["channels"]>> {
  const { readChannelStates } = await import("@mimikit/store/views/channel-states");
  return { process: processState(home, "channels"), each: await readChannelStates(fs) };
}

/** Loaded only where an engine is set up. A damaged record is a problem, and hides its machine. */
async function poolsOf(
  fs: FileSystem,
  { home, cache }: StatusFacts,
  nowMs: number,
  problems: string[],
): Promise<NonNullable<Status["pools"]>> {
  const process = processState(home, "dispatcher");
  const { describeMachines } = await import("@mimikit/runtime/pools/registry");
  const onDamaged = (error: Error) => problems.push(sentence("pools_unreadable", { detail: error.message }));
  return { process, each: await describeMachines(fs, cache, nowMs, onDamaged) };
}

/** Loaded only where there are hooks. */
async function hookProblems(fs: FileSystem, home: string): Promise<string[]> {
  const { examineHooks } = await import("@mimikit/runtime/hooks/hook-problems");
  const { problems } = await examineHooks(fs, home, process.env);
  return problems.map(({ place, reason }) => sentence("hook_stands_still", { path: place, detail: reason }));
}

function toolsOf({ tools }: DailyUsage): Status["tools"] {
  const entries = [...tools].map(([tool, { calls, failed, ms }]) => [
    tool,
    { calls, failed, meanMs: Math.round(ms / Math.max(1, calls)) },
  ]);
  return Object.fromEntries(entries);
}
