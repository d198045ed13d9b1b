/** The facts about self-improvement for decisions, and the page about it for people: self_awake.json (SPEC J). */

import type { Spending } from "@mimikit/core/base/budget";
import type { Improving } from "@mimikit/core/base/snapshot";
import { improveWaitSec } from "@mimikit/core/tasks/improvement";
import { improvementNumber, turnId } from "@mimikit/protocol/base/id";
import { IMPROVE_STEPS, stepId } from "@mimikit/protocol/records/improvement";
import type { Improvement } from "@mimikit/protocol/wire/api";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { replaceView } from "@mimikit/store/disk/record";
import { SELF_AWAKE_PATH } from "@mimikit/store/disk/state";
import type { ArchiveIndex } from "@mimikit/store/state-cache/archive-index";
import type { StateCache } from "@mimikit/store/state-cache/state-cache";
import { highestImprovement, openSteps, readImprovement } from "@mimikit/store/views/improvements";

/** Improvements that are looked back upon to see how many came to nothing: 300 s doubled that often is more than a day. */
const IMPROVEMENTS_LOOKED_AT = 10;
/** Turns that are looked back upon for a word of the user. */
const TURNS_LOOKED_AT = 50;

/** The settings of it. */
export type ImproveSettings = Pick<Improving, "isEnabled" | "lacks" | "idleSec" | "limit"> & {
  /** When this process began, milliseconds since the epoch: the time before it is unknown. */
  startedMs: number;
};

/** Call after `cache.refresh()`. Throws what the disk throws. */
export async function improvingOf(
  cache: StateCache,
  { startedMs, ...settings }: ImproveSettings,
  spent: Spending,
): Promise<Improving> {
  const number = highestImprovement(cache);
  const past = await pastOf(cache, number);
  return { ...settings, spent, number, failures: past.failures, activeMs: Math.max(startedMs, past.activeMs) };
}

type Past = Pick<Improving, "failures" | "activeMs">;

/** None begins while one is under way. */
const UNDER_WAY: Past = { failures: 0, activeMs: 0 };

/** An applied result never changes: it is read once, until there is more of it. */
const pasts = new WeakMap<ArchiveIndex, { key: string; past: Past }>();

async function pastOf(cache: StateCache, number: number): Promise<Past> {
  const { archiveIndex } = cache;
  if (isUnderWay(cache, number)) return UNDER_WAY;
  const settledSteps = IMPROVE_STEPS.filter((step) => archiveIndex.has(stepId(number, step))).length;
  const key = `${archiveIndex.settledTurn}/${number}/${settledSteps}`;
  const known = pasts.get(archiveIndex);
  if (known?.key === key) return known.past;
  const { saidMs, settledMs } = await lastWords(archiveIndex);
  let endedMs = 0;
  let failures = 0;
  for (let n = number; n > 0 && n > number - IMPROVEMENTS_LOOKED_AT; n--) {
    const improvement = await readImprovement(cache, n);
    const atMs = Date.parse(improvement?.endedAt ?? improvement?.at ?? new Date(0).toISOString());
    endedMs = Math.max(endedMs, atMs);
    if (improvement === null || isSuccess(improvement) || atMs <= saidMs) break;
    failures++;
  }
  const past = { failures, activeMs: Math.max(settledMs, endedMs) };
  pasts.set(archiveIndex, { key, past });
  return past;
}

function isUnderWay(cache: StateCache, number: number): boolean {
  return openSteps(cache).some((id) => number > 0 && improvementNumber(id) === number && !cache.archiveIndex.has(id));
}

function isSuccess({ state }: Improvement): boolean {
  return state === "branch" || state === "merged" || state === "undone";
}

/** When the last turn was applied, and when the user last said something; 0 where that is not known. */
async function lastWords(archiveIndex: ArchiveIndex): Promise<{ saidMs: number; settledMs: number }> {
  let settledMs = 0;
  for (let n = archiveIndex.settledTurn; n > 0 && n > archiveIndex.settledTurn - TURNS_LOOKED_AT; n--) {
    const turn = await archiveIndex.readResult(turnId(n));
    if (turn === null) continue;
    const completedMs = Date.parse(turn.completedAt);
    settledMs = Math.max(settledMs, completedMs);
    if ((turn.task.turn?.messages.length ?? 0) > 0) return { saidMs: completedMs, settledMs };
  }
  return { saidMs: 0, settledMs };
}

/** self_awake.json: a view, which may be deleted or edited, and is written again. */
export class SelfAwakeView {
  private readonly fs: FileSystem;
  private readonly cache: StateCache;
  private written = "";
  /** The parts of the last page that cannot change any more. */
  private settled: string | undefined;

  constructor(fs: FileSystem, cache: StateCache) {
    this.fs = fs;
    this.cache = cache;
  }

  /** Throws what the disk throws. */
  async write(improving: Improving): Promise<void> {
    const { number, isEnabled, lacks, idleSec, failures, activeMs } = improving;
    const made = JSON.stringify([number, isEnabled, lacks, idleSec, failures, activeMs]);
    if (made === this.settled) return;
    const last = await readImprovement(this.cache, number);
    const isRunning = last !== null && last.endedAt === undefined;
    this.settled = isRunning ? undefined : made;
    const waitMs = improveWaitSec(idleSec, failures) * 1_000;
    const next = isEnabled && lacks === null && !isRunning ? new Date(activeMs + waitMs).toISOString() : null;
    const page = {
      enabled: isEnabled,
      lacks,
      running: isRunning ? last : null,
      last: isRunning ? null : last,
      failures,
      next,
    };
    const text = `${JSON.stringify(page, null, 2)}\n`;
    if (text === this.written) return;
    await replaceView(this.fs, SELF_AWAKE_PATH, text);
    this.written = text;
  }
}
