/** `node test/kills/sum-chaos.ts FILE…`: adds up what `mimikit chaos --json` has said in several runs, for docs/reliability.md. */
import { readFileSync } from "node:fs";
import type { ChaosReport } from "../../apps/cli/src/commands/chaos.ts";

const paths = process.argv.slice(2);
if (paths.length === 0 || paths.includes("--help"))
  console.log(`node test/kills/sum-chaos.ts FILE…

Adds up reports of  mimikit chaos --json.

Example:
  for seed in $(seq 1 10); do mimikit chaos --kills 100 --seed $seed --json > $seed.json; done
  node test/kills/sum-chaos.ts *.json`);
else sumUp(paths.map((path) => JSON.parse(readFileSync(path, "utf8")) as ChaosReport));

function sumUp(reports: readonly ChaosReport[]): void {
  const sum = (of: (report: ChaosReport) => number) => reports.reduce((all, report) => all + of(report), 0);
  const merged = (of: (report: ChaosReport) => Partial<Record<string, number>>) => {
    const counts = new Map<string, number>();
    for (const [name, n = 0] of reports.flatMap((report) => Object.entries(of(report))))
      counts.set(name, (counts.get(name) ?? 0) + n);
    return counts;
  };
  const text = (counts: ReadonlyMap<string, number>) =>
    [...counts].map(([name, n]) => `${name} ${n}`).join(", ") || "none";
  const total = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((all, n) => all + n, 0);
  const kills = merged(({ kills }) => kills);
  const backMs = reports.flatMap((report) => report.backMs).sort((a, b) => a - b);
  const within = (share: number) => backMs[Math.min(backMs.length - 1, Math.floor(backMs.length * share))] ?? 0;
  const rows = [
    ["runs", `${reports.length}, ${Math.round(sum(({ seconds }) => seconds) / 60)} minutes`],
    ["faults", `${total(merged(({ faults }) => faults))}: ${text(merged(({ faults }) => faults))}`],
    ["processes killed", `${total(kills)}: ${text(kills)}`],
    ["stopped for up to 3 s", text(merged(({ stops }) => stops))],
    ["PM2 started again", `${sum(({ starts }) => starts)} times`],
    ["messages acknowledged", String(sum(({ acknowledged }) => acknowledged.length))],
    ["turns", String(sum(({ turns }) => turns))],
    ["plans and tasks", String(sum(({ tasks }) => tasks))],
    ["commands", `${sum(({ ran }) => ran)}; ${sum(({ ranAgain }) => ranAgain)} further runs, after a kill`],
    ["tasks that ended without a result", text(merged(({ failed }) => failed))],
    ["cancels", String(sum(({ cancels }) => cancels))],
    ["triggers", `${sum(({ triggers }) => triggers)}, ${sum(({ fired }) => fired)} firings`],
    [
      "until all is whole again",
      `half within ${within(0.5)} ms, 95 % within ${within(0.95)} ms, at most ${within(1)} ms`,
    ],
    ["promises broken", String(sum(({ violations }) => violations.length))],
  ];
  console.log("| | |\n|---|---|");
  for (const [what, figure] of rows) console.log(`| ${what} | ${figure} |`);
  for (const violation of reports.flatMap(({ violations }) => violations)) console.log(violation);
}
