/** The part of `npm run versus` that runs without a network: one trial, whose result is a file in its folder. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg, release } from "node:os";
import { join } from "node:path";
import { ROOT } from "@mimikit/runtime/home/programs";
import { ASSISTANTS } from "./assistants/index.ts";
import { RESULT, type Result } from "./results.ts";
import { runTrial, type TrialOptions } from "./trial.ts";

const { id, ...options } = JSON.parse(process.argv[2] ?? "{}") as { id: string } & Omit<TrialOptions, "say">;
const assistant = ASSISTANTS.find((one) => one.id === id);
if (assistant === undefined) throw new Error(`no assistant is called ${id}`);
const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { cwd: ROOT, encoding: "utf8" }).trim();
const VERSION = (JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string }).version;
const verdict = await runTrial(assistant, {
  ...options,
  say: (text) => process.stderr.write(`[versus] ${text} (load ${loadavg()[0]?.toFixed(0)})\n`),
});
const result: Result = {
  id,
  name: assistant.name,
  version: assistant.package?.version ?? `${VERSION}, ${commit}`,
  date: new Date().toISOString().slice(0, "2026-01-01".length),
  commit,
  machine: `${availableParallelism()} cores of ${cpus()[0]?.model ?? "an unknown processor"}, Linux ${release()}, Node ${process.versions.node}`,
  seed: options.seed,
  ...verdict,
};
writeFileSync(join(options.folder, RESULT), `${JSON.stringify(result, null, 2)}\n`);
process.exit(0);
