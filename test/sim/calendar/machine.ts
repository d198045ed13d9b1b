/**
 * A machine with a clock that we move and a disk in memory, on which one or two real supervisors tick at the same time.
 * Any of them may be killed before any of its file operations; when the power fails, all are, and the disk forgets.
 */

import { NO_SPENDING } from "@mimikit/core/base/budget";
import { MEMORY_BOUNDS } from "@mimikit/core/base/memory-bounds";
import type { MemoryFacts } from "@mimikit/core/base/snapshot";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { Supervisor } from "../../../apps/supervisor/src/supervisor.ts";
import { MemoryDisk } from "../memory-disk.ts";
import { below, type Random } from "../random.ts";

export const TOKEN = "calendar";

/** Memory is no matter of time tables: the other simulation has it. */
const NOTHING_SAID: MemoryFacts = {
  bounds: MEMORY_BOUNDS,
  note: null,
  said: [],
  windowMessages: 0,
  flushedAt: null,
  rollUp: null,
};

/** One incarnation of a process. */
interface Process {
  fs: FileSystem;
  isDead: boolean;
  died: Promise<void>;
  die(): void;
}

interface Slot {
  process: Process;
  supervisor: Supervisor;
  isLoaded: boolean;
}

export interface Chances {
  /** Of being killed before a file operation. */
  kill: number;
  /** Of a power loss, where somebody is killed. */
  powerLoss: number;
}

export class Machine {
  readonly disk = new MemoryDisk();
  /** The disk as somebody sees it who is never killed. */
  readonly fs: FileSystem;
  readonly violations: string[] = [];
  readonly counts = { operations: 0, ticks: 0, kills: 0, powerLosses: 0 };
  nowMs: number;
  /** All triggers have used up what they may cost in a day. */
  isOverBudget = false;
  /** Called when the disk has forgotten. */
  onPowerLoss: () => void = () => undefined;
  private readonly random: Random;
  private readonly chances: Chances;
  private readonly slots: Slot[] = [];
  private readonly timeZone: string;
  private processes = 0;
  private isCalm = false;

  constructor(random: Random, nowMs: number, timeZone: string, chances: Chances) {
    this.random = random;
    this.nowMs = nowMs;
    this.timeZone = timeZone;
    this.chances = chances;
    this.fs = this.fileSystem(async (run) => run());
  }

  /** @param supervisors two are wasteful, and must be safe (docs/file-protocol.md R8). */
  start(supervisors: number): void {
    for (let i = 0; i < supervisors; i++) this.slots.push(this.newSlot());
  }

  /** No more faults. */
  calmDown(): void {
    this.isCalm = true;
  }

  /**
   * All supervisors tick at the same time; who is killed is started anew afterwards.
   * @returns how many actions were done; null when somebody was killed.
   */
  async tick(): Promise<number | null> {
    this.counts.ticks++;
    let done = 0;
    await Promise.all(
      this.slots.map(async (slot) => {
        done += (await Promise.race([tickOf(slot), slot.process.died])) ?? 0;
      }),
    );
    const dead = this.slots.filter(({ process }) => process.isDead);
    for (const slot of dead) Object.assign(slot, this.newSlot());
    return dead.length > 0 ? null : done;
  }

  private newSlot(): Slot {
    const process = this.spawn();
    const supervisor = new Supervisor({
      fs: process.fs,
      token: TOKEN,
      nowMs: () => this.nowMs,
      isAlive: () => true,
      lock: (_path, work) => work(),
      audit: () => undefined,
      onError: (error, action) => this.violations.push(`${action.type} failed: ${String(error)}`),
      restart: () => Promise.resolve(),
      rereadMs: 30_000,
      world: {
        stampsOf: () => Promise.resolve(new Map()),
        timeZone: this.timeZone,
        selfImprove: () => ({ isEnabled: false, lacks: null, idleSec: 300, limit: {}, startedMs: 0 }),
        memory: { look: () => Promise.resolve(NOTHING_SAID) },
        spending: () => {
          const spent = this.isOverBudget ? { tokens: 1_000_000, costUsd: 1_000 } : NO_SPENDING;
          return { ceiling: null, spentByTrigger: () => spent };
        },
      },
    });
    return { process, supervisor, isLoaded: false };
  }

  private spawn(): Process {
    let die = (): void => undefined;
    const died = new Promise<void>((resolve) => {
      die = resolve;
    });
    const fs = this.fileSystem(async (run) => {
      // Between any two operations the other supervisor may do some of its own.
      if (this.slots.length > 1) for (let n = below(this.random, 4); n > 0; n--) await null;
      this.counts.operations++;
      if (!process.isDead && !this.isCalm && this.random() < this.chances.kill) this.kill(process);
      return process.isDead ? new Promise(() => undefined) : run();
    });
    const process: Process = { fs, isDead: false, died, die };
    return process;
  }

  private kill(process: Process): void {
    this.counts.kills++;
    const isPowerLoss = this.random() < this.chances.powerLoss;
    for (const each of isPowerLoss ? this.slots.map((slot) => slot.process) : [process]) {
      each.isDead = true;
      each.die();
    }
    if (!isPowerLoss) return;
    this.counts.powerLosses++;
    this.disk.losePower(this.random);
    this.onPowerLoss();
  }

  /** The disk, where `take` decides what becomes of each operation. */
  private fileSystem(take: <T>(run: () => T) => Promise<T>): FileSystem {
    const { disk } = this;
    const dir = `tmp/p-${++this.processes}`;
    disk.makeDirectory(dir);
    let temporaries = 0;
    return {
      list: (path) => take(() => disk.names(path)),
      version: (path) => Promise.resolve(disk.version(path)),
      read: (path, bytesMax) => take(() => disk.read(path, bytesMax)),
      readText: (path, bytesMax) => take(() => disk.read(path, bytesMax)),
      exists: (path) => take(() => disk.info(path) !== null),
      info: (path) => take(() => disk.info(path)),
      write: async (path, text) => {
        await take(() => disk.create(path, text, this.nowMs));
        await take(() => disk.syncContent(path));
      },
      writeUnsynced: (path, text) => take(() => disk.create(path, text, this.nowMs)),
      syncContent: (path) => take(() => disk.syncContent(path)),
      link: (from, to) => take(() => disk.link(from, to)),
      rename: (from, to) => take(() => disk.rename(from, to)),
      // Nothing here is as long as that.
      shorten: async () => undefined,
      makeDir: (path) => take(() => disk.makeDirectory(path)),
      unlink: (path) => take(() => disk.unlink(path)),
      syncDir: (path) => take(() => disk.syncDir(path)),
      temporary: () => `${dir}/${++temporaries}`,
    };
  }
}

async function tickOf(slot: Slot): Promise<number> {
  const { supervisor } = slot;
  if (!slot.isLoaded) await supervisor.load();
  // A supervisor that was killed meanwhile does not tick for its successor.
  if (slot.supervisor !== supervisor) return new Promise(() => undefined);
  slot.isLoaded = true;
  return supervisor.tick();
}
