/** Tests that requests over Chat Completions are corrected where vendors refuse them, in the words of the vendors. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type {
  KernelMessage,
  ModelEvent,
  ModelRequest,
  ToolDefinition,
} from "../../../../packages/agent/src/kernel/model.ts";
import { readLearnt } from "../../../../packages/agent/src/providers/endpoint/learnt.ts";
import { chatCompletions } from "../../../../packages/agent/src/providers/openai/chat-completions.ts";
import type { Endpoint } from "../../../../packages/agent/src/providers/openai/endpoint.ts";
import { temporaryDirectory } from "../../fixtures.ts";

interface Body {
  messages: {
    role: string;
    content: string | null;
    tool_calls?: { id: string }[];
    tool_call_id?: string;
    reasoning_content?: string;
  }[];
  tools?: { function: { parameters: unknown } }[];
  tool_choice?: string;
  [field: string]: unknown;
}
/** The words of a vendor, or null where it takes the request. */
type Refuses = (body: Body) => { status?: number; error: unknown } | null;

async function vendor(refuses: Refuses, more: Partial<Endpoint> = {}) {
  const bodies: Body[] = [];
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Body;
    bodies.push(body);
    const refusal = refuses(body);
    response.writeHead(refusal === null ? 200 : (refusal.status ?? 400), { "content-type": "application/json" });
    const message = { role: "assistant", content: "done" };
    response.end(JSON.stringify(refusal?.error ?? { choices: [{ message, finish_reason: "stop" }] }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const endpoint: Endpoint = {
    id: "openai",
    home: temporaryDirectory(),
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    model: "some-model",
    tokensMax: 10_000,
    firstByteMs: 5_000,
    idleMs: 5_000,
    retryDelaysMs: [],
    ...more,
  };
  const ask = async (request: Partial<ModelRequest> = {}) => {
    const events: ModelEvent[] = [];
    const model = chatCompletions(endpoint);
    const asked = { messages: CONVERSATION, tools: [TOOL], mayCall: true, ...request };
    for await (const event of model.ask(asked, AbortSignal.timeout(20_000))) events.push(event);
    return events.map(({ type }) => type).filter((type) => type !== "delta");
  };
  return { bodies, endpoint, ask };
}

const TOOL: ToolDefinition = {
  name: "look",
  parameters: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: {
      $schema: { type: "string" },
      at: { type: "object", additionalProperties: false },
      when: { type: "object", anyOf: [{ properties: { day: { type: "string" } } }, { properties: {} }] },
    },
    additionalProperties: false,
  },
};
/** Of another provider: the id, and no thoughts. */
const CONVERSATION: KernelMessage[] = [
  { role: "system", content: "the rules" },
  { role: "user", content: "go" },
  { role: "assistant", content: "", calls: [{ id: "call_Abc-1.1", name: "look", arguments: "{}" }] },
  { role: "tool", callId: "call_Abc-1.1", tool: "look", content: "seen" },
  { role: "user", content: "and now?" },
];

const error = (message: string, more: object = {}) => ({ error: { error: { message, ...more } } });
const said = ({ messages }: Body) => messages.filter(({ role }) => role === "assistant");
const hasUserAfterTool = ({ messages }: Body) =>
  messages.some(({ role }, i) => role === "user" && messages[i - 1]?.role === "tool");
const idsIn = ({ messages }: Body) =>
  messages.flatMap((each) => [
    ...(each.tool_calls ?? []).map(({ id }) => id),
    ...(each.tool_call_id ? [each.tool_call_id] : []),
  ]);

/** The words are those of the issues that are named. */
const REFUSALS: readonly [string, Refuses, Partial<Endpoint>?][] = [
  [
    "a user after a tool (Mistral, zed#37021, avante.nvim#2562)",
    (body) =>
      hasUserAfterTool(body)
        ? {
            error: {
              object: "error",
              message: "Unexpected role 'user' after role 'tool'",
              type: "invalid_request_message_order",
              code: "3230",
            },
          }
        : null,
  ],
  [
    "ids of another length than 9 (Mistral behind OpenRouter, openclaw#57672)",
    (body) =>
      idsIn(body).every((id) => /^[a-zA-Z0-9]{9}$/.test(id))
        ? null
        : error("Provider returned error", {
            metadata: {
              raw: '{"message":"Tool call id was call_Abc-1.1 but must be a-z, A-Z, 0-9, with a length of 9.","code":"3280"}',
            },
          }),
  ],
  [
    "ids with dots (Anthropic, command-code#323)",
    (body) =>
      idsIn(body).every((id) => /^[\w-]+$/.test(id))
        ? null
        : error("messages.1.content.1.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"),
  ],
  [
    "max_tokens (OpenAI, ai_automation_suggester#38)",
    ({ max_tokens }) =>
      max_tokens === undefined
        ? null
        : error(
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            { param: "max_tokens", code: "unsupported_parameter" },
          ),
    { outputTokensMax: 1_000 },
  ],
  [
    "an answer that the credit does not cover (OpenRouter, bobrchat#143)",
    ({ max_tokens }) =>
      max_tokens === undefined
        ? {
            status: 402,
            ...error(
              "This request requires more credits, or fewer max_tokens. You requested up to 64000 tokens, but can only afford 61586.",
            ),
          }
        : null,
    { outputTokensMax: 2_048, configured: {} },
  ],
  [
    "answers without their thoughts (DeepSeek, opencode#24135)",
    (body) =>
      said(body).every(({ reasoning_content }) => reasoning_content)
        ? null
        : error("The `reasoning_content` in the thinking mode must be passed back to the API."),
  ],
  [
    "tool_choice (bedrock, boto3#4687)",
    ({ tool_choice }) => (tool_choice === undefined ? null : error("litellm: tool_choice 'none' is not supported")),
  ],
  [
    "stream_options (strict servers)",
    ({ stream_options }) =>
      stream_options === undefined
        ? null
        : {
            status: 422,
            error: {
              detail: [
                { type: "extra_forbidden", loc: ["body", "stream_options"], msg: "Extra inputs are not permitted" },
              ],
            },
          },
  ],
  [
    "reasoning_effort (xAI)",
    ({ reasoning_effort }) =>
      reasoning_effort === undefined ? null : error("Model grok-4 does not support parameter reasoningEffort."),
    { effort: "low" },
  ],
  [
    "keywords of JSON Schema (Gemini, openswarm#24)",
    ({ tools }) =>
      /"(\$schema|additionalProperties)":[^{]/.test(JSON.stringify(tools))
        ? error(
            `Invalid JSON payload received. Unknown name "$schema" at 'tools[0].function_declarations[0].parameters': Cannot find field.`,
          )
        : null,
  ],
  [
    "the role of the rules (o1-mini)",
    ({ messages }) =>
      messages[0]?.role === "system"
        ? error("Unsupported value: 'messages[0].role' does not support 'system' with this model.", {
            param: "messages[0].role",
          })
        : null,
  ],
  [
    "roles that do not alternate (a template of Devstral in llama.cpp, llama.cpp#19851)",
    (body) =>
      hasUserAfterTool(body)
        ? {
            status: 500,
            error: {
              error: {
                code: 500,
                message:
                  "While executing CallExpression at line 189, column 32 in source:\nError: Jinja Exception: After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results.",
                type: "server_error",
              },
            },
          }
        : null,
  ],
  [
    "a type beside alternatives (Moonshot, vercel/ai#18921)",
    ({ tools }) =>
      JSON.stringify(tools).includes('"type":"object","anyOf"')
        ? error(
            "tools.function.parameters is not a valid moonshot flavored json schema, details: <At path 'properties.at': when using anyOf, type should be defined in anyOf items instead of the parent schema>",
          )
        : null,
  ],
];

test.each(REFUSALS)("%s is corrected once and remembered", async (_, refuses, more) => {
  const { bodies, endpoint, ask } = await vendor(refuses, more);
  expect(await ask({ mayCall: false })).toEqual(["retry", "answer"]);
  expect(readLearnt(endpoint).corrections).toHaveLength(1);
  expect(await ask({ mayCall: false })).toEqual(["answer"]);
  expect(bodies).toHaveLength(3);
});

test("several refusals of one request are corrected one after another", async () => {
  const three = [0, 1, 7].flatMap((i) => REFUSALS.slice(i, i + 1)).map(([, refuses]) => refuses);
  const { ask } = await vendor((body) => three.map((refuses) => refuses(body)).find((each) => each !== null) ?? null);
  expect(await ask()).toEqual(["retry", "retry", "retry", "answer"]);
  expect(await ask()).toEqual(["answer"]);
});

test("a correction that does not help is not remembered, and the refusal is told", async () => {
  const { bodies, endpoint, ask } = await vendor(() => error("stream_options is not what we want"));
  expect(await ask()).toEqual(["retry", "failure"]);
  expect(bodies).toHaveLength(2);
  expect(readLearnt(endpoint)).toEqual({});
});

test("thoughts go to no vendor that refuses them", async () => {
  const thoughts = [{ text: "hm", vendor: { chat: { field: "reasoning_content" } } }];
  const messages = CONVERSATION.map((each) => (each.role === "assistant" ? { ...each, thoughts } : each));
  const { ask } = await vendor((body) =>
    said(body).some(({ reasoning_content }) => reasoning_content !== undefined)
      ? error(
          "'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : property 'reasoning_content' is unsupported)]",
        )
      : null,
  );
  expect(await ask({ messages })).toEqual(["retry", "answer"]);
  expect(await ask({ messages })).toEqual(["answer"]);
});

test("Mistral is asked in its own form at once, whoever began the session", async () => {
  const { bodies, ask } = await vendor(() => null, { id: "mistral", isStrict: true });
  await ask();
  const [body] = bodies;
  if (body === undefined) throw new Error("nothing was asked");
  expect(body.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool", "assistant", "user"]);
  const ids = idsIn(body);
  expect(new Set(ids).size).toBe(1);
  expect(ids[0]).toMatch(/^[a-zA-Z0-9]{9}$/);
  expect(body).not.toHaveProperty("stream_options");
});

test("DeepSeek gets thoughts with every answer, also where they were shortened away or empty", async () => {
  const { bodies, ask } = await vendor(() => null, { id: "deepseek" });
  const empty = { text: "", vendor: { chat: { field: "reasoning_content" } } };
  await ask({
    messages: [
      ...CONVERSATION,
      { role: "assistant", content: "said", calls: [] },
      { role: "user", content: "more" },
      { role: "assistant", content: "", calls: [{ id: "b", name: "look", arguments: "{}" }], thoughts: [empty] },
      { role: "tool", callId: "b", tool: "look", content: "seen" },
    ],
  });
  expect(bodies.flatMap(said).map(({ reasoning_content }) => reasoning_content)).toEqual([" ", " ", " "]);
});

test("alternatives of a tool's whole input become one object with the fields of all, and inner ones have their type each", async () => {
  const fields = (name: string) => ({ properties: { [name]: { type: "string" } }, required: [name] });
  const inner = { type: "string", anyOf: [{ enum: ["a"] }, { type: "null" }] };
  const parameters = { type: "object", anyOf: [fields("a"), fields("b")], properties: { anyOf: inner } };
  const { bodies, ask } = await vendor(() => null, { id: "moonshot" });
  await ask({ tools: [{ name: "look", parameters }] });
  expect(bodies[0]?.tools?.[0]?.function.parameters).toEqual({
    type: "object",
    properties: {
      anyOf: { anyOf: [{ type: "string", enum: ["a"] }, { type: "null" }] },
      a: { type: "string" },
      b: { type: "string" },
    },
  });
});

test("the last request of a run names its tools and forbids to call them", async () => {
  const { bodies, ask } = await vendor(() => null);
  await ask({ mayCall: false });
  expect(bodies[0]).toMatchObject({ tool_choice: "none", tools: [{ function: { name: "look" } }] });
});

test("the reserve for an answer is its limit where the owner has set it", async () => {
  const set = await vendor(() => null, { outputTokensMax: 900, configured: { reservedOutput: 900 } });
  await set.ask();
  expect(set.bodies[0]).toHaveProperty("max_tokens", 900);
  const open = await vendor(() => null, { outputTokensMax: 2_048, configured: {} });
  await open.ask();
  expect(open.bodies[0]).not.toHaveProperty("max_tokens");
});
