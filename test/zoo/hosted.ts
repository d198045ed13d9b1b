/** Hosted vendors. */
import { type OpenaiRules, refusalOf as refusalByOpenai } from "../support/responses-server.ts";
import {
  anthropicRule,
  blocksOf,
  cacheMarks,
  chatRule,
  emptyAssistant,
  field,
  fieldOutside,
  geminiRule,
  idsRepeat,
  idsUnlike,
  keywords,
  lastIsAssistant,
  messageField,
  pictures,
  thoughtsMissing,
  typeBesideAnyOf,
  unsigned,
  unsignedParts,
  userAfterTool,
} from "./rules.ts";
import { speech } from "./speech.ts";
import type { Objection, Rule, Vendor } from "./vendor.ts";

const BEARER = ["authorization", "Bearer "] as const;

/** An error as OpenAI and most others have it. */
export const plainError = ({ message, more }: Objection) => ({
  error: { message, type: "invalid_request_error", param: null, code: null, ...more },
});
/** A list of models as OpenAI has it. */
export const listOf = (id: string, more: object = {}) => ({
  object: "list",
  data: [{ id, object: "model", created: 1_780_000_000, owned_by: "zoo", ...more }],
});

/** The refusals of OpenAI's own servers, whose sources are in that file. */
function openaiRules(rules: Partial<OpenaiRules> = {}, owner = "OpenAI"): Rule {
  const all: OpenaiRules = {
    chat: "no tools",
    responses: "served",
    efforts: ["none", "low", "medium", "high", "xhigh"],
    isVerified: false,
    mayStream: true,
    lacks: [],
    readsThought: (encrypted) => Buffer.from(encrypted, "base64").toString().startsWith(`zoo ${owner} `),
    ...rules,
  };
  return {
    source: "test/support/responses-server.ts",
    objects: (request) => {
      const refusal = refusalByOpenai(request, all);
      if (refusal === null) return null;
      const { message, ...more } = (refusal.body as { error: { message: string } }).error;
      return { message, status: refusal.status, more };
    },
  };
}

const maxTokens = chatRule("ai_automation_suggester#38", field("max_tokens"), {
  message: "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
  more: { param: "max_tokens", code: "unsupported_parameter" },
});

const openai: Omit<Vendor, "name" | "refuses" | "model"> = {
  provider: "openai",
  host: "api.openai.com",
  base: "/v1",
  key: BEARER,
  error: plainError,
  models: listOf("gpt-5.6"),
  listedWindow: 272_000,
  sees: true,
};

/** Azure's first event tells what its filter found in the prompt (learn.microsoft.com: content streaming). */
const AZURE_FIRST = { choices: [], prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }] };

const SIGNATURE_MISSING =
  "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance.";
/** The keywords that its schemas do not have (openswarm#24). */
const NOT_IN_OPENAPI = ["$schema", "additionalProperties", "patternProperties", "const", "exclusiveMinimum"];

const MISTRAL_FIELDS = [
  ...["model", "messages", "tools", "tool_choice", "stream", "max_tokens", "temperature", "top_p", "stop", "n"],
  ...["random_seed", "response_format", "presence_penalty", "frequency_penalty", "prediction", "parallel_tool_calls"],
  ...["prompt_mode", "safe_prompt", "reasoning_effort"],
];
const extraInput = (name: string): Objection => ({
  status: 422,
  message: name,
  more: { detail: [{ type: "extra_forbidden", loc: ["body", name], msg: "Extra inputs are not permitted" }] },
});

export const HOSTED: readonly Vendor[] = [
  { ...openai, name: "OpenAI", model: "gpt-5.6", refuses: [openaiRules()] },
  {
    ...openai,
    name: "OpenAI over Chat Completions",
    model: "gpt-5.6",
    settings: { openai: { api: "chat", reservedOutput: 4_000 } },
    refuses: [openaiRules(), maxTokens],
  },
  {
    ...openai,
    name: "Azure",
    provider: "azure",
    host: "zoo.openai.azure.com",
    base: "/openai/v1",
    key: ["api-key", ""],
    model: "gpt-5.6",
    refuses: [openaiRules({}, "Azure")],
  },
  {
    ...openai,
    name: "Azure over Chat Completions",
    provider: "azure",
    host: "zoo.openai.azure.com",
    base: "/openai/v1",
    key: ["api-key", ""],
    model: "gpt-4.1",
    settings: { openai: { api: "chat" } },
    refuses: [openaiRules({ chat: "served" }), maxTokens],
    says: speech({ first: [AZURE_FIRST] }),
    speechSource: "learn.microsoft.com/azure/ai-foundry/openai/concepts/content-streaming",
    models: listOf("gpt-4.1"),
    listedWindow: 1_000_000,
  },
  {
    name: "Anthropic",
    provider: "anthropic",
    host: "api.anthropic.com",
    base: "/v1",
    model: "claude-sonnet-5",
    key: ["x-api-key", ""],
    refuses: [
      anthropicRule(
        "docs.claude.com/en/api/messages",
        ({ max_tokens }) => max_tokens === undefined,
        "max_tokens: Field required",
      ),
      anthropicRule(
        "tghamm/Anthropic.SDK#50",
        (body) => cacheMarks(body) > 4,
        "A maximum of 4 blocks with cache_control may be provided.",
      ),
      anthropicRule(
        "anthropics/claude-code#59812",
        (body) => blocksOf(body).some(({ type, text }) => type === "text" && text === ""),
        "messages: text content blocks must be non-empty",
      ),
      anthropicRule(
        "anomalyco/opencode#1279",
        (body) => blocksOf(body).some(({ type, id }) => type === "tool_use" && !/^[a-zA-Z0-9_-]+$/.test(String(id))),
        "messages.1.content.1.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
      ),
      anthropicRule(
        "anthropics/claude-code#20901",
        (body) => {
          const ids = blocksOf(body).flatMap(({ type, id }) => (type === "tool_use" ? [id] : []));
          return new Set(ids).size < ids.length;
        },
        "messages.1.content.1: `tool_use` ids must be unique",
      ),
      anthropicRule(
        "ding113/claude-code-hub#518",
        (body) =>
          blocksOf(body).some(
            ({ type, signature }) =>
              type === "thinking" && !Buffer.from(String(signature), "base64").toString().startsWith("zoo Anthropic "),
          ),
        "messages.1.content.0: Invalid `signature` in `thinking` block",
      ),
    ],
    error: ({ message }) => ({ type: "error", error: { type: "invalid_request_error", message }, request_id: "req_1" }),
    models: {
      data: [{ type: "model", id: "claude-sonnet-5", display_name: "Claude Sonnet 5", max_input_tokens: 200_000 }],
      has_more: false,
      first_id: "claude-sonnet-5",
      last_id: "claude-sonnet-5",
    },
    listedWindow: 200_000,
    sees: true,
  },
  {
    name: "Gemini",
    provider: "google",
    host: "generativelanguage.googleapis.com",
    base: "/v1beta",
    wire: "/v1beta",
    model: "gemini-3-pro-preview",
    key: ["x-goog-api-key", ""],
    refuses: [geminiRule("vercel/ai#15550", unsignedParts, SIGNATURE_MISSING)],
    error: ({ message }) => ({ error: { code: 400, message, status: "INVALID_ARGUMENT" } }),
    models: {
      models: [
        {
          name: "models/gemini-3-pro-preview",
          displayName: "Gemini 3 Pro",
          inputTokenLimit: 1_048_576,
          outputTokenLimit: 65_536,
          supportedGenerationMethods: ["generateContent", "countTokens"],
        },
      ],
    },
    listedWindow: 1_048_576,
    sees: true,
  },
  {
    name: "Gemini over Chat Completions",
    provider: "openai",
    host: "generativelanguage.googleapis.com",
    base: "/v1beta/openai",
    model: "gemini-3-pro-preview",
    key: BEARER,
    refuses: [
      chatRule("openswarm#24", keywords(...NOT_IN_OPENAPI), {
        message: `Invalid JSON payload received. Unknown name "$schema" at 'tools[0].function_declarations[0].parameters': Cannot find field.`,
      }),
      chatRule("Gitlawb/openclaude#76", unsigned, { message: SIGNATURE_MISSING }),
    ],
    // The error of this address is in a list (Gitlawb/openclaude#76).
    error: ({ message }) => [{ error: { code: 400, message, status: "INVALID_ARGUMENT" } }],
    says: speech({
      index: "zero",
      wholeCalls: true,
      callMore: { extra_content: { google: { thought_signature: "c2lnbmVkIGhlcmU=" } } },
    }),
    speechSource: "NousResearch/hermes-agent#62937, ai.google.dev/gemini-api/docs/thought-signatures",
    models: listOf("models/gemini-3-pro-preview"),
    listedWindow: 1_000_000,
    sees: true,
  },
  {
    name: "Mistral",
    provider: "mistral",
    host: "api.mistral.ai",
    base: "/v1",
    model: "mistral-large-latest",
    key: BEARER,
    refuses: [
      chatRule("avante-corp/avante.nvim#2695", userAfterTool, {
        message: "Unexpected role 'user' after role 'tool'",
        more: { type: "invalid_request_message_order", code: "3230" },
      }),
      chatRule("huggingface/smolagents#757", lastIsAssistant, {
        message: "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant",
      }),
      chatRule("openclaw#57672", idsUnlike(/^[a-zA-Z0-9]{9}$/), {
        message: "Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.",
        more: { code: "3280" },
      }),
      chatRule("docs.mistral.ai/api", fieldOutside(MISTRAL_FIELDS), extraInput("stream_options")),
      chatRule(
        "docs.mistral.ai/api",
        messageField("reasoning_content", "reasoning", "reasoning_details"),
        extraInput("reasoning_content"),
      ),
    ],
    error: ({ message, status, more }) =>
      status === 422
        ? more
        : { object: "error", message, type: "invalid_request_error", param: null, code: null, ...more },
    says: speech({
      thoughts: "parts",
      wholeCalls: true,
      id: (id) => `m${id.replace(/\W|_/g, "").padStart(8, "0").slice(-8)}`,
    }),
    speechSource: "symfony/ai#2422, NousResearch/hermes-agent#4748",
    models: listOf("mistral-large-latest", {
      max_context_length: 262_144,
      capabilities: { completion_chat: true, function_calling: true, vision: true },
    }),
    listedWindow: 262_144,
    sees: true,
  },
  {
    name: "DeepSeek",
    provider: "deepseek",
    host: "api.deepseek.com",
    base: "/v1",
    model: "deepseek-v4-pro",
    key: BEARER,
    refuses: [
      chatRule("anomalyco/opencode#24135", thoughtsMissing("all"), {
        message: "The `reasoning_content` in the thinking mode must be passed back to the API.",
      }),
      chatRule("rikkahub/rikkahub#1433", pictures, {
        message:
          "Failed to deserialize the JSON body into the target type: messages[1]: unknown variant `image_url`, expected `text` at line 1 column 2901",
      }),
    ],
    error: plainError,
    says: speech({ first: [": keep-alive\n\n", ": keep-alive\n\n"] }),
    speechSource: "api-docs.deepseek.com/quick_start/rate_limit",
    models: listOf("deepseek-v4-pro"),
    listedWindow: null,
    sees: false,
  },
  {
    name: "xAI",
    provider: "xai",
    host: "api.x.ai",
    base: "/v1",
    model: "grok-code-fast-1",
    key: BEARER,
    settings: { effort: "low" },
    refuses: [
      chatRule(
        "NousResearch/hermes-agent#23435, BerriAI/litellm#16265",
        field("reasoning_effort", "presence_penalty", "frequency_penalty", "stop"),
        {
          message: "Model grok-code-fast-1 does not support parameter reasoningEffort.",
        },
      ),
    ],
    error: ({ message }) => ({ code: "Client specified an invalid argument", error: message }),
    says: speech({ wholeCalls: true }),
    speechSource: "docs.x.ai/docs/guides/function-calling",
    models: listOf("grok-code-fast-1"),
    listedWindow: null,
    sees: false,
  },
  {
    name: "OpenRouter",
    provider: "openrouter",
    host: "openrouter.ai",
    base: "/api/v1",
    model: "anthropic/claude-sonnet-5",
    key: BEARER,
    refuses: [
      chatRule("bobrware/bobrchat#143", ({ max_tokens: max }) => typeof max !== "number" || max > 61_586, {
        status: 402,
        message:
          "This request requires more credits, or fewer max_tokens. You requested up to 64000 tokens, but can only afford 61586.",
        more: { code: 402 },
      }),
      chatRule("command-code#323", idsUnlike(/^[a-zA-Z0-9_-]+$/), {
        message: "Provider returned error",
        more: {
          code: 400,
          metadata: { raw: "messages.1.content.1.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'" },
        },
      }),
    ],
    error: ({ message, more }) => ({ error: { message, ...more }, user_id: "user_1" }),
    says: speech({ thoughts: "reasoning", first: [": OPENROUTER PROCESSING\n\n", ": OPENROUTER PROCESSING\r\n\r\n"] }),
    speechSource: "openrouter.ai/docs/api-reference/streaming",
    models: {
      data: [
        {
          id: "anthropic/claude-sonnet-5",
          name: "Anthropic: Claude Sonnet 5",
          context_length: 200_000,
          architecture: { input_modalities: ["text", "image"] },
          supported_parameters: ["tools", "tool_choice"],
          pricing: { prompt: "0.000003", completion: "0.000015" },
          top_provider: { context_length: 200_000 },
        },
      ],
    },
    listedWindow: 200_000,
    sees: true,
  },
  {
    name: "Groq",
    provider: "groq",
    host: "api.groq.com",
    base: "/openai/v1",
    model: "openai/gpt-oss-120b",
    key: BEARER,
    refuses: [
      chatRule("janhq/jan#8136", messageField("reasoning_content", "reasoning_details"), {
        message:
          "'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : property 'reasoning_content' is unsupported)]",
      }),
    ],
    error: ({ message }) => ({ error: { message, type: "invalid_request_error" } }),
    says: speech({ thoughts: "reasoning", wholeCalls: true, first: [{ x_groq: { id: "req_1" }, choices: [] }] }),
    speechSource: "console.groq.com/docs/tool-use",
    models: listOf("openai/gpt-oss-120b", { active: true, context_window: 131_072, max_completion_tokens: 65_536 }),
    listedWindow: 131_072,
    sees: false,
  },
  {
    name: "Together",
    provider: "together",
    host: "api.together.xyz",
    base: "/v1",
    model: "meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8",
    key: BEARER,
    refuses: [],
    error: plainError,
    says: speech({ finish: (usual) => (usual === "stop" ? "eos" : usual), usage: (usage) => ({ choices: [], usage }) }),
    speechSource: "openai/openai-dotnet#267",
    // No object with `data` (longy2k/obsidian-bmo-chatbot#51, docs.together.ai/reference/models-1).
    models: [
      { id: "meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8", type: "chat", context_length: 1_048_576 },
      { id: "togethercomputer/m2-bert-80M-8k-retrieval", type: "embedding", context_length: 8_192 },
    ],
    listedWindow: 1_048_576,
    sees: true,
  },
  {
    name: "Qwen",
    provider: "qwen",
    host: "dashscope-intl.aliyuncs.com",
    base: "/compatible-mode/v1",
    model: "qwen3.7-plus",
    key: BEARER,
    refuses: [
      chatRule("agentscope-ai/agentscope-java#613", ({ messages }) => messages.every(({ role }) => role !== "user"), {
        message:
          "<400> InternalError.Algo.InvalidParameter: The input messages do not contain elements with the role of user",
        more: { code: "invalid_parameter_error" },
      }),
      chatRule("cloudwego/eino#994", ({ tool_choice: choice }) => choice === "required" || typeof choice === "object", {
        message:
          "<400> InternalError.Algo.InvalidParameter: The tool_choice parameter does not support being set to required or object in thinking mode",
        more: { code: "invalid_parameter_error" },
      }),
    ],
    error: (objection) => ({ ...plainError(objection), id: "chatcmpl-1", request_id: "1" }),
    says: speech({ pieceMore: { id: "", type: "function" }, deltaMore: { role: null } }),
    speechSource: "experientiallabs/experiential#742",
    models: listOf("qwen3.7-plus"),
    listedWindow: null,
    sees: false,
  },
  {
    name: "Moonshot",
    provider: "moonshot",
    host: "api.moonshot.ai",
    base: "/v1",
    model: "kimi-k2.6",
    key: BEARER,
    refuses: [
      chatRule("earendil-works/pi#4178", thoughtsMissing("calling"), {
        message: "thinking is enabled but reasoning_content is missing in assistant tool call message at index 2",
      }),
      chatRule("AstrBotDevs/AstrBot#7200", emptyAssistant, {
        message: "Invalid request: the message at position 8 with role 'assistant' must not be empty",
      }),
      chatRule("vercel/ai#18921", typeBesideAnyOf, {
        message:
          "tools.function.parameters is not a valid moonshot flavored json schema, details: <At path 'properties.at': when using anyOf, type should be defined in anyOf items instead of the parent schema>",
      }),
    ],
    error: ({ message }) => ({ error: { message, type: "invalid_request_error" } }),
    says: speech({
      // Kimi's own names for calls (vendors-3 H6).
      id: (id, i) => `functions.${id}:${i}`,
      usage: (usage) => ({ choices: [{ index: 0, delta: {}, finish_reason: null, usage }] }),
    }),
    speechSource: "earendil-works/pi#2017",
    models: listOf("kimi-k2.6", { context_length: 262_144, supports_image_in: true }),
    listedWindow: 262_144,
    sees: false,
  },
  {
    name: "Zhipu",
    provider: "zhipu",
    host: "api.z.ai",
    base: "/api/paas/v4",
    model: "glm-5.1",
    key: BEARER,
    refuses: [
      chatRule(
        "MetaGLM/zhipuai-sdk-python-v4#14",
        (body) => body.messages.find(({ role }) => role !== "system")?.role !== "user" || idsRepeat(body),
        { message: "The messages parameter is illegal. Please check the documentation.", more: { code: "1214" } },
      ),
    ],
    error: ({ message, more }) => ({ error: { code: "1210", message, ...more } }),
    says: speech({ wholeCalls: true, deltaMore: { role: "assistant" } }),
    speechSource: "docs.z.ai/guides/capabilities/stream-tool",
    // hexdocs.pm/agentic: "exposes no /models endpoint".
    models: null,
    listedWindow: null,
    sees: false,
  },
  {
    name: "MiniMax",
    provider: "minimax",
    host: "api.minimax.io",
    base: "/v1",
    model: "MiniMax-M3",
    key: BEARER,
    refuses: [
      chatRule(
        "QwenLM/qwen-code#11834",
        ({ tools }) => tools.some(({ function: { parameters } }) => parameters === undefined),
        {
          message: "invalid params, function parameters is empty (2013)",
        },
      ),
    ],
    error: ({ message }) => ({
      type: "error",
      error: { type: "bad_request_error", message, http_code: "400" },
      request_id: "1",
    }),
    says: speech({
      thoughts: "tags and reasoning_content",
      deltaMore: { role: "" },
      usage: (counts) => ({
        choices: [],
        usage: { ...counts, total_characters: 0 },
        base_resp: { status_code: 0, status_msg: "" },
      }),
      // The whole answer once more (ENTERPILOT/GoModel#1068, abundantbeing/hermes-browser-extension#11).
      last: ({ say, calls }) => [
        {
          object: "chat.completion",
          choices: [
            {
              index: 0,
              finish_reason: calls.length > 0 ? "tool_calls" : "stop",
              message: {
                role: "assistant",
                content: say,
                ...(calls.length > 0 && {
                  tool_calls: calls.map(({ id, name, arguments: input }) => ({
                    id,
                    type: "function",
                    function: { name, arguments: input },
                  })),
                }),
              },
            },
          ],
          base_resp: { status_code: 0, status_msg: "" },
        },
      ],
    }),
    speechSource: "MiniMax-AI/MiniMax-M2.5#2, can1357/oh-my-pi#2434, ENTERPILOT/GoModel#1068",
    models: listOf("MiniMax-M3"),
    listedWindow: null,
    sees: false,
  },
];
