#!/usr/bin/env node
/**
 * Starts the command line under a Node that runs TypeScript (22.18 or newer): this one, or the one that came with the
 * packages. Plain JavaScript, because it must start on any Node.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import module from "node:module";
import { fileURLToPath } from "node:url";

const at = (path) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const MAIN = at("apps/cli/src/main.ts");

function fail(text) {
  console.error(`mimikit: ${text}`);
  process.exit(1);
}

if (!existsSync(at("node_modules/.mimikit-stamp")))
  fail(`the packages are not installed: run  npm start  once in ${at("")}`);

const [major, minor] = process.versions.node.split(".").map(Number);
// What was compiled once starts in about half the time. In a folder of ours: another user could write to a shared one.
const CACHE = at("node_modules/.cache/node");
if (major > 22 || (major === 22 && minor >= 18)) {
  module.enableCompileCache(CACHE);
  await import(MAIN);
} else {
  const bundled = at(`node_modules/node-${process.platform}-${process.arch}/bin/node`);
  if (!existsSync(bundled))
    fail(`Node 22.18 or newer is needed, and this is ${process.versions.node}: install a newer one`);
  const child = spawn(bundled, [MAIN, ...process.argv.slice(2)], {
    stdio: "inherit",
    env: { NODE_COMPILE_CACHE: CACHE, ...process.env },
  });
  // A terminal sends Ctrl-C to both; what others send to this process is passed on. The child decides when it ends.
  process.on("SIGINT", () => undefined);
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => fail(`the bundled Node does not start: ${error.message}`));
  child.on("exit", (code, signal) => (signal === null ? process.exit(code) : process.kill(process.pid, signal)));
}
