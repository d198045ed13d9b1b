/**
 * How Mimikit is started: on which Node, and from which bundles. A bundle whose sources have changed is built first, never run.
 * CommonJS for any Node >= 18, because PM2 and npm load it as they are.
 */
const { spawnSync } = require("node:child_process");
const { createHash } = require("node:crypto");
const { existsSync, readFileSync, renameSync, statSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");

const ROOT = join(__dirname, "..");
const DIST = join(ROOT, "dist");
const STAMP = join(DIST, ".stamp.json");
/** Where V8 keeps what it has compiled. Beside the program, because it is code: a state directory may come from somebody else. */
const COMPILE_CACHE = join(ROOT, "node_modules/.cache/node");
/** The oldest Node that runs the programs; sources need it too. */
const NODE_NEEDED = [22, 18];

/** A package has no sources: its bundles are what it is. */
const isClone = existsSync(join(ROOT, "scripts/build.mjs"));

/** Are the packages there? In a clone the bootstrap says so, or npm itself, which writes its list last. */
const hasPackages = () =>
  !isClone || [".mimikit-stamp", ".package-lock.json"].some((name) => existsSync(join(ROOT, "node_modules", name)));

/** The Node to run with: this one, or the one that came with the packages; null where neither is new enough. */
function findNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > NODE_NEEDED[0] || (major === NODE_NEEDED[0] && minor >= NODE_NEEDED[1])) return process.execPath;
  try {
    return require.resolve(`node-${process.platform}-${process.arch}/bin/node`);
  } catch (error) {
    if (error.code === "MODULE_NOT_FOUND") return null;
    throw error;
  }
}

/** The path of a program among the bundles. */
const bundleOf = (name) => join(DIST, `${name}.js`);

function readStamp() {
  try {
    return JSON.parse(readFileSync(STAMP, "utf8"));
  } catch (error) {
    // A power cut can leave a name without its content; then the bundles are built again.
    if (error.code === "ENOENT" || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** When a source was changed and how long it is; null where it is gone. */
function looksOf(path) {
  const info = statSync(join(ROOT, path), { throwIfNoEntry: false });
  return info === undefined ? null : [info.mtimeMs, info.size];
}

/** One hash over the names and contents of files, given relative to the root. */
function hashOf(paths) {
  const hash = createHash("sha256");
  for (const path of paths) hash.update(`\0${path}\0`).update(readFileSync(join(ROOT, path)));
  return hash.digest("hex");
}

/** @param files what goes into the bundles, relative to the root. */
const stampOf = (files) => ({
  key: hashOf(files),
  looks: Object.fromEntries(files.map((file) => [file, looksOf(file)])),
});

/** Are the bundles those of the sources? Contents are only read where a time or a length is another. */
function isFresh() {
  if (!isClone) return true;
  const stamp = readStamp();
  if (stamp === null) return false;
  const files = Object.keys(stamp.looks);
  const now = files.map(looksOf);
  if (now.some((looks) => looks === null)) return false;
  if (files.every((file, i) => String(stamp.looks[file]) === String(now[i]))) return true;
  if (hashOf(files) !== stamp.key) return false;
  try {
    writeStamp({ ...stamp, ...stampOf(files) });
  } catch (error) {
    // Where nobody may write, contents are compared each time.
    if (!["EACCES", "EPERM", "EROFS", "ENOSPC", "EDQUOT"].includes(error.code)) throw error;
  }
  return true;
}

function writeStamp(stamp) {
  const beside = `${STAMP}.${process.pid}`;
  writeFileSync(beside, JSON.stringify(stamp));
  renameSync(beside, STAMP);
}

/**
 * Builds the bundles that are missing or stale, and the page, too, if it is asked for.
 * @returns whether everything is there now; why not has been said on stderr.
 */
function makeFresh({ withPage = false } = {}) {
  if (isFresh() && !(withPage && isClone)) return true;
  const { status } = spawnSync(process.execPath, [join(ROOT, "scripts/bootstrap.mjs"), "build"], {
    stdio: ["ignore", 2, 2],
  });
  return status === 0;
}

module.exports = {
  ROOT,
  DIST,
  isClone,
  COMPILE_CACHE,
  NODE_NEEDED,
  hasPackages,
  findNode,
  bundleOf,
  stampOf,
  isFresh,
  makeFresh,
};
