/** One page of facts about the instance: who answers, who is alive, how much waits, and what the owner should look at. */
import type { Status } from "@mimikit/protocol/api";
import { ROLES, type Role } from "@mimikit/protocol/role";
import type { Task } from "@mimikit/protocol/task";
import type { Usage } from "@mimikit/protocol/usage";
import { isAlive } from "@mimikit/runtime/identity";
import { type ProcessRole, readRole } from "@mimikit/runtime/role-record";
import { VERSION } from "@mimikit/runtime/version";
import type { FileSystem } from "@mimikit/store/file-system";
import { QUARANTINE } from "@mimikit/store/state";
import type { Look } from "./view.ts";

/** What follows from the settings as they are now. */
export interface SettingsFacts {
  /** Which provider answers for each role. */
  providers: Record<Role, string>;
  /** Mistakes in the configuration, one line each. */
  problems: readonly string[];
}

/** What does not change while the gateway runs, and where to ask for what does. */
export interface StatusFacts {
  home: string;
  workDir: string;
  startedAt: string;
  settings: () => SettingsFacts;
}

/** The status at one look. @param nowMs wall clock, for "today". */
export async function statusOf(facts: StatusFacts, fs: FileSystem, look: Look, nowMs: number): Promise<Status> {
  const supervisor = processState(facts.home, "supervisor");
  const workers = processState(facts.home, "workers");
  const quarantine = (await fs.list(QUARANTINE)).length;
  const settings = facts.settings();
  const problems = [...settings.problems];
  if (!supervisor.alive) problems.push("the supervisor is not running: messages are kept, but nobody takes them up");
  if (!workers.alive) problems.push("the worker pool is not running: tasks wait");
  if (quarantine > 0) problems.push(`${quarantine} unreadable file(s) were set aside in ${QUARANTINE}/`);
  return {
    ready: supervisor.alive && workers.alive,
    version: VERSION,
    startedAt: facts.startedAt,
    workDir: facts.workDir,
    providers: settings.providers,
    processes: { supervisor, workers, gateway: { pid: process.pid, alive: true } },
    counts: {
      inbox: look.inbox,
      queued: countByRole(look.queued),
      running: countByRole(look.running),
      questions: 0,
      triggers: look.triggers,
      quarantine,
    },
    next: null,
    usage: { today: usageSince(startOfDayMs(nowMs), look), budget: null },
    problems,
  };
}

function processState(home: string, role: ProcessRole): Status["processes"]["gateway"] {
  const record = readRole(home, role);
  if (record === null) return { alive: false };
  return { pid: record.pid, alive: isAlive(record) };
}

function countByRole(tasks: readonly Task[]): Record<Role, number> {
  const counts = Object.fromEntries(ROLES.map((role) => [role, 0])) as Record<Role, number>;
  for (const task of tasks) counts[task.role]++;
  return counts;
}

/** Midnight of the server's day. */
function startOfDayMs(nowMs: number): number {
  return new Date(nowMs).setHours(0, 0, 0, 0);
}

/** What the turns and tasks that ended since then have used, as far as the look reaches back. */
function usageSince(sinceMs: number, look: Look): Pick<Usage, "inputTokens" | "outputTokens" | "costUsd"> {
  const runs = [
    ...look.messages.map(({ at, usage }) => ({ at, usage })),
    ...look.tasks.map(({ completedAt, usage }) => ({ at: completedAt ?? "", usage })),
  ];
  const total = { inputTokens: 0, outputTokens: 0, costUsd: 0 };
  for (const { at, usage } of runs) {
    if (usage === undefined || Number.isNaN(Date.parse(at)) || Date.parse(at) < sinceMs) continue;
    total.inputTokens += usage.inputTokens;
    total.outputTokens += usage.outputTokens;
    total.costUsd += usage.costUsd;
  }
  return total;
}
