/**
 * Installs the agent CLIs and the MCP inspector that the tests run, in the versions that package.json pins under "agents", into
 * node_modules/.agents: outside the lock, because they are large and not everybody may use them. What is there already
 * stays. `npm ci` removes them with everything else in node_modules. Plain JavaScript for any Node >= 18.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const AGENTS = join(ROOT, "node_modules/.agents");
const PLATFORM = `${process.platform}-${process.arch}`;
const INSTALL_MS_MAX = 10 * 60_000;
const OUTPUT_BYTES_MAX = 16 * 1_048_576;
const LINES_SHOWN = 5;
/** How npm says that there is no such package, or no such version of it. */
const NOT_THERE = /\b(E404|ETARGET)\b/;

const say = (text) => console.log(`[agents] ${text}`);
const readJson = (path) => JSON.parse(readFileSync(path, "utf8"));

/** The version of an installed package; null when it is not there. */
function versionOf(name) {
  try {
    return readJson(join(AGENTS, "node_modules", name, "package.json")).version;
  } catch (error) {
    if (error.code === "ENOENT") return null;
    throw error;
  }
}

/** Some programs are in packages of their own for each platform, which npm leaves out where there is none. */
function hasProgram(name) {
  const { optionalDependencies = {} } = readJson(join(AGENTS, "node_modules", name, "package.json"));
  const isPerPlatform = Object.keys(optionalDependencies).some((each) => each.startsWith(`${name}-`));
  return !isPerPlatform || versionOf(`${name}-${PLATFORM}`) !== null;
}

/** npm, without what another npm has told this process: that would be meant for this repository. */
function npm(args) {
  const kept = Object.entries(process.env).filter(([name]) => !/^npm_(lifecycle|package|command|execpath)/.test(name));
  return spawnSync("npm", args, {
    cwd: AGENTS,
    env: Object.fromEntries(kept),
    encoding: "utf8",
    maxBuffer: OUTPUT_BYTES_MAX,
    timeout: INSTALL_MS_MAX,
  });
}

/** Installs all of them in one go: npm removes what it is not asked for. Returns what went wrong, or null. */
function install(pinned) {
  mkdirSync(AGENTS, { recursive: true });
  // Makes the folder a root of its own; npm would look for one in the folders above.
  writeFileSync(join(AGENTS, "package.json"), JSON.stringify({ private: true }));
  const wanted = pinned.map(([name, version]) => `${name}@${version}`);
  const options = [
    "--no-save",
    "--ignore-scripts",
    "--include=optional",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
  ];
  const { status, signal, error, stderr = "" } = npm(["install", ...options, ...wanted]);
  if (error) return `npm could not be run: ${error.message}`;
  if (status === 0) return null;
  const why = NOT_THERE.test(stderr)
    ? "the registry lacks one of them"
    : `npm failed (${signal ?? `exit code ${status}`})`;
  const end = stderr.trim().split("\n").slice(0, LINES_SHOWN).join("\n");
  return `${wanted.join(" and ")} could not be installed: ${why}\n${end}`;
}

const pinned = Object.entries(readJson(join(ROOT, "package.json")).agents);
const isThere = ([name, version]) => versionOf(name) === version && hasProgram(name);

if (pinned.every(isThere)) {
  for (const [name, version] of pinned) say(`${name} ${version} is there`);
} else {
  const started = performance.now();
  say(`installing ${pinned.map(([name, version]) => `${name} ${version}`).join(", ")}…`);
  const problem = install(pinned);
  const missing = pinned.filter((pin) => !isThere(pin)).map(([name, version]) => `${name} ${version}`);
  if (problem === null && missing.length === 0) {
    say(`installed in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  } else {
    console.error(`[agents] ${problem ?? `there is no program for ${PLATFORM} in ${missing.join(", ")}`}`);
    process.exitCode = 1;
  }
}
