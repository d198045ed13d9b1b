/** The words and calls of a task can be read step by step, while it runs and after, on whatever it ran. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TaskSummary } from "@mimikit/protocol/wire/api";
import type { TaskFilesAnswer } from "@mimikit/protocol/wire/task-files";
import type { TranscriptAnswer } from "@mimikit/protocol/wire/transcript";
import { afterEach, expect, test } from "vitest";
import { runCli } from "../cli/run-cli.ts";
import { Instance } from "../support/instance.ts";

let mimikit: Instance | undefined;
afterEach(() => mimikit?.dispose());

async function transcriptOf(served: Instance, id: string, after = 0): Promise<TranscriptAnswer> {
  return served.api<TranscriptAnswer>(`/api/tasks/${id}/transcript?after=${after}`);
}

test("a command is in it with what it printed, while it runs and over a death of the pool, and on the command line with all down", async () => {
  const served = await Instance.start();
  mimikit = served;
  await served.send("run `cat go 2>&1; until [ -e go ]; do sleep 0.1; done; echo it went`");
  const running = await served.until("the call of the running command", async () => {
    const { tasks } = await served.api<{ tasks: TaskSummary[] }>("/api/tasks?role=worker");
    const [task] = tasks;
    if (task === undefined) return undefined;
    const { lines } = await transcriptOf(served, task.id);
    return lines.some(({ type }) => type === "call") ? { task, lines } : undefined;
  });
  expect(running.lines.map(({ type }) => type)).toEqual(["begin", "call"]);
  await served.kill("workers");
  writeFileSync(join(served.workDir, "go"), "");
  const { id } = running.task;
  const { lines, next } = await served.until("the end of the work", async () => {
    const answer = await transcriptOf(served, id);
    return answer.lines.at(-1)?.type === "output" ? answer : undefined;
  });
  expect(lines.map((line) => (line.type === "begin" ? line.attempt : line.type))).toEqual([
    1,
    "call",
    2,
    "call",
    "output",
  ]);
  expect(lines.at(-1)).toMatchObject({ ok: true, text: expect.stringContaining("it went") });
  expect((await transcriptOf(served, id, next)).lines).toEqual([]);
  await expect(transcriptOf(served, "t-999999.0")).rejects.toThrow(/404/);
  await served.stop("SIGKILL");
  const { out } = await runCli(served, ["tasks", "show", id, "--transcript"]);
  expect(out).toMatch(/→ shell cat go.*it went/s);
});

test("a file that a command wrote is listed, opened and downloaded, and named on the command line with all down", async () => {
  const served = await Instance.start();
  mimikit = served;
  await served.send("run `echo plants > report.md; cat report.md`");
  const task = await served.until("the end of the work", async () => {
    const { tasks } = await served.api<{ tasks: TaskSummary[] }>("/api/tasks?role=worker&state=done");
    return tasks[0];
  });
  const { files } = await served.api<TaskFilesAnswer>(`/api/tasks/${task.id}/files`);
  const [made, output] = files;
  expect(made).toEqual({ path: "report.md", change: "made", bytes: 7, edits: [] });
  expect(output).toMatchObject({ change: "output", bytes: 7 });
  const textOf = async (query: Record<string, string>) => {
    const address = `http://127.0.0.1:${served.port}/api/files?${new URLSearchParams(query)}`;
    const answer = await fetch(address, { headers: { Authorization: `Bearer ${served.token}` } });
    return [answer.status, await answer.text()];
  };
  expect(await textOf({ path: "report.md" })).toEqual([200, "plants\n"]);
  expect(await textOf({ path: output?.path ?? "", task: task.id })).toEqual([200, "plants\n"]);
  expect((await textOf({ path: output?.path ?? "" }))[0]).toBe(404);
  await served.stop("SIGKILL");
  const { out } = await runCli(served, ["tasks", "show", task.id]);
  expect(out).toMatch(/files\nmade {5}report\.md \(7 bytes\)\noutput {3}\S+output\.txt \(7 bytes\)/);
});
