/** Our MCP server as an agent CLI meets it: a process that speaks JSON-RPC on its standard input and output. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { createToolBus } from "@mimikit/agent/bus";
import { callPool, openPoolSocket } from "@mimikit/agent/providers/agent-cli/mcp/pool-socket";
import { serverCommand } from "@mimikit/agent/providers/agent-cli/mcp/server-command";
import { type ToolsFile, writeToolsFile } from "@mimikit/agent/providers/agent-cli/mcp/tools-file";
import { tool } from "@mimikit/agent/tools/tool";
import type { Task } from "@mimikit/protocol/records/task";
import { execa } from "execa";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { contextOf, messageOf, NOW, taskOf, temporaryDirectory, turnOf } from "../../../fixtures.ts";

const turn = turnOf({ messages: [messageOf("hello")] });
const HISTORY = [{ id: "m-1", role: "user" as const, at: "2026-11-21T02:00:00.000Z", text: "the plum tree is ill" }];

interface Answer {
  result?: { content?: { text: string }[]; isError?: boolean; tools?: { name: string; inputSchema: object }[] };
  error?: { message: string };
}

/** The server of one run, with `initialize` behind it. */
async function serve(task: Task, calls: ToolsFile["calls"] = [], external?: ToolsFile["external"]) {
  const dir = temporaryDirectory();
  const path = join(dir, "tools.json");
  await writeToolsFile(path, {
    task,
    reads: {
      now: NOW,
      tasks: [],
      summaries: {},
      triggers: [],
      questions: [],
      skills: [],
      memoryPlace: { home: dir, workDir: dir },
    },
    newest: HISTORY,
    calls,
    ...(external !== undefined && { external }),
  });
  const { command, args } = serverCommand(path);
  const child = spawn(command, args, { cwd: dir, stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const waiting = new Map<number, (answer: Answer) => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line) as Answer & { id: number };
    waiting.get(message.id)?.(message);
  });
  let last = 0;
  const request = (method: string, params: object = {}): Promise<Answer> =>
    new Promise((resolve) => {
      waiting.set(++last, resolve);
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: last, method, params })}\n`);
    });
  await request("initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  });
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  const call = async (name: string, input: object) => {
    const { result } = await request("tools/call", { name, arguments: input });
    return { text: result?.content?.[0]?.text ?? "", isError: result?.isError ?? false };
  };
  return { child, dir, request, call };
}

test("offers the tools of the role, with the schemas of their inputs, and no others", async () => {
  const { request } = await serve(turn);
  const { result } = await request("tools/list");
  expect(result?.tools?.map((tool) => tool.name)).toEqual(
    expect.arrayContaining(["reply", "delegate", "remember", "query_history"]),
  );
  expect(result?.tools?.find((tool) => tool.name === "remember")?.inputSchema).toMatchObject({
    type: "object",
    properties: { content: { type: "string", maxLength: 2_000 } },
    required: ["content"],
  });
  const planner = await serve(taskOf({ id: "t-000007.0", role: "planner", prompt: "plan" }));
  const offered = (await planner.request("tools/list")).result?.tools?.map((tool) => tool.name);
  expect(offered).toContain("delegate");
  expect(offered).not.toContain("reply");
});

test("answers a write with the id that its record will have, also when many come at once", async () => {
  const { call } = await serve(turn);
  const texts = ["a", "b", "c", "d"];
  const answers = await Promise.all(texts.map((content) => call("remember", { content })));
  expect(answers.map(({ text }) => text)).toEqual(texts.map((_, k) => `{"id":"t-000007.${k}"}`));
});

test("counts on from the calls that were made before it began", async () => {
  const earlier = [
    { tool: "remember", input: { content: "a" } },
    { tool: "reply", input: { text: "hello" } },
  ];
  const { call } = await serve(turn, earlier);
  expect(await call("remember", { content: "b" })).toMatchObject({ text: '{"id":"t-000007.2"}' });
  // The last reply wins, so it has the place of the first.
  expect(await call("reply", { text: "good day" })).toMatchObject({ text: '{"id":"t-000007.1"}' });
});

test("answers a read at once", async () => {
  const { call } = await serve(turn);
  const { text } = await call("query_history", { query: "plum" });
  expect(JSON.parse(text)).toMatchObject({ messages: [{ text: "the plum tree is ill" }] });
});

test("knows the time and the zone of the run: what is past there is refused", async () => {
  const { call } = await serve(turn);
  const runAt = new Date(Date.parse(NOW) - 1_000).toISOString();
  expect(await call("schedule", { prompt: "x", runAt })).toMatchObject({ isError: true });
  expect(await call("schedule", { prompt: "x", runAt: "2026-11-22T02:00:01Z" })).toMatchObject({
    text: '{"id":"t-000007.0"}',
  });
  expect(await call("ask_user", { question: "Which?" })).toMatchObject({ text: '{"id":"t-000007.1"}' });
});

test.each([
  ["a tool of another role", "bash", { command: "ls" }, "unknown_tool"],
  ["a tool that is not there", "rm", {}, "unknown_tool"],
  ["wrong input", "remember", { text: "x" }, "bad_input"],
  [
    "what the role must not do",
    "delegate",
    { prompt: "x", condition: { type: "task_done", params: { taskId: "t-000001.0" } } },
    "not_allowed",
  ],
])("refuses %s in words, and gives no id away for it", async (_, name, input, code) => {
  const { call } = await serve(turn);
  const refused = await call(name, input);
  expect(refused.isError).toBe(true);
  expect(JSON.parse(refused.text)).toMatchObject({ error: { code } });
  expect(await call("remember", { content: "a" })).toMatchObject({ text: '{"id":"t-000007.0"}' });
});

test("changes nothing: not the file, and no other", async () => {
  const { call, dir } = await serve(turn);
  const before = readFileSync(join(dir, "tools.json"), "utf8");
  await call("remember", { content: "a" });
  expect(readdirSync(dir)).toEqual(["tools.json"]);
  expect(readFileSync(join(dir, "tools.json"), "utf8")).toBe(before);
});

test("hands calls of tools from outside on to the pool, with what it answers, and none of them is staged here", async () => {
  const calls: unknown[] = [];
  const task = taskOf({ id: "t-000007.0.0", role: "worker", prompt: "x" });
  const outside = tool({
    name: "odd__say",
    level: "read-only",
    roles: ["worker"],
    input: z.strictObject({ text: z.string() }),
    run: ({ text }) => ({ text: `said ${text}` }),
  });
  const reads = contextOf();
  const bus = createToolBus({ task, tools: [outside], reads, onCall: (each) => calls.push(each) });
  const socket = await openPoolSocket(bus, new Set(["odd__say"]));
  onTestFinished(() => socket.close());
  const { request, call } = await serve(task, [], {
    socket: socket.path,
    tools: [{ name: "odd__say", description: "Says it.", parameters: { type: "object", properties: {} } }],
  });
  const { result } = await request("tools/list");
  expect(result?.tools).toEqual([
    { name: "odd__say", description: "Says it.", inputSchema: { type: "object", properties: {} } },
  ]);
  expect(await call("odd__say", { text: "plum" })).toEqual({ text: "said plum", isError: false });
  const refused = await call("odd__say", { text: 1 });
  expect(refused.isError).toBe(true);
  expect(JSON.parse(refused.text)).toMatchObject({ error: { code: "bad_input" } });
  expect(calls).toMatchObject([
    { tool: "odd__say", ok: true },
    { tool: "odd__say", ok: false, errorCode: "bad_input" },
  ]);
  expect(statSync(dirname(socket.path)).mode & 0o777).toBe(0o700);
  expect(await callPool(socket.path, "delegate", { prompt: "x" })).toMatchObject({ ok: false, code: "unknown_tool" });
  socket.close();
  expect(await call("odd__say", { text: "plum" })).toMatchObject({ isError: true });
});

test("says in its help what it is for: it is a command like any other", async () => {
  const { command, args } = serverCommand("--help");
  const { stdout } = await execa(command, args);
  expect(stdout).toMatch(/^mimikit mcp tools <file>\n.*to an agent CLI/s);
});

test("ends when its standard input ends", async () => {
  const { child } = await serve(turn);
  const ended = once(child, "exit");
  child.stdin.end();
  expect(await ended).toEqual([0, null]);
});

test.each([
  ["is not there", null],
  ["is no JSON", "{"],
  ["is of another shape", '{"task":{}}'],
])("does not start with a file that %s", async (_, text) => {
  const path = join(temporaryDirectory(), "tools.json");
  if (text !== null) writeFileSync(path, text);
  const { command, args } = serverCommand(path);
  const child = spawn(command, args, { stdio: ["pipe", "ignore", "ignore"] });
  expect(await once(child, "exit")).toEqual([1, null]);
});
