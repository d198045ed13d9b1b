/** The gate's decisions: what it lets through, asks and refuses, with the answers that there are. */
import {
  ASKED_PER_TASK_MAX,
  type CallReach,
  Gate,
  type GateOptions,
  type OwnerAnswer,
} from "@mimikit/agent/approval/gate";
import { findSandbox } from "@mimikit/agent/shell/sandbox";
import type { ToolContext } from "@mimikit/agent/tools/tool";
import type { Approval, AskedCall } from "@mimikit/protocol/approvals/approval";
import type { Level } from "@mimikit/protocol/base/skill";
import { describe, expect, test } from "vitest";
import { bashTool } from "../../packages/agent/src/kernel/tools/bash.ts";
import { task } from "../core/facts.ts";

const WANTED: CallReach = { reaches: ["network"], shown: "npm install x", command: "npm install x" };
const INPUT = { command: "npm install x", network: true };

function gateWith(leave: Partial<GateOptions> = {}, kept: Approval[] = []) {
  const used: number[] = [];
  const use = async (attempt: number) => !used.includes(attempt) && used.push(attempt) > 0;
  const gate = new Gate({
    mode: "workspace",
    mayAsk: true,
    isOwnersWords: false,
    cwd: "/w",
    answers: [],
    allowed: async () => kept,
    use,
    ...leave,
  });
  return { gate, used };
}

async function asked(wanted: CallReach = WANTED, input: unknown = INPUT): Promise<AskedCall> {
  const judged = await gateWith().gate.judge("bash", input, wanted);
  if (judged === "allowed" || !("asked" in judged)) throw new Error("it does not ask");
  return judged.asked;
}

const answered = async (verdict: OwnerAnswer["verdict"], of: Partial<AskedCall> = {}): Promise<OwnerAnswer> => ({
  attempt: 1,
  asks: { ...(await asked()), ...of },
  verdict,
  isUsed: false,
});

test("a call that reaches for nothing is allowed; another asks with all that it will do, and one at a time", async () => {
  const { gate } = gateWith();
  expect(await gate.judge("bash", INPUT, { ...WANTED, reaches: [] })).toBe("allowed");
  expect(await gate.judge("bash", INPUT, WANTED)).toMatchObject({
    asked: { tool: "bash", shown: "npm install x", cwd: "/w", reaches: ["network"], prefix: ["npm", "install"] },
  });
  expect(await gate.judge("bash", INPUT, WANTED)).toMatchObject({ refused: expect.stringContaining("already") });
});

test("a yes once is for the same call, in whatever order its fields come, and only once", async () => {
  const { gate, used } = gateWith({ answers: [await answered("once")] });
  expect(await gate.judge("bash", { network: true, command: "npm install x" }, WANTED)).toBe("allowed");
  expect(used).toEqual([1]);
  expect(await gate.judge("bash", INPUT, WANTED)).toHaveProperty("asked");
});

test("a yes once is for no other input, tool or place", async () => {
  const leave = { answers: [await answered("once")] };
  expect(await gateWith(leave).gate.judge("bash", { ...INPUT, timeoutSec: 5 }, WANTED)).toHaveProperty("asked");
  expect(await gateWith(leave).gate.judge("other", INPUT, WANTED)).toHaveProperty("asked");
  expect(await gateWith(leave).gate.judge("bash", INPUT, { ...WANTED, place: "/etc/x" })).toHaveProperty("asked");
});

test("a yes for the task covers the same tool for the same reasons, and no more", async () => {
  const leave = { answers: [await answered("task")] };
  const other = { ...WANTED, shown: "curl x | sh", command: "curl x | sh" };
  expect(await gateWith(leave).gate.judge("bash", { command: "curl x | sh" }, other)).toBe("allowed");
  const more: CallReach = { ...other, reaches: ["network", "outside"] };
  expect(await gateWith(leave).gate.judge("bash", {}, more)).toHaveProperty("asked");
  expect(await gateWith(leave).gate.judge("odd__write", {}, other)).toHaveProperty("asked");
});

test("what is allowed for good covers simple commands that begin so, for the same reasons", async () => {
  const kept: Approval = {
    kind: "approval",
    id: "t-000001.0.a1.approve",
    at: "2026-11-26T00:00:00.000Z",
    tool: "bash",
    prefix: ["npm", "install"],
    reaches: ["network"],
    title: "x",
  };
  const of = (command: string, reaches: CallReach["reaches"] = ["network"]) =>
    gateWith({}, [kept]).gate.judge("bash", { command }, { reaches, shown: command, command });
  expect(await of("npm install y")).toBe("allowed");
  expect(await of("npm install y; curl evil")).toHaveProperty("asked");
  expect(await of("npm install y", ["no-sandbox"])).toHaveProperty("asked");
});

test("a no, and no answer, refuse the same call; another asks", async () => {
  for (const verdict of ["no", "expired"] as const) {
    const { gate } = gateWith({ answers: [await answered(verdict)] });
    expect(gate.news).toContain("Do not try to get the same in another way");
    expect(await gate.judge("bash", INPUT, WANTED)).toHaveProperty("refused");
    expect(await gate.judge("bash", { command: "ls" }, { ...WANTED, shown: "ls" })).toHaveProperty("asked");
  }
});

test("nobody is asked in the middle of a condition: it is refused, but for a command that the sandbox holds", async () => {
  const leave = { mode: "ask", mayAsk: false } as const;
  expect(await gateWith(leave).gate.judge("bash", INPUT, { ...WANTED, reaches: ["command"] })).toBe("allowed");
  for (const reach of ["network", "no-sandbox", "outside"] as const)
    expect(await gateWith(leave).gate.judge("bash", INPUT, { ...WANTED, reaches: [reach] })).toHaveProperty("refused");
});

test("what cannot be shown whole is refused, and characters that hide something are written out", async () => {
  const long = "x".repeat(2_001);
  expect(await gateWith().gate.judge("bash", { command: long }, { ...WANTED, shown: long })).toHaveProperty("refused");
  const { shown } = await asked({ ...WANTED, shown: "ls \u202e\u200b\u0007\nend" });
  expect(shown).toBe("ls ⟨U+202E⟩⟨U+200B⟩⟨U+0007⟩\nend");
});

test("a task that has asked so often is refused", async () => {
  const one = await answered("once", { digest: "0".repeat(64) });
  const answers = Array.from({ length: ASKED_PER_TASK_MAX }, (_, i) => ({ ...one, attempt: i + 1 }));
  expect(await gateWith({ answers }).gate.judge("bash", INPUT, WANTED)).toHaveProperty("refused");
});

describe("a command under a skill", async () => {
  const hasSandbox = "tool" in (await findSandbox());
  const reachesOf = async (limit: Level | undefined, declared: object) => {
    const { gate } = gateWith();
    const place = { workDir: "/", home: "/", runDir: "/", environment: {}, signal: new AbortController().signal };
    const bash = bashTool({ ...place, task: task("t-1", { kind: "work", role: "worker" }), sandbox: "auto", gate });
    const input = { command: "ls", timeoutSec: 1, network: false, outside: false, ...declared };
    return (await bash.wants?.(input, { limit } as ToolContext))?.reaches;
  };

  test.runIf(hasSandbox)("asks for what the skill allows, and for nothing that the sandbox will not have", async () => {
    expect(await reachesOf("message-send", { network: true })).toEqual(["network"]);
    expect(await reachesOf("message-send", { outside: true })).toEqual(["outside"]);
    expect(await reachesOf("local-write", { network: true, outside: true })).toEqual(["outside"]);
    expect(await reachesOf("read-only", { network: true, outside: true })).toEqual([]);
    expect(await reachesOf(undefined, { network: true })).toEqual(["network"]);
  });
});
