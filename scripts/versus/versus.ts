/**
 * `npm run versus`: assistants under the same load with the same scripted model, each killed a hundred times, and what became of
 * the messages (docs/versus.md). This part installs what is missing; the rest runs where there is no network but loopback.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "@mimikit/runtime/home/programs";
import type { Assistant } from "./assistants/assistant.ts";
import { ASSISTANTS } from "./assistants/index.ts";
import { RESULT, type Result, readResults, SAVED, table, writeResults } from "./results.ts";

const KILLS_DEFAULT = 100;
const SEED_DEFAULT = 1;
const INSTALL_MS_MAX = 10 * 60_000;

const { values: options } = parseArgs({
  options: {
    help: { type: "boolean", short: "h", default: false },
    only: { type: "string", multiple: true, default: [] },
    kills: { type: "string", default: `${KILLS_DEFAULT}` },
    seed: { type: "string", default: `${SEED_DEFAULT}` },
    folder: { type: "string", default: join(ROOT, "node_modules/.versus") },
    resume: { type: "boolean", default: false },
    save: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});
if (options.help) process.stdout.write(help());
else await run();

async function run(): Promise<void> {
  const assistants = chosen();
  const [kills, seed] = [wholeNumber("kills"), wholeNumber("seed")];
  const folder = resolve(options.folder);
  if (spawnSync("bwrap", ["--version"]).status !== 0)
    fail(
      "bubblewrap is needed: strangers' programs run without a network and see no folder of yours (sudo apt-get install bubblewrap)",
    );
  const results: Result[] = [];
  for (const assistant of assistants) {
    const trial = join(folder, "trials", assistant.id);
    if (!options.resume) rmSync(trial, { recursive: true, force: true });
    mkdirSync(trial, { recursive: true });
    if (!existsSync(join(trial, RESULT))) {
      const installed = install(assistant, folder);
      await runApart({ id: assistant.id, kills, seed, folder: trial, installed });
    }
    results.push(JSON.parse(readFileSync(join(trial, RESULT), "utf8")) as Result);
  }
  if (options.save) {
    const kept = [...results, ...readResults()];
    writeResults(ASSISTANTS.flatMap(({ id }) => kept.find((one) => one.id === id) ?? []));
  }
  process.stdout.write(options.json ? `${JSON.stringify(results, null, 2)}\n` : table(results));
}

function chosen(): Assistant[] {
  const names = options.only.flatMap((each) => each.split(","));
  const unknown = names.filter((name) => !ASSISTANTS.some(({ id }) => id === name));
  const known = ASSISTANTS.map(({ id }) => id).join(", ");
  if (unknown.length > 0) fail(`no assistant is called ${unknown.join(", ")}; there are: ${known}`);
  return ASSISTANTS.filter(({ id }) => names.length === 0 || names.includes(id));
}

function wholeNumber(name: "kills" | "seed"): number {
  const number = Number(options[name]);
  if (!Number.isInteger(number) || number < 1) fail(`--${name} needs a whole number above 0, not ${options[name]}`);
  return number;
}

function fail(reason: string): never {
  process.stderr.write(`versus: ${reason}\n`);
  process.exit(2);
}

/** Installs the pinned version with scripts off, unless it is there. @returns its folder; null for what is no package. */
function install({ package: wanted }: Assistant, folder: string): string | null {
  if (wanted === null) return null;
  const installed = join(folder, "packages", `${wanted.name.replace("/", "+")}@${wanted.version}`);
  const done = join(installed, "installed");
  if (existsSync(done)) return installed;
  process.stderr.write(`[versus] installs ${wanted.name} ${wanted.version}\n`);
  rmSync(installed, { recursive: true, force: true });
  mkdirSync(installed, { recursive: true });
  // Makes the folder a root of its own; npm would look for one in the folders above.
  writeFileSync(join(installed, "package.json"), JSON.stringify({ private: true }));
  // npm tells its children about the package that it runs a script of: that is this repository.
  const env = Object.entries(process.env).filter(([name]) => !/^npm_(lifecycle|package|command|execpath)/.test(name));
  const args = [
    "install",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
    `${wanted.name}@${wanted.version}`,
  ];
  const { status, stderr } = spawnSync("npm", args, {
    cwd: installed,
    env: Object.fromEntries(env),
    encoding: "utf8",
    timeout: INSTALL_MS_MAX,
  });
  if (status !== 0) fail(`npm could not install ${wanted.name} ${wanted.version}:\n${stderr.trim()}`);
  writeFileSync(done, "");
  return installed;
}

/** Runs a trial in a process that has no network but loopback. */
async function runApart(trial: { id: string; kills: number; seed: number; folder: string; installed: string | null }) {
  const program = [process.execPath, join(import.meta.dirname, "apart.ts"), JSON.stringify(trial)];
  const child = spawn("bwrap", ["--unshare-net", "--dev-bind", "/", "/", "--die-with-parent", "--", ...program], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  const [code] = await once(child, "exit");
  if (code !== 0)
    fail(`the trial of ${trial.id} broke off; --resume goes on with it (its log: ${trial.folder}/1/service.log)`);
}

function help(): string {
  const names = ASSISTANTS.map(({ id, name }) => `  ${id.padEnd(12)} ${name}`).join("\n");
  return `npm run versus -- [options]

Runs assistants under the same load with the same scripted model, kills each again and again with
SIGKILL, and counts the messages that were lost, doubled or late: docs/versus.md.
Needs Linux, npm and bubblewrap. All packages together take 2.3 GB.

  --only NAME     one of them, or several: --only mimikit,openclaw
  --kills N       how often each is killed (${KILLS_DEFAULT})
  --seed N        of the moments of the kills (${SEED_DEFAULT})
  --resume        goes on with a run that was broken off, and keeps what is finished
  --save          keeps the results in ${SAVED}, of which npm run docs makes the tables
  --json          prints the results as JSON
  --folder DIR    where packages and trials are (node_modules/.versus)

The assistants:
${names}

Examples:
  npm run versus -- --only mimikit --kills 10
  npm run versus -- --resume --save
`;
}
