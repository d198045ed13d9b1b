/** One seed is one home with two machines, an engine between them, and what becomes of their work (docs/pools.md). */
import { check } from "../check.ts";
import { Outside } from "../outside.ts";
import { Purse } from "../purse.ts";
import { below, randomOf } from "../random.ts";
import { gateway, type Shape, supervisor } from "../scenario.ts";
import { FAULTS, type Faults, Place, World } from "../world.ts";
import { Engine, type EngineWeather } from "./engine.ts";
import { dispatcher, type Home, owner, restore, workers } from "./home.ts";
import { LEASE_MS, Machine, machine } from "./machine.ts";
import { type Stage, THEMES, USUAL } from "./themes.ts";
import { Witness } from "./witness.ts";

process.env.TZ = "UTC";

const FAULTY_STEPS = 8_000;
/** The work of a home with a theme is to meet it: until then it takes some thousand turns. */
const THEME_STEPS = 14_000;
const QUIET_STEPS = 2_200;
/** Behind that, turns in which more time passes: memory is noted when nothing has been said for a while. */
const SLOW_TURNS = 1_200;
const SLOW_STEP_MS_MAX = 200;
const STEPS_MAX = 120_000;
const STEP_MS_MAX = 12;
const LOOK_AT_ONCE = 0.8;
const MESSAGES = 3;
/** Turns for which a machine is suspended, at most: longer than two leases. */
const SUSPENDED_TURNS_MAX = 4_000;
/** So long the engine is away, or one machine does not reach it, at most. */
const AWAY_MS_MAX = 3 * LEASE_MS;
const SHAPE: Shape = {
  supervisors: 1,
  pools: 1,
  documentLocks: true,
  takesNotes: false,
  hasWays: false,
  greedyNth: null,
};

/** Beside those of every world, each with its chance in a turn. */
const POOL_FAULTS = { death: 0.0006, cut: 0.0012, suspension: 0.0004, redelivery: 0.002, powerLoss: 0.0004 };
/** The share of all these faults in a world that has a theme. */
const BESIDE_THEME = 0.3;
const ENGINE: EngineWeather = { drop: 0.1, double: 0.1, reorder: 0.2, unanswered: 0.03 };

export interface Run {
  violations: string[];
  counts: Record<string, number>;
}

export async function simulate(seed: number): Promise<Run> {
  const theme = THEMES[seed % THEMES.length] ?? { name: "chance" };
  const isThemed = theme.name !== "chance";
  const share = isThemed ? BESIDE_THEME : 1;
  const random = randomOf(seed ^ 0x9001);
  const weather = () => [0, 0.5, 1, 2][below(random, 4)] ?? 1;
  const world = new World(seed);
  world.lookAtOnce = LOOK_AT_ONCE;
  const outside = new Outside();
  outside.toSend.length = MESSAGES;
  const engine = new Engine(world, {
    drop: ENGINE.drop * weather(),
    double: ENGINE.double * weather(),
    reorder: ENGINE.reorder * weather(),
    unanswered: ENGINE.unanswered * weather(),
    ...theme.weather,
  });
  const witness = new Witness(world);
  engine.onOffer = (job) => witness.offered(job);
  const hasPurse = random() < 0.5;
  if (theme.hasPurse ?? hasPurse) outside.purse = new Purse(world, random);
  witness.purse = outside.purse;
  const hasTwin = random() < 0.4;
  const hasLiar = random() < 0.35;
  const manner = { ...USUAL, ...theme.runs };
  const machines = [new Machine("a", false, manner), new Machine("b", theme.hasLiar ?? hasLiar, manner)];
  const home: Home = { outside, witness, engine, machines, removes: random() < 0.3, restores: random() < 0.3 };
  world.home.onPowerLoss = () => outside.purse?.forget();
  world.start("gateway", gateway(outside, SHAPE));
  world.start("owner", owner(home));
  world.start("supervisor", supervisor(outside, SHAPE));
  world.start("workers", workers(home));
  world.start("dispatcher", dispatcher(home));
  const places = new Map<string, Place[]>(machines.map(({ name, place }) => [name, [place]]));
  for (const each of machines) world.start(each.name, machine(each, each.place, engine, witness), each.place);
  const [first] = machines;
  if ((theme.hasTwin ?? hasTwin) && first !== undefined) {
    const twin = new Place();
    places.get("a")?.push(twin);
    world.start("a", machine(first, twin, engine, witness), twin);
  }
  const kinds = { cuts: 0, suspensions: 0, machinePowerLosses: 0 };
  const chances = Object.fromEntries(
    Object.entries(POOL_FAULTS).map(([name, chance]) => [name, chance * weather() * share]),
  );
  const all = [world.home, ...[...places.values()].flat()];
  const cutUntil = new Map<Place, number>();
  const due: { atMs: number; fault(): void }[] = [];
  const cut = (place: Place, ms: number) => {
    engine.cutOff.add(place);
    cutUntil.set(place, world.uptimeMs + ms);
    kinds.cuts++;
  };
  const stage: Stage = {
    world,
    engine,
    random,
    cut,
    soon: (msMax, fault) => {
      if (!world.isCalm) due.push({ atMs: world.uptimeMs + below(random, msMax), fault });
    },
    restore: () => restore(world, witness),
  };
  engine.onTaken = (key) => theme.onTaken?.(stage, key);
  engine.onHandIn = (job, process) => {
    if (witness.isHandedIn(job) && !world.isCalm) theme.onHandIn?.(stage, process);
  };
  witness.onBegun = (execution) => theme.onBegun?.(stage, execution);
  witness.onGivenUp = (execution) => theme.onGivenUp?.(stage, execution);
  witness.onCharged = (process) => theme.onCharged?.(stage, process);
  world.furtherFaults = () => {
    witness.look((place) => engine.reachesFrom(place));
    for (const [place, untilMs] of cutUntil)
      if (untilMs < world.uptimeMs && cutUntil.delete(place)) engine.cutOff.delete(place);
    for (const each of due.splice(0))
      if (each.atMs > world.uptimeMs) due.push(each);
      else each.fault();
    let dice = random();
    const happens = (name: keyof typeof POOL_FAULTS) => {
      const chance = chances[name] ?? 0;
      dice -= chance;
      return dice < 0 && dice >= -chance;
    };
    if (happens("death")) {
      const loses = (["nothing", "last", "last", "all"] as const)[below(random, 4)] ?? "last";
      engine.die(below(random, random() < 0.5 ? AWAY_MS_MAX : 2_000), loses);
    } else if (happens("cut")) {
      const place = all[below(random, all.length)];
      if (place !== undefined) cut(place, below(random, AWAY_MS_MAX));
    } else if (happens("suspension")) {
      const away = world.processes.filter(({ place }) => place !== world.home);
      const process = away[below(random, away.length)];
      if (process === undefined) return;
      process.paused = below(random, SUSPENDED_TURNS_MAX);
      kinds.suspensions++;
    } else if (happens("redelivery")) {
      const { held } = engine;
      engine.redeliver(held[below(random, held.length)] ?? "");
    } else if (happens("powerLoss")) {
      const place = all[1 + below(random, all.length - 1)];
      if (place === undefined) return;
      const name = machines.find(({ name }) => places.get(name)?.includes(place))?.name;
      if (name !== undefined) witness.powerless.add(name);
      world.losePower(place);
      kinds.machinePowerLosses++;
    }
  };
  const faults = faultsOf(random, share);
  const common = { faultySteps: isThemed ? THEME_STEPS : FAULTY_STEPS, faults, stepsMax: STEPS_MAX };
  await world.run({ ...common, quietSteps: QUIET_STEPS, stepMsMax: STEP_MS_MAX });
  if (world.violations.length === 0)
    await world.run({ ...common, quietSteps: SLOW_TURNS, stepMsMax: SLOW_STEP_MS_MAX });
  const violations = [
    ...world.violations,
    ...check(world.disk, outside, world.counts.powerLosses),
    ...witness.check(places, engine),
  ];
  return { violations, counts: { ...world.counts, ...kinds, ...engine.counts, ...witness.counts } };
}

function faultsOf(random: () => number, share: number): Faults {
  const weather = () => ([0, 0.2, 0.5, 1][below(random, 4)] ?? 1) * share;
  return {
    kill: FAULTS.kill * 0.5 * weather(),
    pause: FAULTS.pause * weather(),
    powerLoss: FAULTS.powerLoss * 0.3 * weather(),
    clockJump: FAULTS.clockJump * weather(),
    monthJump: 0,
    error: FAULTS.error * 0.5 * weather(),
    full: 0,
    badSync: 0,
    hang: 0,
    tidy: 0,
  };
}
