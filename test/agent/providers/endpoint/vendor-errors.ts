/** Errors as vendors send them, what they mean, and where they were seen. Times in them are those of NOW_MS. */
import type { Cause } from "@mimikit/protocol/base/cause";

/** 2026-11-28 12:00 UTC. */
export const NOW_MS = Date.UTC(2026, 10, 28, 12);
const at = (ms: number) => new Date(NOW_MS + ms);
const S = 1_000;
const M = 60 * S;
const H = 60 * M;
const D = 24 * H;

export interface VendorError {
  vendor: string;
  /** Repository and issue, or page. */
  source: string;
  /** null: inside an answer with status 200. */
  status: number | null;
  headers?: Record<string, string>;
  /** As it came; in a 200 the value of `error`. */
  body: unknown;
  cause: Cause;
  /** Milliseconds that it asks to wait; not given where it says nothing. */
  waitMs?: number;
  /** The task waits for it and has not failed; not given where it is as `waitMs` says. */
  waits?: boolean;
}

const error = (message: string, more: object = {}) => ({ error: { message, ...more } });

export const VENDOR_ERRORS: readonly VendorError[] = [
  // Rate limits that say how long.
  {
    vendor: "OpenAI, in words",
    source: "zachblume/autospec#16, Pythagora-io/gpt-pilot#53",
    status: 429,
    body: error("Rate limit reached for gpt-5 on tokens per min (TPM): Limit 30000. Please try again in 20s.", {
      type: "tokens",
      code: "rate_limit_exceeded",
    }),
    cause: "limit",
    waitMs: 20 * S,
  },
  {
    vendor: "OpenAI, in milliseconds",
    source: "Pythagora-io/gpt-pilot#53",
    status: 429,
    body: error("Limit: 10000 / min. Please try again in 6ms. Contact us if you continue to have issues.", {
      code: "rate_limit_exceeded",
    }),
    cause: "limit",
    waitMs: 6,
  },
  {
    vendor: "OpenAI, in the headers of the limit that is used up",
    source: "platform.openai.com/docs/guides/rate-limits",
    status: 429,
    headers: {
      "x-ratelimit-remaining-requests": "0",
      "x-ratelimit-reset-requests": "6m0s",
      "x-ratelimit-remaining-tokens": "149000",
      "x-ratelimit-reset-tokens": "1h2m",
    },
    body: error("Rate limit reached"),
    cause: "limit",
    waitMs: 6 * M,
  },
  {
    vendor: "OpenAI, in one header",
    source: "platform.openai.com/docs/guides/rate-limits",
    status: 429,
    headers: { "x-ratelimit-reset-tokens": "1h2m" },
    body: error("Rate limit reached"),
    cause: "limit",
    waitMs: 62 * M,
  },
  {
    vendor: "Azure, in milliseconds of a header",
    source: "learn.microsoft.com, Azure OpenAI quotas",
    status: 429,
    headers: { "retry-after-ms": "1500", "retry-after": "2" },
    body: error("Requests have exceeded call rate limit.", { code: "429" }),
    cause: "limit",
    waitMs: 1_500,
  },
  {
    vendor: "Azure through LiteLLM",
    source: "jasonacox/TinyLLM#17",
    status: 429,
    body: error(
      "litellm.RateLimitError: AzureException - Error code: 429 - {'error': {'message': 'Requests have exceeded token rate limit of your current pricing tier. Please retry after 86400 seconds. Please contact Azure support.'}}",
      { type: "throttling_error", code: "429" },
    ),
    cause: "limit",
    waitMs: D,
  },
  {
    vendor: "Groq, per day",
    source: "continuedev/continue#10920",
    status: 429,
    headers: { "retry-after": "578", "x-ratelimit-reset-requests": "2m59.56s", "x-ratelimit-reset-tokens": "7.66s" },
    body: error(
      "Rate limit reached on tokens per day (TPD). Please try again in 9m38.016s. Upgrade at /settings/billing",
      {
        type: "tokens",
        code: "rate_limit_exceeded",
      },
    ),
    cause: "limit",
    waitMs: 578 * S,
  },
  {
    vendor: "Groq, in words alone",
    source: "continuedev/continue#10920",
    status: 429,
    body: error(
      "Rate limit reached on tokens per day (TPD). Please try again in 9m38.016s. Upgrade at /settings/billing",
    ),
    cause: "limit",
    waitMs: 9 * M + 38_016,
  },
  {
    vendor: "Anthropic, the reset of the limit that is used up",
    source: "docs.anthropic.com/en/api/rate-limits",
    status: 429,
    headers: {
      "anthropic-ratelimit-requests-remaining": "900",
      "anthropic-ratelimit-requests-reset": at(30 * S).toISOString(),
      "anthropic-ratelimit-input-tokens-remaining": "0",
      "anthropic-ratelimit-input-tokens-reset": at(15 * M).toISOString(),
    },
    body: { type: "error", error: { type: "rate_limit_error", message: "This request would exceed the rate limit." } },
    cause: "limit",
    waitMs: 15 * M,
  },
  {
    vendor: "Anthropic, a limit of the owner's",
    source: "anthropics/claude-code#38038",
    status: 400,
    body: {
      type: "error",
      error: {
        type: "invalid_request_error",
        message: "You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.",
      },
    },
    cause: "limit",
    waitMs: 2 * D + 12 * H,
  },
  {
    vendor: "Google",
    source: "glidea/one-balance#12, ai.google.dev/gemini-api/docs/rate-limits",
    status: 429,
    body: {
      error: {
        code: 429,
        message: "You exceeded your current quota, please check your plan and billing details.",
        status: "RESOURCE_EXHAUSTED",
        details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "3600.5s" }],
      },
    },
    cause: "limit",
    waitMs: H + 500,
  },
  {
    vendor: "OpenRouter, free models per day",
    source: "Gitlawb/openclaude#936",
    status: 429,
    body: error("Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day", {
      code: 429,
      metadata: {
        headers: {
          "X-RateLimit-Limit": "50",
          "X-RateLimit-Remaining": "0",
          "X-RateLimit-Reset": String(at(12 * H).getTime()),
        },
      },
    }),
    cause: "limit",
    waitMs: 12 * H,
  },
  {
    vendor: "OpenRouter, a budget for requests in flight",
    source: "openrouter.ai/docs/projects/docs/api_reference/errors-and-debugging",
    status: 402,
    headers: { "retry-after": "30" },
    body: error("In-flight budget exceeded", { code: 402, metadata: { limit_source: "openrouter_in_flight_budget" } }),
    cause: "limit",
    waitMs: 30 * S,
  },
  {
    vendor: "ChatGPT's backend of codex",
    source: "earendil-works/pi#4172, router-for-me/CLIProxyAPI#1666",
    status: 429,
    body: {
      error: {
        type: "usage_limit_reached",
        message: "The usage limit has been reached",
        plan_type: "plus",
        resets_at: at(13_872 * S).getTime() / 1_000,
        resets_in_seconds: 13_872,
      },
    },
    cause: "limit",
    waitMs: 13_872 * S,
  },
  {
    vendor: "Moonshot",
    source: "harry0703/MoneyPrinterTurbo#339",
    status: 429,
    body: error("Your account request reached max request: 3, please try again after 1 seconds", {
      type: "rate_limit_reached_error",
    }),
    cause: "limit",
    waitMs: S,
  },
  {
    vendor: "Zhipu, a coding plan",
    source: "dirge-code/dirge#818",
    status: 429,
    body: error(`已达到 5 小时的使用上限。您的限额将在 ${localText(at(3 * H))} 重置。`, { code: "1308" }),
    cause: "limit",
    waitMs: 3 * H,
  },
  {
    vendor: "a server that names a date",
    source: "RFC 9110, 10.2.3",
    status: 429,
    headers: { "retry-after": at(2 * H).toUTCString() },
    body: "",
    cause: "limit",
    waitMs: 2 * H,
  },
  {
    vendor: "a server under maintenance",
    source: "RFC 9110, 15.6.4",
    status: 503,
    headers: { "retry-after": "3600" },
    body: "<html>Maintenance</html>",
    cause: "busy",
    waitMs: H,
  },
  {
    vendor: "a moment that is over",
    source: "anthropics/claude-code#11429",
    status: 429,
    headers: { "x-ratelimit-reset": String(at(-H).getTime()), "retry-after": "0" },
    body: error("slow down"),
    cause: "busy",
    waits: true,
  },
  {
    vendor: "a moment beyond reason",
    source: "RFC 9110, 10.2.3",
    status: 429,
    headers: { "retry-after": "432000000" },
    body: "",
    cause: "limit",
    waitMs: 7 * D,
  },
  {
    vendor: "a server that wants to be asked again at once",
    source: "@copilotkit/aimock, sse-writer.js",
    status: 429,
    headers: { "retry-after": "0", "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "6m0s" },
    body: "",
    cause: "busy",
    waits: true,
  },
  {
    vendor: "a limit that says nothing of its end",
    source: "FoundationAgents/OpenManus#746",
    status: 429,
    body: error("This request would exceed the rate limit for your organization. Please try again later.", {
      type: "invalid_request_error",
      code: "rate_limit_error",
    }),
    cause: "busy",
    waits: true,
  },

  // Servers that are there and not ready.
  {
    vendor: "Anthropic",
    source: "docs.anthropic.com/en/api/errors",
    status: 529,
    body: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
    cause: "busy",
    waits: true,
  },
  {
    vendor: "llama.cpp that loads its model",
    source: "ggml-org/llama.cpp, tools/server/README.md",
    status: 503,
    body: error("Loading model", { code: 503, type: "unavailable_error" }),
    cause: "busy",
    waits: true,
  },
  {
    vendor: "Hugging Face that loads a model",
    source: "huggingface/transformers#23793",
    status: 503,
    body: { error: "Model x/y is currently loading", estimated_time: 300.5 },
    cause: "busy",
    waitMs: 300_500,
  },
  { vendor: "a server that broke", source: "RFC 9110, 15.6.1", status: 500, body: error("oops"), cause: "busy" },

  // Nothing left to pay with.
  {
    vendor: "Moonshot",
    source: "MoonshotAI/Kimi-K2#5",
    status: 403,
    body: error("Your account is not active, organization exceeded current quota, check your plan", {
      type: "exceeded_current_quota_error",
    }),
    cause: "credit",
  },
  {
    vendor: "Moonshot behind a gateway",
    source: "anomalyco/opencode#24462",
    status: 429,
    body: error("Error from provider: Provider returned error", {
      code: 429,
      metadata: {
        raw: JSON.stringify(error("Your account is suspended due to insufficient balance, please recharge")),
      },
    }),
    cause: "credit",
  },
  {
    vendor: "Zhipu",
    source: "continuedev/continue#11823",
    status: 429,
    body: error("余额不足或无可用资源包,请充值。", { code: "1113" }),
    cause: "credit",
  },
  {
    vendor: "DashScope",
    source: "help.aliyun.com/zh/model-studio/error-code",
    status: 400,
    body: error("Access denied, please make sure your account is in good standing.", { code: "Arrearage" }),
    cause: "credit",
  },

  // Withheld, by a filter or for a place.
  {
    vendor: "Azure",
    source: "compl-ai/compl-ai#20, langchain-ai/langchain#4324",
    status: 400,
    body: error("The response was filtered due to the prompt triggering Azure OpenAI's content management policy.", {
      type: null,
      param: "prompt",
      code: "content_filter",
      status: 400,
      innererror: { code: "ResponsibleAIPolicyViolation" },
    }),
    cause: "withheld",
  },
  {
    vendor: "OpenRouter",
    source: "openrouter.ai/docs/errors",
    status: 403,
    body: error("The model requires moderation and your input was flagged", {
      code: 403,
      metadata: { reasons: ["violence"], flagged_input: "…", provider_name: "x", model_slug: "y" },
    }),
    cause: "withheld",
  },
  {
    vendor: "OpenAI",
    source: "platform.openai.com/docs/guides/error-codes",
    status: 403,
    body: error("Country, region, or territory not supported", { code: "unsupported_country_region_territory" }),
    cause: "region",
  },
  {
    vendor: "Google",
    source: "ai.google.dev/gemini-api/docs/troubleshooting",
    status: 400,
    body: error("User location is not supported for the API use.", { status: "FAILED_PRECONDITION", code: 400 }),
    cause: "region",
  },

  // Requests that the endpoint does not accept in this form.
  {
    vendor: "llama.cpp, a template",
    source: "ggml-org/llama.cpp#19851, sipeed/picoclaw#207",
    status: 500,
    body: error("Error: Jinja Exception: After the optional system message, conversation roles must alternate", {
      code: 500,
      type: "server_error",
    }),
    cause: "request",
  },
  {
    vendor: "OpenAI, a parameter",
    source: "platform.openai.com/docs/guides/error-codes",
    status: 400,
    body: error("Unknown parameter: 'thinking'.", { type: "invalid_request_error", code: "unknown_parameter" }),
    cause: "request",
  },
  {
    vendor: "Mistral, a field",
    source: "mistralai/client-python, HTTPValidationError",
    status: 422,
    body: { object: "error", message: { detail: [{ type: "extra_forbidden", loc: ["body", "x"] }] } },
    cause: "request",
  },

  // Errors inside an answer with status 200.
  {
    vendor: "OpenRouter",
    source: "speakeasy-api/gram#2726, openrouter.ai/docs/errors",
    status: null,
    body: { code: 402, message: "Insufficient credits" },
    cause: "credit",
  },
  {
    vendor: "OpenRouter",
    source: "openrouter.ai/docs/errors",
    status: null,
    body: { code: 401, message: "User not found." },
    cause: "key",
  },
  {
    vendor: "OpenRouter",
    source: "openrouter.ai/docs/errors",
    status: null,
    body: { code: "403", message: "Your input was flagged", metadata: { reasons: ["x"] } },
    cause: "withheld",
  },
  {
    vendor: "OpenRouter",
    source: "Avarok-Cybersecurity/atlas#543",
    status: null,
    body: {
      code: 429,
      message: "Rate limit exceeded",
      metadata: { headers: { "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": String(at(2 * H).getTime()) } },
    },
    cause: "limit",
    waitMs: 2 * H,
  },
  {
    vendor: "OpenRouter, of another vendor",
    source: "anomalyco/opencode#24462",
    status: null,
    body: {
      code: 502,
      message: "Provider returned error",
      metadata: { raw: JSON.stringify({ error: { message: "upstream hiccup" } }), provider_name: "x" },
    },
    cause: "busy",
  },
  {
    vendor: "OpenAI",
    source: "platform.openai.com/docs",
    status: null,
    body: { type: "insufficient_quota", code: "insufficient_quota", message: "You exceeded your current quota" },
    cause: "credit",
  },
  {
    vendor: "OpenAI",
    source: "platform.openai.com/docs",
    status: null,
    body: { type: "invalid_request_error", code: "invalid_api_key", message: "Incorrect" },
    cause: "key",
  },
  {
    vendor: "a gateway",
    source: "openai/openai-openapi",
    status: null,
    body: { type: "invalid_request_error", message: "messages.3: bad" },
    cause: "request",
  },
  {
    vendor: "Anthropic",
    source: "docs.anthropic.com/en/api/errors",
    status: null,
    body: { type: "overloaded_error", message: "Overloaded" },
    cause: "busy",
    waits: true,
  },
  {
    vendor: "Anthropic",
    source: "docs.anthropic.com/en/api/errors",
    status: null,
    body: { type: "rate_limit_error", message: "Please try again in 3 hours." },
    cause: "limit",
    waitMs: 3 * H,
  },
  {
    vendor: "Google",
    source: "ai.google.dev/gemini-api/docs/troubleshooting",
    status: null,
    body: { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" },
    cause: "busy",
    waits: true,
  },
  {
    vendor: "llama.cpp",
    source: "ggml-org/llama.cpp#19851",
    status: null,
    body: { code: 500, message: "Jinja Exception: bad roles", type: "server_error" },
    cause: "request",
  },
  {
    vendor: "vLLM",
    source: "vllm-project/vllm, ErrorResponse",
    status: null,
    body: { object: "error", message: "The model `x` does not exist.", type: "NotFoundError", code: 404 },
    cause: "model",
  },
  {
    vendor: "Azure",
    source: "langchain-ai/langchain#4324",
    status: null,
    body: { code: "content_filter", message: "filtered" },
    cause: "withheld",
  },
  { vendor: "anybody, as a text", source: "xAI, Ollama", status: null, body: "Insufficient credits", cause: "credit" },
  {
    vendor: "anybody, as a text",
    source: "Ollama",
    status: null,
    body: "rate limit reached, try again in 1m2.5s",
    cause: "limit",
    waitMs: 62_500,
  },
  { vendor: "anybody, as a text", source: "Ollama", status: null, body: "CUDA out of memory", cause: "busy" },
];

/** How Zhipu writes a moment: on the reader's clock, with no zone. */
function localText(date: Date): string {
  const two = (n: number) => String(n).padStart(2, "0");
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-");
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":")}`;
}

/** Sentences that name a wait, alone. */
export const WAITING_WORDS: readonly [words: string, source: string, ms: number | null][] = [
  [
    "You've hit your usage limit. Upgrade to Pro or try again in 2 days 17 hours 14 minutes.",
    "openai/codex#3124",
    2 * D + 17 * H + 14 * M,
  ],
  ["try again in 3 hours", "issue 44", 3 * H],
  ["Please try again in 1 hour and 5 minutes", "issue 44", H + 5 * M],
  ["Rate limited. Please wait 30 seconds before retrying.", "issue 44", 30 * S],
  ["please retry in about 2 minutes", "issue 44", 2 * M],
  [`Claude AI usage limit reached|${at(2 * H).getTime() / 1_000}`, "anthropics/claude-code#11429", 2 * H],
  [`Claude AI usage limit reached|${at(-H).getTime() / 1_000}`, "anthropics/claude-code#11429", null],
  ["You've hit your limit · resets 1:30am (Asia/Dhaka)", "anthropics/claude-code#54698", 7 * H + 30 * M],
  ["Weekly limit reached · resets 10am (Asia/Seoul) · /upgrade to Max", "anthropics/claude-code#12789", 13 * H],
  ["You've hit your limit · resets Nov 30 at 9pm (America/New_York)", "anthropics/claude-code#55876", 2 * D + 14 * H],
  ["Your limit will reset at 9am (America/Chicago).", "anthropics/claude-code#15064", 3 * H],
  ["try again at Nov 29th, 2026 8:01 PM (UTC)", "openai/codex, error.rs", D + 8 * H + M],
  ["resets at 2026-11-28T14:05:00Z", "issue 44", 2 * H + 5 * M],
  ["resets at 2026-11-27T14:05:00Z", "issue 44", null],
  ["请求过多，请在 20 秒后重试", "issue 44", 20 * S],
  ["Please try again later.", "anthropics/claude-code#54698", null],
  ["try again with fewer than 4096 tokens", "", null],
  ["This model's maximum is 5 images", "", null],
];
