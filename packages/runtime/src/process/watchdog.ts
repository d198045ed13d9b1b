/**
 * The watchdog. PM2 takes a role whose loop hangs for a healthy one, so another role kills it and PM2 restarts it: the supervisor watches
 * all other roles, the worker pool watches the supervisor (docs/operations.md#a-process-that-hangs).
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BadJson, parseRecord } from "@mimikit/protocol/base/json";
import { Actor } from "@mimikit/protocol/records/audit";
import { Identity } from "@mimikit/protocol/records/claim";
import { hasCode } from "@mimikit/store/disk/error-code";
import { LOCKS } from "@mimikit/store/disk/state";
import { z } from "zod";
import { replaceFile } from "../home/replace-file.ts";
import { monotonicMs } from "../platform/monotonic.ts";
import type { Activity } from "../platform/platform.ts";
import { platform } from "../platform/this-platform.ts";
import { type Heartbeat, silenceOf } from "./heartbeat.ts";
import { isAlive, ownIdentity } from "./identity.ts";
import { type ProcessRole, readRole } from "./role-record.ts";

/** The roles that each watcher watches. */
export const WATCHES = {
  supervisor: ["workers", "gateway", "channels", "dispatcher"],
  workers: ["supervisor"],
} as const satisfies Partial<Record<ProcessRole, readonly ProcessRole[]>>;

const LOOK_EVERY_MS = 5_000;
/** A longer gap between two looks, in milliseconds, means that the watcher itself was held up and knows nothing of that time. */
const LATE_MS = 10_000;
/** If the wall clock advanced this much further than the monotonic clock, in milliseconds, the machine slept. */
const SLEEP_MS = 5_000;
/** Grace period for all roles after a sleep, in milliseconds. */
const AFTER_SLEEP_MS = 60_000;
/** Shortest time between two kills, in milliseconds: if more than one role hangs, the machine may be the cause. */
const AFTER_END_MS = 300_000;
/**
 * A role that has used this share of a processor while it was silent hangs by itself: one look of its loop takes some milliseconds of
 * processor time, on a slow machine too. It is no more, because a machine that is busy gives it no more.
 */
const BUSY_SHARE_MIN = 0.1;
/**
 * Roles that hang by themselves are killed without that pause, this many in a row: a task that makes its pool hang each time is given up
 * after four, and so are two. Then the pause is for a machine on which one look takes too long.
 */
const HUNG_IN_ROW_MAX = 10;

/** The input of one look. All times in milliseconds. */
export interface Sight {
  monotonicMs: number;
  wallMs: number;
  /** How long each living role is overdue; only those whose loop has started. */
  silentMs: ReadonlyMap<ProcessRole, number>;
  /** The activity of each overdue role; a role whose activity is not known is missing. */
  activities: ReadonlyMap<ProcessRole, Activity>;
  /** The last kill, by any watcher, since the machine started; null for none. */
  ended: Pick<Ended, "monotonicMs" | "hungInRow"> | null;
}

/** A role to kill. */
export interface Verdict {
  role: ProcessRole;
  /** It hangs by itself: its code does not come to an end, or waits for what does not come. Otherwise something held it up. */
  isHung: boolean;
}

/** Decides which role to kill. Deterministic: it depends on its looks alone. */
export class Judge {
  private last: Pick<Sight, "monotonicMs" | "wallMs"> | null = null;
  /** Silence before this monotonic time does not count. */
  private sinceMs = 0;
  /** The activity of each overdue role when it was first seen overdue; `isHeld` if it was at any look since, `isWaiting` if it was at each. */
  private readonly first = new Map<ProcessRole, Activity & { atMs: number }>();

  /** @param limitMs how long a role may be overdue. @returns the role that is overdue longest, if it is to be killed. */
  look(sight: Sight, limitMs: number): Verdict | null {
    const { monotonicMs: nowMs, wallMs, silentMs, ended } = sight;
    const passedMs = this.last === null ? Number.POSITIVE_INFINITY : nowMs - this.last.monotonicMs;
    const sleptMs = this.last === null ? 0 : wallMs - this.last.wallMs - passedMs;
    this.last = { monotonicMs: nowMs, wallMs };
    if (passedMs > LATE_MS) this.sinceMs = Math.max(this.sinceMs, nowMs);
    if (sleptMs > SLEEP_MS) this.sinceMs = nowMs + AFTER_SLEEP_MS;
    if (passedMs > LATE_MS || sleptMs > SLEEP_MS) this.first.clear();
    this.note(sight);
    const [longest] = [...silentMs].sort(([, a], [, b]) => b - a);
    if (longest === undefined || Math.min(longest[1], nowMs - this.sinceMs) < limitMs) return null;
    const [role] = longest;
    const first = this.first.get(role);
    // Its activity is known from the second look on.
    if (first?.atMs === nowMs) return null;
    const cpuMs = (sight.activities.get(role)?.cpuMs ?? 0) - (first?.cpuMs ?? 0);
    const isBusy = first !== undefined && cpuMs >= (nowMs - first.atMs) * BUSY_SHARE_MIN;
    const isHung = first !== undefined && !first.isHeld && (first.isWaiting || isBusy);
    const isPaused = ended !== null && nowMs - ended.monotonicMs < AFTER_END_MS;
    if (isPaused && !(isHung && (ended.hungInRow ?? 0) < HUNG_IN_ROW_MAX)) return null;
    return { role, isHung };
  }

  private note({ monotonicMs: atMs, silentMs, activities }: Sight): void {
    for (const role of this.first.keys()) if (!silentMs.has(role) || !activities.has(role)) this.first.delete(role);
    for (const [role, now] of activities) {
      const first = this.first.get(role);
      if (first === undefined) this.first.set(role, { ...now, atMs });
      else {
        first.isHeld ||= now.isHeld;
        first.isWaiting &&= now.isWaiting;
      }
    }
  }
}

/** `locks/watchdog.json`: the process that was killed last. */
const Ended = z.object({
  role: Actor,
  by: Actor,
  at: z.iso.datetime(),
  silentSec: z.number(),
  process: Identity,
  bootId: z.string(),
  monotonicMs: z.number(),
  /** How many processes that hung by themselves were killed one after the other, this one the last; 0 or none if it did not. */
  hungInRow: z.number().optional(),
});
type Ended = z.infer<typeof Ended>;

export interface WatchdogParts {
  home: string;
  role: keyof typeof WATCHES;
  /** This process's own. */
  heartbeat: Heartbeat;
  log: {
    audit(event: { event: string; detail: Record<string, unknown> }): void;
    error(message: string, facts: { error: unknown }): void;
  };
  /** How long a role may be overdue, in milliseconds; 0 turns the watchdog off. */
  limitMs(): number;
}

/** Starts watching. @returns stops it. */
export function startWatchdog({ home, role: by, heartbeat, log, limitMs }: WatchdogParts): () => void {
  const judge = new Judge();
  const look = () => {
    const limit = limitMs();
    const sight: Sight = {
      monotonicMs: monotonicMs(),
      wallMs: Date.now(),
      ...silences(home, by),
      ended: endedIn(home),
    };
    const verdict = judge.look(sight, limit);
    if (verdict !== null && limit > 0 && heartbeat.isWritten) end(verdict, sight);
  };
  const timer = setInterval(() => {
    try {
      look();
    } catch (error) {
      log.error("the watchdog failed", { error });
    }
  }, LOOK_EVERY_MS).unref();
  return () => clearInterval(timer);

  function end({ role, isHung }: Verdict, { silentMs, ended: before }: Sight): void {
    const record = readRole(home, role);
    if (record === null || !isAlive(record)) return;
    const { pid, startTime, bootId } = record;
    const silentSec = Math.floor((silentMs.get(role) ?? 0) / 1_000);
    const isInRow = before !== null && monotonicMs() - before.monotonicMs < AFTER_END_MS;
    const ended: Ended = {
      role,
      by,
      at: new Date().toISOString(),
      silentSec,
      process: { pid, startTime, bootId },
      bootId: ownIdentity().bootId,
      monotonicMs: monotonicMs(),
      hungInRow: isHung ? 1 + (isInRow ? (before.hungInRow ?? 0) : 0) : 0,
    };
    // Recorded first, so that two watchers do not kill two roles.
    replaceFile(endedPath(home), `${JSON.stringify(ended)}\n`);
    log.audit({ event: "watchdog", detail: { role, pid, silentSec, isHung } });
    process.kill(pid, "SIGKILL");
  }
}

const endedPath = (home: string) => join(home, LOCKS, "watchdog.json");

function silences(home: string, by: keyof typeof WATCHES): Pick<Sight, "silentMs" | "activities"> {
  const silentMs = new Map<ProcessRole, number>();
  const activities = new Map<ProcessRole, Activity>();
  for (const role of WATCHES[by]) {
    const forMs = silenceOf(home, role);
    if (forMs === null || forMs < LOOK_EVERY_MS) continue;
    const record = readRole(home, role);
    if (record === null || !isAlive(record)) continue;
    silentMs.set(role, forMs);
    const activity = platform.activityOf(record.pid);
    if (activity !== null) activities.set(role, activity);
  }
  return { silentMs, activities };
}

/** The last kill since this machine started. */
function endedIn(home: string): Ended | null {
  const ended = readEnded(home);
  return ended?.bootId === ownIdentity().bootId ? ended : null;
}

/** The process that a watchdog killed last, and whether it hung by itself; null before the first. */
export function killedByWatchdog(home: string): { process: Identity; isHung: boolean } | null {
  const ended = readEnded(home);
  return ended && { process: ended.process, isHung: (ended.hungInRow ?? 0) > 0 };
}

function readEnded(home: string): Ended | null {
  try {
    return parseRecord(Ended, readFileSync(endedPath(home), "utf8"));
  } catch (error) {
    if (error instanceof BadJson || hasCode(error, "ENOENT", "ENOTDIR", "EISDIR")) return null;
    throw error;
  }
}
