/**
 * Makes a fresh clone ready to run: installs the packages of package-lock.json, then builds the page. Does nothing when
 * both are there already. Plain JavaScript for any Node >= 18, because it runs before anything is installed.
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

const NODE_NEEDED = [22, 18];
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
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > NODE_NEEDED[0] || (major === NODE_NEEDED[0] && minor >= NODE_NEEDED[1])) return process.execPath;
  const bundled = join(MODULES, `node-${process.platform}-${process.arch}/bin/node`);
  if (existsSync(bundled)) return bundled;
  return fail(
    `Node ${NODE_NEEDED.join(".")} or newer is needed and none comes as a package for ${process.platform}-${process.arch}: ` +
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

/** What is in dist/ now: `{key, files}`; empty when there is none, or when it is not ours. */
function readPageStamp() {
  const text = readOrNull(PAGE_STAMP);
  if (text === null) return { key: "", files: [] };
  try {
    return JSON.parse(text);
  } catch {
    return { key: "", files: [] };
  }
}

const isBuilt = () => readPageStamp().key === pageKey() && existsSync(join(DIST, "index.html"));

function build() {
  const key = pageKey();
  const output = join(MODULES, ".mimikit-page");
  rmSync(output, { recursive: true, force: true });
  say("building the page…");
  const started = performance.now();
  const vite = join(MODULES, "vite/bin/vite.js");
  const { status, signal, error } = spawnSync(
    findNode(),
    [vite, "build", WEB, "--outDir", output, "--emptyOutDir", "--logLevel", "warn"],
    { cwd: ROOT, stdio: "inherit", env: cleanEnvironment(), timeout: BUILD_MS_MAX },
  );
  if (error) fail(`vite could not be run: ${error.message}`);
  if (status !== 0) fail(`the page could not be built (${signal ?? `exit code ${status}`}); what vite said is above`);
  publish(output, key);
  rmSync(output, { recursive: true, force: true });
  say(`page built in ${((performance.now() - started) / 1000).toFixed(1)} s`);
}

/**
 * Puts the new page where the old one is being served. First the files that the new page needs, then the page, then the
 * stamp; files of the page before stay for those who have it open, and older ones go. So no address ever breaks.
 */
function publish(output, key) {
  const before = readPageStamp().files;
  const files = filesOf(output).map((file) => relative(output, file));
  const pageLast = files.filter((file) => file !== "index.html").concat("index.html");
  for (const file of pageLast) replace(join(DIST, file), (path) => copyFileSync(join(output, file), path));
  for (const path of filesOf(DIST)) {
    const file = relative(DIST, path);
    if (!files.includes(file) && !before.includes(file) && path !== PAGE_STAMP) rmSync(path);
  }
  replace(PAGE_STAMP, (path) => writeFileSync(path, JSON.stringify({ key, files })));
}

function replace(path, write) {
  mkdirSync(dirname(path), { recursive: true });
  const beside = `${path}.new`;
  write(beside);
  renameSync(beside, path);
}

const hasPage = () => existsSync(join(WEB, "index.html"));
const isReady = () => isInstalled() && (!hasPage() || isBuilt());

if (!isReady()) {
  const claim = lock();
  try {
    if (!isInstalled()) {
      if (isInstalledByHand()) writeFileSync(INSTALL_STAMP, installKey());
      else install();
    }
    if (!hasPage()) say("apps/web/index.html is missing: there is no page to build");
    else if (!isBuilt()) build();
  } finally {
    unlock(claim);
  }
}
findNode();
