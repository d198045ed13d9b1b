/** A paused queue begins nothing, whatever dies meanwhile, and goes on where it was. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Status, TaskSummary } from "@mimikit/protocol/wire/api";
import { afterEach, expect, test } from "vitest";
import { runCli } from "../cli/run-cli.ts";
import { Instance } from "../support/instance.ts";

let mimikit: Instance | undefined;
afterEach(() => mimikit?.dispose());

test("what runs when its queue is paused goes on, what waits begins only after it is resumed, over kills of all three", async () => {
  const served = await Instance.start();
  mimikit = served;
  const order = (action: "pause" | "resume") =>
    served.api<Pick<Status, "paused">>(`/api/queues/worker/${action}`, { method: "POST" });
  const tasks = async () => (await served.api<{ tasks: TaskSummary[] }>("/api/tasks?role=worker")).tasks;
  const found = (what: string, state: TaskSummary["state"]) =>
    served.until(what, async () => (await tasks()).find((task) => task.prompt.includes(what) && task.state === state));
  await served.send("run `until [ -e go ]; do sleep 0.05; done; touch first`");
  await found("touch first", "running");
  expect(await order("pause")).toEqual({ paused: ["worker"] });
  expect(await order("pause")).toEqual({ paused: ["worker"] });
  const isPaused = async () => {
    const { paused, problems } = await served.api<Status>("/api/status");
    return paused.includes("worker") && problems.some((one) => one.includes("the queue of the worker is paused"));
  };
  await served.until("the pause in the status", async () => (await isPaused()) || undefined);
  writeFileSync(join(served.workDir, "go"), "");
  await found("touch first", "done");
  // The pool reads its settings when it starts: from now on nobody runs with the old ones.
  for (const role of ["workers", "supervisor", "gateway"] as const) await served.kill(role);
  await served.until("the gateway", async () => (await isPaused().catch(() => false)) || undefined);
  await served.send("run `touch second`");
  await found("touch second", "queued");
  // The same pool has answered since: it has seen the task, and left it alone.
  await served.replyTo(await served.send("hello"));
  expect(existsSync(join(served.workDir, "second"))).toBe(false);
  const { out } = await runCli(served, ["queue"]);
  expect(out).toMatch(/worker +paused +1 +0/);
  expect((await runCli(served, ["queue", "resume", "worker"])).out).toBe("the queue of the worker is open\n");
  await found("touch second", "done");
  expect((await served.api<Status>("/api/status")).paused).toEqual([]);
  await expect(served.api("/api/queues/teller/pause", { method: "POST" })).rejects.toThrow(/400/);
});
