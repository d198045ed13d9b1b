import type { CancelCommand, RestartCommand } from "@mimikit/protocol/records/inbox";
import type { TaskDetail, TaskSummary } from "@mimikit/protocol/wire/api";
import { isSigned } from "@mimikit/store/disk/sign";
import { expect, test } from "vitest";
import { type Started, startGateway } from "../gateway.ts";
import { archive, claim, failAttempt, finish, NOON, queue, settleTurn, taskOf, wait } from "../records.ts";

async function list(gateway: Started, query = ""): Promise<TaskSummary[]> {
  const answer = await gateway.ask(`/api/tasks${query}`);
  expect(answer.status).toBe(200);
  return (answer.json as { tasks: TaskSummary[] }).tasks;
}

const states = (tasks: TaskSummary[]) => Object.fromEntries(tasks.map((task) => [task.id, task.state]));

test("a task is waiting, queued, running and done, with the same id all along, and never missing in between", async () => {
  const gateway = await startGateway();
  const { fs } = gateway;
  const task = taskOf("t-000001.0.1");
  await wait(fs, task, "t-000001.0.0");
  expect(await list(gateway)).toMatchObject([{ id: task.id, state: "waiting", after: ["t-000001.0.0"] }]);
  await queue(fs, task);
  expect(states(await list(gateway))).toEqual({ [task.id]: "queued" });
  await claim(fs, task);
  expect(await list(gateway)).toMatchObject([{ state: "running", attempts: 1, startedAt: NOON }]);
  const result = await finish(fs, task);
  expect(states(await list(gateway))).toEqual({ [task.id]: "done" });
  await archive(fs, result);
  expect(states(await list(gateway))).toEqual({ [task.id]: "done" });
});

test("a plan that came and went between two looks is found through the turn that started it", async () => {
  const gateway = await startGateway();
  await list(gateway);
  const plan = taskOf("t-000001.0", { role: "planner", consumer: "supervisor", parentId: "t-000001" });
  await queue(gateway.fs, plan);
  await archive(gateway.fs, await finish(gateway.fs, plan));
  await settleTurn(gateway.fs, 1, [], "started", [{ type: "delegate", prompt: "plan it" }]);
  expect(states(await list(gateway))).toEqual({ "t-000001.0": "done" });
});

test("what ended before the gateway started is listed, newest first, below what is open", async () => {
  const first = await startGateway();
  for (const id of ["t-000001.0", "t-000002.0", "t-000010.0"]) {
    await archive(first.fs, await finish(first.fs, await queue(first.fs, taskOf(id))));
  }
  await queue(first.fs, taskOf("t-000011.0"));
  await first.close();
  const second = await startGateway({ home: first.home });
  const ids = (await list(second)).map((task) => task.id);
  expect(ids).toEqual(["t-000011.0", "t-000010.0", "t-000002.0", "t-000001.0"]);
});

test("a batch of semantic conditions is nobody's order: no list shows it, and by its id it can be read all the same", async () => {
  const gateway = await startGateway();
  const evaluation = [{ id: "c1", triggerId: "trg-1", leaf: 0, prompt: "Does it rain?" }];
  const batch = await queue(gateway.fs, taskOf("eval-000001", { evaluation, consumer: "supervisor" }));
  await queue(gateway.fs, taskOf("t-000001.0"));
  const stateOf = async () => ((await gateway.ask(`/api/tasks/${batch.id}`)).json as TaskDetail).state;
  expect(states(await list(gateway))).toEqual({ "t-000001.0": "queued" });
  expect(await stateOf()).toBe("queued");
  await claim(gateway.fs, batch);
  expect(await stateOf()).toBe("running");
  const verdicts = { resultType: "verdicts", result: [{ id: "c1", result: false }] } as const;
  const result = await finish(gateway.fs, batch, verdicts);
  expect(states(await list(gateway))).toEqual({ "t-000001.0": "queued" });
  await archive(gateway.fs, result);
  expect(states(await list(gateway))).toEqual({ "t-000001.0": "queued" });
  expect(await stateOf()).toBe("done");
});

test("the list can be cut down to a state, a role and a number", async () => {
  const gateway = await startGateway();
  await queue(gateway.fs, taskOf("t-000001.0", { role: "planner", consumer: "supervisor" }));
  await queue(gateway.fs, taskOf("t-000001.1"));
  const failed = await queue(gateway.fs, taskOf("t-000001.2"));
  await finish(gateway.fs, failed, { status: "failed", result: null, failureReason: "error", error: "exit code 1" });
  expect(states(await list(gateway, "?state=failed"))).toEqual({ "t-000001.2": "failed" });
  expect(states(await list(gateway, "?role=planner"))).toEqual({ "t-000001.0": "queued" });
  expect(await list(gateway, "?limit=1")).toHaveLength(1);
  for (const query of ["?state=lost", "?role=boss", "?limit=0", "?page=2"]) {
    expect((await gateway.ask(`/api/tasks${query}`)).status).toBe(400);
  }
});

test("one task has its whole prompt, its result and what happened when", async () => {
  const gateway = await startGateway();
  const { fs } = gateway;
  const task = await queue(fs, taskOf("t-000001.0", { prompt: "p".repeat(5_000) }));
  await claim(fs, task, 1);
  await failAttempt(fs, task, 1);
  await claim(fs, task, 2);
  const open = (await gateway.ask(`/api/tasks/${task.id}`)).json as TaskDetail;
  expect(open.prompt).toHaveLength(5_000);
  expect(open).toMatchObject({ state: "running", result: null });
  expect(open.timeline.map((entry) => entry.event)).toEqual([
    "created",
    "attempt 1 started",
    "attempt 1 failed: timeout",
    "attempt 2 started",
  ]);
  const result = await finish(fs, task, { attempts: 2, startedAt: NOON });
  await archive(fs, result);
  const ended = (await gateway.ask(`/api/tasks/${task.id}`)).json as TaskDetail;
  expect(ended).toMatchObject({ state: "done", resultType: "text", result: { text: `result of ${task.id}` } });
  expect(ended.timeline.at(-1)).toEqual({ at: NOON, event: "done" });
});

test("a task that nobody knows is 404", async () => {
  const gateway = await startGateway();
  expect(await gateway.ask("/api/tasks/t-000009.0")).toMatchObject({
    status: 404,
    json: { error: { code: "not_found" } },
  });
  expect((await gateway.ask("/api/tasks/t-000009")).status).toBe(404);
});

test("looking for a turn by its id does not make the gateway skip turns", async () => {
  const gateway = await startGateway();
  await gateway.ask("/api/messages");
  for (const n of [1, 2]) await settleTurn(gateway.fs, n, [], `answer ${n}`);
  await gateway.ask("/api/tasks/t-000002");
  const { messages } = (await gateway.ask("/api/messages")).json as { messages: { text: string }[] };
  expect(messages.map((message) => message.text)).toEqual(["answer 1", "answer 2"]);
});

test("cancelling is a command in inbox/ when 202 is answered", async () => {
  const gateway = await startGateway();
  await queue(gateway.fs, taskOf("t-000001.0"));
  const answer = await gateway.post("/api/tasks/t-000001.0/cancel", {});
  expect(answer.status).toBe(202);
  const { id } = answer.json as { id: string };
  const command = JSON.parse((await gateway.fs.read(`inbox/${id}.json`)) ?? "") as CancelCommand;
  expect(command).toMatchObject({ kind: "cancel", id, taskId: "t-000001.0" });
});

test("a plan that has ended can be cancelled while anything below it is open", async () => {
  const gateway = await startGateway();
  const plan = taskOf("t-000001.0", { role: "planner", consumer: "supervisor" });
  await archive(gateway.fs, await finish(gateway.fs, await queue(gateway.fs, plan)));
  const work = await queue(gateway.fs, taskOf("t-000001.0.0"));
  expect((await gateway.post("/api/tasks/t-000001.0/cancel", {})).status).toBe(202);
  await finish(gateway.fs, work);
  const late = await gateway.post("/api/tasks/t-000001.0/cancel", {});
  expect(late).toMatchObject({
    status: 409,
    json: { error: { code: "conflict", message: "this task has already ended (done)" } },
  });
});

test("cancelling an unknown task is 404 and a reply 409; neither writes anything", async () => {
  const gateway = await startGateway();
  await queue(
    gateway.fs,
    taskOf("t-000001", { role: "teller", prompt: "", turn: { messages: [], events: [], results: [] } }),
  );
  expect((await gateway.post("/api/tasks/t-000009.0/cancel", {})).status).toBe(404);
  expect((await gateway.post("/api/tasks/t-000001/cancel", {})).status).toBe(409);
  expect(gateway.names("inbox")).toEqual([]);
});

test("a restart is a command that only a holder of the token can sign", async () => {
  const gateway = await startGateway();
  const answer = await gateway.ask("/api/restart", { method: "POST", headers: { "Content-Type": "application/json" } });
  expect(answer.status).toBe(202);
  const { id } = answer.json as { id: string };
  const command = JSON.parse((await gateway.fs.read(`inbox/${id}.json`)) ?? "") as RestartCommand;
  expect(command).toMatchObject({ kind: "restart", id });
  expect(isSigned(gateway.token, command)).toBe(true);
  expect(isSigned("another token", command)).toBe(false);
});
