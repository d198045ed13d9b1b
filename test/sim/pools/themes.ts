/**
 * A theme is the situation that a world is about. Chance alone seldom makes the situations for which the rules of work on other machines are there: a fault must follow
 * within a moment of a permit, of an outcome or of its cost. Each world has one theme, by its number; the first leaves all to chance.
 */
import { below, type Random } from "../random.ts";
import type { Place, Process, World } from "../world.ts";
import type { Engine, EngineWeather } from "./engine.ts";
import { LEASE_MS } from "./machine.ts";
import type { Execution } from "./witness.ts";

/** All that a theme may reach. */
export interface Stage {
  world: World;
  engine: Engine;
  random: Random;
  /** Does it between two turns, within so long. */
  soon(msMax: number, fault: () => void): void;
  /** The engine is not reached from there. */
  cut(place: Place, ms: number): void;
  /** The home is restored from a backup. */
  restore(): void;
}

/** How long a run takes at least, and the chances that it is a long one, that it runs until it is stopped, and that a step of it writes a line or makes a call. */
export interface Manner {
  stepsMin: number;
  long: number;
  endless: number;
  line: number;
  call: number;
}

export interface Theme {
  name: string;
  /** A copy of a machine, a machine that lies, and budgets: drawn where it is not said. */
  hasTwin?: boolean;
  hasLiar?: boolean;
  hasPurse?: boolean;
  weather?: Partial<EngineWeather>;
  runs?: Partial<Manner>;
  /** A process has taken a job from the engine. */
  onTaken?(stage: Stage, key: string): void;
  /** A run begins. */
  onBegun?(stage: Stage, execution: Execution): void;
  /** An outcome is about to be handed in for the first time. */
  onHandIn?(stage: Stage, process: Process): void;
  /** An attempt is given up at home, of which this was the run. */
  onGivenUp?(stage: Stage, execution: Execution): void;
  /** The cost of an attempt is noted, by this process, and its outcome is not published. */
  onCharged?(stage: Stage, process: Process): void;
}

/** Behind the moment that a theme is about. */
const SOON_MS = 300;
const RESTART_MS = 1_500;
/** Turns for which a process stands still; of its own, so that a world has some hundred of them. */
const UNTIL_WOKEN_TURNS = 4_000;

export const THEMES: readonly Theme[] = [
  { name: "chance" },
  {
    name: "two take one job",
    hasTwin: true,
    onTaken({ engine, random, soon }, key) {
      if (random() < 0.5) soon(SOON_MS, () => engine.redeliver(key));
    },
  },
  {
    name: "a home is restored while its machines work",
    runs: { stepsMin: 20 },
    onBegun({ random, restore, soon }) {
      if (random() < 0.4) soon(RESTART_MS, restore);
    },
  },
  {
    name: "a machine is cut off for more than one lease",
    runs: { stepsMin: 100, long: 0, line: 0, call: 0.02 },
    onBegun({ random, soon, cut }, { process: { place } }) {
      if (random() < 0.7) soon(RESTART_MS, () => cut(place, LEASE_MS * (1 + random())));
    },
  },
  {
    name: "the engine is away for more than two leases",
    onBegun({ world, engine, random, soon }) {
      if (random() < 0.4 && engine.awayUntilMs < world.uptimeMs)
        soon(RESTART_MS, () => engine.die(LEASE_MS * (2 + random()), random() < 0.5 ? "nothing" : "last"));
    },
  },
  {
    name: "an outcome comes after its attempt was given up",
    onHandIn({ random }, process) {
      if (random() < 0.6) process.paused = UNTIL_WOKEN_TURNS;
    },
    onGivenUp({ random, soon }, { process }) {
      soon(below(random, SOON_MS), () => {
        process.paused = 0;
      });
    },
  },
  { name: "a machine lies", hasLiar: true, runs: { stepsMin: 60, long: 0 } },
  {
    name: "messages are lost on their way",
    weather: { drop: 0.5 },
    runs: { stepsMin: 5, long: 0, endless: 0.3, call: 0.4 },
  },
  { name: "messages come twice", weather: { double: 0.5 }, runs: { stepsMin: 5, long: 0, line: 0.4, call: 0.2 } },
  {
    name: "a machine is killed with its outcome",
    onHandIn({ world, random, soon }, process) {
      if (random() < 0.6) soon(SOON_MS, () => world.end(process));
    },
  },
  {
    name: "the dispatcher is killed between cost and outcome",
    hasPurse: true,
    onCharged({ world, random, soon }, process) {
      if (random() < 0.6) soon(SOON_MS, () => world.end(process));
    },
  },
];

/** Those of a world that leaves all to chance. */
export const USUAL: Manner = { stepsMin: 0, long: 0.4, endless: 0.1, line: 0.08, call: 0.08 };
