/**
 * The cost of runs, read from usage/ as far as it is written. A file only grows, so each byte of it is read once; an
 * attempt whose line stands there twice counts once.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { addSpending, NO_SPENDING, type Spending, spendingOf } from "@mimikit/core/base/budget";
import { BadJson, parseRecord } from "@mimikit/protocol/base/json";
import {
  addToolCount,
  addUsage,
  dayOf,
  NO_USAGE,
  type ToolCount,
  type Usage,
  UsageLine,
} from "@mimikit/protocol/base/usage";
import type { UsageRow } from "@mimikit/protocol/wire/api";
import { hasCode } from "../disk/error-code.ts";
import { usagePath } from "../disk/state.ts";

const NEWLINE = 0x0a;
const READ_BYTES = 262_144;
/** A longer line is none of ours. */
const LINE_BYTES_MAX = 65_536;
const NOON_HOUR = 12;
/** Attempts of one task are looked for in this many days at most. */
export const TASK_DAYS_MAX = 31;
/** Days whose sums are kept in memory: more than are ever asked for at once. */
const DAYS_KEPT_MAX = 128;

/** The cost of one attempt. */
export interface AttemptCost {
  atMs: number;
  spent: Spending;
}

/** The sums of one day. */
export interface DailyUsage {
  total: Usage;
  tools: ReadonlyMap<string, ToolCount>;
  /** One for each role, provider and model. */
  rows: readonly UsageRow[];
  spent: Spending;
  /** The cost of a trigger's work. */
  spentByTrigger(id: string): Spending;
  /** The same, one by one, in the order in which it was noted. */
  costsOf(triggerId: string): readonly AttemptCost[];
  /** The cost of a task's attempts. */
  spentByTask(id: string): Spending;
  hasAttempt(taskId: string, attempt: number): boolean;
}

/** Reads a file from this byte on, in parts; nothing if there is no such file. */
export type ReadOn = (path: string, offset: number) => Iterable<Buffer>;

export class UsageLog {
  private readonly home: string;
  private readonly readOn: ReadOn;
  private readonly days = new Map<string, DayFile>();

  constructor(home: string, readOn: ReadOn = readOnDisk) {
    this.home = home;
    this.readOn = readOn;
  }

  /** @param day `2026-11-22`, by the server's clock. Throws what the disk throws. */
  readDay(day: string): DailyUsage {
    const file = this.days.get(day) ?? new DayFile(join(this.home, usagePath(day)), day, this.readOn);
    // Putting it in again keeps the map in the order of last use: the first is the one to forget.
    this.days.delete(day);
    this.days.set(day, file);
    if (this.days.size > DAYS_KEPT_MAX) this.days.delete(this.days.keys().next().value ?? "");
    file.read();
    return file;
  }

  /** The rows of the last `count` days, the newest day first; today is one of them. Throws what the disk throws. */
  readDays(count: number, nowMs: number): UsageRow[] {
    return lastDays(count, nowMs).flatMap((day) => this.readDay(day).rows);
  }

  /** The days from that of `fromMs` to that of `toMs`, TASK_DAYS_MAX at most, the newest first. Throws what the disk throws. */
  readSince(fromMs: number, toMs: number): DailyUsage[] {
    const first = dayOf(fromMs);
    // A clock that was set back must not hide what was noted before that.
    const lastMs = Math.max(fromMs, toMs);
    const days = lastDays(TASK_DAYS_MAX, lastMs).filter((day) => day >= first);
    return days.map((day) => this.readDay(day));
  }
}

/** The names of the last `count` days, the newest first; noon is on the same day whatever the clocks are set to. */
function lastDays(count: number, nowMs: number): string[] {
  return Array.from({ length: count }, (_, ago) => {
    const date = new Date(nowMs);
    date.setHours(NOON_HOUR, 0, 0, 0);
    date.setDate(date.getDate() - ago);
    return dayOf(date.getTime());
  });
}

class DayFile implements DailyUsage {
  total = NO_USAGE;
  readonly tools = new Map<string, ToolCount>();
  private readonly path: string;
  private readonly day: string;
  private readonly readOn: ReadOn;
  private readonly byKey = new Map<string, UsageRow>();
  private readonly byTrigger = new Map<string, Spending>();
  private readonly costs = new Map<string, AttemptCost[]>();
  private readonly byTask = new Map<string, Spending>();
  private readonly known = new Set<string>();
  private offset = 0;
  private torn: Buffer = Buffer.alloc(0);

  constructor(path: string, day: string, readOn: ReadOn) {
    this.path = path;
    this.day = day;
    this.readOn = readOn;
  }

  get rows(): readonly UsageRow[] {
    return [...this.byKey.values()];
  }

  get spent(): Spending {
    return spendingOf(this.total);
  }

  spentByTrigger(id: string): Spending {
    return this.byTrigger.get(id) ?? NO_SPENDING;
  }

  costsOf(triggerId: string): readonly AttemptCost[] {
    return this.costs.get(triggerId) ?? [];
  }

  spentByTask(id: string): Spending {
    return this.byTask.get(id) ?? NO_SPENDING;
  }

  hasAttempt(taskId: string, attempt: number): boolean {
    return this.known.has(attemptId(taskId, attempt));
  }

  read(): void {
    for (const bytes of this.readOn(this.path, this.offset)) {
      this.offset += bytes.length;
      this.take(bytes);
    }
  }

  private take(bytes: Buffer): void {
    const all = Buffer.concat([this.torn, bytes]);
    const end = all.lastIndexOf(NEWLINE);
    for (const line of all.toString("utf8", 0, Math.max(0, end)).split("\n")) this.note(line);
    const rest = all.subarray(end + 1);
    this.torn = rest.length > LINE_BYTES_MAX ? Buffer.alloc(0) : Buffer.from(rest);
  }

  private note(text: string): void {
    const line = parseLine(text);
    if (line === null) return;
    const { taskId, attempt, triggerId, role, provider, model = null, tools = {} } = line;
    const id = attemptId(taskId, attempt);
    if (this.known.has(id)) return;
    this.known.add(id);
    this.total = addUsage(this.total, line);
    note(this.byTask, taskId, line);
    if (triggerId !== undefined) {
      note(this.byTrigger, triggerId, line);
      const costs = this.costs.get(triggerId) ?? [];
      costs.push({ atMs: Date.parse(line.at), spent: spendingOf(line) });
      this.costs.set(triggerId, costs);
    }
    for (const [tool, count] of Object.entries(tools)) {
      const before = this.tools.get(tool) ?? { calls: 0, failed: 0, ms: 0 };
      this.tools.set(tool, addToolCount(before, count));
    }
    const key = JSON.stringify([role, provider, model]);
    const row = this.byKey.get(key) ?? { day: this.day, role, provider, model, runs: 0, ...NO_USAGE };
    this.byKey.set(key, { ...row, ...addUsage(row, line), runs: row.runs + 1 });
  }
}

function* readOnDisk(path: string, offset: number): Iterable<Buffer> {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    // Nothing was used yet, or there is a link or a socket: nothing of ours to count.
    if (hasCode(error, "ENOENT", "ELOOP", "ENXIO")) return;
    throw error;
  }
  try {
    const info = fstatSync(file);
    if (!info.isFile() || info.size <= offset) return;
    const bytes = Buffer.alloc(READ_BYTES);
    for (let at = offset; ; ) {
      const count = readSync(file, bytes, 0, READ_BYTES, at);
      if (count === 0) return;
      at += count;
      yield bytes.subarray(0, count);
    }
  } finally {
    closeSync(file);
  }
}

function attemptId(taskId: string, attempt: number): string {
  return `${taskId}.a${attempt}`;
}

function note(sums: Map<string, Spending>, key: string, usage: Usage): void {
  sums.set(key, addSpending(sums.get(key) ?? NO_SPENDING, spendingOf(usage)));
}

/** A line that a crash tore off, or that is none of ours, counts for nothing. */
function parseLine(text: string): UsageLine | null {
  if (text === "") return null;
  try {
    return parseRecord(UsageLine, text);
  } catch (error) {
    if (error instanceof BadJson) return null;
    throw error;
  }
}
