/** Each process role says who it is when it starts, so that the others can see whether it lives. */
import { closeSync, constants, existsSync, fstatSync, openSync, readFileSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { BadJson, parseRecord } from "@mimikit/protocol/base/json";
import { Actor, CoreActor } from "@mimikit/protocol/records/audit";
import { Identity } from "@mimikit/protocol/records/claim";
import { hasCode } from "@mimikit/store/disk/error-code";
import { LOCKS } from "@mimikit/store/disk/state";
import { z } from "zod";
import { replaceFile } from "../home/replace-file.ts";
import { VERSION } from "../home/version.ts";
import { monotonicMs } from "../platform/monotonic.ts";
import { directoryId, identityOf, isOfAnotherHome, ownIdentity } from "./identity.ts";

/** The processes of an instance (SPEC A1); they are also the actors of the audit log. */
export type ProcessRole = Actor;
/** Every one that there can be. */
export const ACTORS: readonly ProcessRole[] = Actor.options;
/** Without one of these three there is no instance. The channels run beside them where one is set up (`roles-of.ts`). */
export type CoreRole = z.infer<typeof CoreActor>;
export const PROCESS_ROLES: readonly CoreRole[] = CoreActor.options;

export const RoleRecord = Identity.extend({
  startedAt: z.iso.datetime(),
  version: z.string(),
  /** When it was written, in CLOCK_MONOTONIC milliseconds; 0.2 did not say it. */
  startedMs: z.number().optional(),
  /** The process that had started this one: PM2's daemon, as a rule. */
  parent: Identity.optional(),
  /** Where the gateway serves. */
  url: z.url().optional(),
  /** The state directory that it serves (`directoryId`); 0.3 did not say it. */
  directory: z.string().optional(),
  /** When processes of this role died that had not been told to end: those of the last hour, newest last. */
  deaths: z.array(z.iso.datetime()).optional(),
  /** It has ended in order. */
  left: z.literal(true).optional(),
});
export type RoleRecord = z.infer<typeof RoleRecord>;

/** Where a role says who it is. */
export const recordPath = (home: string, role: ProcessRole) => join(home, LOCKS, `${role}.json`);

const HOUR_MS = 3_600_000;
/** Deaths that a record holds at most. */
const DEATHS_MAX = 200;
/** This many deaths in an hour, the last of them within CRASH_LOOP_MS, are a crash loop. */
const CRASH_LOOP_MIN = 5;
const CRASH_LOOP_MS = 600_000;

/** The notes that this process has written, by path. */
const said = new Map<string, string>();

/** Says that this process is `role` now, and where it serves. Call it once, after the singleton is claimed. */
export function writeRole(home: string, role: ProcessRole, url?: string): RoleRecord {
  const startedAt = new Date().toISOString();
  const parent = identityOf(process.ppid);
  const directory = directoryId(home);
  const deaths = deathsBefore(home, role, startedAt);
  const record: RoleRecord = {
    ...ownIdentity(),
    startedAt,
    version: VERSION,
    startedMs: monotonicMs(),
    ...(parent !== null && { parent }),
    ...(url !== undefined && { url }),
    ...(directory !== null && { directory }),
    ...(deaths.length > 0 && { deaths }),
  };
  const path = recordPath(home, role);
  const text = `${JSON.stringify(record)}\n`;
  replaceFile(path, text);
  said.set(path, text);
  return record;
}

/** The deaths that a new process of `role` knows of: those that the last one knew, and its own if it was not told to end. */
function deathsBefore(home: string, role: ProcessRole, now: string): string[] {
  const last = readRole(home, role);
  if (last === null) return [];
  const own = ownIdentity();
  const isOver = last.pid !== own.pid || last.startTime !== own.startTime;
  // A machine that was restarted has ended it.
  const hasDied = isOver && last.left !== true && last.bootId === own.bootId;
  return recentDeaths([...(last.deaths ?? []), ...(hasDied ? [now] : [])]).slice(-DEATHS_MAX);
}

/** Those of the last hour, by the wall clock. */
const recentDeaths = (deaths: readonly string[], nowMs = Date.now()) =>
  deaths.filter((at) => Math.abs(nowMs - Date.parse(at)) < HOUR_MS);

/** How often processes of this role have died within the last hour, and whether they do so again and again. */
export function deathsOf({ deaths = [] }: RoleRecord, nowMs = Date.now()): { count: number; isLoop: boolean } {
  const recent = recentDeaths(deaths, nowMs);
  const lastMs = Date.parse(recent.at(-1) ?? "");
  return { count: recent.length, isLoop: recent.length >= CRASH_LOOP_MIN && nowMs - lastMs < CRASH_LOOP_MS };
}

/** This process ends in order, as it was told to. A record that cannot be written counts as that of one that has died. */
export function noteLeft(): void {
  for (const [path, text] of said) {
    try {
      const { atime, mtime } = statSync(path);
      if (readFileSync(path, "utf8") !== text) continue;
      replaceFile(path, `${JSON.stringify({ ...JSON.parse(text), left: true })}\n`);
      // Its last heartbeat stays what it was.
      utimesSync(path, atime, mtime);
    } catch (error) {
      if (!(error instanceof Error && "code" in error)) throw error;
    }
  }
}

/** Writes it once more if the note was removed: without it, the others take this process for dead. */
export function writeRoleAgain(): void {
  for (const [path, text] of said) if (!existsSync(path)) replaceFile(path, text);
}

/**
 * The last process of `role`; ask `isAlive` whether it still is. null when there was none, when the note is not readable as one, and when it
 * names a process of another state directory, from which this one was copied.
 */
export function readRole(home: string, role: ProcessRole): RoleRecord | null {
  try {
    const text = readRegularFile(recordPath(home, role));
    if (text === null) return null;
    const record = parseRecord(RoleRecord, text);
    return isCertain(record) && !isOfAnotherHome(home, record, record.directory) ? record : null;
  } catch (error) {
    if (error instanceof BadJson || hasCode(error, "ENOENT", "ENOTDIR", "ELOOP")) return null;
    throw error;
  }
}

/** null where it is none: a pipe would never end. Throws what the disk throws, ELOOP for a link. */
function readRegularFile(path: string): string | null {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    return fstatSync(file).isFile() ? readFileSync(file, "utf8") : null;
  } finally {
    closeSync(file);
  }
}

/** Without a start and a boot a note would name any process of that pid. No role of ours writes one where the system tells both. */
function isCertain({ startTime, bootId }: Identity): boolean {
  const own = ownIdentity();
  return (startTime !== "" || own.startTime === "") && (bootId !== "" || own.bootId === "");
}
