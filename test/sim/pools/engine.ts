/**
 * The engine of a simulated run: queues, keys and messages, as BullMQ on Redis has them (SCALE.md, what was measured). It delivers at
 * least once, drops, doubles and reorders messages, stands still, goes away, cannot be reached from one machine, and forgets its last
 * moments, or all that it has.
 */
import type { Carried, HomeSide, PoolSide } from "@mimikit/runtime/pools/engine";
import { outcomeKey, pieceKey, queueOfPool, TOPICS } from "@mimikit/runtime/pools/names";
import { below } from "../random.ts";
import type { Environment, Place, Process, World } from "../world.ts";
import type { Timers } from "./timers.ts";

const PING_EVERY_MS = 1_000;
/** The engine counts as away when it has not answered for so long. */
export const AWAY_MS = 5_000;
const TAKE_EVERY_MS = 200;
/** Unless it forgets everything, it loses only changes younger than this. */
const UNSYNCED_MS = 1_500;

/** A job that waits, or that a worker holds until its lock runs out. */
interface Job {
  sealed: string;
  holder?: object;
  lockedUntilMs: number;
}

/** Faults of messages and commands, each with its chance. */
export interface EngineWeather {
  drop: number;
  double: number;
  reorder: number;
  /** The connection breaks before a command is answered: it is done, and sent again. */
  unanswered: number;
}

/** One connection of a process. */
interface Client {
  environment: Environment;
  timers: Timers;
}

interface Listener {
  client: Client;
  queue: Carried[];
  isBusy: boolean;
  heard(message: Carried): void;
}

export class Engine {
  readonly counts = { dropped: 0, doubled: 0, reordered: 0, unanswered: 0, redelivered: 0, forgotten: 0, deaths: 0 };
  /** Machines that do not reach it. */
  readonly cutOff = new Set<Place>();
  /** It does not answer until then. */
  awayUntilMs = 0;
  /** Hears of each job that is offered, before it has it. */
  onOffer: (job: string) => void = () => undefined;
  /** Hears of each job that a process takes, and of each outcome before it is handed in. */
  onTaken: (key: string) => void = () => undefined;
  onHandIn: (job: string, process: Process) => void = () => undefined;
  private readonly world: World;
  private readonly weather: EngineWeather;
  private readonly keys = new Map<string, Job | string | Buffer>();
  private readonly listeners = new Map<string, Set<Listener>>();
  /** How to take back what may be forgotten, oldest first. */
  private unsynced: { atMs: number; undo(): void }[] = [];

  constructor(world: World, weather: EngineWeather) {
    this.world = world;
    this.weather = weather;
  }

  /** Is it reached from there? */
  reachesFrom(place: Place): boolean {
    const { isCalm, uptimeMs } = this.world;
    return isCalm || (uptimeMs >= this.awayUntilMs && !this.cutOff.has(place));
  }

  private reaches({ environment: { process } }: Client): boolean {
    return !process.dead && this.reachesFrom(process.place);
  }

  /** It dies: messages on their way are gone, and what was said just before, or everything. */
  die(forMs: number, loses: "nothing" | "last" | "all"): void {
    const { world } = this;
    this.awayUntilMs = world.uptimeMs + forMs;
    this.counts.deaths++;
    for (const all of this.listeners.values()) for (const each of all) each.queue.length = 0;
    if (loses === "nothing") return;
    const before = this.keys.size;
    if (loses === "all") this.keys.clear();
    const fromMs = world.uptimeMs - below(world.random, UNSYNCED_MS);
    const lost = loses === "all" ? [] : this.unsynced.filter(({ atMs }) => atMs >= fromMs).reverse();
    for (const { undo } of lost) undo();
    this.unsynced = [];
    if (loses === "all" ? before > 0 : lost.length > 0) this.counts.forgotten++;
  }

  /** It takes a job for stalled that is not, and gives it away once more. */
  redeliver(key: string): void {
    const job = this.keys.get(key);
    if (!isJob(job) || job.holder === undefined) return;
    this.set(key, { sealed: job.sealed, lockedUntilMs: 0 });
    this.counts.redelivered++;
  }

  /** The keys of the jobs that workers hold. */
  get held(): string[] {
    return [...this.keys].flatMap(([key, value]) => (isJob(value) && value.holder !== undefined ? [key] : []));
  }

  /** The names of all that it has. */
  get names(): string[] {
    return [...this.keys.keys()];
  }

  openHomeSide(client: Client, home: string, pool: string): Pick<HomeSide, keyof HomeSide> {
    const { side, topic } = this.openSide(client, home, pool);
    const queue = `${queueOfPool(home, pool)}:job:`;
    return Object.assign(side, {
      add: (job: string, sealed: string) => {
        this.onOffer(job);
        return this.command(client, () => {
          if (!this.keys.has(queue + job)) this.set(queue + job, { sealed, lockedUntilMs: 0 });
        });
      },
      remove: (job: string) =>
        this.command(client, () => {
          const there = this.keys.get(queue + job);
          if (isJob(there) && there.holder === undefined) this.set(queue + job, undefined);
        }),
      outcome: (job: string, bytesMax: number) =>
        this.command(client, () => {
          const sealed = this.keys.get(outcomeKey(home, pool, job));
          if (typeof sealed !== "string") return null;
          return sealed.length > bytesMax ? { bytes: sealed.length } : { sealed };
        }),
      dropOutcome: (job: string) => this.command(client, () => this.set(outcomeKey(home, pool, job), undefined)),
      onSaid: (heard: (message: Carried) => void) => this.listen(client, topic(TOPICS.up), heard),
      onHere: (heard: (message: Carried) => void) => this.listen(client, topic(TOPICS.here), heard),
      tell: (message: Carried) => this.publish(client, topic(TOPICS.down), message),
      obliterate: () =>
        this.command(client, () => {
          for (const key of this.names) if (key.startsWith(queue)) this.set(key, undefined);
        }),
    });
  }

  openPoolSide(client: Client, home: string, pool: string): Pick<PoolSide, keyof PoolSide> {
    const { side, topic } = this.openSide(client, home, pool);
    const queue = `${queueOfPool(home, pool)}:job:`;
    return Object.assign(side, {
      isRemoved: async () => false,
      start: (run: (job: string, sealed: string) => Promise<void>, slots: number, leaseMs: number) =>
        this.work(client, queue, run, slots, leaseMs),
      onTold: (heard: (message: Carried) => void) => this.listen(client, topic(TOPICS.down), heard),
      tell: (message: Carried) => this.publish(client, topic(TOPICS.up), message),
      sayHere: (message: Carried) => this.publish(client, topic(TOPICS.here), message),
      putOutcome: (job: string, sealed: string) =>
        this.command(client, () => this.set(outcomeKey(home, pool, job), sealed)),
    });
  }

  private openSide(client: Client, home: string, pool: string) {
    const { world } = this;
    let pongMs = Number.NEGATIVE_INFINITY;
    let isClosed = false;
    const ping = async () => {
      await this.command(client, () => undefined);
      pongMs = world.uptimeMs;
    };
    let isPinging = false;
    const endPinging = client.timers.every(PING_EVERY_MS, () => {
      if (isPinging) return;
      isPinging = true;
      void ping().finally(() => {
        isPinging = false;
      });
    });
    const topic = (name: string) => `${queueOfPool(home, pool)}:${name}`;
    const side = {
      get isThere() {
        return !isClosed && world.uptimeMs - pongMs < AWAY_MS;
      },
      get silentMs() {
        return world.uptimeMs - pongMs;
      },
      putPiece: (job: string, piece: string, sealed: Buffer) =>
        this.command(client, () => this.set(pieceKey(home, pool, job, piece), sealed)),
      takePiece: (job: string, piece: string) =>
        this.command(client, () => {
          const key = pieceKey(home, pool, job, piece);
          const sealed = this.keys.get(key);
          this.set(key, undefined);
          return sealed instanceof Buffer ? sealed : null;
        }),
      close: async () => {
        isClosed = true;
        endPinging();
        for (const all of this.listeners.values()) for (const each of all) if (each.client === client) all.delete(each);
      },
    };
    return { side, topic };
  }

  /** A command waits until the engine is reached, and may be done twice. */
  private async command<T>(client: Client, run: () => T): Promise<T> {
    const { step, rest } = client.environment;
    for (;;) {
      const done = await step(() => {
        if (!this.reaches(client)) return null;
        const value = run();
        if (this.world.isCalm || this.world.random() >= this.weather.unanswered) return { value };
        this.counts.unanswered++;
        return null;
      });
      if (done !== null) return done.value;
      await rest();
    }
  }

  private set(key: string, value: Job | string | Buffer | undefined): void {
    const before = this.keys.get(key);
    if (value === undefined && before === undefined) return;
    const put = (each: typeof value) => (each === undefined ? this.keys.delete(key) : this.keys.set(key, each));
    const atMs = this.world.uptimeMs;
    this.unsynced.push({ atMs, undo: () => void put(before) });
    while ((this.unsynced[0]?.atMs ?? atMs) < atMs - UNSYNCED_MS) this.unsynced.shift();
    put(value);
  }

  private async listen(client: Client, topic: string, heard: (message: Carried) => void): Promise<void> {
    const all = this.listeners.get(topic) ?? new Set();
    this.listeners.set(topic, all.add({ client, queue: [], isBusy: false, heard }));
  }

  private publish(client: Client, topic: string, message: Carried): Promise<void> {
    return this.command(client, () => {
      for (const each of this.listeners.get(topic) ?? []) this.send(each, message);
    });
  }

  private send(listener: Listener, message: Carried): void {
    const { counts, weather, world } = this;
    const happens = (chance: number) => !world.isCalm && world.random() < chance;
    if (!this.reaches(listener.client)) return;
    if (happens(weather.drop)) {
      counts.dropped++;
      return;
    }
    const { queue } = listener;
    const isEarly = queue.length > 0 && happens(weather.reorder);
    if (isEarly) counts.reordered++;
    queue.splice(isEarly ? below(world.random, queue.length) : queue.length, 0, message);
    if (happens(weather.double)) {
      counts.doubled++;
      queue.push(message);
    }
    this.deliver(listener);
  }

  private deliver(listener: Listener): void {
    if (listener.isBusy || listener.queue.length === 0) return;
    listener.isBusy = true;
    const hear = () => {
      const message = listener.queue.shift();
      if (message !== undefined) listener.heard(message);
    };
    void listener.client.environment.step(hear).then(() => {
      listener.isBusy = false;
      this.deliver(listener);
    });
  }

  /** Takes jobs as BullMQ's worker does: a lock that is not renewed runs out, and then any worker takes the job again. */
  private work(
    client: Client,
    queue: string,
    run: (job: string, sealed: string) => Promise<void>,
    slots: number,
    leaseMs: number,
  ): void {
    const { world } = this;
    const held = new Map<object, string>();
    let isAsking = false;
    const take = () => {
      for (const [holder, key] of held) {
        const job = this.keys.get(key);
        if (isJob(job) && job.holder === holder)
          this.keys.set(key, { ...job, lockedUntilMs: world.uptimeMs + leaseMs });
      }
      for (const [key, job] of this.keys)
        if (isJob(job) && key.startsWith(queue) && job.holder !== undefined && job.lockedUntilMs < world.uptimeMs)
          this.set(key, { sealed: job.sealed, lockedUntilMs: 0 });
      if (held.size >= slots) return;
      for (const [key, job] of this.keys) {
        if (!isJob(job) || !key.startsWith(queue) || job.holder !== undefined) continue;
        const holder = {};
        this.set(key, { ...job, holder, lockedUntilMs: world.uptimeMs + leaseMs });
        held.set(holder, key);
        this.onTaken(key);
        void run(key.slice(queue.length), job.sealed)
          .then(() =>
            this.command(client, () => {
              const now = this.keys.get(key);
              if (isJob(now) && now.holder === holder) this.set(key, undefined);
            }),
          )
          .finally(() => held.delete(holder));
        return;
      }
    };
    client.timers.every(TAKE_EVERY_MS, () => {
      if (isAsking) return;
      isAsking = true;
      void client.environment
        .step(() => {
          if (this.reaches(client)) take();
        })
        .finally(() => {
          isAsking = false;
        });
    });
  }
}

function isJob(value: unknown): value is Job {
  return typeof value === "object" && value !== null && "lockedUntilMs" in value;
}
