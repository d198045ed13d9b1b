/**
 * How Mimikit is started: on which Node, and from which bundles. A bundle whose sources have changed is built first, never run.
 * CommonJS for any Node >= 18, because PM2 and npm load it as they are.
 */
const { spawnSync } = require("node:child_process");
const { createHash } = require("node:crypto");
const { existsSync, readFileSync, realpathSync, renameSync, statSync, writeFileSync } = require("node:fs");
const { basename, join, resolve } = require("node:path");

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

/** The bundle of each process, by PM2's name of it. */
const APP_BUNDLES = {
  "mimikit-supervisor": "supervisor",
  "mimikit-workers": "worker-pool",
  "mimikit-gateway": "http-gateway",
  "mimikit-channels": "channels",
  "mimikit-dispatcher": "dispatcher",
};
const APPS = Object.keys(APP_BUNDLES);
const LIST_MS_MAX = 15_000;
/** Digits of a name that tell two homes of one PM2 apart. */
const HOME_DIGITS = 8;

/**
 * The apps of the PM2 whose command this process is, as `pm2 jlist` prints them. Empty where there is none to ask: a PM2 that is about to
 * begin in this very process (`pm2-runtime`, `--no-daemon`) has no apps, and would not answer either.
 */
function appsOfThisPm2() {
  const [, script = ""] = process.argv;
  if (basename(script) !== "pm2" || process.argv.includes("--no-daemon")) return [];
  const { stdout } = spawnSync(process.execPath, [script, "jlist", "--silent"], {
    encoding: "utf8",
    env: { ...process.env, PM2_DISCRETE_MODE: "true", PM2_DISABLE_VERSION_CHECK: "true" },
    stdio: ["ignore", "pipe", "ignore"],
    timeout: LIST_MS_MAX,
    maxBuffer: 64 * 1_048_576,
  });
  try {
    return JSON.parse((stdout ?? "").trim().split("\n").at(-1) ?? "");
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/**
 * The names of the processes of `home` in a PM2, by their names of today. Those that it runs already keep theirs. The others have today's,
 * unless an app of another home, or of somebody else, has one of them: then all have the digits of their home behind it.
 * @param apps as `pm2 jlist` prints them.
 */
function chooseAppNames(apps, home) {
  const own = new Map();
  const taken = new Set();
  for (const { name, pm2_env: env = {} } of apps) {
    const app = APPS.find((each) => isProgram(env, APP_BUNDLES[each]));
    if (app !== undefined && homeOfApp(env) === realPath(home)) own.set(app, name);
    else taken.add(name);
  }
  const digits = createHash("sha256").update(realPath(home)).digest("hex").slice(0, HOME_DIGITS);
  const kept = [...own].flatMap(([app, name]) => (name.startsWith(app) ? [name.slice(app.length)] : []));
  const suffixes = [...kept, "", `-${digits}`];
  for (let more = 2; ; more++) {
    const suffix = suffixes.shift() ?? `-${digits}-${more}`;
    if (APPS.some((app) => !own.has(app) && taken.has(app + suffix))) continue;
    return Object.fromEntries(APPS.map((app) => [app, own.get(app) ?? app + suffix]));
  }
}

/** Does the app run this program of Mimikit, from wherever? An app of somebody else may have its name, and the variables of the same shell. */
function isProgram({ args = [] }, bundle) {
  return [args].flat().some((arg) => String(arg).endsWith(`/dist/${bundle}.js`));
}

/** The state directory of an app that this program has started; null for any other. */
function homeOfApp({ MIMIKIT_HOME, MIMIKIT_WORK_DIR }) {
  if (!MIMIKIT_WORK_DIR) return null;
  return realPath(MIMIKIT_HOME || join(MIMIKIT_WORK_DIR, ".mimikit"));
}

/** The path as it is where there is nothing yet. */
function realPath(path) {
  try {
    return realpathSync(path);
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "ELOOP", "EACCES"].includes(error.code)) return resolve(path);
    throw error;
  }
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
  appsOfThisPm2,
  chooseAppNames,
};
