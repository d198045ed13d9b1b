/**
 * Kills the processes of an instance at random while it is given orders, and then looks whether every promise of the
 * protocol was kept. The instance is one of its own: yours is not touched.
 */
import { setTimeout as wait } from "node:timers/promises";
import { homeHash } from "@mimikit/runtime/home/home";
import { findMarked } from "@mimikit/runtime/process/marked-processes";
import { type CoreRole, PROCESS_ROLES } from "@mimikit/runtime/process/role-record";
import { command } from "../arguments/command.ts";
import { findViolations } from "../checks/find-violations.ts";
import { type Client, mayPass } from "../instance/client.ts";
import { freshKey } from "../instance/hand-over.ts";
import { withState } from "../instance/state.ts";
import { startTrial, type Trial } from "../instance/trial.ts";
import { Failure } from "../io/failure.ts";
import { plainLine, printJson, printLine, printProgress, printTable, styled } from "../io/print.ts";

const MINUTES_DEFAULT = 1;
const MINUTES_MAX = 24 * 60;
const PAUSE_MS_MAX = 1_500;
/** Orders wait for each other at a desk that is killed all the time; beyond this many they only wait longer. */
const OPEN_MAX = 20;
const RETRY_MS = 100;
const REST_MS_MAX = 300_000;
const ORDERS = ["run `echo a`", "run `echo a` then `wc -c`", "status", "help", "run `sleep 1; echo b`"];

interface Report {
  kills: Record<CoreRole, number>;
  /** Orders that were acknowledged, by id. */
  acknowledged: string[];
  violations: string[];
}

export const chaos = command({
  usage: "chaos",
  summary: "kill the processes at random while they work, and check that nothing is lost or done twice",
  examples: [
    ["mimikit chaos", "for a minute, on an instance of its own: yours is not touched, and it costs nothing"],
    ["mimikit chaos --minutes 60 --json", "exit code 1 when a promise was broken; then its files are kept"],
  ],
  options: (yargs) =>
    yargs.option("minutes", { type: "number", default: MINUTES_DEFAULT, describe: `how long, at most ${MINUTES_MAX}` }),
  async run({ json, minutes }) {
    if (!(minutes > 0 && minutes <= MINUTES_MAX))
      throw new Failure("usage", `--minutes is a number above 0, at most ${MINUTES_MAX}`);
    const trial = await startTrial();
    const report = await tryOut(trial, minutes * 60_000);
    if (report.violations.length === 0) await trial.remove();
    else await trial.stop();
    if (json) printJson({ ok: report.violations.length === 0, ...report });
    else show(report);
    if (report.violations.length > 0)
      throw new Failure("failed", `${report.violations.length} promises were broken: the files are in ${trial.home}`);
  },
});

async function tryOut(trial: Trial, ms: number): Promise<Report> {
  const report: Report = { kills: { supervisor: 0, workers: 0, gateway: 0 }, acknowledged: [], violations: [] };
  const deadline = performance.now() + ms;
  const open = new Set<Promise<void>>();
  printProgress(`killing for ${Math.round(ms / 1_000)} s`);
  while (performance.now() < deadline) {
    if (open.size < OPEN_MAX) {
      const order = giveOrder(trial.client).then((id) => void report.acknowledged.push(id));
      open.add(order);
      void order.finally(() => open.delete(order));
    }
    await wait(Math.random() * PAUSE_MS_MAX);
    const role = PROCESS_ROLES[Math.floor(Math.random() * PROCESS_ROLES.length)] ?? "supervisor";
    await trial.kill(role);
    report.kills[role]++;
  }
  await Promise.all(open);
  printProgress(`${report.acknowledged.length} orders are acknowledged; waiting until all is done`);
  if (!(await trial.rests(REST_MS_MAX)))
    report.violations.push(`work is still open after ${REST_MS_MAX / 1_000} s without a kill`);
  report.violations.push(...(await violationsIn(trial, report.acknowledged)));
  return report;
}

/** The gateway may be down at any time; the same key says it once. @returns the id of the message. */
async function giveOrder(client: Client): Promise<string> {
  const text = ORDERS[Math.floor(Math.random() * ORDERS.length)] ?? "help";
  const key = freshKey();
  for (;;) {
    try {
      return await client.send(text, key);
    } catch (error) {
      if (!mayPass(error)) throw error;
      await wait(RETRY_MS);
    }
  }
}

async function violationsIn({ home, workDir }: Trial, acknowledged: readonly string[]): Promise<string[]> {
  const place = { home, workDir };
  const { violations } = await findViolations((look) => withState(look, place));
  const lost = await withState(async ({ mirror: { ledger } }) => acknowledged.filter((id) => !ledger.has(id)), place);
  const left = await findMarked(homeHash(home));
  return [
    ...violations,
    ...lost.map((id) => `the acknowledged message ${id} was lost`),
    ...left.map(({ pid, mark }) => `process ${pid} of ${mark} is left over`),
  ];
}

function show({ kills, acknowledged, violations }: Report): void {
  printTable(
    ["killed", "times"],
    Object.entries(kills).map(([role, times]) => [role, String(times)]),
    "",
  );
  printLine();
  for (const violation of violations) printLine(`${styled("red", "✗")} ${plainLine(violation)}`);
  if (violations.length === 0)
    printLine(
      `${styled("green", "✓")} ${acknowledged.length} orders, each answered once; nothing was lost, nothing was done twice`,
    );
}
