/**
 * Makes a fresh clone ready to run: installs the packages of package-lock.json, then builds the page and the bundles of the
 * programs. Does nothing when all are there already. With `build` it installs nothing: under processes that run, packages stay
 * as they are. With `pack` it also tells npm what is of the build before, which stays for processes that run and is no part of a
 * package. Plain JavaScript for any Node >= 18, because it runs before anything is installed.
 *
 * Several may run at once, and any of them may be killed at any instant: one works, the others wait, and what a killed
 * one left half done is done again.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import launch from "./launch.cjs";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const MODULES = join(ROOT, "node_modules");
const INSTALL_STAMP = join(MODULES, ".mimikit-stamp");
const WEB = join(ROOT, "apps/web");
const DIST = join(WEB, "dist");
const PAGE_STAMP = join(DIST, ".stamp.json");
/** What the page is built from. */
const PAGE_SOURCES = [WEB, join(ROOT, "packages/protocol/src"), join(ROOT, "packages/memory/src/text")];
const LOCK = join(ROOT, ".bootstrap.lock");
/** Marks npm and everything that it starts, so that a killed bootstrap's npm can be found and ended. */
const MARK = "MIMIKIT_BOOTSTRAP";

const POLL_MS = 200;
const INSTALL_MS_MAX = 15 * 60_000;
const BUILD_MS_MAX = 5 * 60_000;

const say = (text) => console.log(`[bootstrap] ${text}`);

function fail(text) {
  console.error(`[bootstrap] ${text}`);
  process.exit(1);
}

const isAbsent = (error) => error.code === "ENOENT";

function readOrNull(path) {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

// --- Who runs: a pid alone is reused, so a process is its pid, its start time and its boot (docs/file-protocol.md R6). ---

function bootId() {
  return process.platform === "linux" ? readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim() : "";
}

/** When process `pid` started, as the system tells it; null when it does not run. */
function startTime(pid) {
  if (process.platform === "linux") {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return fields[0] === "Z" ? null : fields[19];
    } catch (error) {
      if (isAbsent(error) || error.code === "ESRCH") return null;
      throw error;
    }
  }
  const { stdout } = spawnSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" });
  return stdout.trim() || null;
}

function isAlive(owner) {
  return owner.bootId === bootId() && startTime(owner.pid) === owner.startTime;
}

// --- One at a time. Claims are numbered files, created by link(), which gives a name once. The highest number holds the
// lock unless it is marked done or its owner is dead. The highest is never removed, so that nobody can mistake an old
// number for a new one. ---

const claimPath = (n) => join(LOCK, String(n));
const donePath = (n) => join(LOCK, `${n}.done`);

function highestClaim() {
  return Math.max(0, ...readdirSync(LOCK).map((name) => (/^\d+$/.test(name) ? Number(name) : 0)));
}

/** The owner of claim `n` if it still works, else null. */
function ownerAtWork(n) {
  if (n === 0 || existsSync(donePath(n))) return null;
  const text = readOrNull(claimPath(n));
  if (text === null) return null;
  try {
    const owner = JSON.parse(text);
    return isAlive(owner) ? owner : null;
  } catch (error) {
    // A power cut can leave a name without its content; whoever wrote it did not outlive that.
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Waits for the lock and returns the number of the claim. */
function lock() {
  mkdirSync(LOCK, { recursive: true });
  const temporary = join(LOCK, `tmp-${process.pid}-${Date.now()}`);
  writeFileSync(temporary, JSON.stringify({ pid: process.pid, startTime: startTime(process.pid), bootId: bootId() }));
  try {
    for (let waits = false; ; ) {
      const highest = highestClaim();
      const owner = ownerAtWork(highest);
      if (owner !== null) {
        if (!waits) say(`another start (process ${owner.pid}) is at work; waiting for it`);
        waits = true;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MS);
        continue;
      }
      const claim = highest + 1;
      try {
        linkSync(temporary, claimPath(claim));
      } catch (error) {
        if (error.code === "EEXIST") continue;
        throw error;
      }
      if (highestClaim() === claim) {
        endLeftovers();
        removeOldClaims(claim);
        return claim;
      }
      // This process slept between looking and claiming, and others have been here since: its number is history.
      unlinkSync(claimPath(claim));
    }
  } finally {
    unlinkSync(temporary);
  }
}

function unlock(claim) {
  writeFileSync(donePath(claim), "");
}

function removeOldClaims(claim) {
  for (const name of readdirSync(LOCK)) {
    const number = /^(\d+)(\.done)?$/.exec(name)?.[1];
    if (number !== undefined && Number(number) < claim) rmSync(join(LOCK, name), { force: true });
  }
}

/** Ends the npm of a bootstrap that was killed: it would go on writing into node_modules beside ours (Linux only). */
function endLeftovers() {
  if (process.platform !== "linux") return;
  for (let found = leftovers(); found.length > 0; found = leftovers()) {
    for (const pid of found) {
      try {
        process.kill(pid, "SIGKILL");
      } catch (error) {
        if (error.code !== "ESRCH") throw error;
      }
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  }
}

function leftovers() {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(`${MARK}=${ROOT}`);
      } catch (error) {
        if (isAbsent(error) || ["EACCES", "EPERM", "ESRCH"].includes(error.code)) return false;
        throw error;
      }
    })
    .map(Number);
}

// --- Packages ---

function installKey() {
  return createHash("sha256")
    .update(readFileSync(join(ROOT, "package-lock.json")))
    .update(`${process.platform}-${process.arch}`)
    .digest("hex");
}

const isInstalled = () => readOrNull(INSTALL_STAMP) === installKey();

/** npm's own list of what it has installed; it writes it last. */
const NPM_LIST = join(MODULES, ".package-lock.json");

/** Has somebody run `npm ci` by hand, and left nothing out that this machine needs? */
function isInstalledByHand() {
  const text = readOrNull(NPM_LIST);
  if (text === null) return false;
  const installed = JSON.parse(text).packages;
  const { packages } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
  return Object.entries(packages).every(
    ([path, wanted]) => path === "" || !isWantedHere(wanted) || installed[path]?.version === wanted.version,
  );
}

/** Is a package of the lock file for this machine? Those without a platform that are optional belong to others. */
function isWantedHere({ optional = false, os, cpu, libc }) {
  if (!optional) return true;
  return (
    (os?.includes(process.platform) ?? false) &&
    (cpu?.includes(process.arch) ?? false) &&
    (libc?.includes("glibc") ?? true)
  );
}

/** The environment without what would change the outcome: NODE_ENV leaves packages out, npm's own variables confuse npm. */
function cleanEnvironment() {
  const confusing = /^npm_(lifecycle|package|command|node_execpath|execpath)/;
  const kept = Object.entries(process.env).filter(([name]) => name !== "NODE_ENV" && !confusing.test(name));
  return { ...Object.fromEntries(kept), [MARK]: ROOT };
}

function install() {
  say("installing packages…");
  const started = performance.now();
  const npm = process.env.npm_execpath?.endsWith(".js") ? [process.execPath, process.env.npm_execpath] : ["npm"];
  const options = [
    "--include=dev",
    "--include=optional",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
  ];
  const [command, ...first] = npm;
  const { status, signal, error } = spawnSync(command, [...first, "ci", ...options], {
    cwd: ROOT,
    stdio: "inherit",
    env: cleanEnvironment(),
    timeout: INSTALL_MS_MAX,
  });
  if (error) fail(`npm could not be run: ${error.message}`);
  if (status !== 0) fail(`npm ci failed (${signal ?? `exit code ${status}`}); what it said is above`);
  writeFileSync(INSTALL_STAMP, installKey());
  say(`packages installed in ${((performance.now() - started) / 1000).toFixed(1)} s`);
}

/** A Node that runs TypeScript: this one, or the one that came with the packages. */
function findNode() {
  const node = launch.findNode();
  if (node !== null) return node;
  return fail(
    `Node ${launch.NODE_NEEDED.join(".")} or newer is needed and none comes as a package for ${process.platform}-${process.arch}: ` +
      `install it (this is Node ${process.versions.node})`,
  );
}

// --- The page ---

function filesOf(dir, except = []) {
  return readdirSync(dir, { withFileTypes: true })
    .filter((entry) => !except.includes(entry.name))
    .flatMap((entry) => (entry.isDirectory() ? filesOf(join(dir, entry.name)) : [join(dir, entry.name)]))
    .sort();
}

function pageKey() {
  const hash = createHash("sha256").update(installKey());
  for (const file of PAGE_SOURCES.flatMap((dir) => filesOf(dir, ["dist", "node_modules"]))) {
    hash.update(`\0${relative(ROOT, file)}\0`).update(readFileSync(file));
  }
  return hash.digest("hex");
}

/** What is in a folder of ours now: `{key, files}` and more; empty when there is none, or when it is not ours. */
function readStamp(path) {
  const text = readOrNull(path);
  if (text === null) return { key: "", files: [] };
  try {
    return JSON.parse(text);
  } catch {
    return { key: "", files: [] };
  }
}

const isPageBuilt = () => readStamp(PAGE_STAMP).key === pageKey() && existsSync(join(DIST, "index.html"));

function buildPage() {
  const key = pageKey();
  const vite = join(MODULES, "vite/bin/vite.js");
  build(
    "the page",
    (output) => [vite, "build", WEB, "--outDir", output, "--emptyOutDir", "--logLevel", "warn"],
    (output) =>
      publish(
        output,
        DIST,
        (file) => file === "index.html",
        () => ({ key }),
      ),
  );
}

// --- The bundles ---

/** Trees without programs have none: those of tests. */
const BUILDER = join(ROOT, "scripts/build.mjs");

function buildBundles() {
  build(
    "the programs",
    (output) => [BUILDER, output],
    (output) =>
      // A program is the last of its files, under the name that it always has.
      publish(
        output,
        launch.DIST,
        (file) => /^[a-z-]+\.js$/.test(file),
        () => readStamp(join(output, ".stamp.json")),
      ),
  );
}

// --- Both ---

/** Runs a builder, which makes a folder, and publishes that. */
function build(name, commandOf, publishFrom) {
  const output = join(ROOT, ".build");
  rmSync(output, { recursive: true, force: true });
  say(`building ${name}…`);
  const started = performance.now();
  const { status, signal, error } = spawnSync(findNode(), commandOf(output), {
    cwd: ROOT,
    stdio: "inherit",
    env: cleanEnvironment(),
    timeout: BUILD_MS_MAX,
  });
  if (error) fail(`${name} could not be built: ${error.message}`);
  if (status !== 0) fail(`${name} could not be built (${signal ?? `exit code ${status}`}); the reason is above`);
  publishFrom(output);
  rmSync(output, { recursive: true, force: true });
  say(`built ${name} in ${((performance.now() - started) / 1000).toFixed(1)} s`);
}

/**
 * Puts what is new where the old is in use. First the files that are needed, then those that need them, then the stamp; files
 * of the build before stay for those who have it open, and older ones go. So nothing that is in use ever breaks.
 */
function publish(output, target, isLast, stampOfIt) {
  const stamp = join(target, ".stamp.json");
  const before = readStamp(stamp).files;
  const files = filesOf(output, [".stamp.json"]).map((file) => relative(output, file));
  const inOrder = [...files.filter((file) => !isLast(file)), ...files.filter(isLast)];
  for (const file of inOrder) replace(join(target, file), (path) => copyFileSync(join(output, file), path));
  removeOthers(target, [...files, ...before]);
  replace(stamp, (path) => writeFileSync(path, JSON.stringify({ ...stampOfIt(), files })));
}

function removeOthers(dir, files) {
  for (const path of filesOf(dir, [".stamp.json"])) if (!files.includes(relative(dir, path))) rmSync(path);
}

/** `npm pack` reads this list of what it leaves out. */
const LEFT_OUT = ".npmignore";

/** A package is one build: what is of another stays where it is, and out of the package. */
function leaveOthersOut(dir) {
  const { files } = readStamp(join(dir, ".stamp.json"));
  const others = filesOf(dir, [".stamp.json", LEFT_OUT]).map((path) => relative(dir, path));
  const lines = others.filter((file) => !files.includes(file)).map((file) => `/${file}\n`);
  replace(join(dir, LEFT_OUT), (path) => writeFileSync(path, lines.join("")));
}

function replace(path, write) {
  mkdirSync(dirname(path), { recursive: true });
  const beside = `${path}.new`;
  write(beside);
  renameSync(beside, path);
}

// Packages and files that an update was about to exchange are put in order first.
if (existsSync(join(ROOT, ".mimikit-update.json"))) {
  const { isOfUpdate, settleUpdate } = await import("./take-back.mjs");
  const settled = isOfUpdate() ? null : settleUpdate();
  if (settled === "busy") fail("an update is under way, which starts Mimikit itself when it is done");
  if (settled !== null) say(settled);
}

const hasPage = () => existsSync(join(WEB, "index.html"));
const hasBundles = () => !existsSync(BUILDER) || launch.isFresh();
const [, , mode = ""] = process.argv;
const installs = mode !== "build";
const hasPackages = () => !installs || isInstalled();
const isReady = () => hasPackages() && (!hasPage() || isPageBuilt()) && hasBundles();

if (!isReady()) {
  const claim = lock();
  try {
    if (!isInstalled()) {
      if (isInstalledByHand()) writeFileSync(INSTALL_STAMP, installKey());
      else if (installs) install();
    }
    if (!hasPage()) say("apps/web/index.html is missing: there is no page to build");
    else if (!isPageBuilt()) buildPage();
    if (!hasBundles()) buildBundles();
  } finally {
    unlock(claim);
  }
}
findNode();
if (mode === "pack") for (const dir of [DIST, launch.DIST]) leaveOthersOut(dir);
