/** Processes are ended, however long it takes to list them. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { endProcesses, listProcesses } from "@mimikit/runtime/process/process-table";
import { expect, onTestFinished, test } from "vitest";

/** Longer than the time after which those that do not end are given up. */
const SLOW_MS = 3_500;

test("a machine that takes longer to list its processes than these have to end kills them all the same", async () => {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1_000)"], { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  const gone = once(child, "exit");
  let isFirst = true;
  const find = async () => {
    if (isFirst) await wait(SLOW_MS);
    isFirst = false;
    return (await listProcesses()).filter(({ pid }) => pid === child.pid);
  };
  expect(await endProcesses(find, 0)).toEqual([]);
  expect(await gone).toEqual([null, "SIGKILL"]);
});
