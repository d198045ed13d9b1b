/** Plans that are whole: real processes, a scripted model, and as many tasks as a real request needs. */
import { EFFECTS_MAX } from "@mimikit/protocol/records/effect";
import { describe, expect, test } from "vitest";
import { Instance } from "../support/instance.ts";
import { call, section } from "../support/main-job.ts";
import type { ModelRequest } from "../support/model-server.ts";
import { describePlans, teller, worker } from "../support/plans.ts";
import { modelSettings, startWithModel } from "../support/start-with-model.ts";

describePlans({ provider: "openai", settings: modelSettings });

/** The id that the last call of a conversation was answered with. */
const lastId = ({ results }: ModelRequest) => /\bt-[\d.]+\d/.exec(results.at(-1) ?? "")?.[0];

const LETTERS = ["A", "B", "C", "D", "E", "F", "G", "H", "I", "J"];

test("a chain of ten, delegated one an answer after a look at what was said, runs to its end", async () => {
  const { mimikit } = await startWithModel({
    teller,
    planner: (request) => {
      if (request.turn === 0) return call("query_history", { query: "letters" });
      const title = LETTERS[request.turn - 1];
      if (title === undefined) return { say: "" };
      const before = request.turn === 1 ? undefined : lastId(request);
      const condition = { type: "task_done", params: { taskId: before } };
      return call("delegate", { title, prompt: `do ${title}`, ...(before !== undefined && { condition }) });
    },
    worker,
  });
  const plan = (await mimikit.replyTo(await mimikit.send("Do A to J."))).taskIds?.[0] ?? "";
  const report = await mimikit.replyWith("J is done");
  for (const title of LETTERS) expect(report.text).toContain(`${title} is done`);
  expect(report.taskIds).toEqual(LETTERS.map((_, k) => `${plan}.${k}`));
  // It was not cut: nothing is said of a limit.
  expect((await mimikit.task(plan)).result).toEqual({ tasks: LETTERS.map((_, k) => `${plan}.${k}`) });
});

test("a plan that never comes to its end keeps its tasks, and the user is told that a part may be missing", async () => {
  const { mimikit, model } = await startWithModel({
    teller,
    planner: ({ turn, tools }) => {
      if (tools.length === 0) return { say: "The invoices are not planned." };
      return turn === 0
        ? call("delegate", { title: "Letters", prompt: "do letters" })
        : call("query_history", { query: `invoice ${turn}` });
    },
    worker,
  });
  await mimikit.send("The letters and the invoices.");
  const report = await mimikit.replyWith("letters is done");
  expect(report.text).toContain("Planning stopped at its limit of 30 steps: part of your request may not be planned.");
  expect(report.text).toContain("The invoices are not planned.");
  expect(model.of("planner")).toHaveLength(31);
});

test("a plan that goes in circles is asked for its end, and what it has planned runs", async () => {
  const { mimikit, model } = await startWithModel({
    teller,
    planner: ({ turn, tools }) => {
      if (tools.length === 0) return { say: "I do not find the invoices." };
      return turn === 0
        ? call("delegate", { title: "Letters", prompt: "do letters" })
        : call("query_history", { query: "invoices" });
    },
    worker,
  });
  await mimikit.send("The letters and the invoices.");
  const report = await mimikit.replyWith("letters is done");
  expect(report.text).toContain("Planning stopped because it repeated itself");
  expect(report.text).toContain("I do not find the invoices.");
  expect(model.of("planner")).toHaveLength(5);
});

test("a plan of more changes than it may have runs those that it may have, and says that there is a limit", async () => {
  const COUNT = 70;
  const { mimikit } = await startWithModel({
    teller,
    planner: ({ messages }) => {
      const begun = messages.flatMap((message) => message.tool_calls ?? []).length;
      const calls = Array.from({ length: Math.min(8, COUNT - begun) }, (_, i) => ({
        name: "delegate",
        args: { title: `Page ${begun + i}`, prompt: `do page${begun + i}` },
      }));
      return calls.length > 0 ? { calls } : { say: "" };
    },
    worker,
  });
  const plan = (await mimikit.replyTo(await mimikit.send("Translate seventy pages."))).taskIds?.[0] ?? "";
  await mimikit.replyWith(`Planning stopped at its limit of ${EFFECTS_MAX} changes`);
  await mimikit.replyWith(`page${EFFECTS_MAX - 1} is done`);
  await mimikit.drained();
  const workers = (await mimikit.tasks()).filter(({ role }) => role === "worker");
  expect(workers).toHaveLength(EFFECTS_MAX);
  expect(workers.every(({ state }) => state === "done")).toBe(true);
  expect((await mimikit.task(plan)).result).toMatchObject({ note: expect.stringContaining("may not be planned") });
});

test("a plan of which nothing can be done fails with the reason that it gives", async () => {
  const { mimikit } = await startWithModel({
    teller,
    planner: [{ say: '{"status": "failed", "error": "There is no printer."}' }],
  });
  await mimikit.send("Print it.");
  const report = await mimikit.replyWith("This came of it");
  expect(report.text).toContain("Error: There is no printer.");
  expect(report.text).not.toContain("{");
});

test("a plan that only sets up what starts later says what it cannot do at once", async () => {
  const { mimikit, model } = await startWithModel({
    teller: (request) => {
      const events = section("events", request);
      if (events !== "") return { say: `Heard: ${events}` };
      return teller(request);
    },
    planner: ({ turn }) =>
      turn === 0 ? call("schedule", { prompt: "print", interval: 86_400 }) : { say: "It cannot be printed today." },
  });
  await mimikit.send("Print it now, and every day.");
  await mimikit.replyWith("It cannot be printed today.");
  expect(model.of("planner")).toHaveLength(2);
});

test("the Teller is told of what type each result is", async () => {
  const change = { files: [{ path: "a.txt", action: "created", summary: "a file" }] };
  const { mimikit, model } = await startWithModel({
    teller,
    planner: ({ turn }) =>
      turn > 0 ? { say: "" } : { calls: ["text", "change"].map((prompt) => ({ name: "delegate", args: { prompt } })) },
    worker: (request) =>
      section("task", request).includes("change")
        ? { say: JSON.stringify({ resultType: "code_change", result: change }) }
        : { say: "It is a text." },
  });
  await mimikit.send("Both.");
  await mimikit.replyWith("It is a text.");
  const results = model
    .of("teller")
    .map((request) => section("results", request))
    .join("\n");
  expect(results).toMatch(/status: done, result_type: text$/m);
  expect(results).toMatch(/status: done, result_type: code_change$/m);
});

describe("without a model", () => {
  /** Orders of a message, each on a line of its own. */
  const orders = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => `run \`echo ${from + i}\``).join("\n");

  test("long messages that one turn takes up are a plan each, and all of them run", async () => {
    const mimikit = await Instance.start();
    try {
      await mimikit.kill("workers");
      const ids: string[] = [];
      for (let n = 0; n < 5; n++) ids.push(await mimikit.send(orders(100 * n, 25)));
      const replies = await Promise.all(ids.map((id) => mimikit.replyTo(id)));
      await mimikit.drained();
      expect(new Set(replies.map(({ id }) => id)).size).toBeLessThan(ids.length);
      const tasks = await mimikit.tasks();
      expect(tasks.filter(({ role, state }) => role === "planner" && state === "done")).toHaveLength(5);
      expect(tasks.filter(({ role, state }) => role === "worker" && state === "done")).toHaveLength(125);
      expect(tasks.filter(({ state }) => state === "failed")).toEqual([]);
    } finally {
      await mimikit.dispose();
    }
  });

  test("one message of more commands than a plan has room for runs what fits, and names the orders that it leaves out", async () => {
    const mimikit = await Instance.start();
    try {
      const tens = (from: number) =>
        `run ${Array.from({ length: 20 }, (_, i) => `\`echo ${from + i}\``).join(" and ")}`;
      const id = await mimikit.send([tens(100), tens(200), tens(300), tens(400), "run `echo last`"].join("\n"));
      await mimikit.replyTo(id);
      await mimikit.drained();
      const said = (await mimikit.replies()).map(({ text }) => text).join("\n\n");
      expect(said).toContain("Not started, because one plan has room for 64 commands: run `echo 400` and `echo 401`");
      const ran = (await mimikit.tasks()).filter(({ role }) => role === "worker");
      expect(ran).toHaveLength(61);
      expect(ran.every(({ state }) => state === "done")).toBe(true);
      expect(said).toContain("run `echo last`: done");
    } finally {
      await mimikit.dispose();
    }
  });
});
