/**
 * The three processes of Mimikit, for PM2: `pm2 start ecosystem.config.cjs` with any pm2, or `npm start`, which does the
 * set-up too. Every variable of the caller goes to the processes; the directory it is called in is the workspace.
 */
const { existsSync } = require("node:fs");
const { join } = require("node:path");

const workDir = process.env.MIMIKIT_WORK_DIR || process.cwd();
const home = process.env.MIMIKIT_HOME || join(workDir, ".mimikit");

/** A Node that runs TypeScript as it is (22.18 or newer): the one that runs pm2, or the one that came with the packages. */
function findNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 18)) return process.execPath;
  const bundled = join(__dirname, "node_modules", `node-${process.platform}-${process.arch}`, "bin", "node");
  if (existsSync(bundled)) return bundled;
  throw new Error(`Node 22.18 or newer is needed. Run  npm start  once in ${__dirname}: it installs one where it can.`);
}

if (!existsSync(join(__dirname, "node_modules", ".mimikit-stamp"))) {
  throw new Error(
    `The packages are not installed. Run  npm start  once in ${__dirname}  (or: node scripts/bootstrap.mjs).`,
  );
}

const node = findNode();

/** PM2's own code stays out of our processes (`interpreter: "none"`): with it a role would survive its own errors. */
const app = (name, dir) => ({
  name,
  script: node,
  args: [join(__dirname, "apps", dir, "src", "main.ts")],
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
    MIMIKIT_HOME: home,
    NODE_COMPILE_CACHE: join(home, "cache", "v8"),
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
