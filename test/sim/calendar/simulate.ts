/**
 * One seed is one stretch of time somewhere in the world, around a moment at which its clocks are changed: triggers that
 * people make, change, pause and run, while the clock runs, jumps and stands, and supervisors are killed at any write.
 */
import { UNFINISHED_GRACE_MS } from "@mimikit/core/base/snapshot";
import { triggerIdOf } from "@mimikit/core/triggers/of-command";
import { BadJson, parseRecord } from "@mimikit/protocol/base/json";
import { Role } from "@mimikit/protocol/base/role";
import { NO_USAGE } from "@mimikit/protocol/base/usage";
import { InboxCommand } from "@mimikit/protocol/records/inbox";
import { Result } from "@mimikit/protocol/records/result";
import { Task } from "@mimikit/protocol/records/task";
import type { Missed, Schedule, TriggerPatch, When } from "@mimikit/protocol/triggers/trigger-order";
import { createRecord } from "@mimikit/store/disk/record";
import { sign } from "@mimikit/store/disk/sign";
import { archivePath, inboxPath, queueOf, queuePath, resultPath } from "@mimikit/store/disk/state";
import { below, type Random, randomOf } from "../random.ts";
import { check } from "./check.ts";
import { Machine, TOKEN } from "./machine.ts";
import { isLastOfMonth } from "./occurrences.ts";
import { Witness } from "./witness.ts";
import { type Place, placeOf } from "./zone.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const YEAR_MS = 366 * DAY_MS;
const ROUNDS = 12;
const CALM_TICKS_MAX = 400;
/** Of the commands in stretches whose clock leaps. */
const ANEW_SHARE = 0.5;
const ANEW_SEED = 1_000_003;

type Signed = Extract<InboxCommand, { kind: "trigger-put" | "trigger-patch" | "trigger-delete" | "trigger-run" }>;
type Unsigned = Signed extends infer Each ? (Each extends unknown ? Omit<Each, "mac"> : never) : never;

export interface Run {
  violations: string[];
  counts: Machine["counts"] & { occurrences: number; fired: number };
}

export function simulate(seed: number): Promise<Run> {
  return new Stretch(seed, placeOf(seed)).run();
}

class Stretch {
  private readonly random: Random;
  private readonly place: Place;
  private readonly machine: Machine;
  private readonly witness: Witness;
  /** The clock may jump by a year: then nothing is due all the time. */
  private readonly hasLeaps: boolean;
  private readonly triggers: { id: string; type: When["type"] }[] = [];
  private readonly executed = new Set<string>();
  /** Its own stream: stretches without leaps are what they were. */
  private readonly leaping: Random;
  private commands = 0;

  constructor(seed: number, place: Place) {
    this.random = randomOf(seed);
    this.place = place;
    this.hasLeaps = this.random() < 0.15;
    this.leaping = randomOf(seed + ANEW_SEED);
    const kill = pick([0, 0.002, 0.01, 0.03], this.random);
    const startMs = place.ms - below(this.random, 2 * DAY_MS);
    this.machine = new Machine(this.random, startMs, place.zone.name, { kill, powerLoss: 0.4 });
    this.witness = new Witness(this.machine);
    this.machine.start(this.random() < 0.3 ? 2 : 1);
  }

  async run(): Promise<Run> {
    const { machine, random, witness } = this;
    for (let n = 1 + below(random, 3); n > 0; n--) await this.put();
    for (let round = 0; round < ROUNDS; round++) {
      if (random() < 0.3) await this.command();
      if (random() < 0.1) machine.isOverBudget = !machine.isOverBudget;
      for (let ticks = below(random, 4); ticks > 0; ticks--) await machine.tick();
      if (random() < 0.5) await this.work();
      machine.nowMs += this.pass();
    }
    await this.rest();
    const { occurrences, fired } = check(machine, witness);
    return { violations: machine.violations, counts: { ...machine.counts, occurrences, fired } };
  }

  /** How far the clock moves, milliseconds: time passes, nobody is there for a while, or somebody sets the clock. */
  private pass(): number {
    const { random, machine, place } = this;
    const dice = random();
    // Away from the moment that matters, and back.
    const ahead = machine.nowMs < place.ms ? 1 : -1;
    if (this.hasLeaps && dice < 0.1) return ahead * (YEAR_MS - below(random, 2 * DAY_MS));
    if (dice < 0.2) return below(random, MINUTE_MS);
    if (dice < 0.5) return below(random, 3 * HOUR_MS);
    if (dice < 0.65) return place.ms - machine.nowMs + below(random, 3 * HOUR_MS) - HOUR_MS;
    if (dice < 0.75) return -below(random, 4 * HOUR_MS);
    return below(random, 2 * DAY_MS);
  }

  private async rest(): Promise<void> {
    const { machine } = this;
    machine.calmDown();
    machine.isOverBudget = false;
    // A record that a power loss tore, and that is not made again, is quarantined after a while.
    let hasWaited = false;
    for (let ticks = 0; ticks < CALM_TICKS_MAX; ticks++) {
      const done = await machine.tick();
      if ((await this.work()) + (done ?? 1) > 0) continue;
      if (hasWaited) return;
      hasWaited = true;
      machine.nowMs += UNFINISHED_GRACE_MS;
    }
    machine.violations.push("it never comes to rest");
  }

  /** Runs each queued task once. @returns how many tasks. */
  private async work(): Promise<number> {
    const { disk, fs, nowMs, violations } = this.machine;
    let count = 0;
    for (const role of Role.options) {
      for (const name of disk.names(queueOf(role))) {
        const id = name.slice(0, -".json".length);
        const text = disk.read(queuePath(role, id));
        if (text === null || disk.info(archivePath(id)) !== null || disk.info(resultPath(role, id)) !== null) continue;
        const task = wholeTask(text);
        // A power loss has torn it: it is made again, or set aside.
        if (task === null) continue;
        if (this.executed.has(id)) violations.push(`${id} is run twice`);
        this.executed.add(id);
        await createRecord(fs, Result, resultPath(role, id), resultOf(task, nowMs));
        count++;
      }
    }
    return count;
  }

  private async put(): Promise<void> {
    const { random, machine } = this;
    const when = random() < 0.8 ? this.inventRecurring() : this.inventScheduled();
    const target = pick(["teller", "planner", "worker"] as const, random);
    const budget = random() < 0.5 ? { budget: { tokens: 10_000 } } : {};
    const id = this.commandId("put");
    const definition = { order: { prompt: "do it", target, ...budget }, when };
    this.triggers.push({ id: triggerIdOf(id), type: when.type });
    await this.send({ kind: "trigger-put", id, at: isoOf(machine.nowMs), definition });
  }

  private async command(): Promise<void> {
    const { random, machine } = this;
    const trigger = pick(this.triggers, random);
    const common = { at: isoOf(machine.nowMs), triggerId: trigger.id };
    const dice = random();
    if (this.hasLeaps && trigger.type === "recurring" && this.leaping() < ANEW_SHARE)
      await this.send({ ...common, kind: "trigger-patch", id: this.commandId("patch"), patch: { anew: true } });
    else if (dice < 0.2) await this.send({ ...common, kind: "trigger-run", id: this.commandId("run") });
    else if (dice < 0.25) await this.send({ ...common, kind: "trigger-delete", id: this.commandId("delete") });
    else {
      const patch = this.inventPatch(trigger.type);
      await this.send({ ...common, kind: "trigger-patch", id: this.commandId("patch"), patch });
    }
  }

  private inventPatch(type: When["type"]): TriggerPatch {
    const { random } = this;
    const paused = { paused: random() < 0.4 };
    const dice = random();
    if (dice < 0.5) return paused;
    const when = type === "recurring" ? this.inventRecurring() : this.inventScheduled();
    return dice < 0.8 ? { when } : { when, ...paused };
  }

  private async send(unsealed: Unsigned): Promise<void> {
    const command = InboxCommand.parse({ ...unsealed, mac: sign(TOKEN, unsealed) });
    this.witness.requested(command);
    await createRecord(this.machine.fs, InboxCommand, inboxPath(command.id), command);
  }

  private commandId(prefix: string): string {
    return `${prefix}-${String(++this.commands).padStart(4, "0")}`;
  }

  private inventScheduled(): When {
    const { random, place } = this;
    const runAt = isoOf(place.ms + below(random, 2 * DAY_MS) - DAY_MS);
    return { type: "scheduled", runAt, missed: this.inventMissed() };
  }

  private inventRecurring(): When {
    return { type: "recurring", schedule: this.inventSchedule(), missed: this.inventMissed() };
  }

  private inventMissed(): Missed {
    return pick(["latest", "latest", "none", "all"] as const, this.random);
  }

  /** Invents a schedule, most often due around the time of day at which the clocks change. */
  private inventSchedule(): Schedule {
    const { random, place, hasLeaps } = this;
    if (random() < 0.25) {
      if (hasLeaps) return { interval: 40_000 + below(random, 200_000) };
      return { interval: pick([10, 61, 3_600, 86_400], random) + below(random, 1_000) };
    }
    const nearMs = place.ms + below(random, 5 * HOUR_MS) - 3 * HOUR_MS;
    const wall = new Date(nearMs + place.zone.offsetAt(nearMs));
    const hour = wall.getUTCHours();
    const minute = random() < 0.5 ? pick([0, 30, 59], random) : wall.getUTCMinutes();
    const second = random() < 0.7 ? 0 : below(random, 60);
    const late = Math.min(23, hour + 2);
    const daily = [
      `${second} ${minute} ${hour} * * *`,
      `${minute} ${hour} * * *`,
      `${second} ${minute},${(minute + 20) % 60} ${hour} * * *`,
      `${second} ${minute} ${hour}-${late} * * *`,
      `${second} ${minute} ${hour} ${wall.getUTCDate()} * ${below(random, 8)}`,
      `${second} ${minute} ${hour} ${isLastOfMonth(wall) ? "L *" : `${wall.getUTCDate()} ${wall.getUTCMonth() + 1}`} *`,
      `0 */15 ${hour} * * ${wall.getUTCDay()}`,
    ];
    const often = "0 */10 * * * *";
    const dense = [often, `${second} ${minute} * * * *`, `*/20 ${minute} ${hour} * * *`, `0 0 */2 * * *`];
    // In a year, what is due often is due more often than anybody counts.
    const leaping = random() < 0.95 ? daily : [often];
    return { cron: pick(hasLeaps ? leaping : [...daily, ...dense], random), timezone: place.zone.name };
  }
}

function pick<T>(of: readonly T[], random: Random): T {
  const one = of[below(random, of.length)];
  if (one === undefined) throw new Error("nothing to pick from");
  return one;
}

/** The task that a file holds, also where its last newline is lost; null where it is torn. */
function wholeTask(text: string): Task | null {
  try {
    return parseRecord(Task, text);
  } catch (error) {
    if (error instanceof BadJson) return null;
    throw error;
  }
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}

function resultOf(task: Task, nowMs: number): Result {
  const common = { id: task.id, task, attempts: 1, completedAt: isoOf(nowMs), usage: NO_USAGE };
  switch (task.role) {
    case "teller":
      return {
        ...common,
        status: "done",
        resultType: "turn",
        result: {},
        effects: [{ type: "reply", text: "so be it" }],
      };
    case "planner":
      return { ...common, status: "done", resultType: "plan", result: { tasks: [] }, effects: [] };
    case "worker":
      return { ...common, status: "done", resultType: "text", result: { text: "done" }, effects: [] };
    default:
      throw new Error("nothing is improved here");
  }
}
