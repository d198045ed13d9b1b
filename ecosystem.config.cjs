/**
 * The three processes of Mimikit, for PM2: `pm2 start ecosystem.config.cjs` with any pm2, or `npm start`, which does the
 * set-up too. Every variable of the caller goes to the processes; the directory it is called in is the workspace.
 */
const { spawnSync } = require("node:child_process");
const { existsSync } = require("node:fs");
const { join, resolve } = require("node:path");

const at = (...names) => join(__dirname, ...names);
const workDir = resolve(process.env.MIMIKIT_WORK_DIR || process.cwd());
/** Only what the caller has named: a state directory that is found by default is not simply believed (docs/security.md). */
const named = process.env.MIMIKIT_HOME ? { MIMIKIT_HOME: resolve(process.env.MIMIKIT_HOME) } : {};
/** What Workers make has the umask of the caller; PM2's daemon has that of whoever started it. */
const umask = process.env.MIMIKIT_UMASK || process.umask().toString(8);

/** A Node that runs TypeScript as it is (22.18 or newer): the one that runs pm2, or the one that came with the packages. */
function findNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 18)) return process.execPath;
  const bundled = at("node_modules", `node-${process.platform}-${process.arch}`, "bin", "node");
  if (existsSync(bundled)) return bundled;
  return fail("Node 22.18 or newer is needed, and none came with the packages");
}

/** One line, and no start: PM2 would print an error that is thrown here with its stack. */
function fail(reason) {
  console.error(`mimikit: ${reason}. Run  npm start  once in ${__dirname}`);
  process.exit(1);
}

// npm writes this list when it has installed everything.
if (!existsSync(at("node_modules", ".package-lock.json"))) fail("the packages are not installed");
// After `npm ci` by hand, only the page is still to be built.
const isReady = existsSync(at("node_modules", ".mimikit-stamp"));
if (!isReady && spawnSync(process.execPath, [at("scripts", "bootstrap.mjs")], { stdio: "inherit" }).status !== 0)
  fail("the page could not be built");
const node = findNode();

/** PM2's own code stays out of our processes (`interpreter: "none"`): with it a role would survive its own errors. */
const app = (name, dir) => ({
  name,
  // PM2 hands a script with a space in its path to a shell, unquoted; env(1) runs it as it is, and becomes it.
  script: "/usr/bin/env",
  args: [node, at("apps", dir, "src", "main.ts")],
  interpreter: "none",
  cwd: __dirname,
  wait_ready: true,
  listen_timeout: 8_000,
  kill_timeout: 10_000,
  // 100 ms, then half as much again each time up to 15 s: a role that cannot start is never given up.
  exp_backoff_restart_delay: 100,
  // Only the process itself is signalled: the pool ends the commands of its tasks, and hands the tasks back.
  treekill: false,
  vizion: false,
  env: {
    MIMIKIT_WORK_DIR: workDir,
    ...named,
    MIMIKIT_UMASK: umask,
    // Beside the program, because it is code: a state directory may come from somebody else.
    NODE_COMPILE_CACHE: at("node_modules", ".cache", "node"),
    PM2_DISABLE_VERSION_CHECK: "true",
  },
});

module.exports = {
  apps: [
    app("mimikit-supervisor", "supervisor"),
    app("mimikit-workers", "worker-pool"),
    app("mimikit-gateway", "http-gateway"),
  ],
};
