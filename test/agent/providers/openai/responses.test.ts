/** OpenAI's models over the API that takes them, and how a request fits what a server takes beside the conversation. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describeProvider } from "@mimikit/agent/connect/catalogue";
import { testConnection } from "@mimikit/agent/connect/test-connection";
import type { Provider } from "@mimikit/agent/provider";
import { codeOf } from "@mimikit/protocol/texts/coded";
import { Config } from "@mimikit/runtime/config/config";
import { LEARNT_PATH, LOCKS, SESSIONS } from "@mimikit/store/disk/state";
import { describe, expect, onTestFinished, test } from "vitest";
import { endpointOf } from "../../../../packages/agent/src/providers/openai/endpoint.ts";
import { createOpenai } from "../../../../packages/agent/src/providers/openai/index.ts";
import type { ModelServer, Step } from "../../../support/model-server.ts";
import { type OpenaiRules, startOpenai } from "../../../support/responses-server.ts";
import { messageOf, replyOf, run, taskOf, temporaryDirectory, turnOf } from "../../fixtures.ts";

const ok: Step = { say: "Nothing is new." };
const CALL: Step = { calls: [{ name: "list_tasks" }] };
const CHAT = "/v1/chat/completions";
const RESPONSES = "/v1/responses";

interface Desk {
  server: ModelServer;
  home: string;
  /** A provider as a new process makes it. */
  provider(settings?: object, role?: "teller" | "worker"): Provider;
  turn(steps: Step[], settings?: object): ReturnType<typeof run>;
  /** The bodies of the requests. */
  bodies(): Record<string, unknown>[];
}

async function desk(rules: Partial<OpenaiRules> = {}, model = "gpt-5.6"): Promise<Desk> {
  const server = await startOpenai({}, rules);
  onTestFinished(() => server.close());
  const home = temporaryDirectory();
  for (const folder of [SESSIONS, LOCKS]) mkdirSync(join(home, folder));
  const provider: Desk["provider"] = (settings = {}, role = "teller") => {
    const { openai = {}, ...others } = settings as { openai?: object };
    const config = Config.parse({ model, openai: { baseUrl: server.baseUrl, ...openai }, ...others });
    const endpoint = endpointOf(role, config, { home, env: { OPENAI_API_KEY: "sk-responses" }, keys: {} });
    return createOpenai({ ...endpoint, retryDelaysMs: [1, 1] });
  };
  return {
    server,
    home,
    provider,
    async turn(steps, settings) {
      server.script = { teller: ({ turn }) => steps[turn] ?? ok };
      const ran = await run(turnOf({ messages: [messageOf("what is new?")] }), { provider: provider(settings), home });
      expect(server.unknown).toEqual([]);
      return ran;
    },
    bodies: () => server.requests.map(({ body }) => body as Record<string, unknown>),
  };
}

const OVER_RESPONSES = { openai: { api: "responses" } };

describe("a model is asked over the API that its endpoint wants", () => {
  test.each<OpenaiRules["chat"]>(["no tools", "absent", "not this model", "legacy"])(
    "over Responses where Chat Completions says: %s",
    async (chat) => {
      const at = await desk({ chat });
      const ran = await at.turn([CALL, ok]);
      expect([ran.status, replyOf(ran)]).toEqual(["done", "Nothing is new."]);
      expect(at.server.paths).toEqual([CHAT, RESPONSES, RESPONSES]);
    },
  );

  test("and is asked so at once from then on, also by a new process", async () => {
    const at = await desk();
    await at.turn([ok]);
    await at.turn([ok]);
    expect(at.server.paths).toEqual([CHAT, RESPONSES, RESPONSES]);
    expect(readFileSync(join(at.home, LEARNT_PATH), "utf8")).toContain(`${at.server.baseUrl} gpt-5.6`);
  });

  test("and is asked as at first again where its owner has removed what was remembered", async () => {
    const at = await desk();
    await at.turn([ok]);
    rmSync(join(at.home, LEARNT_PATH));
    await at.turn([ok]);
    expect(at.server.paths).toEqual([CHAT, RESPONSES, CHAT, RESPONSES]);
  });

  test.each<[string, (home: string) => void]>([
    ["cannot be written", (home) => rmSync(join(home, LOCKS), { recursive: true })],
    ["was damaged", (home) => writeFileSync(join(home, LEARNT_PATH), "[1")],
  ])("and answers where what it remembers %s", async (_, spoil) => {
    const at = await desk();
    spoil(at.home);
    for (const _turn of [1, 2]) expect(replyOf(await at.turn([ok]))).toBe("Nothing is new.");
    expect(at.server.paths).toEqual([CHAT, RESPONSES, RESPONSES]);
  });

  test.each<[string, unknown]>([
    ["FastAPI", { detail: "Not Found" }],
    ["Fastify", { message: "Route POST:/v1/chat/completions not found", error: "Not Found", statusCode: 404 }],
    ["llama.cpp", { error: { code: 404, message: "File Not Found", type: "not_found_error" } }],
    ["Azure", { error: { code: "404", message: "Resource not found" } }],
    ["LM Studio", { error: "Unexpected endpoint or method. (POST /v1/chat/completions)" }],
    ["Go", "404 page not found"],
    ["a proxy", "<html><title>404</title></html>"],
  ])("over Responses where nothing is at the other path, as %s says it", async (_, body) => {
    const at = await desk();
    at.server.refuse = ({ path }) => (path === CHAT ? { status: 404, body } : null);
    expect(replyOf(await at.turn([ok]))).toBe("Nothing is new.");
    expect(at.server.paths).toEqual([CHAT, RESPONSES]);
  });

  test.each<[string, unknown]>([
    ["of the model", { error: { message: "The model `gpt-5.6` does not exist", code: "model_not_found" } }],
    ["of nothing that is known", { error: { message: "gone fishing" } }],
  ])("and not over the other one where a 404 speaks %s", async (_, body) => {
    const at = await desk();
    at.server.refuse = ({ path }) => (path === CHAT ? { status: 404, body } : null);
    expect((await at.turn([ok])).status).toBe("failed");
    expect(at.server.paths).toEqual([CHAT, CHAT]);
  });

  test("over Chat Completions without reasoning where there is no other, which is remembered, too", async () => {
    const at = await desk({ responses: "absent" });
    expect(replyOf(await at.turn([CALL, ok]))).toBe("Nothing is new.");
    await at.turn([ok]);
    expect(at.bodies().map(({ reasoning_effort }) => reasoning_effort)).toEqual(["none", "none", "none"]);
    expect(at.server.paths.filter((path) => path === RESPONSES)).toHaveLength(1);
  });

  test("over Chat Completions alone where the settings say so, without reasoning if need be", async () => {
    const at = await desk();
    expect(replyOf(await at.turn([CALL, ok], { openai: { api: "chat" } }))).toBe("Nothing is new.");
    expect(new Set(at.server.paths)).toEqual(new Set([CHAT]));
  });

  test("over Responses alone where the settings say so", async () => {
    const at = await desk({ chat: "served" });
    await at.turn([CALL, ok], OVER_RESPONSES);
    expect(new Set(at.server.paths)).toEqual(new Set([RESPONSES]));
  });

  test("and an endpoint that has neither is not blamed on the model", async () => {
    const at = await desk({ chat: "no tools", responses: "absent" });
    const neither = at.server.refuse;
    at.server.refuse = (request) => neither({ ...request, body: { model: "gpt-5.6", tools: [{}] } });
    const ran = await at.turn([ok]);
    expect(ran.problem?.cause).not.toBe("tools");
    expect(replyOf(ran)).toMatch(/use \/v1\/responses/);
    expect(replyOf(ran)).not.toMatch(/cannot call tools/);
  });
});

describe("a request", () => {
  test("stores nothing there, asks for what was thought, and names its limit and its cache", async () => {
    const at = await desk();
    await at.turn([CALL, ok], OVER_RESPONSES);
    const [first, second] = at.bodies();
    expect(first).toMatchObject({
      store: false,
      include: ["reasoning.encrypted_content"],
      reasoning: { summary: "auto" },
      max_output_tokens: 32_000,
      prompt_cache_key: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect(second?.prompt_cache_key).toBe(first?.prompt_cache_key);
  });

  test("takes the reserved output of the settings, and of a small window no more than half", async () => {
    const at = await desk();
    await at.turn([ok], { openai: { api: "responses", reservedOutput: 500 } });
    await at.turn([ok], { openai: { api: "responses", contextWindow: 16_384 } });
    expect(at.bodies().map(({ max_output_tokens }) => max_output_tokens)).toEqual([500, 8_192]);
  });

  test("has one name for the cache of all turns, and one for each other task", async () => {
    const at = await desk();
    at.server.script = { teller: [ok], worker: [ok] };
    for (const id of ["t-000001", "t-000002"])
      await run(
        { ...turnOf({ messages: [messageOf("hello")] }), id },
        {
          provider: at.provider(OVER_RESPONSES),
          home: at.home,
        },
      );
    for (const id of ["t-000003.0.0", "t-000003.0.1"]) {
      const provider = at.provider(OVER_RESPONSES, "worker");
      await run(taskOf({ id, role: "worker" }), { provider, home: at.home, workDir: temporaryDirectory() });
    }
    const keys = at.bodies().map(({ prompt_cache_key }) => prompt_cache_key);
    expect(keys[1]).toBe(keys[0]);
    expect(new Set(keys).size).toBe(3);
  });

  test("names the tools also where nothing may be called any more", async () => {
    const at = await desk();
    const search = (n: number): Step => ({ calls: [{ name: "query_history", args: { query: `q${n}` } }] });
    await at.turn([0, 1, 2, 3, 4, 5].map(search), OVER_RESPONSES);
    const last = at.bodies().at(-1);
    expect(last).toMatchObject({ tool_choice: "none" });
    expect(last?.tools).not.toEqual([]);
  });

  test.each(["none", "low"])("says how much to think: %s", async (effort) => {
    const at = await desk();
    await at.turn([ok], { ...OVER_RESPONSES, effort });
    expect(at.bodies()).toMatchObject([{ reasoning: { effort } }]);
  });

  test("says nothing of thinking to a model that is known not to", async () => {
    const at = await desk({ efforts: [] }, "gpt-4.1");
    expect(replyOf(await at.turn([ok], { ...OVER_RESPONSES, effort: "low" }))).toBe("Nothing is new.");
    expect(at.server.refused).toEqual([]);
  });

  test("carries the ids of other vendors' calls in the length that is taken", async () => {
    const at = await desk();
    const piece = taskOf({ id: "t-000007.0.0", role: "worker", prompt: "do it" });
    const places = { home: at.home, workDir: temporaryDirectory() };
    const long = await startOpenai({}, { chat: "served" });
    onTestFinished(() => long.close());
    const id = `call_${"x".repeat(200)}`;
    const sse = (delta: object, finish_reason: string | null) =>
      `data: ${JSON.stringify({ choices: [{ delta, finish_reason }] })}\n\n`;
    const call = { index: 0, id, function: { name: "bash", arguments: '{"command":"true"}' } };
    long.script = {
      worker: [{ stream: sse({ tool_calls: [call] }, null) + sse({}, "tool_calls") }, { status: 400 }],
    };
    const settings = { openai: { api: "chat", baseUrl: long.baseUrl } };
    expect(await run(piece, { ...places, provider: at.provider(settings, "worker") })).toMatchObject({
      status: "failed",
    });
    at.server.script = { worker: [{ say: "Done." }] };
    const provider = at.provider(OVER_RESPONSES, "worker");
    expect(await run(piece, { ...places, provider, attempt: 2 })).toMatchObject({ status: "done" });
    expect(JSON.stringify(at.bodies())).toContain("function_call_output");
  });
});

describe("what a server does not take is left out, once and from then on", () => {
  test.each<[string, Partial<OpenaiRules>, object]>([
    ["summaries of thoughts, without a verified organization", { isVerified: false }, {}],
    ["thoughts, of a deployment without any", { efforts: [] }, {}],
    ["an effort that the model does not have", { efforts: ["high"] }, { effort: "low" }],
    ["a stream, without a verified organization", { mayStream: false }, {}],
    ["the name of the cache", { lacks: ["prompt_cache_key"] }, {}],
    ["the limit of the answer", { lacks: ["max_output_tokens"] }, {}],
    ["several of them", { efforts: [], lacks: ["prompt_cache_key"] }, { effort: "low" }],
  ])("%s", async (_, rules, settings) => {
    const at = await desk(rules, "my-deployment");
    expect(replyOf(await at.turn([CALL, ok], { ...OVER_RESPONSES, ...settings }))).toBe("Nothing is new.");
    const { length } = at.server.refused;
    expect(length).toBeGreaterThan(0);
    expect(replyOf(await at.turn([ok], { ...OVER_RESPONSES, ...settings }))).toBe("Nothing is new.");
    expect(at.server.refused).toHaveLength(length);
  });
});

describe("what was thought", () => {
  const THOUGHT: Step = { think: "Let me look.", calls: [{ name: "list_tasks" }] };

  test("goes back encrypted with the calls that came of it, and is shown", async () => {
    const at = await desk();
    const ran = await at.turn([THOUGHT, THOUGHT, ok], OVER_RESPONSES);
    const types = at
      .bodies()
      .slice(-1)
      .flatMap(({ input }) => (input as { type: string }[]).map(({ type }) => type));
    expect(types.slice(2)).toEqual(Array(2).fill(["reasoning", "function_call", "function_call_output"]).flat());
    expect(ran.lines.filter(({ type }) => type === "thought")).not.toEqual([]);
  });

  test("is left out where the endpoint cannot read it: it was thought with another key", async () => {
    const foreign = new Set<string>();
    const readsThought = (encrypted: string) =>
      !foreign.has(encrypted) && (foreign.size > 0 || !foreign.add(encrypted));
    const at = await desk({ readsThought });
    expect(replyOf(await at.turn([THOUGHT, THOUGHT, THOUGHT, ok], OVER_RESPONSES))).toBe("Nothing is new.");
    expect(at.server.refused).toEqual([expect.stringContaining("could not be verified")]);
    const items = at
      .bodies()
      .slice(-1)
      .flatMap(({ input }) => (input as { type: string }[]).map(({ type }) => type));
    expect(items.filter((type) => type === "reasoning")).toHaveLength(2);
  });

  test("is not remembered as refused, nor is another part, where the request is refused without it, too", async () => {
    const at = await desk();
    at.server.refuse = ({ path }) =>
      path === RESPONSES
        ? { status: 400, body: { error: { message: "Invalid 'include' and 'prompt_cache_key'" } } }
        : null;
    expect((await at.turn([ok], OVER_RESPONSES)).status).toBe("failed");
    expect(existsSync(join(at.home, LEARNT_PATH))).toBe(false);
  });
});

describe("an end that is no answer", () => {
  const event = (type: string, more: object) => `data: ${JSON.stringify({ type, sequence_number: 1, ...more })}\n\n`;
  const said = event("response.output_text.delta", { item_id: "m", output_index: 0, content_index: 0, delta: "Half" });
  const refusal = event("response.refusal.delta", {
    item_id: "m",
    output_index: 0,
    content_index: 0,
    delta: "I will not.",
  });
  const completed = event("response.completed", { response: { status: "completed", output: [] } });
  const filtered = event("response.incomplete", {
    response: { status: "incomplete", incomplete_details: { reason: "content_filter" } },
  });
  const failed = (code: string, message: string) =>
    event("response.failed", { response: { status: "failed", error: { code, message } } });
  const error = (code: string, message: string) => event("error", { code, message, param: null });

  test.each<[string, string, RegExp, cause: string | null]>([
    ["a refusal", refusal + completed, /I will not\..*withheld the answer: refusal/s, null],
    ["a filter", filtered, /withheld the answer: content_filter/, null],
    ["a quota in an event", error("insufficient_quota", "You exceeded your current quota"), /quota/, "credit"],
    ["a quota in a failed response", failed("insufficient_quota", "No credit"), /No credit/, "credit"],
    ["a key in an event", error("invalid_api_key", "Incorrect API key provided"), /Incorrect API key/, "key"],
  ])("is told as what it is, and not asked for again: %s", async (_, stream, why, cause) => {
    const at = await desk();
    const ran = await at.turn([{ stream }], OVER_RESPONSES);
    expect(ran.status).toBe("failed");
    expect(replyOf(ran)).toMatch(why);
    if (cause !== null) expect(ran.problem?.cause).toBe(cause);
    expect(at.server.paths).toHaveLength(1);
  });

  test.each<[string, string]>([
    ["a busy server", failed("server_error", "The server had an error")],
    ["a limit", failed("rate_limit_exceeded", "Rate limit reached")],
    ["a stream without its end", said],
  ])("is asked for again where it may come later: %s", async (_, stream) => {
    const at = await desk();
    at.server.script = { teller: [{ stream }, ok] };
    const ran = await run(turnOf({ messages: [messageOf("hello")] }), {
      provider: at.provider(OVER_RESPONSES),
      home: at.home,
    });
    expect(replyOf(ran)).toBe("Nothing is new.");
    expect(at.server.paths).toHaveLength(2);
  });

  test("at the limit of the answer keeps what was said", async () => {
    const at = await desk();
    expect(replyOf(await at.turn([{ say: "Once upon", finish: "length" }], OVER_RESPONSES))).toBe(
      "Once upon\n\n[truncated]",
    );
  });
});

describe("an answer of a server that leaves things out", () => {
  const event = (type: string, more: object) => `data: ${JSON.stringify({ type, ...more })}\n\n`;
  const call = { type: "function_call", call_id: "c1", name: "list_tasks", arguments: "{}" };
  const message = { type: "message", role: "assistant", content: [{ type: "output_text", text: "Nothing is new." }] };
  const whole = { id: "r", object: "response", status: "completed", output: [message], usage: { input_tokens: 9 } };

  test.each<[string, string]>([
    [
      "states and numbers of a call",
      event("response.output_item.done", { item: call }) + event("response.completed", { response: {} }),
    ],
    [
      "counts that are none",
      event("response.output_item.done", { output_index: 0, item: { ...call, id: "f" } }) +
        event("response.completed", { response: { usage: { input_tokens: -1, output_tokens: "7" } } }),
    ],
    [
      "the end, but for a mark",
      `${event("response.output_item.done", { item: call })}${event("response.completed", {})}data: [DONE]\n\n`,
    ],
  ])("counts: %s", async (_, stream) => {
    const at = await desk();
    at.server.script = { teller: [{ stream }, ok] };
    const ran = await run(turnOf({ messages: [messageOf("hello")] }), {
      provider: at.provider(OVER_RESPONSES),
      home: at.home,
    });
    expect([ran.status, replyOf(ran)]).toEqual(["done", "Nothing is new."]);
    expect(at.server.paths).toHaveLength(2);
    expect(ran.usage.inputTokens).toBeGreaterThan(100);
  });

  test("counts in one piece, whatever its label", async () => {
    const at = await desk();
    expect(replyOf(await at.turn([{ stream: JSON.stringify(whole) }], OVER_RESPONSES))).toBe("Nothing is new.");
  });

  test("shows thoughts that are no secret, and says none of them", async () => {
    const at = await desk();
    const thought =
      event("response.output_item.added", { item: { type: "reasoning", id: "rs" } }) +
      event("response.reasoning_text.delta", { item_id: "rs", output_index: 0, content_index: 0, delta: "Hm." });
    const text = event("response.output_text.delta", { item_id: "m", output_index: 1, delta: "Nothing is new." });
    const ran = await at.turn(
      [{ stream: thought + text + event("response.completed", { response: {} }) }],
      OVER_RESPONSES,
    );
    expect(replyOf(ran)).toBe("Nothing is new.");
    expect(ran.lines).toContainEqual({ type: "thought", text: "Hm." });
  });

  test("keeps a remark apart from the answer", async () => {
    const at = await desk();
    const part = (id: string, delta: string) =>
      event("response.output_item.added", { item: { type: "message", id } }) +
      event("response.output_text.delta", { item_id: id, delta }) +
      event("response.output_item.done", { item: { type: "message", id } });
    const stream =
      part("m1", "I look.") + part("m2", "Nothing is new.") + event("response.completed", { response: {} });
    expect(replyOf(await at.turn([{ stream }], OVER_RESPONSES))).toBe("I look.\n\nNothing is new.");
  });
});

describe("what was learnt is shown with the provider", () => {
  const shown = async (rules: Partial<OpenaiRules>, settings: object, model?: string) => {
    const at = await desk(rules, model);
    await at.turn([CALL, ok], settings);
    const env = {
      OPENAI_BASE_URL: at.server.baseUrl,
      OPENAI_API_KEY: "sk-responses",
      MIMIKIT_MODEL: model ?? "gpt-5.6",
    };
    return describeProvider("openai", { home: at.home, env });
  };

  test("that another API is asked", async () => {
    const { api, learnt } = await shown({}, {});
    expect([api, learnt]).toEqual(["responses", ["asked over Responses: the endpoint demands it"]]);
  });

  test("that tools are asked for without reasoning", async () => {
    const { api, learnt } = await shown({ responses: "absent" }, {});
    expect([api, learnt]).toEqual(["chat", ["asked without reasoning: the endpoint takes tools no other way"]]);
  });

  test("what is left out", async () => {
    const { learnt } = await shown({ isVerified: false, lacks: ["prompt_cache_key"] }, OVER_RESPONSES);
    const names = "prompt_cache_key, reasoning.summary";
    expect(learnt).toEqual([`asked without ${names}: the endpoint refuses that`]);
    expect(learnt?.map((line) => codeOf(line)?.code)).toEqual(["learnt_left"]);
  });

  test.each([
    ["https://api.openai.com/v1", "gpt-5.6", "responses"],
    ["https://eu.api.openai.com/v1", "gpt-5.6", "responses"],
    ["https://api.openai.com/v1", "gpt-audio", "chat"],
    ["https://NAME.openai.azure.com/openai/v1/", "my-deployment", "responses"],
    ["https://NAME.services.ai.azure.com/openai/v1", "my-deployment", "responses"],
    ["https://NAME.openai.azure.com/openai/deployments/x", "gpt-5.6", "chat"],
    ["https://api.openai.com.example.org/v1", "gpt-5.6", "chat"],
    ["http://127.0.0.1:9000/v1", "gpt-5.6", "chat"],
  ])("that %s is asked for %s over %s before anything is known", (baseUrl, model, api) => {
    const env = { OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: "sk-responses", MIMIKIT_MODEL: model };
    expect(describeProvider("openai", { home: temporaryDirectory(), env })).toMatchObject({ api, learnt: [] });
  });
});

describe("connecting a model", () => {
  const wanted = (server: ModelServer) => ({
    provider: "openai",
    baseUrl: server.baseUrl,
    key: "sk-responses",
    model: "gpt-5.6",
  });
  const connect = async (server: ModelServer) =>
    testConnection(
      wanted(server),
      { home: temporaryDirectory(), env: {}, workDir: temporaryDirectory() },
      new AbortController().signal,
    );

  test.each<[string, Partial<OpenaiRules>]>([
    ["over Responses", {}],
    ["without reasoning, where there is no other API", { responses: "absent" }],
  ])("sees that it calls tools: %s", async (_, rules) => {
    const { server } = await desk(rules);
    const tried = await connect(server);
    expect(tried.problem).toBeUndefined();
    expect(tried.answer).toMatchObject({ model: "gpt-5.6", toolCalls: true });
  });

  test("says in the endpoint's words what it wants where it cannot be had, and nothing of a model without tools", async () => {
    const { server } = await desk();
    const { refuse } = server;
    server.refuse = (request) => refuse({ ...request, path: CHAT, body: { model: "gpt-5.6", tools: [{}] } });
    const { problem } = await connect(server);
    expect(problem?.text).toContain("use /v1/responses");
    expect(problem?.cause).not.toBe("tools");
  });
});
