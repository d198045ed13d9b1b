/**
 * Kills an instance in every way that a machine has, while it is given orders, and then looks whether every promise of the
 * protocol was kept. The instance is one of its own, under a PM2 of its own: yours is not touched.
 */
import { setTimeout as wait } from "node:timers/promises";
import { command } from "../arguments/command.ts";
import { type AfterKills, lookAfterKills } from "../chaos/after-kills.ts";
import { type Struck, strike, type Victim } from "../chaos/faults.ts";
import { answerQuestions, Load } from "../chaos/load.ts";
import { randomOf } from "../chaos/random.ts";
import { startUnderPm2, type UnderPm2 } from "../chaos/under-pm2.ts";
import { nameIn, t } from "../i18n/language.ts";
import { isAtRest } from "../instance/trial.ts";
import { Failure, reasonOf } from "../io/failure.ts";
import { plainLine, printJson, printLine, printProgress, printTable, styled } from "../io/print.ts";
import { waitUntil } from "../processes/wait-until.ts";

const MINUTES_DEFAULT = 1;
const MINUTES_MAX = 24 * 60;
const FAULTS_MAX = 1_000_000;
const SEED_MAX = 2 ** 32 - 1;
const PAUSE_MS_MAX = 1_000;
/** Of the faults, so many come while the one before is still being recovered from. */
const AT_ONCE = 0.3;
const REST_MS_MAX = 300_000;
const REST_POLL_MS = 500;
const PROGRESS_MS = 10_000;

export interface ChaosReport extends AfterKills {
  seed: number;
  seconds: number;
  /** How often each fault was chosen. */
  faults: Record<string, number>;
  /** How many processes were killed, and stopped for a while, by what they were. */
  kills: Partial<Record<Victim, number>>;
  stops: Partial<Record<Victim, number>>;
  /** How often `mimikit up` had to start it again, because PM2 itself was gone. */
  starts: number;
  /** The ids of the messages that were acknowledged. */
  acknowledged: string[];
  cancels: number;
  triggers: number;
  /** Milliseconds from a fault to the next answer of a whole instance, in their order; some faults come while it is not whole. */
  backMs: number[];
  /** Why something was not tried. */
  untried: string[];
}

export const chaos = command({
  usage: "chaos",
  summary: "kill the processes, and PM2, while they work, and check that nothing is lost or done twice",
  examples: [
    ["mimikit chaos", "for a minute, on an instance of its own: yours is not touched, and it costs nothing"],
    ["mimikit chaos --kills 200 --seed 7", "200 faults; the same seed chooses the same ones"],
    ["mimikit chaos --minutes 60 --json", "exit code 1 when a promise was broken; then its files are kept"],
  ],
  epilogue:
    "Faults: kill -9 of one process, of two, of all, of PM2, of all with PM2, of a running command; SIGSTOP for up to 3 s; and, as root, a full disk. Meanwhile it is given orders and chains, cancels, and a trigger that fires every 10 s.",
  options: (yargs) =>
    yargs
      .option("minutes", {
        type: "number",
        default: MINUTES_DEFAULT,
        describe: t("how long, at most {max}", { max: MINUTES_MAX }),
      })
      .option("kills", { type: "number", describe: "so many faults, however long they take" })
      .option("disk", { type: "boolean", default: true, describe: "as root, on a small disk that can be full" })
      .option("seed", { type: "number", describe: "chooses the faults; another one each time where none is given" }),
  async run({ json, minutes, kills, disk, seed = Math.floor(Math.random() * SEED_MAX) }) {
    if (!(minutes > 0 && minutes <= MINUTES_MAX))
      throw new Failure("usage", t("--minutes is a number above 0, at most {max}", { max: MINUTES_MAX }));
    if (kills !== undefined && !(Number.isInteger(kills) && kills > 0 && kills <= FAULTS_MAX))
      throw new Failure("usage", t("--kills is a whole number above 0, at most {max}", { max: FAULTS_MAX }));
    if (!(Number.isInteger(seed) && seed >= 0 && seed <= SEED_MAX))
      throw new Failure("usage", t("--seed is a whole number from 0 to {max}", { max: SEED_MAX }));
    printProgress(t("seed {seed}; starting an instance under a PM2 of its own", { seed }));
    const instance = await startUnderPm2({ isOnSmallDisk: disk });
    const report = await tryOut(instance, seed, kills ?? { ms: minutes * 60_000 }).catch(async (error: unknown) => {
      throw new Failure(
        "failed",
        t("{reason}: the files are in {folder}", { reason: reasonOf(error), folder: await instance.keep() }),
      );
    });
    const isKept = report.violations.length > 0;
    const folder = isKept ? await instance.keep() : undefined;
    if (!isKept) await instance.remove();
    if (json) printJson({ ok: !isKept, ...report, ...(folder !== undefined && { folder }) });
    else show(report);
    if (isKept)
      throw new Failure(
        "failed",
        t("{count} promises were broken: the files are in {folder}", {
          count: report.violations.length,
          folder: folder ?? "",
        }),
      );
  },
});

/** @param amount faults, or a time. */
async function tryOut(instance: UnderPm2, seed: number, amount: number | { ms: number }): Promise<ChaosReport> {
  const random = randomOf(seed);
  const load = new Load(instance, randomOf(seed + 1));
  const struck: Struck[] = [];
  const backMs: number[] = [];
  const broken: string[] = [];
  const startMs = performance.now();
  let saidMs = startMs;
  const isOver = () =>
    typeof amount === "number" ? struck.length >= amount : performance.now() - startMs >= amount.ms;
  load.begin();
  while (!isOver()) {
    await wait(random() * PAUSE_MS_MAX);
    struck.push(await strike(instance, random));
    const struckMs = performance.now();
    if (random() >= AT_ONCE) {
      if (!(await instance.comesBack()))
        broken.push(t("it is not back after {fault}", { fault: t(struck.at(-1)?.fault ?? "stop") }));
      backMs.push(performance.now() - struckMs);
    }
    if (broken.length > 0) break;
    if (performance.now() - saidMs > PROGRESS_MS) {
      saidMs = performance.now();
      const so = { faults: struck.length, orders: load.orders.length };
      printProgress(
        typeof amount === "number"
          ? t("{faults} of {amount} faults, {orders} orders", { ...so, amount })
          : t("{faults} faults, {orders} orders", so),
      );
    }
  }
  broken.push(...(await comeToRest(instance, load)));
  const after = await lookAfterKills(instance.place, load.orders);
  const left = await instance.down();
  const isStop = ({ fault }: Struck) => fault === "stop";
  return {
    ...after,
    violations: [
      ...broken,
      ...after.violations,
      ...left.map((what) => t("{what} is left over after mimikit down", { what })),
    ],
    seed,
    seconds: Math.round((performance.now() - startMs) / 1_000),
    faults: countBy(struck.map(({ fault }) => fault)),
    kills: countBy(struck.filter((each) => !isStop(each)).flatMap(({ victims }) => victims)),
    stops: countBy(struck.filter(isStop).flatMap(({ victims }) => victims)),
    starts: instance.starts(),
    acknowledged: load.orders.map(({ id }) => id),
    cancels: load.cancels,
    triggers: load.triggers,
    backMs: backMs.map(Math.round),
    untried: instance.disk === null ? [t("a full disk, for which root mounts a small one")] : [],
  };
}

/** Waits until all orders are done. @returns what is wrong. */
async function comeToRest(instance: UnderPm2, load: Load): Promise<string[]> {
  const isBack = await instance.comesBack();
  await load.end();
  printProgress(t("{count} orders are acknowledged; waiting until all is done", { count: load.orders.length }));
  const rests = await waitUntil(REST_MS_MAX, REST_POLL_MS, async () => {
    if (isAtRest(instance.place.home)) return true;
    await instance.comesBack();
    await answerQuestions(instance);
    return null;
  });
  return [
    ...(isBack ? [] : [t("it is not back after the last fault")]),
    ...(rests === null
      ? [t("work is still open after {seconds} s without a fault", { seconds: REST_MS_MAX / 1_000 })]
      : []),
  ];
}

/** @param share of them, from 0 to 1. @returns the milliseconds within which it was back. */
function within(share: number, backMs: readonly number[]): number {
  const sorted = backMs.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function countBy<T extends string>(names: readonly T[]): Partial<Record<T, number>> & Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts as Partial<Record<T, number>> & Record<string, number>;
}

function show(report: ChaosReport): void {
  const { faults, kills, stops, violations, acknowledged, backMs } = report;
  const rows = (counts: object, say: (what: string) => string) =>
    Object.entries(counts).map(([what, times]) => [say(what), String(times)]);
  printTable(["fault", "times"], rows(faults, t), "");
  printLine();
  printTable(["killed", "times"], rows(kills, nameIn), "");
  printLine();
  printLine(
    t("stopped for a while: {stopped}", { stopped: rows(stops, nameIn).join("; ").replaceAll(",", " ") || t("none") }),
  );
  printLine(t("PM2 was gone and started again: {times} times", { times: report.starts }));
  printLine(
    t(
      "{turns} turns, {tasks} tasks, {ran} commands ({ranAgain} ran again after a kill), {cancels} cancels, {fired} firings of triggers",
      { ...report },
    ),
  );
  printLine(
    t("whole again: half within {half} ms, 95 % within {most} ms", {
      half: within(0.5, backMs),
      most: within(0.95, backMs),
    }),
  );
  for (const what of report.untried) printLine(t("not tried: {what}", { what }));
  printLine();
  for (const violation of violations) printLine(`${styled("red", "✗")} ${plainLine(violation)}`);
  if (violations.length === 0)
    printLine(
      `${styled("green", "✓")} ${t("{count} orders, each answered once; nothing was lost, nothing was done twice, no process is left", { count: acknowledged.length })}`,
    );
}
