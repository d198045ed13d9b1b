/** Runs with answers that have repeated ids, are withheld, or begin with thoughts that look like speech. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findSkills } from "@mimikit/agent/skills/skills";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { SessionLine } from "../../../packages/agent/src/session/session.ts";
import { NO_SUMMARY, summarize } from "../../../packages/agent/src/session/summary.ts";
import { ModelServer, type Step } from "../../support/model-server.ts";
import { messageOf, type Ran, replyOf, taskOf, temporaryDirectory, turnOf } from "../fixtures.ts";
import { runKernelTask } from "../kernel-fixtures.ts";

let model: ModelServer;
beforeEach(async () => {
  model = await ModelServer.start();
});
afterEach(() => model.close());

const question = turnOf({ messages: [messageOf("hello")] });
const piece = taskOf({ id: "t-000007.0.0", role: "worker", prompt: "do it" });
const shownBy = ({ lines }: Ran) => lines.flatMap((line) => (line.type === "delta" ? [line.text] : [])).join("");

/** A stream of these pieces of an answer. */
function stream(deltas: readonly object[], finish_reason = "stop"): Step {
  const events = [...deltas.map((delta) => ({ choices: [{ delta }] })), { choices: [{ delta: {}, finish_reason }] }];
  return { stream: `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")}data: [DONE]\n\n` };
}

const call = (id: string, name: string, args: object) =>
  stream([{ tool_calls: [{ index: 0, id, function: { name, arguments: JSON.stringify(args) } }] }], "tool_calls");

describe.each(["", "0"])("an endpoint that gives each call the id %j", (id) => {
  const steps = [call(id, "read_skill", { name: "tidy" }), call(id, "bash", { command: "echo a" })];

  test("has a call of its own for each, in the session and on the wire", async () => {
    const ran = await runKernelTask(
      model,
      { worker: [call(id, "bash", { command: "echo a" }), call(id, "bash", { command: "echo b" }), { say: "Done." }] },
      piece,
    );
    expect(ran).toMatchObject({ status: "done" });
    const messages = model.requests.at(-1)?.messages ?? [];
    const ids = messages.flatMap((message) => message.tool_calls?.map((each) => each.id) ?? []);
    expect(new Set(ids).size).toBe(2);
    for (const each of ids) expect(each).toMatch(/^(0|[a-zA-Z0-9]{9})$/);
    expect(messages.flatMap((message) => message.tool_call_id ?? [])).toEqual(ids);
  });

  test("can go on in a later attempt after a skill was read", async () => {
    const places = temporaryDirectory();
    const at = (name: string) => join(places, name);
    for (const folder of ["locks", "skills/tidy"]) mkdirSync(at(folder), { recursive: true });
    writeFileSync(at("skills/tidy/SKILL.md"), "---\nname: tidy\ndescription: Tidies up.\n---\nTidy up.");
    const { skills } = await findSkills({ home: at("skills"), user: at("u"), workspace: at("w"), shipped: at("s") });
    const first = await runKernelTask(model, { worker: [...steps, { status: 401 }] }, piece, { context: { skills } });
    expect(first.status).toBe("failed");
    const ran = await runKernelTask(model, { worker: [{ say: "Done." }] }, piece, {
      attempt: 2,
      workDir: first.workDir,
      context: { skills },
    });
    expect(ran).toMatchObject({ status: "done", result: { text: "Done." } });
  });
});

test("a session in which ids repeat is still told right", () => {
  const turn = (name: string, input: object): SessionLine => ({
    type: "assistant",
    text: "",
    calls: [{ id: "0", name, arguments: JSON.stringify(input) }],
  });
  const result = (tool: string, text: string): SessionLine => ({
    type: "result",
    requestId: "0",
    tool,
    text,
    isMade: true,
  });
  const turns = [
    turn("bash", { command: "ls" }),
    result("bash", "one"),
    turn("bash", { command: "pwd" }),
    result("bash", "two"),
  ];
  expect(summarize(turns, NO_SUMMARY, "x").toolFacts).toEqual([
    "bash [0] command=ls → one",
    "bash [0] command=pwd → two",
  ]);
});

describe("an answer that is withheld", () => {
  test("is not asked for again, and its reason is told", async () => {
    const ran = await runKernelTask(model, { teller: [stream([{ content: "" }], "content_filter")] }, question);
    expect(model.requests).toHaveLength(1);
    expect(ran).toMatchObject({ status: "failed" });
    expect(replyOf(ran)).toContain("the model withheld the answer: content_filter");
  });

  test("in part is shown with a remark", async () => {
    const ran = await runKernelTask(model, { teller: [stream([{ content: "The first half" }], "SAFETY")] }, question);
    expect(model.requests).toHaveLength(1);
    expect(replyOf(ran)).toBe("The first half\n\n[the model withheld the rest of its answer: safety]");
  });

  test("in words of the model is told in them, and none of its calls is made", async () => {
    const tool_calls = [{ index: 0, id: "a", function: { name: "bash", arguments: '{"command":"ls"}' } }];
    const ran = await runKernelTask(
      model,
      { worker: [stream([{ tool_calls }, { refusal: "I cannot help." }])] },
      piece,
    );
    expect(ran).toMatchObject({
      status: "failed",
      error: expect.stringContaining("the model withheld the answer: I cannot help."),
      calls: [],
    });
    expect(model.requests).toHaveLength(1);
  });
});

test("thoughts without their beginning are withdrawn when their end comes, and are in no reply", async () => {
  const deltas = ["Okay, the user wants the port.", " 8080 it is.\n", "</think>", "\n\nThe port is 8080."];
  const ran = await runKernelTask(model, { teller: [stream(deltas.map((content) => ({ content })))] }, question);
  expect(ran.effects).toEqual([{ type: "reply", text: "The port is 8080." }]);
  const begin = ran.lines.findLastIndex(({ type }) => type === "begin");
  expect(begin).toBeGreaterThan(0);
  expect(shownBy({ ...ran, lines: ran.lines.slice(begin) })).toBe("The port is 8080.");
});
