/** The cause of a failure, by the words of endpoints: bodies as they were reported of the real ones. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { failureInStream, failureOf } from "../../../../packages/agent/src/providers/endpoint/failure.ts";
import { WAIT_MS_MAX, waitInWords } from "../../../../packages/agent/src/providers/endpoint/wait.ts";
import { NOW_MS, VENDOR_ERRORS, WAITING_WORDS } from "./vendor-errors.ts";

/** As most say it. */
const error = (message: string, more: object = {}) => JSON.stringify({ error: { message, ...more } });
const google = (code: number, message: string, status: string, details: object[] = []) =>
  JSON.stringify({ error: { code, message, status, details } });
const anthropic = (type: string, message: string) => JSON.stringify({ type: "error", error: { type, message } });

type Case = [endpoint: string, status: number, body: string];

const SAID: Record<string, Case[]> = {
  key: [
    ["OpenAI", 401, error("Incorrect API key provided: sk-ab*cd.", { code: "invalid_api_key" })],
    ["OpenAI", 401, error("You have insufficient permissions for this operation. Missing scopes: model.request")],
    ["Anthropic", 401, anthropic("authentication_error", "invalid x-api-key")],
    [
      "Google",
      400,
      google(400, "API key not valid. Please pass a valid API key.", "INVALID_ARGUMENT", [
        { reason: "API_KEY_INVALID", domain: "googleapis.com" },
      ]),
    ],
    ["Google", 403, google(403, "Your API key was reported as leaked.", "PERMISSION_DENIED")],
    ["Google, in a list", 400, `[${google(400, "API Key not found.", "INVALID_ARGUMENT")}]`],
    ["OpenRouter", 401, error("No auth credentials found", { code: 401 })],
    ["Mistral", 401, '{"message":"Unauthorized","request_id":"1"}'],
    ["Mistral", 401, '{"detail":"Unauthorized"}'],
    ["DeepSeek", 401, error("Authentication Fails, Your api key: ****1234 is invalid")],
    ["xAI", 400, '{"code":"Client specified an invalid argument","error":"Incorrect API key provided: na***ys."}'],
    ["a proxy", 403, "<html>Forbidden</html>"],
  ],
  credit: [
    [
      "OpenAI",
      429,
      error("You exceeded your current quota, please check your plan and billing details.", {
        code: "insufficient_quota",
      }),
    ],
    [
      "Anthropic",
      400,
      anthropic("invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
    ],
    ["Google", 429, google(429, "You exceeded your current quota, please check your plan and billing details.", "X")],
    ["OpenRouter", 402, error("This request requires more credits, or fewer max_tokens.", { code: 402 })],
    ["OpenRouter", 403, error("Key limit exceeded (total limit).", { code: 403 })],
    ["DeepSeek", 402, error("Insufficient Balance", { type: "unknown_error", code: "invalid_request_error" })],
    ["xAI", 403, '{"code":"denied","error":"Your newly created team doesn\'t have any credits or licenses yet."}'],
    ["xAI", 429, '{"error":"Your team has either used all available credits or reached its monthly spending limit."}'],
  ],
  model: [
    [
      "OpenAI",
      404,
      error("The model `gpt-9` does not exist or you do not have access to it.", { code: "model_not_found" }),
    ],
    ["OpenAI", 403, error("Project `p` does not have access to model `gpt-4.1`", { code: "model_not_found" })],
    ["Anthropic", 404, anthropic("not_found_error", "model: claude-9")],
    ["Google", 404, google(404, "models/gemini-9 is not found for API version v1beta", "NOT_FOUND")],
    ["OpenRouter", 400, error("openai/gpt-9 is not a valid model ID", { code: 400 })],
    ["OpenRouter", 404, error("No endpoints found for nousresearch/hermes-3:free.", { code: 404 })],
    ["Mistral", 400, '{"object":"error","message":"Invalid model: x","type":"invalid_model","code":"1500"}'],
    ["DeepSeek", 400, error("Model Not Exist", { type: "invalid_request_error" })],
    ["Ollama", 404, error("model 'x' not found", { type: "api_error" })],
    ["Ollama", 404, '{"error":"model not found"}'],
    ["LM Studio", 400, error("No models loaded. Please load a model in the developer page", { param: "model" })],
    ["vLLM", 404, '{"object":"error","message":"The model `x` does not exist.","type":"NotFoundError","code":404}'],
    ["Azure", 404, error("The API deployment for this resource does not exist.", { code: "DeploymentNotFound" })],
    ["xAI", 400, '{"error":"Model not found: grok-9"}'],
    ["LiteLLM before Bedrock", 400, error("BedrockException - The provided model identifier is invalid.")],
  ],
  tools: [
    ["Ollama", 400, error("registry.ollama.ai/library/gemma3:4b does not support tools", { type: "api_error" })],
    ["Ollama", 400, '{"error":"registry.ollama.ai/library/llama2:13b does not support tools"}'],
    ["OpenRouter", 404, error("No endpoints found that support tool use. To learn more visit: x", { code: 404 })],
    ["OpenRouter", 404, error("No endpoints found that support the provided 'tool_choice' value.", { code: 404 })],
    [
      "vLLM",
      400,
      '{"object":"error","message":"\\"auto\\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","code":400}',
    ],
    ["llama.cpp", 500, error("tools param requires --jinja flag", { code: 500, type: "server_error" })],
    ["llama.cpp", 500, '{"code":500,"message":"Unsupported param: tools","type":"server_error"}'],
    ["Google", 400, google(400, "Function calling is not enabled for models/gemma-3-1b-it", "INVALID_ARGUMENT")],
    ["Groq", 400, error("`tool calling` is not supported with this model")],
  ],
  window: [
    ["OpenAI", 400, error("too long", { code: "context_length_exceeded" })],
    ["Anthropic", 400, anthropic("invalid_request_error", "prompt is too long: 215000 tokens > 200000 maximum")],
    ["Google", 400, google(400, "The input token count (1200000) exceeds the maximum number of tokens", "X")],
    ["vLLM", 400, '{"object":"error","message":"This model\'s maximum context length is 4096 tokens.","code":400}'],
    ["llama.cpp", 400, error("the request exceeds the available context size", { type: "exceed_context_size_error" })],
    ["llama.cpp of last year", 500, error("the request is long", { type: "exceed_context_size_error", n_ctx: 256 })],
    [
      "LM Studio",
      400,
      error("Trying to keep the first 5000 tokens when context the overflows. context length of 4096"),
    ],
    ["a proxy", 413, "<html>Payload too large</html>"],
  ],
  limit: [
    [
      "OpenAI",
      429,
      error("Rate limit reached. Please try again in 20s. Add a payment method at account/billing.", {
        code: "rate_limit_exceeded",
      }),
    ],
    [
      "Google",
      429,
      google(429, "You exceeded your current quota, please check your plan and billing details.", "X", [
        { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "37s" },
      ]),
    ],
  ],
  busy: [
    ["Anthropic", 529, anthropic("overloaded_error", "Overloaded")],
    ["a server that loads its model", 503, error("Loading model")],
    ["a busy server that mentions its context window", 429, error("context window busy")],
  ],
  region: [
    ["OpenAI", 403, error("Country, region, or territory not supported", { code: "unsupported_country" })],
    ["Google", 400, google(400, "User location is not supported for the API use.", "FAILED_PRECONDITION")],
  ],
  withheld: [["OpenRouter", 403, error("The model requires moderation and your input was flagged", { code: 403 })]],
  request: [["anybody", 400, error("unknown field")]],
  other: [["llama.cpp", 500, error("image input is not supported - hint: provide the mmproj")]],
};

describe.each(Object.entries(SAID))("%s is what is wrong where", (cause, cases) => {
  test.each(cases)("%s says HTTP %d: %s", (_, status, body) => {
    const failure = failureOf(status, body, null, 0, "api.test");
    expect(failure.cause).toBe(cause);
    // A permanent failure is not waited for.
    expect(failure.kind === "unavailable").toBe(cause === "busy" || cause === "limit");
  });
});

test("the words of the endpoint are told, wherever it puts them", () => {
  const said = (status: number, body: string) => failureOf(status, body, null, 0, "api.test").message;
  expect(said(401, '{"message":"Unauthorized","request_id":"1"}')).toBe("api.test says HTTP 401: Unauthorized");
  expect(said(401, '{"detail":"Unauthorized"}')).toBe("api.test says HTTP 401: Unauthorized");
  expect(said(403, '{"code":"denied","error":"No credits."}')).toBe("api.test says HTTP 403: No credits.");
  expect(said(400, `[${google(400, "Bad.", "X")}]`)).toBe("api.test says HTTP 400: Bad.");
});

describe("an error of a vendor means what it says, and is waited for as long as it says", () => {
  test.each(VENDOR_ERRORS.map((row) => [`${row.vendor} (${row.source})`, row] as const))("%s", (_, row) => {
    const { status, body, headers, cause, waitMs, waits = waitMs !== undefined } = row;
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const failure =
      status === null
        ? failureInStream(body, "api.test", NOW_MS)
        : failureOf(status, text, new Headers(headers), NOW_MS, "api.test");
    expect(failure).toMatchObject({ cause });
    expect([failure.retryAfterMs, failure.waits ?? false]).toEqual([waitMs, waits]);
    expect(failure.kind === "unavailable").toBe(cause === "busy" || cause === "limit");
  });

  test.each(WAITING_WORDS)("%s (%s)", (words, _, ms) => {
    expect(waitInWords(words, NOW_MS)).toBe(ms);
  });

  test("and the words of the vendor behind a gateway are told, too", () => {
    const raw = JSON.stringify({ error: { message: "upstream hiccup" } });
    const { message } = failureInStream({ message: "Provider returned error", metadata: { raw } }, "api.test");
    expect(message).toBe("api.test broke off: Provider returned error: upstream hiccup");
  });
});

test("no error of an endpoint makes a wait that is over or longer than a week, whatever it says", () => {
  const word = fc.constantFrom(
    "try again",
    "retry after",
    "resets",
    "in",
    "at",
    "5",
    "99999999",
    "s",
    "hours",
    "pm",
    "Jan",
    "2026-13-45 99:99",
    "(Mars/Olympus)",
    "(UTC)",
    '{"resets_at":',
    "1e999",
    "}",
    "\\u0000",
    ":",
  );
  const text = fc.oneof(
    fc.array(word, { maxLength: 12 }).map((words) => words.join(" ")),
    fc.string(),
    fc.json(),
  );
  fc.assert(
    fc.property(
      text,
      text.map((value) => value.replace(/[^ -~]/g, "")),
      (body, header) => {
        for (const status of [400, 402, 403, 429, 500, 503]) {
          const headers = new Headers({ "retry-after": header, "x-ratelimit-reset": header });
          const { retryAfterMs = 1 } = failureOf(status, body, headers, NOW_MS, "api.test");
          expect(retryAfterMs).toBeGreaterThan(0);
          expect(retryAfterMs).toBeLessThanOrEqual(WAIT_MS_MAX);
        }
        expect(failureInStream(body, "api.test", NOW_MS).message).toMatch(/^api\.test/);
      },
    ),
  );
});

test("tools that one API of an endpoint refuses say nothing of the model, and the refused parameter is named", () => {
  const body = error(
    "Function tools with reasoning_effort are not supported for gpt-5.6 in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
    { type: "invalid_request_error", param: "reasoning_effort" },
  );
  const failure = failureOf(400, body, null, 0, "api.openai.com");
  expect(failure).toMatchObject({ kind: "refused", param: "reasoning_effort" });
  expect(failure.cause).not.toBe("tools");
});
