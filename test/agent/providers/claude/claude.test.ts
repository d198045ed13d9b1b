/** The meaning of claude's lines and ends for a run; test/agents runs the real program. */
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Config } from "@mimikit/runtime/config/config";
import { describe, expect, test } from "vitest";
import type { CliEvent } from "../../../../packages/agent/src/providers/agent-cli/agent-cli.ts";
import { loginText } from "../../../../packages/agent/src/providers/agent-cli/login.ts";
import { explainClaude } from "../../../../packages/agent/src/providers/claude/explain.ts";
import { forgetThread } from "../../../../packages/agent/src/providers/claude/forget-thread.ts";
import { ClaudeReader } from "../../../../packages/agent/src/providers/claude/reader.ts";
import {
  claudeLogins,
  claudeSettingsOf,
  missingForClaude,
} from "../../../../packages/agent/src/providers/claude/settings.ts";
import { forgetTaskDir, prepareTaskDir } from "../../../../packages/agent/src/providers/claude/task-dir.ts";
import { temporaryDirectory } from "../../fixtures.ts";

const KEY = "sk-ant-canary";
const SETTINGS = { file: "claude", configDir: "/state/claude", tasksDir: "/state/by-task", idleMs: 1, apiKey: KEY };

const init = (status: string) => ({
  type: "system",
  subtype: "init",
  session_id: "thread-1",
  mcp_servers: [{ name: "mimikit", status }],
});
const say = (text: string, id = "m-1", model = "scripted") => ({
  type: "assistant",
  message: { id, model, content: [{ type: "text", text }] },
});
const result = (part: Record<string, unknown>) => ({
  type: "result",
  subtype: "success",
  session_id: "thread-1",
  is_error: false,
  terminal_reason: "completed",
  stop_reason: "end_turn",
  total_cost_usd: 99,
  usage: { input_tokens: 10, cache_creation_input_tokens: 5, cache_read_input_tokens: 20, output_tokens: 7 },
  model_usage_since_last_result: { one: { costUSD: 0.5 }, two: { costUSD: 0.25 } },
  ...part,
});

function read(lines: unknown[], options = { hasTools: false, countsCost: false }) {
  const reader = new ClaudeReader(options);
  const events: CliEvent[] = lines.flatMap((line) => [...reader.read(line)]);
  return { reader, events };
}

const END = { exitCode: 1, stderr: "", unreadable: 0 };

function explain(lines: unknown[], end: Partial<Parameters<typeof explainClaude>[0]> = {}) {
  const { reader, events } = read(lines);
  const troubles = events.flatMap((event) => (event.type === "trouble" ? [event.message] : []));
  return explainClaude({ ...END, troubles, ...end }, reader, SETTINGS);
}

describe("lines", () => {
  test("of a run whose tools did not come up are of no use", () => {
    const options = { hasTools: true, countsCost: false };
    expect(read([init("connected")], options).events).toEqual([{ type: "thread", id: "thread-1" }]);
    for (const line of [init("failed"), init("pending"), { ...init(""), mcp_servers: [] }])
      expect(read([line], options).events).toContainEqual({
        type: "broken",
        message: expect.stringContaining("tools"),
      });
  });

  test("that are new to us, or nothing at all, mean nothing", () => {
    expect(read([null, 1, "x", [], {}, { type: "new" }, { type: "assistant" }, { type: "result" }]).events).toEqual([]);
  });

  test("of the CLI itself are not the model's words", () => {
    const { events, reader } = read([say("API Error: 500", "m", "<synthetic>")]);
    expect(events).toEqual([]);
    expect(reader.hasSpoken).toBe(false);
  });

  test("count what this process cost, not its thread", () => {
    const { events } = read([say("Hello."), result({})], { hasTools: false, countsCost: true });
    const usage = { inputTokens: 35, cachedTokens: 20, outputTokens: 7, costUsd: 0.75 };
    expect(events.at(-1)).toEqual({ type: "completed", usage });
    expect(read([result({})]).events.at(-1)).toMatchObject({ usage: { costUsd: 0 } });
  });

  test("tell an answer that was cut off at its longest from a whole one", () => {
    for (const stop_reason of ["max_tokens", null, "refusal"]) {
      const { events, reader } = read([say("Half of"), result({ stop_reason })]);
      expect(events.map(({ type }) => type)).not.toContain("completed");
      expect(explainClaude({ ...END, exitCode: 0, troubles: ["cut"] }, reader, SETTINGS)).toMatchObject({
        retryable: true,
      });
    }
  });

  test("hold a text whole that goes on after the connection was lost, and begin anew after a tool", () => {
    const cutOff = { type: "user", isSynthetic: true, message: { content: [{ type: "text", text: "cut off" }] } };
    const answered = { type: "user", message: { content: [{ type: "tool_result", tool_use_id: "t", content: "x" }] } };
    const textOf = (lines: unknown[]) => read(lines).events.findLast((event) => event.type === "said");
    expect(textOf([say("One, "), cutOff, say("two.", "m-2")])).toMatchObject({ text: "One, two." });
    expect(textOf([say("Look."), answered, say("Done.", "m-2")])).toMatchObject({ text: "Done." });
  });
});

describe("an end", () => {
  const apiError = (text: string, part: Record<string, unknown> = {}) =>
    result({ is_error: true, terminal_reason: "api_error", stop_reason: "stop_sequence", result: text, ...part });

  test("without a result is no success, whatever the exit code", () => {
    expect(explain([init("connected"), say("Done.")], { exitCode: 0 })).toMatchObject({ retryable: true });
  });

  test.each([
    ["Connection refused (ECONNREFUSED)", "connection_failed", true],
    ["Can't reach the API server (ENOTFOUND)", "connection_failed", true],
    ["Connection dropped (ECONNRESET)", "connection_failed", false],
    ["the model has said (ECONNREFUSED)", null, false],
  ])("%j is an outage: %s %s", (text, api_error, isOutage) => {
    expect(explain([apiError(text, { api_error })]).isOutage ?? false).toBe(isOutage);
  });

  test("is no outage once something was done", () => {
    const lost = apiError("Connection refused (ECONNREFUSED)", { api_error: "connection_failed" });
    expect(explain([say("First I look."), lost])).toMatchObject({ retryable: true });
    expect(explain([say("First I look."), lost]).isOutage).toBeUndefined();
  });

  test.each([
    [400, false, "other"],
    [401, false, "key"],
    [403, false, "key"],
    [404, false, "model"],
    [429, true, "busy"],
    [500, true, "busy"],
    [529, true, "busy"],
    [null, true, "other"],
  ])("with status %s may pass: %s, and is told as %s", (api_error_status, retryable, cause) => {
    expect(explain([apiError("API Error", { api_error_status })])).toMatchObject({ retryable, cause });
  });

  test.each([
    ["Credit balance is too low", 400, "credit"],
    ["Claude AI usage limit reached|1790000000", 429, "credit"],
    ["OAuth token has expired. Please obtain a new token", 401, "key"],
    ["API Error: 400 model: claude-9", 400, "model"],
    ["Prompt is too long", 400, "window"],
  ])("in these words is told for what it is: %s", (text, api_error_status, cause) => {
    expect(explain([apiError(text, { api_error_status })])).toMatchObject({ cause });
  });

  const inSeconds = (sec: number) => Math.floor(Date.now() / 1_000) + sec;

  test.each<[string, unknown[]]>([
    ["You've hit your limit · resets 2pm (Asia/Shanghai)", []],
    [`Claude AI usage limit reached|${inSeconds(3_600)}`, []],
    [
      "You've hit your limit",
      [
        {
          type: "rate_limit_event",
          rate_limit_info: { status: "rejected", resetsAt: inSeconds(3_600), rateLimitType: "five_hour" },
        },
      ],
    ],
  ])("at a limit of a subscription waits until it ends: %s", (text, events) => {
    const end = explain([...events, apiError(text, { api_error_status: 429 })]);
    expect(end).toMatchObject({ cause: "limit", retryable: true, waits: true });
    expect(end.retryAfterMs).toBeGreaterThan(0);
    expect(end.retryAfterMs).toBeLessThanOrEqual(86_400_000);
  });

  test("does not wait for a limit that it only comes near to", () => {
    const near = { type: "rate_limit_event", rate_limit_info: { status: "allowed", resetsAt: inSeconds(3_600) } };
    expect(explain([near, apiError("Credit balance is too low", { api_error_status: 400 })])).toMatchObject({
      cause: "credit",
      retryable: false,
    });
  });

  test("of a program that breaks is told in the first line of its own words", () => {
    const stderr = "Error: Cannot find module 'x'\nRequire stack:\n- /claude";
    expect(explain([], { stderr })).toMatchObject({
      cause: "program",
      error: "claude ended with code 1, without a result: Error: Cannot find module 'x'",
    });
  });

  test("of a conversation that is too long says so: later turns are to be told less", () => {
    const text = "Prompt is too long · the request is ~250000 tokens (limit 200000)";
    expect(explain([apiError(text, { api_error_status: 400 })])).toMatchObject({ retryable: false, wasTooLong: true });
    expect(explain([apiError("API Error", { api_error_status: 400 })]).wasTooLong).toBeUndefined();
  });

  test("in an unknown thread asks for a new one", () => {
    const errors = ["No conversation found with session ID: 1"];
    expect(explain([result({ is_error: true, terminal_reason: null, result: undefined, errors })])).toMatchObject({
      isThreadGone: true,
    });
  });

  test("of a program that is not there is an outage", () => {
    expect(explain([], { exitCode: undefined, cause: new Error("spawn ENOENT") })).toMatchObject({ isOutage: true });
  });
});

describe("the settings", () => {
  const config = Config.parse({});

  test("say what is missing, and where a login goes: a Worker's is its own", () => {
    const home = temporaryDirectory();
    const at = (env: Record<string, string>) => ({ home, env, keys: {} });
    const file = join(home, "claude-program");
    expect(missingForClaude("teller", config, at({ MIMIKIT_CLAUDE_BIN: file }))).toContain("MIMIKIT_CLAUDE_BIN");
    writeFileSync(file, "", { mode: 0o755 });
    const env = { MIMIKIT_CLAUDE_BIN: file };
    expect(missingForClaude("teller", config, at(env))).toContain("mimikit connect claude");
    expect(loginText("claude", claudeLogins(at(env)))).toBe(
      ["claude", "claude/worker"].map((dir) => `CLAUDE_CONFIG_DIR='${join(home, dir)}' claude auth login`).join(" && "),
    );
    expect(missingForClaude("teller", config, at({ ...env, ANTHROPIC_API_KEY: KEY }))).toBeNull();
    mkdirSync(join(home, "claude"));
    writeFileSync(join(home, "claude/.credentials.json"), "{}");
    expect(missingForClaude("teller", config, at(env))).toBeNull();
    expect(missingForClaude("worker", config, at(env))).toContain("mimikit connect claude");
    mkdirSync(join(home, "claude/worker"));
    writeFileSync(join(home, "claude/worker/.credentials.json"), "{}");
    expect(missingForClaude("worker", config, at(env))).toBeNull();
  });

  test("hold the model of the role, and a key only where there is one", () => {
    const some = Config.parse({ model: "a", models: { worker: "b" } });
    expect(
      claudeSettingsOf("worker", some, { home: "/state", env: { ANTHROPIC_API_KEY: "" }, keys: {} }),
    ).toMatchObject({ model: "b" });
    expect(
      claudeSettingsOf("worker", some, { home: "/state", env: { ANTHROPIC_API_KEY: "" }, keys: {} }).apiKey,
    ).toBeUndefined();
  });
});

const LONG_AGO_SEC = 1_750_000_000;

test("a thread is forgotten with all that belongs to it and with what is long abandoned, and nothing else is", async () => {
  const configDir = temporaryDirectory();
  const at = (path: string) => join(configDir, "projects", path);
  for (const dir of ["a/1/tool-results", "b"]) mkdirSync(at(dir), { recursive: true });
  for (const file of ["a/1.jsonl", "a/1/tool-results/x", "a/2.jsonl", "b/1.jsonl", "b/12.jsonl"])
    writeFileSync(at(file), "");
  utimesSync(at("a/2.jsonl"), LONG_AGO_SEC, LONG_AGO_SEC);
  await forgetThread(configDir, "1");
  expect(["a", "b/1.jsonl", "b/12.jsonl"].map((path) => existsSync(at(path)))).toEqual([false, false, true]);
  await forgetThread(join(configDir, "nowhere"), "1");
});

test("the folder of a task loses all but its threads before each process, and is gone when the task is done", async () => {
  const tasksDir = temporaryDirectory();
  const at = (path: string) => join(tasksDir, path);
  for (const dir of ["t-1/projects/x", "t-1/plugins", "t-2", "t-3"]) mkdirSync(at(dir), { recursive: true });
  for (const file of ["t-1/projects/x/1.jsonl", "t-1/.claude.json", "t-1/plugins/p"]) writeFileSync(at(file), "");
  await prepareTaskDir(at("t-1"));
  expect(readdirSync(at("t-1"), { recursive: true }).toSorted()).toEqual([
    "projects",
    "projects/x",
    "projects/x/1.jsonl",
  ]);
  utimesSync(at("t-3"), LONG_AGO_SEC, LONG_AGO_SEC);
  await forgetTaskDir(tasksDir, "t-1");
  expect(readdirSync(tasksDir)).toEqual(["t-2"]);
});
