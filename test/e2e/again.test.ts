/** An ended task is tried again, once for each command, whatever dies meanwhile. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TaskDetail, TaskSummary } from "@mimikit/protocol/wire/api";
import { afterEach, expect, test } from "vitest";
import { runCli } from "../cli/run-cli.ts";
import { Instance } from "../support/instance.ts";

let mimikit: Instance | undefined;
afterEach(() => mimikit?.dispose());

test("a failed task is tried again once for each key, over kills, by the page's door and the command line, and stays as it is", async () => {
  const served = await Instance.start();
  mimikit = served;
  const tasks = async () => (await served.api<{ tasks: TaskSummary[] }>("/api/tasks?role=worker")).tasks;
  const ended = (id: string) =>
    served.until(`the end of ${id}`, async () => {
      const task = (await tasks()).find((one) => one.id === id);
      return task?.completedAt === undefined ? undefined : task;
    });
  await served.send("run `cat go >> log.txt`");
  const first = await served.until("the failure", async () => (await tasks()).find(({ state }) => state === "failed"));
  writeFileSync(join(served.workDir, "go"), "went\n");
  const again = (key: string, body = {}) =>
    served.api<{ id: string }>(`/api/tasks/${first.id}/again`, { method: "POST", body, key });
  await served.kill("supervisor");
  const [{ id }, twice] = await Promise.all([again("once"), again("once")]);
  await served.kill("supervisor");
  await served.kill("workers");
  expect(twice.id).toBe(id);
  expect(await ended(id)).toMatchObject({ state: "done", againOf: first.id, title: first.title });
  expect((await again("once")).id).toBe(id);
  const other = await again("other", { text: "run `echo other >> log.txt`" });
  expect(await ended(other.id)).toMatchObject({ state: "done", againOf: first.id });
  const { out } = await runCli(served, ["tasks", "again", first.id, "--with", "run `echo third >> log.txt`", "--json"]);
  await ended((JSON.parse(out) as { taskId: string }).taskId);
  expect(readFileSync(join(served.workDir, "log.txt"), "utf8")).toBe("went\nother\nthird\n");
  expect(await tasks()).toHaveLength(4);
  const { upstream: _, timeline: __, prompt: ___, ...kept } = await served.api<TaskDetail>(`/api/tasks/${first.id}`);
  expect(kept).toMatchObject({ state: "failed", id: first.id, completedAt: first.completedAt });
  expect(await again("late", { text: "" }).catch(String)).toMatch(/400/);
  await expect(served.api("/api/tasks/t-999999.0/again", { method: "POST" })).rejects.toThrow(/404/);
  await served.drained();
  // A gateway that starts again lists it, too.
  await served.kill("gateway");
  await served.until("the new gateway", async () => ((await tasks().catch(() => [])).length === 4 ? true : undefined));
  await served.stop("SIGKILL");
  expect((await runCli(served, ["tasks", "show", id])).out).toContain(`another try of ${first.id}\n`);
});
