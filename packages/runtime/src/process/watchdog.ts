/**
 * A role whose loop stands still is alive for PM2, for ever. Another role ends it, and PM2 starts it anew: the supervisor watches all
 * others, the worker pool watches the supervisor (docs/operations.md#a-process-that-stands-still).
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
import { type Heartbeat, monotonicMs, silenceOf } from "./heartbeat.ts";
import { isAlive, ownIdentity } from "./identity.ts";
import { type ProcessRole, readRole } from "./role-record.ts";

/** Which roles a role watches. */
export const WATCHES = {
  supervisor: ["workers", "gateway", "channels"],
  workers: ["supervisor"],
} as const satisfies Partial<Record<ProcessRole, readonly ProcessRole[]>>;

const LOOK_EVERY_MS = 5_000;
/** A look that comes so long after the one before: this process was held up itself, and knows nothing of the time between. */
const LATE_MS = 10_000;
/** The clock of the calendar went on so much further than the monotonic one: the machine slept. */
const SLEEP_MS = 5_000;
/** After that, everybody gets this long. */
const AFTER_SLEEP_MS = 60_000;
/** After one was ended, no other is ended for this long: it may be the machine that stands still. */
const AFTER_END_MS = 300_000;

/** What is seen at one look. All times in milliseconds. */
export interface Sight {
  monotonicMs: number;
  wallMs: number;
  /** For how long each role stands still; none that has not begun. */
  silentMs: ReadonlyMap<ProcessRole, number>;
  /** When a role was ended last, by whichever role, in monotonic time; null where none was since the machine started. */
  endedMs: number | null;
}

/** Decides which role is to be ended. Pure but for what it remembers of the looks before. */
export class Judge {
  private last: Pick<Sight, "monotonicMs" | "wallMs"> | null = null;
  /** Only what happened since then counts. */
  private sinceMs = 0;

  /** @param limitMs how long a role may stand still. @returns the one that has stood still longest, if it is to be ended. */
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

/** `locks/watchdog.json`: which process was ended last. */
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
  /** What this role says of itself. */
  heartbeat: Heartbeat;
  log: {
    audit(event: { event: string; detail: Record<string, unknown> }): void;
    error(message: string, facts: { error: unknown }): void;
  };
  /** How long a role may stand still, in milliseconds; 0 ends none. */
  limitMs(): number;
}

/** Watches from now on. @returns stops that. */
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
    if (role !== null && limit > 0 && heartbeat.isHeard) end(role, sight.silentMs.get(role) ?? 0);
  };
  const timer = setInterval(() => {
    try {
      look();
    } catch (error) {
      log.error("the other processes could not be watched", { error });
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
    // Before, so that two that watch do not end two.
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

/** When one was ended last since this machine started, in monotonic time. */
function endedIn(home: string): number | null {
  try {
    const ended = parseRecord(Ended, readFileSync(endedPath(home), "utf8"));
    return ended.bootId === ownIdentity().bootId ? ended.monotonicMs : null;
  } catch (error) {
    if (error instanceof BadJson || hasCode(error, "ENOENT", "ENOTDIR", "EISDIR")) return null;
    throw error;
  }
}
