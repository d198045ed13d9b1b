/**
 * The three processes of Mimikit, that of its channels where one is set up, and that of its pools on other machines, for PM2: `pm2 start ecosystem.config.cjs` with any
 * pm2, or `npm start`, which does the set-up too. Every variable of the caller but keys goes to the processes; the directory it is called in is the workspace,
 * unless that is this one (packages/runtime/src/home/work-dir.ts). In a PM2 that has apps of the same names already, of another home or of
 * somebody else, the processes have other names (docs/decisions/0064-names-of-apps-follow-the-home.md).
 */
const { spawnSync } = require("node:child_process");
const { existsSync } = require("node:fs");
const { join, resolve } = require("node:path");
const {
  ROOT,
  COMPILE_CACHE,
  appsOfThisPm2,
  bundleOf,
  chooseAppNames,
  findNode,
  hasPackages,
  makeFresh,
} = require("./scripts/launch.cjs");

/** Only what the caller has named: a state directory that is found by default is not simply believed (docs/security.md). */
const named = process.env.MIMIKIT_HOME ? { MIMIKIT_HOME: resolve(process.env.MIMIKIT_HOME) } : {};
/** What Workers make has the umask of the caller; PM2's daemon has that of whoever started it. */
const umask = process.env.MIMIKIT_UMASK || process.umask().toString(8);

/** One line, and no start: PM2 would print an error that is thrown here with its stack. */
function fail(reason) {
  console.error(`mimikit: ${reason}`);
  process.exit(1);
}

if (!hasPackages()) fail(`the packages are not installed. Run  npm start  once in ${ROOT}`);
const node = findNode();
if (node === null) fail("Node 22.18 or newer is needed, and none came with the packages");
const isStart = !/^(del|delete|stop)$/.test(process.argv[2] ?? "");
if (isStart && !makeFresh()) fail("the programs could not be built; the reason is above");

/**
 * PM2 shows the environment it copies to whoever asks, and writes it into a file: no key may be in it. Those of providers are
 * kept in secrets.json before (docs/security.md#keys). Each is a name of this form, which a test holds.
 */
const keys = Object.keys(process.env).filter((name) => name.endsWith("_API_KEY"));
let workDir = resolve(process.env.MIMIKIT_WORK_DIR || process.cwd());
/** What V8 may take, as `mimikit up` has read it in the settings. */
let flags = process.env.MIMIKIT_V8_FLAGS ?? "";
/** Is a channel set up? */
let hasChannels = process.env.MIMIKIT_CHANNELS === "1";
/** Are there pools on other machines? */
let hasPools = process.env.MIMIKIT_POOLS === "1";
/** `mimikit up` calls the PM2 of its home alone, in which nobody else has apps. */
const isOwnPm2 = process.env.MIMIKIT_OWN_PM2 === "1";
/** The state directory, where it has to be known. */
let home = named.MIMIKIT_HOME;
const isBuilt = existsSync(bundleOf("prepare-start"));
if ((!isOwnPm2 && isBuilt) || (isStart && (flags === "" || keys.some((name) => process.env[name])))) {
  const args = [bundleOf("prepare-start"), ...(isStart ? [] : ["--place"])];
  const { status, stdout } = spawnSync(node, args, { stdio: ["ignore", "pipe", "inherit"] });
  if (status !== 0) process.exit(1);
  const prepared = JSON.parse(stdout.toString());
  ({ home, workDir } = prepared);
  if (isStart) ({ flags, hasChannels, hasPools } = prepared);
}
const OURS = ["MIMIKIT_V8_FLAGS", "MIMIKIT_CHANNELS", "MIMIKIT_POOLS", "MIMIKIT_OWN_PM2"];
for (const name of [...keys, ...OURS]) delete process.env[name];

const apps = isOwnPm2 ? [] : appsOfThisPm2();
if (apps === null)
  fail("PM2 does not say which apps it has, and one of them may have the name of a process of Mimikit. Try again");
const names = chooseAppNames(apps, home ?? join(workDir, ".mimikit"));
if (isStart && names["mimikit-gateway"] !== "mimikit-gateway")
  console.error(
    `mimikit: this PM2 has other apps of the usual names; the gateway of this home is ${names["mimikit-gateway"]}`,
  );

/** glibc keeps an arena for each thread, and raises the size from which freed memory goes back: 13 MB of 420 after 5,000 turns. */
const MALLOC = { MALLOC_ARENA_MAX: "1", MALLOC_TRIM_THRESHOLD_: "131072" };

/** PM2's own code stays out of our processes (`interpreter: "none"`): with it a role would survive its own errors. */
const app = (name, program) => ({
  name: names[name],
  // PM2 hands a script with a space in its path to a shell, unquoted; env(1) runs it as it is, and becomes it.
  script: "/usr/bin/env",
  args: [node, ...flags.split(" "), bundleOf(program)],
  interpreter: "none",
  cwd: ROOT,
  wait_ready: true,
  listen_timeout: 8_000,
  kill_timeout: 10_000,
  // 20 ms, then half as much again each time up to 15 s: a role that was killed is back at once, and one that cannot start is
  // never given up, and soon rests.
  exp_backoff_restart_delay: 20,
  // Only the process itself is signalled: the pool ends the commands of its tasks, and hands the tasks back.
  treekill: false,
  vizion: false,
  env: {
    MIMIKIT_WORK_DIR: workDir,
    ...named,
    MIMIKIT_UMASK: umask,
    NODE_COMPILE_CACHE: COMPILE_CACHE,
    ...MALLOC,
    PM2_DISABLE_VERSION_CHECK: "true",
  },
});

module.exports = {
  apps: [
    app("mimikit-supervisor", "supervisor"),
    app("mimikit-workers", "worker-pool"),
    app("mimikit-gateway", "http-gateway"),
    // Where nothing is to be started, also one that ran before counts: it is stopped with the others.
    ...(hasChannels || !isStart ? [app("mimikit-channels", "channels")] : []),
    ...(hasPools || !isStart ? [app("mimikit-dispatcher", "dispatcher")] : []),
  ],
};
