/**
 * Installs the programs of `npm run test:servers` into the project's own cache (`SERVERS_DIR` names another folder, which may
 * outlive a clone), each in a virtual environment of its own. Programs that are there in the pinned versions stay. Says which cannot
 * be installed: their tests skip themselves. `SERVERS`, names with spaces between them, chooses some; those must be there.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { DIRECTORY, environmentOf, find, PINS, type ProgramName, stampOf } from "./programs.ts";

const INSTALL_MS_MAX = 60 * 60_000;
const OUTPUT_BYTES_MAX = 64 * 1_048_576;
const LINES_SHOWN = 4;

const say = (text: string) => console.log(`[servers] ${text}`);

/** Runs a command; returns why it failed, or null. */
function run(file: string, args: readonly string[]): string | null {
  const { status, signal, error, stderr } = spawnSync("nice", ["-n", "19", file, ...args], {
    env: {
      ...process.env,
      PIP_CACHE_DIR: join(DIRECTORY, "pip"),
      PIP_DISABLE_PIP_VERSION_CHECK: "1",
      CMAKE_BUILD_PARALLEL_LEVEL: String(cpus().length),
      // Without the instructions of this processor the folder can be kept for other machines.
      CMAKE_ARGS: "-DGGML_NATIVE=OFF",
    },
    encoding: "utf8",
    maxBuffer: OUTPUT_BYTES_MAX,
    timeout: INSTALL_MS_MAX,
  });
  if (error) return error.message;
  if (status === 0) return null;
  return `${signal ?? `exit code ${status}`}\n${stderr.trim().split("\n").slice(-LINES_SHOWN).join("\n")}`;
}

/** Returns why a program is not there, or null. */
function install(name: string, pins: readonly string[]): string | null {
  if (find(name as ProgramName) !== undefined) return null;
  const environment = environmentOf(name);
  rmSync(environment, { recursive: true, force: true });
  mkdirSync(DIRECTORY, { recursive: true });
  const problem =
    run("python3", ["-m", "venv", environment]) ??
    run(join(environment, "bin/python"), ["-m", "pip", "install", "--quiet", ...pins]);
  if (problem === null) writeFileSync(stampOf(name), pins.join("\n"));
  return problem;
}

const chosen = process.env.SERVERS?.split(" ").filter((name) => name !== "");
for (const [name, pins] of PINS) {
  if (chosen !== undefined && !chosen.includes(name)) continue;
  const began = performance.now();
  const problem = install(name, pins);
  const seconds = ((performance.now() - began) / 1_000).toFixed(0);
  if (problem === null) say(`${pins.join(" and ")}: there after ${seconds} s`);
  else {
    say(`${name} is not tested: ${pins.join(" and ")} could not be installed (${seconds} s): ${problem}`);
    if (chosen !== undefined) process.exitCode = 1;
  }
}
