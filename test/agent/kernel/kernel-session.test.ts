/** An attempt that is killed between any two steps leaves a session that the next one goes on with. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Steering } from "@mimikit/agent/steering";
import { sessionPath } from "@mimikit/store/disk/state";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { RESUMED } from "../../../packages/agent/src/kernel/conversation.ts";
import { limitsOf } from "../../../packages/agent/src/kernel/limits.ts";
import { TRACE_FILE } from "../../../packages/agent/src/kernel/trace.ts";
import {
  CUT_OFF,
  readTurns,
  SESSION_BYTES_MAX,
  type SessionLine,
} from "../../../packages/agent/src/session/session.ts";
import { ModelServer, type Step } from "../../support/model-server.ts";
import { messageOf, taskOf, temporaryDirectory, turnOf } from "../fixtures.ts";
import { runKernelTask } from "../kernel-fixtures.ts";

let model: ModelServer;
beforeEach(async () => {
  model = await ModelServer.start();
});
afterEach(() => model.close());

const piece = taskOf({ id: "t-000007.0.0", role: "worker", prompt: "do it" });
const append = (word: string) => ({ name: "bash", args: { command: `echo ${word} | tee -a log` } });
const STEPS: Step[] = [
  { say: "I begin.", calls: [append("one"), append("two")] },
  { calls: [append("three")] },
  { say: "Done." },
];

/** A workspace in which an earlier attempt has left these lines. */
function leaveBehind(lines: string | readonly SessionLine[]): string {
  const workDir = temporaryDirectory();
  const path = join(workDir, ".mimikit", sessionPath(piece.id));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof lines === "string" ? lines : lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return workDir;
}

test("every step is in the session: what was asked, said, called and answered", async () => {
  const ran = await runKernelTask(model, { worker: STEPS }, piece);
  expect(ran.turns).toMatchObject([
    { type: "prompt", attempt: 1, text: expect.stringContaining("do it") },
    { type: "assistant", text: "I begin.", calls: [{ name: "bash" }, { name: "bash" }] },
    {
      type: "result",
      tool: "bash",
      text: "[exit code 0]\none\n",
      isMade: true,
      artifact: join(ran.runDir, "bash-1.txt"),
    },
    { type: "result", tool: "bash", text: "[exit code 0]\ntwo\n", isMade: true },
    { type: "assistant", text: "", calls: [{ name: "bash" }] },
    { type: "result", text: "[exit code 0]\nthree\n" },
    { type: "assistant", text: "Done.", calls: [] },
  ]);
});

test("an attempt after one that was cut off anywhere goes on: what was answered is there, what was not is told", async () => {
  const first = await runKernelTask(model, { worker: STEPS }, piece);
  const session = readFileSync(join(first.home, sessionPath(piece.id)), "utf8");
  const lineEnds = [...session.matchAll(/\n/g)].map(({ index }) => index + 1);
  const places = [0, ...lineEnds, ...lineEnds.map((end) => end - 1), ...lineEnds.map((end) => end - 20)];
  for (const cut of places) {
    const left = session.slice(0, cut);
    const { turns } = readTurns(left);
    const before = model.of("worker").length;
    const ran = await runKernelTask(model, { worker: () => ({ say: "It is done." }) }, piece, {
      attempt: 2,
      workDir: leaveBehind(left),
    });
    expect(ran).toMatchObject({ status: "done", result: { text: "It is done." } });
    const asked = model.of("worker").slice(before);
    // The server refuses a conversation in which calls and results do not match.
    expect(asked).toHaveLength(1);
    const contents = asked[0]?.messages.map((message) => message.content) ?? [];
    for (const turn of turns) if (turn.type === "result") expect(contents).toContain(turn.text);
    const called = turns.flatMap((turn) => (turn.type === "assistant" ? turn.calls : [])).length;
    const answered = turns.filter((turn) => turn.type === "result").length;
    expect(contents.filter((content) => content === CUT_OFF)).toHaveLength(called - answered);
    expect(contents.join("\n").includes(RESUMED)).toBe(turns.length > 1);
    const after = ran.turns.slice(0, turns.length);
    expect(after).toEqual(turns);
  }
});

describe("a later attempt of a Worker", () => {
  const prompt: SessionLine = { type: "prompt", attempt: 1, text: "do it" };
  const made = (n: number): SessionLine[] =>
    Array.from({ length: n }, (_, i): SessionLine[] => [
      { type: "assistant", text: "", calls: [{ id: `c${i}`, name: "bash", arguments: `{"command":"echo ${i}"}` }] },
      { type: "result", requestId: `c${i}`, tool: "bash", text: `${i}`, isMade: true },
    ]).flat();

  test("has its own question first, and the note that the earlier one ended behind what that did", async () => {
    await runKernelTask(model, { worker: [{ say: "ok" }] }, piece, {
      attempt: 3,
      workDir: leaveBehind([prompt, ...made(1), { ...prompt, attempt: 2 } as SessionLine, ...made(1)]),
    });
    const messages = model.of("worker")[0]?.messages ?? [];
    expect(messages.map(({ role }) => role)).toEqual([
      ...["system", "user", "assistant", "tool"],
      ...["user", "assistant", "tool", "user"],
    ]);
    expect(messages[1]?.content).toContain("attempt: 3");
    expect([messages[4]?.content, messages[7]?.content]).toEqual([RESUMED, RESUMED]);
  });

  test("has only the calls that the earlier ones have left", async () => {
    const { callsTotal } = limitsOf("worker");
    const script = ({ tools, nth }: { tools: string[]; nth: number }): Step =>
      tools.length === 0 ? { say: "So far." } : { calls: [{ name: "read_text_file", args: { path: `${nth}` } }] };
    const workDir = leaveBehind([
      prompt,
      ...made(callsTotal - 2),
      { type: "assistant", text: "", calls: [{ id: "x", name: "bash", arguments: "{}" }] },
    ]);
    const ran = await runKernelTask(model, { worker: script }, piece, { attempt: 2, workDir });
    expect(ran).toMatchObject({ status: "done", result: { text: "So far." } });
    expect(ran.calls).toHaveLength(1);
  });

  test("has heard what the earlier ones have heard, and answers for it", async () => {
    const steer = { id: "s-1", at: "2026-11-22T02:00:00.000Z", text: "in French" };
    const steering = new Steering();
    steering.offer(steer);
    const ran = await runKernelTask(model, { worker: [{ say: "ok" }] }, piece, {
      attempt: 2,
      steering,
      workDir: leaveBehind([prompt, ...made(1), { type: "steer", ...steer }]),
    });
    expect(ran.steers).toEqual([steer]);
    const shown =
      model
        .of("worker")[0]
        ?.messages.map((message) => message.content)
        .join("\n") ?? "";
    expect(shown.split("in French")).toHaveLength(2);
    expect(model.requests).toHaveLength(1);
  });

  test("says in its trace what it went on with", async () => {
    const [called, answered] = made(1);
    const lines = [JSON.stringify(prompt), "nonsense", JSON.stringify(called), JSON.stringify(answered), ""].join("\n");
    const ran = await runKernelTask(model, { worker: [{ say: "ok" }] }, piece, {
      attempt: 2,
      workDir: leaveBehind(lines),
    });
    const [first] = readFileSync(join(ran.runDir, TRACE_FILE), "utf8").split("\n");
    expect(JSON.parse(first ?? "")).toMatchObject({ event: "resumed", turns: 3, badLines: 1, callsMade: 1 });
  });

  test("leaves nothing behind where it came to nothing, however often", async () => {
    const workDir = temporaryDirectory();
    for (let attempt = 1; attempt <= 4; attempt++)
      await runKernelTask(model, { worker: [{ status: 401 }] }, piece, { attempt, workDir });
    const { turns } = await runKernelTask(model, { worker: () => ({ say: "ok" }) }, piece, { attempt: 5, workDir });
    expect(turns.map(({ type }) => type)).toEqual(["prompt", "assistant"]);
    expect(model.requests.at(-1)?.messages.map(({ role }) => role)).toEqual(["system", "user"]);
    expect(model.requests.at(-1)?.prompt).toContain("attempt: 5");
  });

  test("without a session begins one", async () => {
    const ran = await runKernelTask(model, { worker: [{ say: "ok" }] }, piece, { attempt: 2 });
    expect(ran.turns).toMatchObject([
      { type: "prompt", attempt: 2 },
      { type: "assistant", text: "ok" },
    ]);
    expect(model.requests[0]?.messages.map(({ role }) => role)).toEqual(["system", "user"]);
  });

  test("whose session has no end fails for good instead of growing it", async () => {
    const ran = await runKernelTask(model, { worker: [{ say: "ok" }] }, piece, {
      attempt: 2,
      workDir: leaveBehind("x".repeat(SESSION_BYTES_MAX + 1)),
    });
    expect(ran).toMatchObject({ status: "failed", retryable: false, error: expect.stringContaining("longer than") });
    expect(model.requests).toEqual([]);
  });
});

test.each([
  ["teller", turnOf({ messages: [messageOf("hello")] })],
  ["planner", taskOf({ id: "t-000007.0", role: "planner", prompt: "plan" })],
] as const)("a later attempt of a %s begins anew: what the dead one staged was not done", async (role, task) => {
  const delegate = { calls: [{ name: "delegate", args: { prompt: "x" } }] };
  const workDir = temporaryDirectory();
  await runKernelTask(model, { [role]: [delegate, { status: 401 }] }, task, { workDir });
  const steps: Step[] = [delegate, { say: "On it." }];
  const script = ({ turn }: { turn: number }): Step => steps[turn] ?? { say: "" };
  const ran = await runKernelTask(model, { [role]: script }, task, { workDir, attempt: 2 });
  expect(model.requests[2]?.messages.map((message) => message.role)).toEqual(["system", "user"]);
  expect(ran.turns.filter((turn) => turn.type === "prompt")).toMatchObject([{ attempt: 2 }]);
  expect(ran.effects.filter((effect) => effect.type === "delegate")).toHaveLength(1);
});
