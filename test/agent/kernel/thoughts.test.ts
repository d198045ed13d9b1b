/** A model's thoughts: kept with the calls that came of them, for the vendors that demand them back, and never speech. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { SESSIONS } from "@mimikit/store/disk/state";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { measure, shortenTo } from "../../../packages/agent/src/kernel/budget.ts";
import type { KernelMessage } from "../../../packages/agent/src/kernel/model.ts";
import { readTurns, type SessionLine } from "../../../packages/agent/src/session/session.ts";
import { anthropic, google, openai, responses } from "../../conformance/candidates.ts";
import { ModelServer, type Step } from "../../support/model-server.ts";
import { messageOf, replyOf, run, taskOf, temporaryDirectory, turnOf } from "../fixtures.ts";
import { runKernelTask } from "../kernel-fixtures.ts";

let model: ModelServer;
beforeEach(async () => {
  model = await ModelServer.start();
});
afterEach(() => model.close());

const SECRET = "I had better look first.";
const piece = taskOf({ id: "t-000007.0.0", role: "worker", prompt: "do it" });
const LOOK: Step = { think: SECRET, calls: [{ name: "bash", args: { command: "ls" } }] };

test("they are in the session where calls came of them, and nowhere else", async () => {
  const ran = await runKernelTask(model, { worker: [LOOK, { think: "Enough.", say: "Done." }] }, piece);
  expect(ran.status).toBe("done");
  const answers = ran.turns.filter((turn) => turn.type === "assistant");
  expect(answers).toMatchObject([{ thoughts: [{ text: SECRET }] }, { text: "Done." }]);
  expect(answers[1]).not.toHaveProperty("thoughts");
});

test("those of a Worker are shown to nobody", async () => {
  const ran = await runKernelTask(model, { worker: [LOOK, { say: "Done." }] }, piece);
  expect(JSON.stringify(ran.lines)).not.toContain(SECRET);
  expect(ran.result).not.toContain(SECRET);
});

const OVER = [
  { over: "chat completions", ...openai },
  { over: "responses", ...responses },
  { over: "anthropic", ...anthropic },
  { over: "google", ...google },
];
describe.each(OVER)("over $over", ({ create }) => {
  test("a later attempt gives them back: the vendor refuses the conversation otherwise", async () => {
    const [home, workDir] = [temporaryDirectory(), temporaryDirectory()];
    mkdirSync(join(home, SESSIONS));
    const provider = create(model, { role: "worker", silenceMs: 20_000, home });
    model.script = { worker: [LOOK, { status: 400 }, { say: "Done." }] };
    expect(await run(piece, { provider, home, workDir })).toMatchObject({ status: "failed" });
    expect(await run(piece, { provider, home, workDir, attempt: 2 })).toMatchObject({ status: "done" });
    const answer = model
      .of("worker")
      .at(-1)
      ?.messages.find(({ role }) => role === "assistant");
    expect(answer?.thought?.text).toBe(SECRET);
    expect(model.unknown).toEqual([]);
  });

  test("an attempt of another vendor goes on without them", async () => {
    const [home, workDir] = [temporaryDirectory(), temporaryDirectory()];
    mkdirSync(join(home, SESSIONS));
    model.script = { worker: [LOOK, { status: 400 }] };
    await run(piece, { provider: create(model, { role: "worker", silenceMs: 20_000, home }), home, workDir });
    for (const other of OVER.filter((each) => each.create !== create)) {
      const next = await ModelServer.start({ worker: [{ say: "Done." }] });
      const provider = other.create(next, { role: "worker", silenceMs: 20_000, home });
      expect(await run(piece, { provider, home, workDir, attempt: 2 })).toMatchObject({ status: "done" });
      expect(JSON.stringify(next.of("worker")[0]?.body)).not.toContain("sealed");
      await next.close();
    }
  });
});

test("they cost room, and go where the message must be shortened, but for those of the newest answer", () => {
  const call = { id: "c1", name: "bash", arguments: "{}", vendor: { google: { thoughtSignature: "s".repeat(400) } } };
  const thoughts = [{ text: "word ".repeat(500), vendor: { anthropic: { signature: "s".repeat(400) } } }];
  const bare: KernelMessage = { role: "assistant", content: "", calls: [{ id: "c1", name: "bash", arguments: "{}" }] };
  const whole: KernelMessage = { role: "assistant", content: "", calls: [call], thoughts };
  expect(measure([whole], [])).toBeGreaterThan(measure([bare], []) + 500);
  expect(shortenTo(whole, 50)).not.toHaveProperty("thoughts");
  expect(shortenTo(whole, 50, true)).toMatchObject({ thoughts, calls: [call] });
});

test("a session of before, without thoughts, is read as it was", () => {
  const turn: SessionLine = { type: "assistant", text: "", calls: [{ id: "c1", name: "bash", arguments: "{}" }] };
  expect(readTurns(`${JSON.stringify(turn)}\n`)).toEqual({ turns: [turn], badLines: 0 });
});

describe("a thought that comes to no end", () => {
  const UNENDED: Step = { say: "<think>\nThe shop opens at nine." };
  const turn = turnOf({ messages: [messageOf("when does it open?")] });

  test("is not what is said, where the model speaks when it is asked again", async () => {
    const ran = await runKernelTask(model, { teller: [UNENDED, { say: "At nine." }] }, turn);
    expect(replyOf(ran)).toBe("At nine.");
  });

  test.each<[string, Step]>([
    ["in the text", UNENDED],
    ["that the server took out of the text", { think: "The shop opens at nine." }],
  ])("is the reply, where the model says nothing else: %s", async (_, step) => {
    const ran = await runKernelTask(model, { teller: [step] }, turn);
    expect([ran.status, replyOf(ran)]).toEqual(["done", "The shop opens at nine."]);
    expect(model.of("teller")).toHaveLength(2);
  });

  test("is no result of a Worker", async () => {
    expect(await runKernelTask(model, { worker: [UNENDED] }, piece)).toMatchObject({
      status: "failed",
      error: "the model handed in nothing of use, even when it was asked again",
    });
  });
});

test.each([anthropic, google])("what $name thinks is never the reply", async ({ create }) => {
  const home = temporaryDirectory();
  mkdirSync(join(home, SESSIONS));
  model.script = { teller: [{ think: SECRET }] };
  const provider = create(model, { role: "teller", silenceMs: 20_000, home });
  const ran = await run(turnOf({ messages: [messageOf("hello")] }), { provider, home });
  expect(ran.status).toBe("failed");
  expect(replyOf(ran)).not.toContain(SECRET);
});

test("a Teller whose answer broke off after a thought takes the thought back", async () => {
  const home = temporaryDirectory();
  mkdirSync(join(home, SESSIONS));
  model.script = {
    teller: [{ stream: 'data: {"choices":[{"delta":{"reasoning_content":"Hm."}}]}\n\n' }, { say: "Hello." }],
  };
  const provider = openai.create(model, { role: "teller", silenceMs: 20_000, home });
  const ran = await run(turnOf({ messages: [messageOf("hello")] }), { provider, home });
  expect(replyOf(ran)).toBe("Hello.");
  const shown = ran.lines.map((line) => line.type);
  expect(shown.indexOf("thought")).toBeLessThan(shown.indexOf("begin"));
});
