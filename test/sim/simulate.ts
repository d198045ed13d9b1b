/** One seed is one run: its shape, its faults and every interleaving follow from the number. */
import { check } from "./check.ts";
import { Outside } from "./outside.ts";
import { type Random, randomOf } from "./random.ts";
import { populate, type Shape } from "./scenario.ts";
import { FAULTS, type Faults, World } from "./world.ts";

// Days, and so the files of usage, are those of the server's zone: a seed is one world, wherever it runs.
process.env.TZ = "UTC";

const FAULTY_STEPS = 5_000;
/** Where calls need a yes, it takes longer until there is work that makes one: as many faults as elsewhere come over more steps. */
const ASKING_STEPS = 20_000;
const ASKING_WEATHER = FAULTY_STEPS / ASKING_STEPS;
const QUIET_STEPS = 3_000;
const STEPS_MAX = 120_000;
/** One world in so many has messages by several ways: each way makes turns of its own, and a world of many turns takes longer. */
const WAYS_EVERY = 5;
/** That a world has troubles that last, where messages come by one way: one in five of all. */
const TROUBLE_CHANCE = 0.25;
/** Which ones they are. Worlds that were named before there were troubles, as those of mutants, are none of them: they stay what they were. */
const TROUBLE_SALT = 0x444ab1f;
/** That Workers make calls which need a yes, and a salt that leaves the worlds of mutants without them. */
const ASKS_CHANCE = 0.12;
const ASKS_SALT = 0xa5d2b;
/** The same for messages that name files. One supervisor does the upkeep, as in real life. */
const ATTACHES_CHANCE = 0.12;
const ATTACHES_SALT = 0xa77ad7c;
/** The same for the real gateway, and a user at its page. */
const PAGE_CHANCE = 0.12;
const PAGE_SALT = 0x144;
/** One world in so many has a greedy task: one of the first few that run. */
const GREEDY_EVERY = 4;
const GREEDY_FIRST = 9;

export interface Run {
  violations: string[];
  counts: World["counts"] & { turns: number; executions: number };
}

export async function simulate(seed: number): Promise<Run> {
  const shape = shapeOf(seed);
  const world = new World(seed);
  const outside = new Outside();
  populate(world, outside, shape);
  const faultySteps = asks(seed) ? ASKING_STEPS : FAULTY_STEPS;
  await world.run({ faultySteps, faults: faultsOf(seed), quietSteps: QUIET_STEPS, stepsMax: STEPS_MAX });
  outside.attachments?.check();
  if (outside.page?.compared === 0) world.violate("what the page shows was never compared with the disk");
  const violations = [...world.violations, ...check(world.disk, outside, world.counts.powerLosses)];
  const executions = [...outside.executions.values()].reduce((sum, times) => sum + times, 0);
  const turns = world.disk.names("archive").filter((name) => /^t-\d+\.json$/.test(name)).length;
  return { violations, counts: { ...world.counts, turns, executions } };
}

/** Most runs have two of each role, which must be safe though the kernel forbids it; some have one, as in real life. */
function shapeOf(seed: number): Shape {
  const random = randomOf(seed ^ 0x5eed);
  const supervisors = random() < 0.7 && !attaches(seed) ? 2 : 1;
  const pools = random() < 0.7 ? 2 : 1;
  const documentLocks = supervisors > 1 || random() < 0.5;
  return {
    supervisors,
    pools,
    documentLocks,
    takesNotes: random() < 0.6,
    hasWays: hasWays(seed),
    ...(hasTroubles(seed) && furtherOf(seed)),
    asks: asks(seed),
    attaches: attaches(seed),
    hasPage: hasPage(seed),
    greedyNth: seed % GREEDY_EVERY === 0 ? 1 + ((seed / GREEDY_EVERY) % GREEDY_FIRST) : null,
  };
}

/** Features that only worlds with troubles have, each of them some. */
function furtherOf(seed: number): Partial<Shape> {
  const random = randomOf(seed ^ 0xf0cc);
  return { ...(random() < 0.4 && { purse: randomOf(seed ^ 0x9e4) }), improves: random() < 0.4 };
}

const asks = (seed: number) => randomOf(seed ^ ASKS_SALT)() < ASKS_CHANCE;
const attaches = (seed: number) => randomOf(seed ^ ATTACHES_SALT)() < ATTACHES_CHANCE;
const hasPage = (seed: number) => !attaches(seed) && !hasWays(seed) && randomOf(seed ^ PAGE_SALT)() < PAGE_CHANCE;
const hasWays = (seed: number) => seed % WAYS_EVERY === WAYS_EVERY - 1;
const hasTroubles = (seed: number) => !hasWays(seed) && randomOf(seed ^ TROUBLE_SALT)() < TROUBLE_CHANCE;

/** Some bugs need a storm and some need peace in which work gets far: each seed has a weather of its own. */
function faultsOf(seed: number): Faults {
  const random = randomOf(seed ^ 0xfa17);
  const weatherOf = (stream: Random) => [0, 0.2, 0.5, 1, 2][Math.floor(stream() * 5)] ?? 1;
  const weather = () => weatherOf(random) * (asks(seed) ? ASKING_WEATHER : 1);
  // A stream of its own: worlds without troubles stay as they are.
  const further = randomOf(seed ^ 0x7a0b1e);
  const trouble = () => (hasTroubles(seed) ? weatherOf(further) : 0);
  return {
    kill: FAULTS.kill * weather(),
    pause: FAULTS.pause * weather(),
    powerLoss: FAULTS.powerLoss * weather(),
    clockJump: FAULTS.clockJump * weather(),
    // Time runs out for a question about a call, and for a file, only after a day.
    monthJump: FAULTS.monthJump * Math.max(weather(), asks(seed) ? ASKING_WEATHER : attaches(seed) ? 3 : 0),
    error: FAULTS.error * weather(),
    full: FAULTS.full * trouble(),
    badSync: FAULTS.badSync * trouble(),
    hang: FAULTS.hang * trouble(),
    tidy: FAULTS.tidy * trouble(),
  };
}
