/**
 * The providers in the order of `auto`, which comes no further than the offline engine: that lacks nothing. Here is what can be
 * said of each without the code that answers; `packages/agent/src/providers/index.ts` says what it needs and where its code is,
 * and does not compile until it does. An endpoint that speaks Chat Completions (`preset`) needs no code of its own.
 */
import { z } from "zod";
import { whole } from "./fields.ts";

export interface ProviderFacts {
  /** The variable that holds its key, or those of which the first that is set counts. No file but secrets.json holds it, and it is never shown. */
  key?: string | readonly string[];
  /** Costs nothing and has no model behind it, which could judge or sum up. */
  isFree?: true;
  /** A folder of its own name in the state directory holds its settings and its login. */
  hasFolder?: true;
  /** The settings of the provider, under its own name. A function: the page, which takes the titles alone, loads no schema. */
  settings?: () => z.ZodRawShape;
  /** A variable by which others know its `baseUrl`; it goes before the one that is made of the names. */
  baseUrlVariable?: string;
  /** Our own loop asks it for its models and its answers in this way. */
  wire?: Wire;
  /** It is nothing but an address that speaks Chat Completions. */
  isPreset?: true;
  /** A server of one's own machine or network: it needs no key. */
  isLocal?: true;
  /** Where it is when nothing else is set, with its version. */
  ownBaseUrl?: string;
  /** The page where its keys are made. */
  keyPage?: string;
  /** The header that carries its key, where that is not `Authorization`. */
  keyHeader?: string;
  /** It refuses requests with fields that it does not know: those that are not in its own documentation. */
  isStrict?: true;
}

/** The ways in which our own loop asks models. */
export type Wire = "chat" | "anthropic" | "google";

/** The two APIs of OpenAI and of those that speak like it: one wire, as far as keys and lists of models go. */
export type ModelApi = "chat" | "responses";
/** Their names, in any language. */
export const API_TITLES: Readonly<Record<ModelApi, string>> = { chat: "Chat Completions", responses: "Responses" };

const address = (what: string) =>
  z
    .url({ protocol: /^https?$/ })
    .max(2_048)
    .optional()
    .describe(what);

const cliSilence = () => whole(1, 3_600, 300, "Seconds that the CLI may be silent while none of its tools is running.");

const MODEL_CHARS_MAX = 200;
/** The name of a model, as its endpoint knows it. */
export const modelName = () => z.string().trim().min(1).max(MODEL_CHARS_MAX).optional();
const ownModel = (of: string) => modelName().describe(`The model ${of}, by its name there; \`model\` if not set.`);

/** The settings of an endpoint that speaks Chat Completions; what else there is of it, it has in common with `openai`. */
const preset = (name: string, mainland?: string) => ({
  baseUrl: address(
    `Where ${name} answers if not at its own address, up to and with the version${mainland === undefined ? "" : `; in mainland China \`${mainland}\``}.`,
  ),
  model: ownModel("that it is asked for"),
});

/** The settings of an endpoint that speaks a vendor's own wire. */
const nativeEndpoint = (wire: string, version: string, vendor: string, window: string, hears: string) => ({
  baseUrl: address(`An endpoint that speaks ${wire}, with or without its \`${version}\`; ${vendor} own if not set.`),
  model: ownModel("that it is asked for"),
  contextWindow: z
    .number()
    .int()
    .min(4_096)
    .max(10_000_000)
    .optional()
    .describe(`The context window of the model in tokens, for prompt and answer together; ${window} if not set.`),
  reservedOutput: whole(
    256,
    1_000_000,
    32_000,
    "Tokens of the context window that are reserved for the answer, including thinking; at most half of the window.",
  ),
  vision: z.boolean().optional().describe("Whether the model accepts images; yes if not set."),
  audio: z.boolean().optional().describe(`Whether the model accepts audio; ${hears} if not set.`),
  firstByteSec: whole(1, 300, 120, "Seconds that the endpoint may take to begin an answer."),
  idleSec: whole(1, 300, 120, "Seconds that it may be silent within an answer."),
});

const CHAT = { wire: "chat", isPreset: true } as const;

/** A call, so that the page, which takes the titles alone, loads neither the table nor its schemas. */
export const PROVIDERS = /* @__PURE__ */ providerTable();

function providerTable() {
  return {
    openai: {
      key: "OPENAI_API_KEY",
      baseUrlVariable: "OPENAI_BASE_URL",
      wire: "chat",
      ownBaseUrl: "https://api.openai.com/v1",
      keyPage: "https://platform.openai.com/api-keys",
      settings: () => ({
        baseUrl: address(
          "A Chat Completions or Responses endpoint, up to and with its `/v1`; with a key alone it is OpenAI's.",
        ),
        model: ownModel("that it is asked for"),
        contextWindow: z
          .number()
          .int()
          .min(4_096)
          .max(10_000_000)
          .optional()
          .describe(
            "The context window of the model in tokens, for prompt and answer together; if not set, the known one of the model, else 16384.",
          ),
        reservedOutput: z
          .number()
          .int()
          .min(256)
          .max(1_000_000)
          .optional()
          .describe(
            "Tokens of the context window that are reserved for the answer; if not set, 2048, and 32000 for models that are asked over Responses.",
          ),
        api: z
          .enum(["auto", "chat", "responses"])
          .default("auto")
          .describe(
            "The API over which models are asked: `auto` is Responses at OpenAI and Azure and wherever an endpoint demands it, else Chat Completions.",
          ),
        toolCalls: z
          .boolean()
          .default(true)
          .describe("Whether the model can call tools. If not, it is told to write tags at the end of its answers."),
        vision: z
          .boolean()
          .optional()
          .describe("Whether the model accepts images; detected if not set, see attachments.md."),
        audio: z.boolean().optional().describe("Whether the model accepts audio; detected if not set."),
        firstByteSec: whole(1, 300, 120, "Seconds that the endpoint may take to begin an answer."),
        idleSec: whole(1, 300, 60, "Seconds that it may be silent within an answer."),
      }),
    },
    codex: {
      key: "OPENAI_API_KEY",
      keyPage: "https://platform.openai.com/api-keys",
      hasFolder: true,
      settings: () => ({
        baseUrl: address(
          "An endpoint that speaks OpenAI's Responses, up to and with its `/v1`; with a key alone it is OpenAI's.",
        ),
        model: ownModel("of codex"),
        network: z.boolean().default(true).describe("Whether the commands of a Worker on codex have network access."),
        idleSec: cliSilence(),
      }),
    },
    claude: {
      key: "ANTHROPIC_API_KEY",
      keyPage: "https://platform.claude.com/settings/keys",
      hasFolder: true,
      settings: () => ({
        baseUrl: address(
          "An endpoint that speaks Anthropic's Messages, up to and without its `/v1`; Anthropic's if not set.",
        ),
        model: ownModel("of claude"),
        idleSec: cliSilence(),
      }),
    },
    anthropic: {
      key: "ANTHROPIC_API_KEY",
      wire: "anthropic",
      ownBaseUrl: "https://api.anthropic.com/v1",
      keyPage: "https://platform.claude.com/settings/keys",
      settings: () => nativeEndpoint("Anthropic's Messages", "/v1", "Anthropic's", "200000", "it cannot"),
    },
    google: {
      // The second is how Google's own programs call it.
      key: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY"],
      wire: "google",
      ownBaseUrl: "https://generativelanguage.googleapis.com/v1beta",
      keyPage: "https://aistudio.google.com/apikey",
      settings: () => nativeEndpoint("Google's Gemini", "/v1beta", "Google's", "1000000", "it can"),
    },
    offline: { isFree: true },
    // Those below are only taken by their names: a key that is set for another program must not choose the provider.
    openrouter: {
      key: "OPENROUTER_API_KEY",
      ownBaseUrl: "https://openrouter.ai/api/v1",
      keyPage: "https://openrouter.ai/settings/keys",
      ...CHAT,
      settings: () => preset("OpenRouter"),
    },
    mistral: {
      key: "MISTRAL_API_KEY",
      isStrict: true,
      ownBaseUrl: "https://api.mistral.ai/v1",
      keyPage: "https://console.mistral.ai/api-keys",
      ...CHAT,
      settings: () => preset("Mistral"),
    },
    deepseek: {
      key: "DEEPSEEK_API_KEY",
      ownBaseUrl: "https://api.deepseek.com/v1",
      keyPage: "https://platform.deepseek.com/api_keys",
      ...CHAT,
      settings: () => preset("DeepSeek"),
    },
    xai: {
      key: "XAI_API_KEY",
      ownBaseUrl: "https://api.x.ai/v1",
      keyPage: "https://console.x.ai",
      ...CHAT,
      settings: () => preset("xAI"),
    },
    groq: {
      key: "GROQ_API_KEY",
      ownBaseUrl: "https://api.groq.com/openai/v1",
      keyPage: "https://console.groq.com/keys",
      ...CHAT,
      settings: () => preset("Groq"),
    },
    together: {
      key: "TOGETHER_API_KEY",
      ownBaseUrl: "https://api.together.xyz/v1",
      keyPage: "https://api.together.ai/settings/api-keys",
      ...CHAT,
      settings: () => preset("Together AI"),
    },
    // Vendors with several regions, each with keys of its own: the address outside mainland China.
    qwen: {
      key: "DASHSCOPE_API_KEY",
      ownBaseUrl: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
      keyPage: "https://modelstudio.console.alibabacloud.com/?tab=dashboard#/api-key",
      ...CHAT,
      settings: () => preset("DashScope", "https://dashscope.aliyuncs.com/compatible-mode/v1"),
    },
    moonshot: {
      key: "MOONSHOT_API_KEY",
      ownBaseUrl: "https://api.moonshot.ai/v1",
      keyPage: "https://platform.moonshot.ai/console/api-keys",
      ...CHAT,
      settings: () => preset("Moonshot", "https://api.moonshot.cn/v1"),
    },
    zhipu: {
      // The second is that of the vendor's older library.
      key: ["ZAI_API_KEY", "ZHIPUAI_API_KEY"],
      ownBaseUrl: "https://api.z.ai/api/paas/v4",
      keyPage: "https://z.ai/manage-apikey/apikey-list",
      ...CHAT,
      settings: () => preset("Z.ai", "https://open.bigmodel.cn/api/paas/v4"),
    },
    minimax: {
      key: "MINIMAX_API_KEY",
      ownBaseUrl: "https://api.minimax.io/v1",
      keyPage: "https://platform.minimax.io/user-center/basic-information/interface-key",
      ...CHAT,
      settings: () => preset("MiniMax", "https://api.minimaxi.com/v1"),
    },
    azure: {
      key: "AZURE_OPENAI_API_KEY",
      keyHeader: "api-key",
      keyPage: "https://ai.azure.com",
      ...CHAT,
      settings: () => ({
        ...preset("Azure"),
        baseUrl: address("The v1 endpoint of a resource: `https://NAME.openai.azure.com/openai/v1`."),
      }),
    },
    ollama: {
      isLocal: true,
      ownBaseUrl: "http://127.0.0.1:11434/v1",
      ...CHAT,
      settings: () => preset("Ollama"),
    },
    lmstudio: {
      isLocal: true,
      ownBaseUrl: "http://127.0.0.1:1234/v1",
      ...CHAT,
      settings: () => preset("LM Studio"),
    },
    llamacpp: {
      isLocal: true,
      ownBaseUrl: "http://127.0.0.1:8080/v1",
      ...CHAT,
      settings: () => preset("llama-server"),
    },
    vllm: {
      isLocal: true,
      ownBaseUrl: "http://127.0.0.1:8000/v1",
      ...CHAT,
      settings: () => preset("vLLM"),
    },
    litellm: {
      isLocal: true,
      ownBaseUrl: "http://127.0.0.1:4000/v1",
      ...CHAT,
      settings: () => preset("LiteLLM"),
    },
  } as const satisfies Record<string, ProviderFacts>;
}
export type ProviderId = keyof typeof PROVIDERS;
/** Those of whom their row says everything. */
export type PresetId = {
  [Id in ProviderId]: (typeof PROVIDERS)[Id] extends { isPreset: true } ? Id : never;
}[ProviderId];

/** How people know them; in Chinese, too, where `wire/chinese-titles.ts` has no other. */
export const PROVIDER_TITLES: Readonly<Record<ProviderId, string>> = {
  openai: "model endpoint",
  codex: "Codex",
  claude: "Claude",
  anthropic: "Anthropic",
  google: "Google Gemini",
  offline: "offline engine",
  openrouter: "OpenRouter",
  mistral: "Mistral",
  deepseek: "DeepSeek",
  xai: "xAI",
  groq: "Groq",
  together: "Together AI",
  qwen: "Qwen (DashScope)",
  moonshot: "Moonshot (Kimi)",
  zhipu: "Z.ai (Zhipu GLM)",
  minimax: "MiniMax",
  azure: "Azure OpenAI",
  ollama: "Ollama",
  lmstudio: "LM Studio",
  llamacpp: "llama.cpp",
  vllm: "vLLM",
  litellm: "LiteLLM",
};
