#!/usr/bin/env node
/**
 * Starts the command line under a Node that runs it (22.18 or newer): this one, or the one that came with the packages. Plain
 * JavaScript, because it must start on any Node.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import module from "node:module";
import { join } from "node:path";
import launch from "../../../scripts/launch.cjs";

const { ROOT, isClone, COMPILE_CACHE, NODE_NEEDED, bundleOf, findNode, hasPackages, makeFresh } = launch;
const BOOTSTRAP = join(ROOT, "scripts/bootstrap.mjs");

function fail(text) {
  console.error(`mimikit: ${text}`);
  process.exit(1);
}

// What an update has left that was cut off comes first: it may be half of the packages, or of the programs.
const isBegin = process.argv[2] === "up" || process.argv[2] === "update";
const lacksProgram = !isClone && !existsSync(bundleOf("cli"));
if ((isBegin || lacksProgram) && existsSync(join(ROOT, ".mimikit-update.json"))) {
  const { isOfUpdate, settleUpdate } = await import("../../../scripts/take-back.mjs");
  const settled = isOfUpdate() ? null : settleUpdate();
  if (settled === "busy") fail("an update is under way, which starts Mimikit itself when it is done");
  if (settled !== null) {
    console.error(`mimikit: ${settled}`);
    const isReady = () => spawnSync(process.execPath, [BOOTSTRAP], { stdio: ["ignore", 2, 2] }).status === 0;
    if (isClone && !isReady()) process.exit(1);
  }
}

if (!hasPackages()) fail(`the packages are not installed: run  npm start  once in ${ROOT}`);
const node = findNode();
if (node === null)
  fail(`Node ${NODE_NEEDED.join(".")} or newer is needed, and this is ${process.versions.node}: install a newer one`);
// A restart is how a changed page reaches the browser. To stop, nothing is built: a broken source keeps nothing running.
const isStop = process.argv[2] === "down" && existsSync(bundleOf("cli"));
if (!isStop && !makeFresh({ withPage: process.argv[2] === "restart" }))
  fail("the programs could not be built; the reason is above");

if (node === process.execPath) {
  // What was compiled once starts in about half the time.
  module.enableCompileCache(COMPILE_CACHE);
  await import(bundleOf("cli"));
} else {
  const child = spawn(node, [bundleOf("cli"), ...process.argv.slice(2)], {
    stdio: "inherit",
    env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...process.env },
  });
  // A terminal sends Ctrl-C to both; what others send to this process is passed on. The child decides when it ends.
  process.on("SIGINT", () => undefined);
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => fail(`the bundled Node does not start: ${error.message}`));
  child.on("exit", (code, signal) => (signal === null ? process.exit(code) : process.kill(process.pid, signal)));
}
