/**
 * The codex provider and what the real program cannot be made to do: a stand-in says, line by line, what a broken, a
 * mixed-up or a hostile one might. (What the real one does is in test/agents.)
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { FailedEvent } from "@mimikit/agent/provider";
import { Steering } from "@mimikit/agent/steering";
import type { Task } from "@mimikit/protocol/records/task";
import { Config } from "@mimikit/runtime/config/config";
import { findMarked } from "@mimikit/runtime/process/marked-processes";
import { describe, expect, test } from "vitest";
import { createCodex } from "../../packages/agent/src/providers/codex/index.ts";
import { codexSettingsOf, missingForCodex } from "../../packages/agent/src/providers/codex/settings.ts";
import { messageOf, type Ran, replyOf, run, taskOf, temporaryDirectory, turnOf } from "./fixtures.ts";
import { saidOf } from "./prompt-fixtures.ts";

const KEY = "sk-canary-0123456789";
const THREAD = "01a20197-58fb-7d22-bee6-6d97fdf55d6c";
const OTHER_THREAD = "01a20197-58fb-7d22-bee6-6d97fdf55d6d";
const turn = turnOf({ messages: [messageOf("what is new?")] });
const work = taskOf({ id: "t-000001.0.0", role: "worker", prompt: "sweep the yard" });

/** The helpers of a stand-in: `say` writes a line, `words` is its input, `args` its arguments, `nth` counts its runs. */
const PRELUDE = `
const { readFileSync, writeFileSync, appendFileSync, existsSync } = require("node:fs");
const args = process.argv.slice(2);
if (args[0] === "--version") { console.log("codex-cli VERSION"); process.exit(0); }
const words = readFileSync(0, "utf8");
const log = process.env.CODEX_HOME + "/asked.jsonl";
const nth = existsSync(log) ? readFileSync(log, "utf8").split("\\n").length : 1;
appendFileSync(log, JSON.stringify({ args, words, environment: process.env, cwd: process.cwd() }) + "\\n");
const say = (line) => writeFileSync(1, (typeof line === "string" ? line : JSON.stringify(line)) + "\\n");
const started = (thread_id = "${THREAD}") => say({ type: "thread.started", thread_id });
const item = (item) => say({ type: "item.completed", item: { id: "item_1", ...item } });
const message = (text) => item({ type: "agent_message", text });
const call = (tool, input, id, server = "mimikit") => item({ type: "mcp_tool_call", server, tool, arguments: input,
  result: { content: [{ type: "text", text: JSON.stringify({ id }) }] }, error: null, status: "completed" });
const completed = (n = 100) => say({ type: "turn.completed", usage: { input_tokens: n, cached_input_tokens: 0, output_tokens: n / 10 } });
`;

function standIn(body: string, version = "0.169.0"): { file: string; home: string } {
  const home = temporaryDirectory();
  for (const dir of ["sessions", "codex"]) mkdirSync(join(home, dir));
  const file = join(home, "stand-in");
  writeFileSync(file, `#!${process.execPath}\n${PRELUDE.replace("VERSION", version)}\n${body}\n`);
  chmodSync(file, 0o700);
  return { file, home };
}

interface Asked {
  args: string[];
  words: string;
  environment: Record<string, string>;
  cwd: string;
}

/** Every time that the stand-in was asked. */
function asked(home: string): Asked[] {
  const path = join(home, "codex/asked.jsonl");
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line) as Asked);
}

type Options = Omit<NonNullable<Parameters<typeof run>[1]>, "provider"> & { idleMs?: number };

function ask(task: Task, { file, home }: { file: string; home: string }, options: Options = {}): Promise<Ran> {
  const { idleMs = 20_000, ...rest } = options;
  const endpoint = { baseUrl: "http://127.0.0.1:9/v1", apiKey: KEY };
  const provider = createCodex({ file, codexHome: join(home, "codex"), endpoint, network: true, idleMs });
  return run(task, { provider, home, workDir: temporaryDirectory(), ...rest });
}

describe("what codex says is an answer when", () => {
  test("it ends well, says so, and names its thread: the last message counts", async () => {
    const ran = await ask(turn, standIn('started(); message("Let me see."); message("Nothing."); completed();'));
    expect(ran).toMatchObject({ status: "done", usage: { inputTokens: 100, outputTokens: 10 } });
    expect(replyOf(ran)).toBe("Nothing.");
  });

  test.each<[string, string, string]>([
    ["it ends badly", 'started(); message("Fine."); completed(); process.exit(1);', "ended with code 1"],
    ["it does not say that it is done", 'started(); message("Fine.");', "codex"],
    ["it does not name its thread", 'message("Fine."); completed();', "which thread"],
    [
      "its turn fails",
      'started(); say({ type: "turn.failed", error: { message: "out of luck" } }); process.exit(1);',
      "out of luck",
    ],
    ["it only writes to standard error", 'console.error("no such flag"); process.exit(2);', "no such flag"],
    ["it does not end", 'started(); message("Fine."); completed(); setInterval(() => {}, 1000);', "did not end"],
    ["it dies", 'started(); process.kill(process.pid, "SIGKILL");', "SIGKILL"],
    ["a line of it is torn", `started(); say('{"type":"item.comp'); message("Fine."); completed();`, "cannot be read"],
    [
      "a line of it is too long to read",
      `started(); say("x".repeat(5e6)); message("Fine."); completed();`,
      "cannot be read",
    ],
  ])("not when %s", async (_, body, why) => {
    const ran = await ask(turn, standIn(body));
    expect(ran).toMatchObject({ status: "failed", failureReason: "provider", error: expect.stringContaining(why) });
  });

  test("it also says what is no JSON, what is new to us, and that it tried again", async () => {
    const ran = await ask(
      turn,
      standIn(`
        say("warning: something"); started(); say({ type: "turn.started" }); say({ type: "item.completed", item: { type: "novelty" } });
        say({ type: "error", message: "Reconnecting... 1/5" }); item({ type: "error", message: "deprecated" });
        message("Nothing."); completed();`),
    );
    expect(replyOf(ran)).toBe("Nothing.");
  });

  test("a line of it has 2 MB", async () => {
    const body = `started(); item({ type: "command_execution", command: "cat", aggregated_output: "x".repeat(2e6), exit_code: 0, status: "completed" });
      message("Read."); completed();`;
    expect(await ask(work, standIn(body))).toMatchObject({ status: "done", result: { text: "Read." } });
  });
});

test.each([
  ["unexpected status 401 Unauthorized: Invalid API key, url: x", "key"],
  ["Your access token could not be refreshed because your refresh token was revoked.", "key"],
  [
    "unexpected status 400 Bad Request: The 'gpt-9' model is not supported when using Codex with a ChatGPT account.",
    "model",
  ],
  ["unexpected status 401 Unauthorized: You are not authorized to access this model", "model"],
  ["You've hit your usage limit. Upgrade to Pro", "credit"],
  ["Quota exceeded. Check your plan and billing details.", "credit"],
  ["exceeded retry limit, last status: 429 Too Many Requests", "busy"],
  ["Your input exceeds the context window of this model.", "window"],
])("codex says in these words what is wrong: %s", async (message, cause) => {
  const body = `started(); say({ type: "turn.failed", error: { message: ${JSON.stringify(message)} } }); process.exit(1);`;
  expect(await ask(turn, standIn(body))).toMatchObject({ problem: { cause, provider: "codex" } });
});

test.each([
  "You've hit your usage limit. Upgrade to Pro (https://openai.com/chatgpt/pricing) or try again in 2 days 17 hours 14 minutes.",
  'unexpected status 429 Too Many Requests: {"error":{"type":"usage_limit_reached","message":"The usage limit has been reached","resets_in_seconds":13872}}',
])("codex at a limit of a subscription waits until it ends, and nothing has failed: %s", async (message) => {
  const body = `started(); say({ type: "turn.failed", error: { message: ${JSON.stringify(message)} } }); process.exit(1);`;
  const ran = await ask(turn, standIn(body));
  expect(ran).toMatchObject({ isOutage: true, effects: [], problem: { cause: "limit", provider: "codex" } });
  expect(Date.parse(ran.problem?.until ?? "")).toBeGreaterThan(Date.now() + 3_600_000);
});

describe("a codex that stumbles over another one before it has asked anybody", () => {
  const stumbles = (times: number) =>
    standIn(`if (nth <= ${times}) {
      console.error("Error: thread/start: thread/start failed: fs sandbox helper failed: bwrap: Can't mount tmpfs on /tmp/.git");
      process.exit(1);
    }
    started(); message("Swept."); completed();`);

  test("is started again at once, with the same words", async () => {
    const fake = stumbles(2);
    expect(await ask(work, fake)).toMatchObject({ status: "done", result: { text: "Swept." } });
    const [first, ...others] = asked(fake.home);
    expect(others.map(({ words }) => words)).toEqual([first?.words, first?.words]);
  });

  test("is not started for ever", async () => {
    const fake = stumbles(100);
    expect(await ask(work, fake)).toMatchObject({ status: "failed", failureReason: "provider", retryable: true });
    expect(asked(fake.home)).toHaveLength(4);
  });
});

describe("of the calls that codex tells of", () => {
  const contents = (ran: Ran) => ran.effects.flatMap((effect) => (effect.type === "remember" ? [effect.content] : []));

  test("those that succeeded are effects, in the order of their ids and not of the telling", async () => {
    const body = `started(); call("remember", { content: "b" }, "t-000007.1"); call("remember", { content: "a" }, "t-000007.0");
      message("Done."); completed();`;
    const ran = await ask(turn, standIn(body));
    expect(contents(ran)).toEqual(["a", "b"]);
    expect(ran.calls).toMatchObject([
      { tool: "remember", ok: true },
      { tool: "remember", ok: true },
    ]);
  });

  test("one that failed is none, and is counted as failed", async () => {
    const body = `started();
      item({ type: "mcp_tool_call", server: "mimikit", tool: "remember", arguments: { content: "a" }, error: null, status: "failed",
        result: { content: [{ type: "text", text: '{"error":{"code":"bad_input","message":"no"}}' }] } });
      message("It did not work."); completed();`;
    const ran = await ask(turn, standIn(body));
    expect(contents(ran)).toEqual([]);
    expect(ran.calls).toMatchObject([{ tool: "remember", ok: false, errorCode: "bad_input" }]);
  });

  test.each<[string, string, string]>([
    ["was answered for another task", 'call("remember", { content: "a" }, "t-000008.0")', "another task"],
    [
      "was answered with an id that it does not get here",
      'call("remember", { content: "a" }, "t-000007.5")',
      "otherwise",
    ],
    ["is refused here", 'call("remember", { text: "a" }, "t-000007.0")', "otherwise"],
    ["is of no tool of ours", 'call("bash", { command: "rm -rf /" }, "t-000007.0")', "otherwise"],
    ["was answered without the id that it gets here", 'call("remember", { content: "a" }, 7)', "otherwise"],
  ])("nothing is done when one %s", async (_, made, why) => {
    const body = `started(); call("remember", { content: "first" }, "t-000007.0".replace("0.0", "0.0")); ${made}; message("Done."); completed();`;
    const ran = await ask(
      turn,
      standIn(made.includes("t-000007.0") ? body.replace(/call\("remember", \{ content: "first" \}[^;]*;/, "") : body),
    );
    expect(ran).toMatchObject({ status: "failed", failureReason: "provider", error: expect.stringContaining(why) });
    expect(contents(ran)).toEqual([]);
  });

  test("one of another server is nothing", async () => {
    const body =
      'started(); call("remember", { content: "a" }, "t-000007.0", "elsewhere"); message("Done."); completed();';
    expect(contents(await ask(turn, standIn(body)))).toEqual([]);
  });

  test("a hundred are enough", async () => {
    const body = `started();
      for (let k = 0; k < 200; k++) say({ type: "item.started", item: { id: "i" + k, type: "mcp_tool_call", server: "mimikit", tool: "list_tasks", status: "in_progress" } });
      setInterval(() => {}, 1000);`;
    const ran = await ask(turn, standIn(body));
    expect(ran).toMatchObject({ status: "failed", error: expect.stringContaining("more than 100 tools") });
  });
});

describe("the process", () => {
  test("gets its words by standard input, the key by its environment, and neither by its arguments", async () => {
    const fake = standIn('started(); message("Nothing."); completed();');
    process.env.MIMIKIT_CANARY_TOKEN = "canary";
    const ran = await ask(turn, fake);
    delete process.env.MIMIKIT_CANARY_TOKEN;
    const [first] = asked(fake.home);
    expect(first?.words).toContain("what is new?");
    expect(first?.args.join(" ")).not.toContain("what is new?");
    expect(first?.args.join(" ")).not.toContain(KEY);
    expect(first?.environment).toMatchObject({
      OPENAI_API_KEY: KEY,
      CODEX_HOME: join(fake.home, "codex"),
      MIMIKIT_RUN: ran.mark,
    });
    expect(first?.environment).not.toHaveProperty("MIMIKIT_CANARY_TOKEN");
    expect(first?.cwd).toBe(ran.runDir);
  });

  test("is told off once where its end is none, in the same thread", async () => {
    const fake = standIn('started(); message(nth === 1 ? "" : "Nothing."); completed(nth * 100);');
    const ran = await ask(turn, fake);
    expect(replyOf(ran)).toBe("Nothing.");
    const [, second] = asked(fake.home);
    expect(second?.args.slice(-3)).toEqual(["resume", THREAD, "-"]);
    expect(second?.words).toContain("You have said nothing");
    // 100 for the first time, 200 for the thread as a whole.
    expect(ran.usage).toMatchObject({ inputTokens: 200, outputTokens: 20 });
  });

  test("is not told off twice", async () => {
    const fake = standIn('started(); message(""); completed();');
    expect(await ask(turn, fake)).toMatchObject({ status: "failed", failureReason: "invalid_result" });
    expect(asked(fake.home)).toHaveLength(2);
  });

  test("is told less in later turns once its model could not take it all", async () => {
    const error = "Codex ran out of room in the model's context window. Start a new thread or clear earlier history.";
    const fake = standIn(
      `started(); say({ type: "turn.failed", error: { message: ${JSON.stringify(error)} } }); process.exit(1);`,
    );
    const history = Array.from({ length: 10 }, (_, i) => saidOf(i, `message ${i}`));
    const ran = await ask(turn, fake, { context: { history } });
    expect(ran).toMatchObject({ status: "failed", error: expect.stringContaining("context window") });
    expect(ran.effects).toMatchObject([
      { type: "reply" },
      { type: "compress_context", summary: expect.stringContaining("message 9") },
    ]);
  });

  test("never goes on in another thread than its own", async () => {
    const fake = standIn(
      `started(nth === 1 ? undefined : "${OTHER_THREAD}"); message(nth === 1 ? "" : "For somebody else."); completed();`,
    );
    const ran = await ask(turn, fake);
    expect(ran).toMatchObject({ status: "failed", error: expect.stringContaining("another thread") });
    expect(replyOf(ran)).not.toContain("somebody else");
  });

  test("is given up when it is silent, but not while something is in progress", async () => {
    const silent = standIn("started(); setInterval(() => {}, 1000);");
    expect(await ask(turn, silent, { idleMs: 1_000 })).toMatchObject({
      status: "failed",
      error: expect.stringContaining("silent for 1 s"),
    });
    const busy = standIn(`started();
      const command = { id: "i", type: "command_execution", command: "sleep", status: "in_progress" };
      say({ type: "item.started", item: command });
      setTimeout(() => { say({ type: "item.completed", item: { ...command, exit_code: 0, status: "completed" } }); message("Slept."); completed(); }, 2500);`);
    expect(await ask(work, busy, { idleMs: 1_000 })).toMatchObject({ status: "done", result: { text: "Slept." } });
  });

  test("is gone when the run is stopped, with what it has started, however deaf it is", async () => {
    const deaf = standIn(`process.on("SIGTERM", () => {});
      require("node:child_process").spawn("sleep", ["600"], { detached: true, stdio: "inherit" });
      started(); item({ type: "reasoning", text: "**Thinking**" }); setInterval(() => {}, 1000);`);
    const stop = new AbortController();
    const ran = await ask(work, deaf, { signal: stop.signal, onStream: () => stop.abort("cancelled") });
    expect(ran).toMatchObject({ status: "failed", failureReason: "cancelled" });
    expect(await findMarked(ran.mark)).toEqual([]);
  });

  test("is over when it has ended, whoever holds its output open", async () => {
    const body = `require("node:child_process").spawn("sleep", ["600"], { detached: true, stdio: "inherit" }).unref();
      started(); message("Nothing."); completed();`;
    const ran = await ask(turn, standIn(body));
    expect(replyOf(ran)).toBe("Nothing.");
    expect(await findMarked(ran.mark)).toEqual([]);
  });

  test.each([
    ["on standard error", "console.error(words)"],
    ["for the endpoint, which repeats what it was sent", 'say({ type: "turn.failed", error: { message: words } })'],
  ])("tells nobody the key, not even when it fails and says it %s", async (_, telling) => {
    const body = `{ const words = "bad key " + process.env.OPENAI_API_KEY; ${telling}; process.exit(1); }`;
    const ran = await ask(turn, standIn(body));
    expect(ran.error).toContain("bad key [key]");
    expect(JSON.stringify(ran)).not.toContain(KEY);
  });
});

describe("the user meanwhile", () => {
  const steer = { id: "s-1", at: "2026-11-22T02:00:00.000Z", text: "only the front" };

  test("is heard in the same thread, and told what was cut off; calls that were made stay made", async () => {
    const fake = standIn(`started();
      if (nth === 1) {
        call("remember", { content: "a" }, "t-000007.0");
        say({ type: "item.started", item: { id: "i", type: "command_execution", command: "sweep", status: "in_progress" } });
        setInterval(() => {}, 1000);
      } else { call("remember", { content: "b" }, "t-000007.1"); message("Only the front, then."); completed(); }`);
    const steering = new Steering();
    const ran = await ask(turn, fake, {
      steering,
      onStream: (line) => {
        if (line.type === "progress" && line.step === "sweep") steering.offer(steer);
      },
    });
    expect(replyOf(ran)).toBe("Only the front, then.");
    expect(ran.effects.filter((effect) => effect.type === "remember")).toHaveLength(2);
    expect(ran.steers).toEqual([steer]);
    const [, second] = asked(fake.home);
    expect(second?.args.slice(-3)).toEqual(["resume", THREAD, "-"]);
    expect(second?.words).toContain("only the front");
    expect(second?.words).toContain("- sweep");
  });

  test("is heard also when the answer was there already: it was formed before", async () => {
    const fake = standIn('started(); message(nth === 1 ? "All of it." : "Only the front."); completed();');
    const steering = new Steering();
    const ran = await ask(turn, fake, { steering, onStream: () => steering.offer(steer) });
    expect(replyOf(ran)).toBe("Only the front.");
  });

  test("waits for a call of a role tool: the model believes in what was answered", async () => {
    const fake = standIn(`started();
      if (nth === 1) {
        say({ type: "item.started", item: { id: "item_1", type: "mcp_tool_call", server: "mimikit", tool: "remember", status: "in_progress" } });
        setTimeout(() => { call("remember", { content: "a" }, "t-000007.0"); setInterval(() => {}, 1000); }, 300);
      } else { message("Noted."); completed(); }`);
    const steering = new Steering();
    const ran = await ask(turn, fake, { steering, onStream: () => steering.offer(steer) });
    expect(ran.effects).toMatchObject([
      { type: "remember", content: "a" },
      { type: "reply", text: "Noted." },
    ]);
  });
});

describe("a Worker's thread", () => {
  const record = (home: string) => join(home, "sessions", `${work.id}.codex.json`);
  const usage = { inputTokens: 300, cachedTokens: 0, outputTokens: 30, costUsd: 0 };
  const failing =
    'started(); completed(100); say({ type: "turn.failed", error: { message: "status 503" } }); process.exit(1);';

  test("is noted as soon as it is known, and forgotten when the work is done", async () => {
    const fake = standIn(failing);
    expect(await ask(work, fake)).toMatchObject({ status: "failed", retryable: true });
    expect(JSON.parse(readFileSync(record(fake.home), "utf8"))).toMatchObject({
      threadId: THREAD,
      usage: { inputTokens: 100 },
    });
    const done = { ...standIn('started(); message("Swept."); completed(400);'), home: fake.home };
    const ran = await ask(work, done, { attempt: 2 });
    expect(ran).toMatchObject({ status: "done", usage: { inputTokens: 300, outputTokens: 30 } });
    const words = asked(fake.home).at(-1)?.words ?? "";
    expect(words).toContain("An earlier attempt of this task was cut off");
    expect(words).toContain("sweep the yard");
    expect(existsSync(record(fake.home))).toBe(false);
  });

  test("that is not there any more is begun anew, once", async () => {
    const fake =
      standIn(`if (args.includes("resume")) { console.error("Error: thread/resume failed: no rollout found for thread id"); process.exit(1); }
      started("${OTHER_THREAD}"); message("Swept."); completed();`);
    writeFileSync(record(fake.home), JSON.stringify({ threadId: THREAD, usage }));
    expect(await ask(work, fake, { attempt: 2 })).toMatchObject({ status: "done", usage: { inputTokens: 100 } });
    expect(asked(fake.home)).toHaveLength(2);
  });

  test.each([
    ["is torn", "{"],
    ["is of another shape", '{"threadId":7}'],
  ])("is begun anew where its record %s", async (_, text) => {
    const fake = standIn('started(); message("Swept."); completed();');
    writeFileSync(record(fake.home), text);
    expect(await ask(work, fake, { attempt: 2 })).toMatchObject({ status: "done" });
    expect(asked(fake.home).at(0)?.args).not.toContain("resume");
  });

  test("is never a Teller's: what a dead attempt staged must not be believed done", async () => {
    const fake = standIn('started(); message("Nothing."); completed();');
    await ask(turn, fake, { attempt: 2 });
    expect(asked(fake.home).at(0)?.args).not.toContain("resume");
  });
});

describe("a program that cannot be used is an outage, and says what to do:", () => {
  const failure = { isOutage: true, effects: [] } satisfies Partial<FailedEvent & Ran>;

  test("one that is gone", async () => {
    const { home } = standIn("");
    const ran = await ask(turn, { file: join(home, "gone"), home });
    expect(ran).toMatchObject({ ...failure, error: expect.stringContaining("not there any more") });
  });

  test("one that is too old", async () => {
    const ran = await ask(turn, standIn("", "0.130.0"));
    expect(ran).toMatchObject({
      ...failure,
      error: expect.stringContaining("codex 0.130.0 is too old: 0.169.0 or newer"),
    });
  });

  test("one whose sandbox would have to hide the workspace itself", async () => {
    const fake = standIn('started(); message("Swept."); completed();');
    const ran = await ask(work, fake, { workDir: fake.home });
    expect(ran).toMatchObject({ ...failure, error: expect.stringContaining("it is the workspace") });
    expect(asked(fake.home)).toEqual([]);
  });

  test("one that does not tell its version", async () => {
    const ran = await ask(turn, standIn("", "unknown"));
    expect(ran).toMatchObject({ ...failure, error: expect.stringContaining("tells no version") });
  });

  test("one that is broken, in the first line of its own words", async () => {
    const fake = standIn("");
    const words = "Error: native binary not installed.\\n\\nRun the postinstall script.";
    writeFileSync(fake.file, `#!${process.execPath}\nconsole.error("${words}"); process.exit(1);\n`);
    const ran = await ask(turn, fake);
    const error = "codex does not work: Error: native binary not installed.";
    expect(ran).toMatchObject({ ...failure, error, problem: { cause: "program", provider: "codex" } });
  });
});

const isInstalledHere = existsSync(join(import.meta.dirname, "../../node_modules/.agents"));

describe("what codex lacks", () => {
  const config = Config.parse({});
  const lack = (env: Record<string, string>, home = temporaryDirectory()) =>
    missingForCodex("teller", config, { home, env, keys: {} });

  // A program that scripts/install-agents.mjs has installed is found without PATH.
  test.skipIf(isInstalledHere)("is a program, where there is none", () => {
    expect(lack({ PATH: temporaryDirectory(), OPENAI_API_KEY: KEY })).toMatch(
      /program codex.*npm install.*MIMIKIT_CODEX_BIN/,
    );
  });

  test("is the program that is named, where it is not there", () => {
    expect(lack({ MIMIKIT_CODEX_BIN: "/nowhere/codex" })).toMatch(/MIMIKIT_CODEX_BIN does not name one/);
  });

  test("is a key or a login of its own, where there is neither", () => {
    const { file, home } = standIn("");
    const env = { MIMIKIT_CODEX_BIN: file };
    expect(lack(env, home)).toMatch(/mimikit connect codex.*OPENAI_API_KEY/);
    expect(lack({ ...env, OPENAI_API_KEY: KEY }, home)).toBeNull();
    writeFileSync(join(home, "codex/auth.json"), "{}");
    expect(lack(env, home)).toBeNull();
  });

  test("is never the program behind the script of its package", () => {
    const dir = temporaryDirectory();
    const target = { x64: "x86_64", arm64: "aarch64" }[process.arch as "x64" | "arm64"];
    const triple = process.platform === "darwin" ? "apple-darwin" : "unknown-linux-musl";
    const native = join(
      dir,
      `lib/node_modules/@openai/codex-${process.platform}-${process.arch}/vendor/${target}-${triple}/bin/codex`,
    );
    const script = join(dir, "lib/node_modules/@openai/codex/bin/codex.js");
    for (const path of [native, script]) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, "#!/bin/sh\n", { mode: 0o755 });
    }
    mkdirSync(join(dir, "bin"));
    symlinkSync(script, join(dir, "bin/codex"));
    const { file } = codexSettingsOf("teller", config, { home: dir, env: { PATH: join(dir, "bin") }, keys: {} });
    expect(file.endsWith("bin/codex") && !file.endsWith(".js")).toBe(true);
    if (!isInstalledHere) expect(file).toBe(native);
  });
});
