/**
 * Several processes on one disk, one file operation at a time, in an order that a seed decides. Any of them may be
 * killed or paused between two operations, the power may fail and the clock may jump. The processes run the real code.
 */
import { nextTick } from "node:process";
import type { Excuse, Identity } from "@mimikit/protocol/records/claim";
import { directoryOf, type FileSystem } from "@mimikit/store/disk/file-system";
import { DIRECTORIES, TEMPORARY } from "@mimikit/store/disk/state";
import { MemoryDisk } from "./memory-disk.ts";
import { below, type Random, randomOf } from "./random.ts";

const turnLoop = globalThis.setImmediate;
/** That something waits for the event loop to turn. */
let waitsForLoop = false;
globalThis.setImmediate = Object.assign(
  (...args: Parameters<typeof turnLoop>) => {
    waitsForLoop = true;
    return turnLoop(...args);
  },
  { __promisify__: turnLoop.__promisify__ },
);

/** Resolves when everything that follows from a step has happened: in microtasks, and where these ask for it, in a turn of the event loop. */
async function afterMicrotasks(): Promise<void> {
  await new Promise<void>((resolve) => nextTick(resolve));
  if (!waitsForLoop) return;
  waitsForLoop = false;
  await new Promise((resolve) => turnLoop(resolve));
}

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

/** A turn takes less than that, as long as nothing else is said. */
const STEP_MS_MAX = 200;

/** An error that a disk may answer any operation with. */
export class DiskError extends Error {
  readonly code: string;

  constructor(code = "EIO") {
    super(code);
    this.code = code;
  }
}

/** Turns for which a process that hangs does nothing, and for which a full disk stays full, at most. */
const HANG_TURNS_MAX = 4_000;
const FULL_TURNS_MAX = 1_500;
/** That a sync of content fails while syncs do, which is for so many turns at most. */
const SYNC_FAILURE_CHANCE = 0.5;
const BAD_SYNC_TURNS_MAX = 600;

/** A machine: its disk, and what a power loss takes down together. */
export class Place {
  readonly disk = new MemoryDisk();
  /** Nothing that ran before a power loss runs after it, not even what a killed process has left behind. */
  onPowerLoss: () => void = () => undefined;
}

/** One incarnation of one process. */
export interface Process {
  kind: string;
  place: Place;
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
  /** Why the death of another process is nobody's fault; null where it died by itself. */
  excuseOf(owner: Identity): Excuse | null;
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
  /** The disk is full for a while: nothing can be written, all else goes on. */
  full: number;
  /** Syncs of content fail for a while, which is told once, and what they were to keep is not kept. */
  badSync: number;
  /** A process does nothing for longer than a pause, however long others wait. */
  hang: number;
  /** An empty directory is removed. */
  tidy: number;
}

export const FAULTS: Faults = {
  kill: 0.006,
  pause: 0.003,
  powerLoss: 0.002,
  clockJump: 0.002,
  monthJump: 0.0006,
  error: 0.002,
  full: 0.0004,
  badSync: 0.0008,
  hang: 0.0006,
  tidy: 0.004,
};

/** Where a process puts what has no name yet. */
const temporaryOf = ({ kind, identity }: Process) => `${TEMPORARY}/${kind}-${identity.pid}`;

export class World {
  readonly home = new Place();
  readonly random: Random;
  readonly violations: string[] = [];
  readonly counts = { steps: 0, kills: 0, powerLosses: 0, pauses: 0, jumps: 0, errors: 0, troubles: 0 };
  /** Turns in a row in which nothing was written. */
  quiet = 0;
  /** There are no faults any more: the world is to come to rest. */
  isCalm = false;
  /** Milliseconds of a clock that never jumps. */
  uptimeMs = 0;
  /** That a look at the disk takes no turn of its own; 0 where each does. */
  lookAtOnce = 0;
  /** Further faults between two turns, while there are faults. */
  furtherFaults: () => void = () => undefined;
  /** Until that turn the disk is full, and syncs of content fail. */
  private fullUntil = 0;
  private badSyncUntil = 0;
  /** A process dies, and no other with it. */
  onDeath: (process: Process) => void = () => undefined;
  private nowMs = START_MS;
  private incarnations = 0;
  private boots = 1;
  /** The pids of processes that died together with all others. */
  private readonly diedTogether = new Set<number>();
  private readonly slots: { process: Process; program: Program }[] = [];
  private readonly locks = new Map<string, Process>();
  private hasTidied = false;

  constructor(seed: number) {
    this.random = randomOf(seed);
    this.disk.onChange = (dir, name) => {
      for (const { process } of this.slots)
        if (process.place === this.home && this.random() >= UNHEARD_CHANCE) process.hear?.(dir, name);
    };
  }

  /** The disk of the home. */
  get disk(): MemoryDisk {
    return this.home.disk;
  }

  start(kind: string, program: Program, place = this.home): void {
    this.slots.push({ process: this.spawn(kind, program, place), program });
  }

  /** Those that live, each in its present incarnation. */
  get processes(): readonly Process[] {
    return this.slots.map(({ process }) => process);
  }

  violate(what: string): void {
    this.violations.push(what);
  }

  now(): number {
    return this.nowMs;
  }

  /** Can nothing be written? */
  get isFull(): boolean {
    return this.counts.steps < this.fullUntil;
  }

  /** Can a person save a file there? Programs of people make no directories of the state. */
  canSave(path: string): boolean {
    return !this.isFull && this.disk.hasDirectory(directoryOf(path));
  }

  /** Is it what a disk answers, or what comes of a directory that somebody has tidied away meanwhile? */
  isOfDisk(error: unknown): boolean {
    return (
      error instanceof DiskError || (this.hasTidied && error instanceof Error && /ENOENT|is gone/.test(error.message))
    );
  }

  isAlive(owner: Identity): boolean {
    return this.slots.some(({ process }) => !process.dead && process.identity.pid === owner.pid);
  }

  excuseOf({ pid, bootId }: Identity): Excuse | null {
    if (bootId !== this.bootId) return "reboot";
    return this.diedTogether.has(pid) ? "role" : null;
  }

  private get bootId(): string {
    return `boot-${this.boots}`;
  }

  /** Kills every process of a machine, the caller's among them. */
  restart(place = this.home): void {
    const ours = [...this.slots.keys()].filter((at) => this.slots[at]?.process.place === place);
    for (const at of ours) this.diedTogether.add(this.slots[at]?.process.identity.pid ?? 0);
    for (const at of ours) this.kill(at);
  }

  losePower(place = this.home): void {
    place.disk.losePower(this.random);
    place.onPowerLoss();
    this.counts.powerLosses++;
    this.boots++;
    this.restart(place);
  }

  /** Runs with faults, then without until nothing has been written for `quietSteps` turns and no process is reading. */
  async run({
    faultySteps,
    faults,
    quietSteps,
    stepsMax,
    stepMsMax = STEP_MS_MAX,
  }: {
    faultySteps: number;
    faults: Faults;
    quietSteps: number;
    stepsMax: number;
    stepMsMax?: number;
  }) {
    while (this.counts.steps < faultySteps) {
      this.fault(faults);
      this.furtherFaults();
      await this.turn(stepMsMax, faults.error);
    }
    for (const { process } of this.slots) process.paused = 0;
    this.isCalm = true;
    this.fullUntil = 0;
    this.badSyncUntil = 0;
    this.quiet = 0;
    while (this.quiet < quietSteps || this.isReading()) {
      if (this.counts.steps > stepsMax) return this.violate("it never comes to rest");
      await this.turn(stepMsMax, 0);
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
      this.losePower();
    } else if (happens(faults.clockJump)) {
      this.nowMs += (random() < 0.5 ? -1 : 1) * below(random, 300_000);
      this.counts.jumps++;
    } else if (happens(faults.monthJump)) {
      this.nowMs += 45 * 86_400_000;
      this.counts.jumps++;
    } else if (happens(faults.full)) {
      this.fullUntil = this.counts.steps + below(random, FULL_TURNS_MAX);
      this.counts.troubles++;
    } else if (happens(faults.badSync)) {
      this.badSyncUntil = this.counts.steps + below(random, BAD_SYNC_TURNS_MAX);
      this.counts.troubles++;
    } else if (happens(faults.hang)) {
      const slot = this.slots[below(random, this.slots.length)];
      if (slot !== undefined) slot.process.paused = below(random, HANG_TURNS_MAX);
      this.counts.troubles++;
    } else if (happens(faults.tidy)) this.tidy();
  }

  /** Removes an empty directory, as a person does, or a script that looks for such. */
  private tidy(): void {
    const temporaries = this.slots.map(({ process }) => temporaryOf(process));
    const dirs = [...DIRECTORIES, ...temporaries];
    if (!this.disk.removeDirectory(dirs[below(this.random, dirs.length)] ?? "")) return;
    this.hasTidied = true;
    this.counts.troubles++;
  }

  /** Throws what a full disk answers to something that is written, and to a name only where its directory has no room. */
  private assertRoom(isName = false): void {
    if (this.isFull && (!isName || this.random() < 0.5)) throw new DiskError("ENOSPC");
  }

  /** Syncs content, as far as the disk does so now. */
  private syncContent(path: string, process: Process): void {
    const { random } = this;
    const { disk } = process.place;
    const isNow = this.counts.steps < this.badSyncUntil && random() < SYNC_FAILURE_CHANCE;
    if (disk.failSync(path, process, isNow)) throw new DiskError();
    disk.syncContent(path);
  }

  private async turn(stepMsMax: number, errorChance: number): Promise<void> {
    this.counts.steps++;
    this.quiet++;
    const passedMs = below(this.random, stepMsMax);
    this.nowMs += passedMs;
    this.uptimeMs += passedMs;
    const slot = this.slots[below(this.random, this.slots.length)];
    if (slot === undefined) return;
    const { process } = slot;
    if (process.paused > 0) {
      process.paused--;
      return;
    }
    // An idle process gets fewer turns, so that a run is more than waiting.
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
    await afterMicrotasks();
  }

  /** A process that has come to its end is another when it is started again, as in real life. */
  leave(process: Process): Promise<never> {
    this.end(process);
    return new Promise(() => undefined);
  }

  /** Kills a process, as far as it lives. */
  end(process: Process): void {
    this.kill(this.slots.findIndex((slot) => slot.process === process));
  }

  private kill(at: number): void {
    const slot = this.slots[at];
    if (slot === undefined) return;
    if (this.excuseOf(slot.process.identity) === null) this.onDeath(slot.process);
    slot.process.dead = true;
    slot.process.steps.length = 0;
    for (const [path, holder] of this.locks) if (holder === slot.process) this.locks.delete(path);
    slot.process = this.spawn(slot.process.kind, slot.program, slot.process.place);
    this.counts.kills++;
  }

  private spawn(kind: string, program: Program, place: Place): Process {
    const pid = ++this.incarnations;
    const process: Process = {
      kind,
      place,
      identity: { pid, startTime: String(pid), bootId: this.bootId },
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
    const { random } = this;
    const { disk } = process.place;
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
    const read = async <T>(run: () => T): Promise<T> =>
      world.lookAtOnce > 0 && !process.dead && random() < world.lookAtOnce ? run() : look(run);
    const step = <T>(run: () => T): Promise<T> => take("world", run);
    const temporaryDir = temporaryOf(process);
    let temporaries = 0;
    disk.makeDirectory(temporaryDir);
    const ours = new Set([...DIRECTORIES, temporaryDir]);
    /** A directory of the state that somebody has tidied away is made again by whoever misses it (docs/file-protocol.md R12). */
    const within = (dir: string) => {
      if (ours.has(dir) && !disk.hasDirectory(dir)) disk.makeDirectory(dir);
    };
    const create = (path: string, text: string) => {
      within(directoryOf(path));
      // A full disk keeps the part that it has taken.
      if (world.isFull) disk.create(path, text.slice(0, below(random, text.length)), world.nowMs);
      world.assertRoom();
      disk.create(path, text, world.nowMs);
    };
    const rename = (from: string, to: string) => {
      if (disk.info(from) !== null) within(directoryOf(to));
      world.assertRoom(true);
      return disk.hasDirectory(directoryOf(to)) && disk.rename(from, to);
    };
    const link = (from: string, to: string) => {
      if (disk.info(from) !== null) within(directoryOf(to));
      if (!disk.hasDirectory(directoryOf(to))) return "missing";
      world.assertRoom(true);
      return disk.link(from, to);
    };
    const fs: FileSystem = {
      list: (dir) =>
        read(() => {
          within(dir);
          return disk.names(dir);
        }),
      // A hint, not a fact: usually told at once, so that an idle look is cheap.
      version: (dir) => {
        const tell = () => {
          within(dir);
          return disk.version(dir);
        };
        return random() < 0.1 ? look(tell) : Promise.resolve(tell());
      },
      read: (path, bytesMax) => read(() => disk.read(path, bytesMax)),
      readText: (path, bytesMax) => read(() => disk.read(path, bytesMax)),
      exists: (path) => read(() => disk.info(path) !== null || disk.hasDirectory(path)),
      info: (path) => read(() => disk.info(path)),
      async write(path, text, mayBegin) {
        await write(() => create(path, text));
        await mayBegin;
        await write(() => world.syncContent(path, process));
      },
      writeUnsynced: (path, text) => write(() => create(path, text)),
      // Nothing here is as long as that.
      shorten: async () => undefined,
      syncContent: (path) => look(() => world.syncContent(path, process)),
      link: (from, to) => write(() => link(from, to)),
      rename: (from, to) => write(() => rename(from, to)),
      makeDir: (dir) =>
        write(() => {
          world.assertRoom(true);
          disk.makeUnsyncedDirectory(dir);
        }),
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
      excuseOf: (owner) => world.excuseOf(owner),
      step,
      rest: () => take("rest", () => undefined),
    };
  }
}
