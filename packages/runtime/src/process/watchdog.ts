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

/** The input of one look. All times in milliseconds. */
export interface Sight {
  monotonicMs: number;
  wallMs: number;
  /** How long each living role is overdue; only those whose loop has started. */
  silentMs: ReadonlyMap<ProcessRole, number>;
  /** When a role was killed last, by any watcher, in monotonic time; null if none was since the machine started. */
  endedMs: number | null;
}

/** Decides which role to kill. Deterministic: it depends on its looks alone. */
export class Judge {
  private last: Pick<Sight, "monotonicMs" | "wallMs"> | null = null;
  /** Silence before this monotonic time does not count. */
  private sinceMs = 0;

  /** @param limitMs how long a role may be overdue. @returns the role to kill: the one that is overdue longest; null for none. */
  look({ monotonicMs: nowMs, wallMs, silentMs, endedMs }: Sight, limitMs: number): ProcessRole | null {
    const passedMs = this.last === null ? Number.POSITIVE_INFINITY : nowMs - this.last.monotonicMs;
    const sleptMs = this.last === null ? 0 : wallMs - this.last.wallMs - passedMs;
    this.last = { monotonicMs: nowMs, wallMs };
    if (passedMs > LATE_MS) this.sinceMs = Math.max(this.sinceMs, nowMs);
    if (sleptMs > SLEEP_MS) this.sinceMs = nowMs + AFTER_SLEEP_MS;
    if (endedMs !== null && nowMs - endedMs < AFTER_END_MS) return null;
    const [longest] = [...silentMs].sort(([, a], [, b]) => b - a);
    if (longest === undefined || Math.min(longest[1], nowMs - this.sinceMs) < limitMs) return null;
    return longest[0];
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
    const sight = {
      monotonicMs: monotonicMs(),
      wallMs: Date.now(),
      silentMs: silences(home, by),
      endedMs: endedIn(home),
    };
    const role = judge.look(sight, limit);
    if (role !== null && limit > 0 && heartbeat.isWritten) end(role, sight.silentMs.get(role) ?? 0);
  };
  const timer = setInterval(() => {
    try {
      look();
    } catch (error) {
      log.error("the watchdog failed", { error });
    }
  }, LOOK_EVERY_MS).unref();
  return () => clearInterval(timer);

  function end(role: ProcessRole, silentMs: number): void {
    const record = readRole(home, role);
    if (record === null || !isAlive(record)) return;
    const { pid, startTime, bootId } = record;
    const silentSec = Math.floor(silentMs / 1_000);
    const ended: Ended = {
      role,
      by,
      at: new Date().toISOString(),
      silentSec,
      process: { pid, startTime, bootId },
      bootId: ownIdentity().bootId,
      monotonicMs: monotonicMs(),
    };
    // Recorded first, so that two watchers do not kill two roles.
    replaceFile(endedPath(home), `${JSON.stringify(ended)}\n`);
    log.audit({ event: "watchdog", detail: { role, pid, silentSec } });
    process.kill(pid, "SIGKILL");
  }
}

const endedPath = (home: string) => join(home, LOCKS, "watchdog.json");

function silences(home: string, by: keyof typeof WATCHES): Map<ProcessRole, number> {
  const silent = new Map<ProcessRole, number>();
  for (const role of WATCHES[by]) {
    const silentMs = silenceOf(home, role);
    if (silentMs === null || silentMs < LOOK_EVERY_MS) continue;
    const record = readRole(home, role);
    if (record !== null && isAlive(record)) silent.set(role, silentMs);
  }
  return silent;
}

/** When a role was killed last since this machine started, in monotonic time. */
function endedIn(home: string): number | null {
  const ended = readEnded(home);
  return ended?.bootId === ownIdentity().bootId ? ended.monotonicMs : null;
}

/** The process that a watchdog killed last; null before the first. */
export function killedByWatchdog(home: string): Identity | null {
  return readEnded(home)?.process ?? null;
}

function readEnded(home: string): Ended | null {
  try {
    return parseRecord(Ended, readFileSync(endedPath(home), "utf8"));
  } catch (error) {
    if (error instanceof BadJson || hasCode(error, "ENOENT", "ENOTDIR", "EISDIR")) return null;
    throw error;
  }
}
