/** How fast Mimikit is on this machine, measured on an instance of its own: yours is not touched, and it costs nothing. */

import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { OS, platform } from "@mimikit/runtime/platform/this-platform";
import { PROCESS_ROLES } from "@mimikit/runtime/process/role-record";
import { createOnce } from "@mimikit/store/disk/record";
import { archivePath, TEMPORARY } from "@mimikit/store/disk/state";
import { command } from "../arguments/command.ts";
import { t } from "../i18n/language.ts";
import { freshKey } from "../instance/hand-over.ts";
import { withDisk } from "../instance/state.ts";
import { startTrial, type TrialInstance } from "../instance/trial.ts";
import { Failure } from "../io/failure.ts";
import { printJson, printLine, printProgress, printTable } from "../io/print.ts";

const RECORDS = 200;
const MESSAGES = 30;
const ORDERS = 8;
const SETTLED_MS_MAX = 60_000;
const POLL_MS = 1;

interface Figure {
  what: string;
  runs: number;
  /** Milliseconds; megabytes where `unit` says so. */
  p50: number;
  p95: number;
  unit: "ms" | "MB";
}

export const bench = command({
  usage: "bench",
  summary: "measure how fast it is on this machine",
  examples: [
    ["mimikit bench", "a table; takes some seconds, on an instance of its own"],
    ["mimikit bench --json > before.json", "to compare with later"],
  ],
  async run({ json }) {
    const trial = await startTrial();
    try {
      const figures = await measure(trial);
      if (json) printJson({ node: process.versions.node, platform: OS, cpus: availableParallelism(), figures });
      else show(figures);
    } finally {
      await trial.remove();
    }
  },
});

async function measure(trial: TrialInstance): Promise<Figure[]> {
  const { home, client } = trial;
  printProgress(t("measuring …"));
  const memory = PROCESS_ROLES.map((role) => residentOf(role, trial));
  return [
    await withDisk(home, (fs) =>
      timed(t("a record is durable"), RECORDS, (n) => createOnce(fs, join(TEMPORARY, `bench-${n}`), "{}\n")),
    ),
    await timed(t("the status is told"), MESSAGES, () => client.status()),
    await timed(
      t("a message is accepted (202)"),
      MESSAGES,
      () => client.send("help", freshKey()),
      () => rest(trial),
    ),
    await timed(t("a message is answered"), MESSAGES, () => answered(trial)),
    await timed(t("an order is planned, done and reported"), ORDERS, async () => {
      await client.send("run `true`", freshKey());
      await rest(trial);
    }),
    ...memory,
  ];
}

/** @param after what is done after each run, and not counted. */
async function timed(
  what: string,
  runs: number,
  run: (n: number) => Promise<unknown>,
  after?: () => Promise<void>,
): Promise<Figure> {
  const times: number[] = [];
  for (let n = 0; n < runs; n++) {
    const startMs = performance.now();
    await run(n);
    times.push(performance.now() - startMs);
    await after?.();
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { what, runs, p50: at(0.5), p95: at(0.95), unit: "ms" };
}

async function answered({ home, client }: TrialInstance): Promise<void> {
  const id = await client.send("help", freshKey());
  const deadline = performance.now() + SETTLED_MS_MAX;
  while (!existsSync(join(home, archivePath(id)))) {
    if (performance.now() > deadline) throw new Failure("timedOut", t("a message was not answered in time"));
    await wait(POLL_MS);
  }
}

async function rest(trial: TrialInstance): Promise<void> {
  if (!(await trial.rests(SETTLED_MS_MAX))) throw new Failure("timedOut", t("the work was not done in time"));
}

function residentOf(role: (typeof PROCESS_ROLES)[number], { pidOf }: TrialInstance): Figure {
  const megabytes = (platform.residentBytes(pidOf(role) ?? 0) ?? 0) / 1_048_576;
  return { what: t("memory of the {role}, at rest", { role }), runs: 1, p50: megabytes, p95: megabytes, unit: "MB" };
}

function show(figures: readonly Figure[]): void {
  printTable(
    ["what", "runs", "half within", "95 % within"],
    figures.map(({ what, runs, p50, p95, unit }) => [
      what,
      String(runs),
      `${p50.toFixed(1)} ${unit}`,
      `${p95.toFixed(1)} ${unit}`,
    ]),
    "",
  );
  printLine();
  printLine(
    t("Node {node} on {os}, {cpus} CPUs", { node: process.versions.node, os: OS, cpus: availableParallelism() }),
  );
}
