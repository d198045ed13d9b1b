/** One MCP server from its first call to its end: real processes, and the servers of the registry as they come. */
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { answerText } from "@mimikit/agent/mcp/answer-text";
import { McpConnection, NotRunning } from "@mimikit/agent/mcp/connection";
import { findSandbox } from "@mimikit/agent/shell/sandbox";
import type { McpServer } from "@mimikit/protocol/wire/mcp";
import { homeHash } from "@mimikit/runtime/home/home";
import { findMarked } from "@mimikit/runtime/process/marked-processes";
import { listProcesses } from "@mimikit/runtime/process/process-table";
import { expect, onTestFinished, test } from "vitest";
import { freePort } from "../../support/free-port.ts";
import { odd, published } from "../../support/mcp-servers.ts";
import { temporaryDirectory } from "../fixtures.ts";

const CALL_MS = 30_000;
const NEVER = new AbortController().signal;

interface Opened {
  connection: McpConnection;
  home: string;
  workDir: string;
  /** Resolves when the condition is this one. */
  until(state: string): Promise<void>;
}

function open(
  server: McpServer,
  sandbox: "off" | "auto" = "off",
  env: Record<string, string> = {},
  idleMs?: number,
): Opened {
  const workDir = realpathSync(temporaryDirectory());
  const home = join(workDir, ".mimikit");
  mkdirSync(home);
  writeFileSync(join(home, "token"), "not to be seen");
  let hear: () => void = () => undefined;
  const options = {
    name: "it",
    server,
    home,
    workDir,
    env,
    sandbox: () => sandbox,
    onChange: () => hear(),
    ...(idleMs !== undefined && { idleMs }),
  };
  const connection = new McpConnection(options);
  onTestFinished(() => connection.close());
  const until = (state: string) =>
    new Promise<void>((resolve) => {
      hear = () => connection.condition.state === state && resolve();
      hear();
    });
  return { connection, home, workDir, until };
}

const say = (connection: McpConnection, text: string, timeoutMs = CALL_MS, signal = NEVER) =>
  connection.call("say", { text }, timeoutMs, signal);
const linesOf = (path: string) => readFileSync(path, "utf8").trim().split("\n");

test("nothing is started before it is needed, and one server answers all", async () => {
  const starts = join(temporaryDirectory(), "starts");
  const { connection } = open(odd({ STARTS: starts }));
  expect(connection.condition).toMatchObject({ state: "idle", problems: [] });
  expect(connection.tools).toBeNull();
  await Promise.all([connection.ready(NEVER), connection.ready(NEVER)]);
  expect(connection.tools?.map(({ tool, level }) => `${tool}: ${level}`)).toEqual([
    "say: read-only",
    "write: process-control",
  ]);
  const answers = await Promise.all(["a", "b"].map((text) => say(connection, text)));
  expect(answers.map(({ content }) => content[0]?.text)).toEqual(["said a", "said b"]);
  expect(linesOf(starts)).toHaveLength(1);
});

test("one that nobody calls for its time is ended, and the next call starts it; its tools stay known", async () => {
  const starts = join(temporaryDirectory(), "starts");
  const { connection, home, until } = open(odd({ STARTS: starts }), "off", {}, 50);
  await connection.ready(NEVER);
  await until("idle");
  await expect.poll(() => findMarked(homeHash(home))).toEqual([]);
  expect(connection.tools).toHaveLength(2);
  expect((await say(connection, "b")).content[0]?.text).toBe("said b");
  expect(linesOf(starts)).toHaveLength(2);
});

test("its end is that of all it has started, also of what left its group and holds its output open", async () => {
  const { connection, home } = open(odd({ GRANDCHILD: "600" }));
  await connection.ready(NEVER);
  expect((await findMarked(homeHash(home))).length).toBeGreaterThanOrEqual(2);
  await connection.close();
  expect(await findMarked(homeHash(home))).toEqual([]);
});

test("a server that will not end is made to", async () => {
  const { connection, home } = open(odd({ STUBBORN: "1" }));
  await connection.ready(NEVER);
  await connection.close();
  expect(await findMarked(homeHash(home))).toEqual([]);
});

test("what becomes of a call in which the server dies is said to be unknown, it is made once, and the next starts another", async () => {
  const dir = temporaryDirectory();
  const [starts, calls] = [join(dir, "starts"), join(dir, "calls")];
  const { connection } = open(odd({ STARTS: starts, CALLS: calls }));
  await expect(say(connection, "die")).rejects.toThrow(
    /ended with exit code 7.*whether it was carried out is not known/,
  );
  expect(connection.condition).toMatchObject({ state: "failed", problems: ["it ended with exit code 7"] });
  expect(connection.absence).toMatch(/the MCP server "it" does not run: .* it can be started again in 1 s/);
  expect((await say(connection, "b")).content[0]?.text).toBe("said b");
  expect(linesOf(calls)).toEqual(["say die", "say b"]);
  expect(linesOf(starts)).toHaveLength(2);
});

test("kill -9 of an idle server is noticed at once, and the pauses before the next starts grow", async () => {
  const starts = join(temporaryDirectory(), "starts");
  const { connection, until } = open(odd({ STARTS: starts }));
  await connection.ready(NEVER);
  const seconds: number[] = [];
  for (let deaths = 0; deaths < 3; deaths++) {
    process.kill(Number(linesOf(starts).at(-1)), "SIGKILL");
    await until("failed");
    expect(connection.condition.problems).toEqual(["it was ended by SIGKILL"]);
    seconds.push(Number(/again in (\d+) s/.exec(connection.absence ?? "")?.[1]));
    if (deaths < 2) await say(connection, "again");
  }
  expect(seconds).toEqual([1, 2, 4]);
  // Its tools stay known, and a call says why there is no answer instead of waiting.
  expect(connection.tools).toHaveLength(2);
  await expect(say(connection, "now")).rejects.toThrow(NotRunning);
});

test("a server that does not start says why, with its last words, and a value that it was given is in none of it", async () => {
  const server = odd({ DIES: "at once", KEY: `\${KEY}` }, "no such key: hunter2-secret");
  const { connection } = open(server, "off", { KEY: "hunter2-secret" });
  await expect(connection.ready(NEVER)).rejects.toThrow(NotRunning);
  expect(connection.condition).toMatchObject({ state: "failed", stderr: ["no such key: [key]"] });
  expect(connection.absence).toContain("it said last: no such key: [key]");
  expect(connection.tools).toBeNull();
});

test.each<[string, McpServer, RegExp]>([
  ["a program that is not there", { command: "/no/such/program" }, /there is no program \/no\/such\/program/],
  ["a variable that is not set", { command: `\${NOT_SET_HERE}` }, /NOT_SET_HERE is not set/],
  ["an address that is none", { url: "ftp://a.example" }, /no http or https address/],
  ["an address where nobody is", { url: "http://127.0.0.1:9/mcp" }, /fetch failed|ECONNREFUSED|not/],
])("%s is said in words", async (_, server, words) => {
  const { connection } = open(server);
  await expect(connection.ready(NEVER)).rejects.toThrow(NotRunning);
  expect(connection.condition.problems[0]).toMatch(words);
});

test("a call has its time, and can be stopped; the server goes on", async () => {
  const starts = join(temporaryDirectory(), "starts");
  const { connection } = open(odd({ STARTS: starts }));
  await expect(say(connection, "hang", 200)).rejects.toThrow(/no answer within 0.2 s; whether/);
  const stop = new AbortController();
  const stopped = say(connection, "hang", CALL_MS, stop.signal);
  await connection.ready(NEVER);
  stop.abort("cancelled");
  await expect(stopped).rejects.toThrow(/stopped/);
  expect((await say(connection, "c")).content[0]?.text).toBe("said c");
  expect(linesOf(starts)).toHaveLength(1);
});

test("a call that is refused is told as it is, and costs the server nothing", async () => {
  const starts = join(temporaryDirectory(), "starts");
  const { connection } = open(odd({ STARTS: starts }));
  await expect(say(connection, "refuse")).rejects.toThrow(/it is refused/);
  expect(connection.condition).toMatchObject({ state: "running", problems: [] });
  expect((await say(connection, "c")).content[0]?.text).toBe("said c");
  expect(linesOf(starts)).toHaveLength(1);
});

test("a tool that has run has answered, whatever is wrong with its answer, and it runs once", async () => {
  const calls = join(temporaryDirectory(), "calls");
  const output = JSON.stringify({ type: "object", properties: { done: { type: "boolean" } }, required: ["done"] });
  const { connection } = open(odd({ CALLS: calls, OUTPUT: output }));
  const answers = [];
  for (const text of ["plain", "mixed", "nonsense"]) answers.push(await say(connection, text));
  expect(answers).toMatchObject([
    { content: [{ text: "it is written" }], isError: false, remark: expect.stringContaining("output schema") },
    {
      content: [{ text: `{"type":"text"}` }, { text: "it is written" }, { text: "7" }, { text: "null" }],
      remark: expect.stringContaining("not as the protocol says"),
    },
    { content: [{ text: "no list" }], remark: expect.stringContaining("not as the protocol says") },
  ]);
  expect(answerText(answers[0]?.content ?? [], undefined, answers[0]?.remark)).toMatch(
    /^ {4}it is written\n\[the tool has run/,
  );
  // An answer that fits, and a failure, need no remark.
  expect(await say(connection, "c")).not.toHaveProperty("remark");
  expect(await say(connection, "fail")).not.toHaveProperty("remark");
  expect(linesOf(calls)).toEqual(["plain", "mixed", "nonsense", "c", "fail"].map((text) => `say ${text}`));
});

test("a malformed tool costs itself alone, also in a list that comes later", async () => {
  const list = [
    { name: "bash", inputSchema: { type: "object" } },
    { name: "bash", inputSchema: { type: "object", properties: { x: {} } } },
    { name: "empty", inputSchema: {}, description: 7, annotations: "none" },
    { name: "schemaless" },
    { name: "either", inputSchema: { anyOf: [{ properties: { a: { type: "string" } } }, { properties: { b: {} } }] } },
    { name: "list", inputSchema: { type: "array" } },
    { inputSchema: { type: "object" } },
    "no tool",
    null,
  ];
  const { connection, until } = open(odd({ LIST: JSON.stringify(list) }));
  await connection.ready(NEVER);
  const names = () => connection.tools?.map(({ tool }) => tool);
  const usable = ["say", "bash", "empty", "schemaless", "either", "write"];
  expect(names()).toEqual(usable);
  expect(connection.tools?.find(({ tool }) => tool === "either")?.parameters).toEqual({
    type: "object",
    properties: { a: { type: "string" }, b: {} },
  });
  expect(connection.condition.problems).toEqual([
    "it lists the tool bash more than once: the first counts",
    expect.stringMatching(/^its tool list is left out: inputSchema: is no schema of an object/),
    expect.stringMatching(/^its tool number 8 is left out: name/),
    expect.stringMatching(/^its tool number 9 is left out/),
    expect.stringMatching(/^its tool number 10 is left out/),
  ]);
  await say(connection, "grow");
  await until("running");
  await expect.poll(names).toEqual([...usable, "grown"]);
});

const text = (schema: object) => ({ type: "object", properties: { text: schema }, required: ["text"] });

/** It takes a year to find out by backtracking that this does not match `^(a+)+$`. */
const EVIL = `${"a".repeat(60)}!`;

test.each<[string, object]>([
  ["a pattern that backtracks", text({ pattern: "^(a+)+$" })],
  ["a pattern for names", { type: "object", patternProperties: { "^(t|te|tex|text)+$": { maxLength: 1 } } }],
  ["a reference to itself", { type: "object", allOf: [{ $ref: "#" }] }],
  ["a thousand alternatives", text({ anyOf: Array.from({ length: 1_000 }, (_, i) => ({ pattern: `^(a*)*${i}$` })) })],
  ["a pattern that is none", text({ pattern: "(" })],
  ["a dialect that nobody knows", { ...text({}), $schema: "https://example.com/other" }],
])("the output schema of a server is not applied, so it holds nothing up: %s", async (_, schema) => {
  const { connection } = open(odd({ OUTPUT: JSON.stringify(schema) }));
  for (const said of ["a!", EVIL]) expect((await say(connection, said)).structured).toEqual({ text: said });
});

test("tools that come later are known", async () => {
  const { connection, until } = open(odd());
  await say(connection, "grow");
  await until("running");
  await expect.poll(() => connection.tools?.map(({ tool }) => tool)).toContain("grown");
});

test("server-everything, server-filesystem and server-memory of the registry work as they come", async () => {
  const everything = open(published("everything"));
  await everything.connection.ready(NEVER);
  expect(everything.connection.tools?.map(({ tool }) => tool)).toContain("echo");
  const echoed = await everything.connection.call("echo", { message: "plum" }, CALL_MS, NEVER);
  expect(echoed.content[0]?.text).toContain("plum");

  const dir = realpathSync(temporaryDirectory());
  writeFileSync(join(dir, "a.txt"), "in the file");
  const filesystem = open(published("filesystem", [dir]));
  await filesystem.connection.ready(NEVER);
  const levels = new Map(filesystem.connection.tools?.map(({ tool, level }) => [tool, level]));
  expect(levels.get("read_text_file")).toBe("read-only");
  expect(levels.get("write_file")).toBe("process-control");
  const read = await filesystem.connection.call("read_text_file", { path: join(dir, "a.txt") }, CALL_MS, NEVER);
  expect(read.content[0]?.text).toBe("in the file");
  const outside = await filesystem.connection.call("read_text_file", { path: "/etc/passwd" }, CALL_MS, NEVER);
  expect(outside.isError).toBe(true);

  const kept = join(dir, "memory.jsonl");
  const memory = open({ ...published("memory"), env: { MEMORY_FILE_PATH: kept } });
  const entities = [{ name: "plum", entityType: "tree", observations: ["is ill"] }];
  await memory.connection.call("create_entities", { entities }, CALL_MS, NEVER);
  expect(readFileSync(kept, "utf8")).toContain("is ill");
});

test("a server elsewhere is called over streamable HTTP, and found again when it was gone", async () => {
  const port = await freePort();
  const { command = "", args = [] } = published("everything", ["streamableHttp"]);
  const start = () => {
    const child = spawn(command, args, { env: { ...process.env, PORT: String(port) }, stdio: "ignore" });
    onTestFinished(() => void child.kill("SIGKILL"));
    return child;
  };
  const first = start();
  const { connection } = open({ url: `http://127.0.0.1:${port}/mcp` });
  await expect
    .poll(
      () =>
        connection.ready(NEVER).then(
          () => true,
          () => false,
        ),
      { timeout: 30_000 },
    )
    .toBe(true);
  const echo = () => connection.call("echo", { message: "plum" }, CALL_MS, NEVER);
  expect((await echo()).content[0]?.text).toContain("plum");
  const gone = new Promise((resolve) => first.once("exit", resolve));
  first.kill("SIGKILL");
  await gone;
  await expect(echo()).rejects.toThrow(/lost during the call/);
  expect(connection.condition.state).toBe("failed");
  start();
  await expect
    .poll(
      () =>
        echo().then(
          ({ content }) => content[0]?.text,
          () => "",
        ),
      { timeout: 30_000 },
    )
    .toContain("plum");
});

const hasSandbox = "tool" in (await findSandbox());

test.skipIf(!hasSandbox)("a server cannot hand out the state directory, and ends with its sandbox", async () => {
  const { connection, home, workDir } = open(published("filesystem", ["."]), "auto");
  writeFileSync(join(workDir, "a.txt"), "in the workspace");
  const read = (path: string) => connection.call("read_text_file", { path }, CALL_MS, NEVER);
  expect((await read(join(workDir, "a.txt"))).content[0]?.text).toBe("in the workspace");
  const token = await read(join(home, "token"));
  expect(token.isError).toBe(true);
  expect(JSON.stringify(token)).not.toContain("not to be seen");
  await connection.close();
  expect((await listProcesses()).filter(({ args }) => args.includes(workDir))).toEqual([]);
});
