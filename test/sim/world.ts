/**
 * Several processes on one disk, one file operation at a time, in an order that a seed decides. Any of them may be
 * killed or paused between two operations, the power may fail and the clock may jump. The processes run the real code.
 */
import type { Identity } from "@mimikit/protocol/records/claim";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { MemoryDisk } from "./memory-disk.ts";
import { below, type Random, randomOf } from "./random.ts";

/** 2026-10-20: a jump of some weeks crosses the end of a month. */
const START_MS = Date.UTC(2026, 9, 20);

interface Step {
  /** Nothing but waiting; a file operation, which may fail; or something of the outside world. */
  kind: "rest" | "file" | "world";
  run(): unknown;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** That a process does not hear of a change: the kernel drops notifications silently. */
const UNHEARD_CHANCE = 0.1;

/** What a disk may answer to anything. */
export class DiskError extends Error {}

/** One incarnation of one process. */
export interface Process {
  kind: string;
  identity: Identity;
  dead: boolean;
  /** It is not scheduled for this many turns. */
  paused: number;
  steps: Step[];
  /** Where it hears of changes, once it does. */
  hear?: (dir: string, name: string) => void;
}

export interface Environment {
  world: World;
  process: Process;
  fs: FileSystem;
  nowMs(): number;
  isAlive(owner: Identity): boolean;
  /** One turn of the scheduler; everything else may happen before it ends. */
  step<T>(run: () => T): Promise<T>;
  /** Nothing to do just now. */
  rest(): Promise<void>;
}

export type Program = (environment: Environment) => Promise<never>;

export interface Faults {
  kill: number;
  pause: number;
  powerLoss: number;
  clockJump: number;
  /** A clock jump of weeks, which makes months foldable. */
  monthJump: number;
  /** A file operation fails (EMFILE, EIO, a full disk), for each operation: before it took effect, or after. */
  error: number;
}

export const FAULTS: Faults = {
  kill: 0.006,
  pause: 0.003,
  powerLoss: 0.002,
  clockJump: 0.002,
  monthJump: 0.0006,
  error: 0.002,
};

export class World {
  readonly disk = new MemoryDisk();
  readonly random: Random;
  readonly violations: string[] = [];
  readonly counts = { steps: 0, kills: 0, powerLosses: 0, pauses: 0, jumps: 0, errors: 0 };
  /** Turns in a row in which nothing was written. */
  quiet = 0;
  /** There are no faults any more: the world is to come to rest. */
  isCalm = false;
  /** Nothing that ran before a power loss runs after it, not even what a killed process has left behind. */
  onPowerLoss: () => void = () => undefined;
  private nowMs = START_MS;
  private incarnations = 0;
  private readonly slots: { process: Process; program: Program }[] = [];
  private readonly locks = new Map<string, Process>();

  constructor(seed: number) {
    this.random = randomOf(seed);
    this.disk.onChange = (dir, name) => {
      for (const { process } of this.slots) if (this.random() >= UNHEARD_CHANCE) process.hear?.(dir, name);
    };
  }

  start(kind: string, program: Program): void {
    this.slots.push({ process: this.spawn(kind, program), program });
  }

  violate(what: string): void {
    this.violations.push(what);
  }

  now(): number {
    return this.nowMs;
  }

  isAlive(owner: Identity): boolean {
    return this.slots.some(({ process }) => !process.dead && process.identity.pid === owner.pid);
  }

  /** Kills every process, the caller's among them. */
  restart(): void {
    for (let i = 0; i < this.slots.length; i++) this.kill(i);
  }

  /** Runs with faults, then without until nothing has been written for `quietSteps` turns and no process is reading. */
  async run({
    faultySteps,
    faults,
    quietSteps,
    stepsMax,
  }: {
    faultySteps: number;
    faults: Faults;
    quietSteps: number;
    stepsMax: number;
  }) {
    while (this.counts.steps < faultySteps) {
      this.fault(faults);
      await this.turn(200, faults.error);
    }
    for (const { process } of this.slots) process.paused = 0;
    this.isCalm = true;
    this.quiet = 0;
    while (this.quiet < quietSteps || this.isReading()) {
      if (this.counts.steps > stepsMax) return this.violate("it never comes to rest");
      await this.turn(200, 0);
    }
  }

  /** Does `work`, whose turns do not count as quiet: a look at a large archive takes more of them than quiet needs. */
  async besideQuiet(work: () => Promise<unknown>): Promise<void> {
    const before = this.quiet;
    await work();
    this.quiet = Math.min(this.quiet, before);
  }

  private isReading(): boolean {
    return this.slots.some(({ process }) => process.steps.some(({ kind }) => kind === "file"));
  }

  private fault(faults: Faults): void {
    const { random } = this;
    let dice = random();
    const happens = (chance: number) => {
      dice -= chance;
      return dice < 0 && dice >= -chance;
    };
    if (happens(faults.kill)) this.kill(below(random, this.slots.length));
    else if (happens(faults.pause)) {
      const slot = this.slots[below(random, this.slots.length)];
      if (slot !== undefined) slot.process.paused = below(random, 300);
      this.counts.pauses++;
    } else if (happens(faults.powerLoss)) {
      this.disk.losePower(random);
      this.onPowerLoss();
      this.counts.powerLosses++;
      this.restart();
    } else if (happens(faults.clockJump)) {
      this.nowMs += (random() < 0.5 ? -1 : 1) * below(random, 300_000);
      this.counts.jumps++;
    } else if (happens(faults.monthJump)) {
      this.nowMs += 45 * 86_400_000;
      this.counts.jumps++;
    }
  }

  private async turn(stepMsMax: number, errorChance: number): Promise<void> {
    this.counts.steps++;
    this.quiet++;
    this.nowMs += below(this.random, stepMsMax);
    const slot = this.slots[below(this.random, this.slots.length)];
    if (slot === undefined) return;
    const { process } = slot;
    if (process.paused > 0) {
      process.paused--;
      return;
    }
    // Whoever has nothing to do is asked less often, so that a run is more than waiting.
    if (process.steps.every((step) => step.kind === "rest") && this.random() < 0.6) return;
    const [step] = process.steps.splice(below(this.random, process.steps.length), 1);
    if (step === undefined) return;
    try {
      const failure = step.kind === "file" && this.random() < errorChance ? new DiskError() : null;
      if (failure !== null) this.counts.errors++;
      if (failure !== null && this.random() < 0.5) throw failure;
      const value = step.run();
      if (failure !== null) throw failure;
      step.resolve(value);
    } catch (error) {
      step.reject(error);
    }
    // Everything that follows from this step happens in microtasks; they are over when the event loop turns.
    await new Promise(setImmediate);
  }

  /** A process that has come to its end is another when it is started again, as in real life. */
  leave(process: Process): Promise<never> {
    this.kill(this.slots.findIndex((slot) => slot.process === process));
    return new Promise(() => undefined);
  }

  private kill(at: number): void {
    const slot = this.slots[at];
    if (slot === undefined) return;
    slot.process.dead = true;
    slot.process.steps.length = 0;
    for (const [path, holder] of this.locks) if (holder === slot.process) this.locks.delete(path);
    slot.process = this.spawn(slot.process.kind, slot.program);
    this.counts.kills++;
  }

  private spawn(kind: string, program: Program): Process {
    const pid = ++this.incarnations;
    const process: Process = {
      kind,
      identity: { pid, startTime: String(pid), bootId: "simulated" },
      dead: false,
      paused: 0,
      steps: [],
    };
    program(this.environmentOf(process)).catch((error: unknown) => {
      this.violate(`${kind} crashed: ${error instanceof Error ? error.stack : String(error)}`);
    });
    return process;
  }

  /** A mutex that dies with its holder, as a kernel's does. */
  private async withLock<T>(environment: Environment, path: string, work: () => Promise<T>): Promise<T> {
    const { process, step } = environment;
    while (!(await step(() => !this.locks.has(path) && this.locks.set(path, process) !== undefined)));
    try {
      return await work();
    } finally {
      if (this.locks.get(path) === process) this.locks.delete(path);
    }
  }

  lockOf(environment: Environment) {
    return <T>(path: string, work: () => Promise<T>) => this.withLock(environment, path, work);
  }

  private environmentOf(process: Process): Environment {
    const world = this;
    const { disk, random } = this;
    function take<T>(kind: Step["kind"], run: () => T): Promise<T> {
      if (process.dead) return new Promise(() => undefined);
      return new Promise((resolve, reject) => {
        process.steps.push({ kind, run, resolve: resolve as (value: unknown) => void, reject });
      });
    }
    const write = <T>(run: () => T): Promise<T> =>
      take("file", () => {
        world.quiet = 0;
        return run();
      });
    const look = <T>(run: () => T): Promise<T> => take("file", run);
    const step = <T>(run: () => T): Promise<T> => take("world", run);
    const temporaryDir = `tmp/${process.kind}-${process.identity.pid}`;
    let temporaries = 0;
    disk.makeDirectory(temporaryDir);
    const fs: FileSystem = {
      list: (dir) => look(() => disk.names(dir)),
      // A hint, not a fact: usually told at once, so that an idle look is cheap.
      version: (dir) => (random() < 0.1 ? look(() => disk.version(dir)) : Promise.resolve(disk.version(dir))),
      read: (path, bytesMax) => look(() => disk.read(path, bytesMax)),
      readText: (path, bytesMax) => look(() => disk.read(path, bytesMax)),
      exists: (path) => look(() => disk.info(path) !== null),
      info: (path) => look(() => disk.info(path)),
      async write(path, text, mayBegin) {
        await write(() => disk.create(path, text, world.nowMs));
        await mayBegin;
        await write(() => disk.syncContent(path));
      },
      writeUnsynced: (path, text) => write(() => disk.create(path, text, world.nowMs)),
      syncContent: (path) => look(() => disk.syncContent(path)),
      link: (from, to) => write(() => disk.link(from, to)),
      rename: (from, to) => write(() => disk.rename(from, to)),
      makeDir: (dir) => write(() => disk.makeDirectory(dir)),
      unlink: (path) => look(() => disk.unlink(path)),
      syncDir: (dir) => look(() => disk.syncDir(dir)),
      temporary: () => `${temporaryDir}/${++temporaries}`,
    };
    return {
      world,
      process,
      fs,
      nowMs: () => world.nowMs,
      isAlive: (owner) => world.isAlive(owner),
      step,
      rest: () => take("rest", () => undefined),
    };
  }
}
