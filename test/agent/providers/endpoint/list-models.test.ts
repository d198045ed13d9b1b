/** The models of an endpoint, by what each sort of endpoint says of them. */
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { findLocal } from "@mimikit/agent/connect/find-local";
import { expect, onTestFinished, test } from "vitest";
import { askLmStudio } from "../../../../packages/agent/src/connect/ask-lmstudio.ts";
import {
  isList,
  type ListedModel,
  listModels,
  type NoList,
  type WireName,
} from "../../../../packages/agent/src/providers/endpoint/list-models.ts";

const NEVER = new AbortController().signal;

interface Served {
  baseUrl: string;
  asked: IncomingMessage[];
}

async function serve(body: unknown, status = 200, headers: Record<string, string> = {}): Promise<Served> {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    response.writeHead(status, headers).end(typeof body === "string" ? body : JSON.stringify(body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked };
}

async function listed(wire: WireName, body: unknown): Promise<ListedModel[] | NoList> {
  const { baseUrl } = await serve(body);
  return listModels(wire, { baseUrl, apiKey: "sk-1" }, NEVER);
}

test.each([
  ["OpenAI", "chat", { data: [{ id: "gpt-5", object: "model" }] }, { id: "gpt-5" }],
  [
    "OpenRouter",
    "chat",
    {
      data: [
        {
          id: "vendor/model",
          name: "Vendor: Model",
          context_length: 200_000,
          architecture: { input_modalities: ["text", "image"] },
          supported_parameters: ["tools", "temperature"],
          pricing: { prompt: "0.000003", completion: "0.000015", input_cache_read: "0.0000003" },
        },
      ],
    },
    {
      id: "vendor/model",
      contextWindow: 200_000,
      toolCalls: true,
      vision: true,
      audio: false,
      price: { input: 3, cached: 0.3, output: 15 },
    },
  ],
  [
    "Mistral",
    "chat",
    {
      data: [{ id: "pixtral", max_context_length: 128_000, capabilities: { function_calling: false, vision: true } }],
    },
    { id: "pixtral", contextWindow: 128_000, toolCalls: false, vision: true },
  ],
  [
    "LM Studio with a model that is loaded",
    "chat",
    {
      data: [{ id: "qwen", type: "llm", state: "loaded", max_context_length: 131_072, loaded_context_length: 4_096 }],
    },
    { id: "qwen", contextWindow: 4_096 },
  ],
  [
    "llama.cpp with a smaller window than the model was trained with",
    "chat",
    { data: [{ id: "a.gguf", owned_by: "llamacpp", meta: { n_ctx: 8_192, n_ctx_train: 131_072 } }] },
    { id: "a.gguf", contextWindow: 8_192 },
  ],
  [
    "llama.cpp in both of its lists",
    "chat",
    {
      models: [{ name: "a.gguf", model: "a.gguf", capabilities: ["completion", "multimodal"] }],
      data: [{ id: "a.gguf", meta: { n_ctx: 8_192, n_ctx_train: 131_072 } }],
    },
    { id: "a.gguf", contextWindow: 8_192, vision: true },
  ],
  [
    "Together, in a list that is no object",
    "chat",
    [{ id: "llama", context_length: 8_192 }],
    { id: "llama", contextWindow: 8_192 },
  ],
  [
    "OpenRouter of a vendor that holds less",
    "chat",
    {
      data: [
        { id: "v/m", context_length: 200_000, top_provider: { context_length: 32_768, max_completion_tokens: null } },
      ],
    },
    { id: "v/m", contextWindow: 32_768 },
  ],
  [
    "Groq",
    "chat",
    { data: [{ id: "llama", active: true, context_window: 131_072 }] },
    { id: "llama", contextWindow: 131_072 },
  ],
  [
    "a server with an odd number",
    "chat",
    { data: [{ id: "odd", max_model_len: -1, context_length: "many", max_context_length: 0.5 }] },
    { id: "odd" },
  ],
  [
    "Anthropic with limits",
    "anthropic",
    { data: [{ type: "model", id: "claude-6", max_input_tokens: 200_000, max_tokens: 64_000 }], has_more: false },
    { id: "claude-6", contextWindow: 200_000 },
  ],
  ["vLLM", "chat", { data: [{ id: "qwen", max_model_len: 32_768 }] }, { id: "qwen", contextWindow: 32_768 }],
  [
    "LiteLLM",
    "chat",
    { data: [{ id: "claude", mode: "chat", max_input_tokens: 200_000, max_output_tokens: 64_000 }] },
    { id: "claude", contextWindow: 200_000 },
  ],
  [
    "llama.cpp",
    "chat",
    { models: [{ name: "a.gguf", model: "a.gguf", capabilities: ["completion", "multimodal"] }], data: [] },
    { id: "a.gguf", vision: true },
  ],
  [
    "Anthropic",
    "anthropic",
    { data: [{ type: "model", id: "claude-5", display_name: "Claude" }], has_more: false },
    { id: "claude-5" },
  ],
  [
    "Google",
    "google",
    {
      models: [
        { name: "models/gemini-3", inputTokenLimit: 1_048_576, supportedGenerationMethods: ["generateContent"] },
        { name: "models/embed", supportedGenerationMethods: ["embedContent"] },
      ],
    },
    { id: "gemini-3", contextWindow: 1_048_576 },
  ],
] as const)("what %s says of its models is understood", async (_name, wire, body, model) => {
  const models = await listed(wire, body);
  if (!isList(models)) throw new Error(models.message);
  expect(models).toEqual([{ ...model, ...("price" in model && { price: expect.anything() }) }]);
  if ("price" in model)
    for (const [name, dollars] of Object.entries(model.price))
      expect(models[0]?.price?.[name as "input"]).toBeCloseTo(dollars);
});

test.each([
  ["chat", "authorization", "Bearer sk-1"],
  ["anthropic", "x-api-key", "sk-1"],
  ["google", "x-goog-api-key", "sk-1"],
] as const)("the key goes in the header of the %s wire, never in the address", async (wire, header, value) => {
  const { baseUrl, asked } = await serve({ data: [] });
  await listModels(wire, { baseUrl, apiKey: "sk-1" }, NEVER);
  expect(asked[0]?.headers[header]).toBe(value);
  expect(asked[0]?.url).not.toContain("sk-1");
});

test("a refusal is told with its status and without the key, and a redirect is not followed", async () => {
  const refused = await serve({ error: { message: "Incorrect API key provided: sk-1" } }, 401);
  expect(await listModels("chat", { baseUrl: refused.baseUrl, apiKey: "sk-1" }, NEVER)).toEqual({
    status: 401,
    message: expect.stringMatching(/^HTTP 401: .*\[key\]/),
  });
  const elsewhere = await serve({ data: [{ id: "stolen" }] });
  const redirecting = await serve("", 302, { location: `${elsewhere.baseUrl}/models` });
  expect(isList(await listModels("chat", { ...redirecting, apiKey: "sk-1" }, NEVER))).toBe(false);
  expect(elsewhere.asked).toEqual([]);
});

test("an endpoint that is not there, or answers with no list, is told in words", async () => {
  const { baseUrl } = await serve("<html>hello</html>");
  expect(await listModels("chat", { baseUrl }, NEVER)).toMatchObject({ message: expect.stringContaining("no JSON") });
  const nobody = await listModels("chat", { baseUrl: "http://127.0.0.1:9/v1" }, NEVER);
  expect(nobody).toEqual({ message: expect.stringMatching(/refused|bad port/i) });
});

test("LM Studio is asked for the loaded window at its own list", async () => {
  const model = { id: "qwen", state: "loaded", max_context_length: 131_072, loaded_context_length: 4_096 };
  const { baseUrl, asked } = await serve({ data: [model] });
  expect(await askLmStudio({ baseUrl, model: "qwen" }, NEVER)).toEqual({ contextWindow: 4_096 });
  expect(asked[0]?.url).toBe("/api/v0/models");
  expect(await askLmStudio({ baseUrl, model: "another" }, NEVER)).toEqual({});
});

test("local servers are those that answer with models, and nothing else that listens there", async () => {
  const ollama = await serve({ object: "list", data: [{ id: "qwen3:8b" }, { id: "llama3" }] });
  const another = await serve("<html>a web page</html>");
  const found = await findLocal(NEVER, [
    { provider: "ollama", baseUrl: ollama.baseUrl },
    { provider: "llamacpp", baseUrl: another.baseUrl },
    { provider: "vllm", baseUrl: "http://127.0.0.1:9/v1" },
  ]);
  expect(found).toEqual([{ provider: "ollama", baseUrl: ollama.baseUrl, models: ["qwen3:8b", "llama3"] }]);
});
