/** The cause of a failure, by the words of endpoints: bodies as they were reported of the real ones. */
import { describe, expect, test } from "vitest";
import { failureOf } from "../../../../packages/agent/src/providers/endpoint/failure.ts";

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
  busy: [
    [
      "OpenAI",
      429,
      error("Rate limit reached. Please try again in 20s. Add a payment method at account/billing.", {
        code: "rate_limit_exceeded",
      }),
    ],
    ["Anthropic", 529, anthropic("overloaded_error", "Overloaded")],
    [
      "Google",
      429,
      google(429, "You exceeded your current quota, please check your plan and billing details.", "X", [
        { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "37s" },
      ]),
    ],
    ["a server that loads its model", 503, error("Loading model")],
    ["a busy server that mentions its context window", 429, error("context window busy")],
  ],
  other: [
    ["OpenAI", 403, error("Country, region, or territory not supported", { code: "unsupported_country" })],
    ["OpenRouter", 403, error("The model requires moderation and your input was flagged", { code: 403 })],
    ["Google", 400, google(400, "User location is not supported for the API use.", "FAILED_PRECONDITION")],
    ["llama.cpp", 500, error("image input is not supported - hint: provide the mmproj")],
    ["anybody", 400, error("unknown field")],
  ],
};

describe.each(Object.entries(SAID))("%s is what is wrong where", (cause, cases) => {
  test.each(cases)("%s says HTTP %d: %s", (_, status, body) => {
    const failure = failureOf(status, body, null, 0, "api.test");
    expect(failure.cause).toBe(cause);
    // A permanent failure is not waited for.
    expect(failure.kind === "unavailable").toBe(cause === "busy");
  });
});

test("the words of the endpoint are told, wherever it puts them", () => {
  const said = (status: number, body: string) => failureOf(status, body, null, 0, "api.test").message;
  expect(said(401, '{"message":"Unauthorized","request_id":"1"}')).toBe("api.test says HTTP 401: Unauthorized");
  expect(said(401, '{"detail":"Unauthorized"}')).toBe("api.test says HTTP 401: Unauthorized");
  expect(said(403, '{"code":"denied","error":"No credits."}')).toBe("api.test says HTTP 403: No credits.");
  expect(said(400, `[${google(400, "Bad.", "X")}]`)).toBe("api.test says HTTP 400: Bad.");
});
