/** Servers that people run themselves. */
import { listOf, plainError } from "./hosted.ts";
import { chatRule, pictures, rolesRepeat, systemInTheMiddle, toolsMissing } from "./rules.ts";
import { speech } from "./speech.ts";
import type { Vendor } from "./vendor.ts";

const LOOPBACK = { host: "127.0.0.1", base: "/v1", key: null, sees: false } as const;
const LITELLM = { ...LOOPBACK, provider: "litellm", key: ["authorization", "Bearer "] } as const;

export const OWN: readonly Vendor[] = [
  {
    ...LOOPBACK,
    name: "Ollama",
    provider: "ollama",
    model: "qwen3:8b",
    refuses: [
      chatRule("valentinfrlch/ha-llmvision#691", pictures, {
        status: 500,
        message: "this model is missing data required for image input",
      }),
    ],
    error: ({ message }) => ({ error: { message, type: "api_error", param: null, code: null } }),
    says: speech({ thoughts: "reasoning", index: "zero", wholeCalls: true }),
    speechSource: "ollama/ollama#15457",
    models: listOf("qwen3:8b"),
    // Its native API, beside `/v1`.
    serves: {
      "/api/show": {
        capabilities: ["completion", "tools", "thinking"],
        model_info: { "qwen3.context_length": 40_960 },
      },
      "/api/ps": { models: [{ name: "qwen3:8b", model: "qwen3:8b", context_length: 32_768 }] },
    },
    listedWindow: 32_768,
  },
  {
    ...LOOPBACK,
    name: "LM Studio",
    provider: "lmstudio",
    model: "qwen/qwen3-8b",
    refuses: [],
    error: ({ message }) => ({ error: message }),
    says: speech({ thoughts: "closing" }),
    hidesThoughts: true,
    speechSource: "QwenLM/qwen-code#6007",
    models: listOf("qwen/qwen3-8b"),
    serves: {
      "/api/v0/models": {
        data: [
          {
            id: "qwen/qwen3-8b",
            type: "llm",
            state: "loaded",
            max_context_length: 40_960,
            loaded_context_length: 32_768,
            capabilities: ["tool_use"],
          },
        ],
      },
    },
    listedWindow: 32_768,
  },
  {
    ...LOOPBACK,
    name: "llama.cpp",
    provider: "llamacpp",
    // By its alias, which says nothing of the model.
    model: "local",
    refuses: [
      chatRule("ggml-org/llama.cpp#19851", rolesRepeat, {
        status: 500,
        message:
          "\n------------\nWhile executing CallExpression at line 189, column 32 in source:\n...== 0) %}↵            {{- raise_exception('After the optional system message, con...\n                                           ^\nError: Jinja Exception: After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results.",
      }),
    ],
    error: ({ message, status = 400 }) => ({ error: { code: status, message, type: "server_error" } }),
    says: speech({
      first: [{ choices: [{ index: 0, delta: { role: "assistant", content: null }, finish_reason: null }] }],
    }),
    speechSource: "github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md",
    models: {
      object: "list",
      models: [{ name: "local", model: "local", capabilities: ["completion"] }],
      data: [{ id: "local", object: "model", owned_by: "llamacpp", meta: { n_ctx: 32_768, n_ctx_train: 131_072 } }],
    },
    listedWindow: 32_768,
  },
  {
    ...LOOPBACK,
    name: "vLLM",
    provider: "vllm",
    model: "Qwen/Qwen3.5-35B-A3B",
    refuses: [
      chatRule("vllm-project/vllm#41114", systemInTheMiddle, {
        message: "System message must be at the beginning.",
      }),
    ],
    error: ({ message }) => ({ error: { message, type: "BadRequestError", param: null, code: 400 } }),
    says: speech({ thoughts: "closing", isOpen: true }),
    hidesThoughts: true,
    speechSource: "ai-dynamo/dynamo#4723, QwenLM/qwen-code#6007",
    models: listOf("Qwen/Qwen3.5-35B-A3B", { root: "Qwen/Qwen3.5-35B-A3B", max_model_len: 32_768 }),
    listedWindow: 32_768,
  },
  {
    ...LITELLM,
    name: "LiteLLM",
    model: "main",
    refuses: [],
    error: ({ message }) => ({ error: { message, type: null, param: null, code: "400" } }),
    says: speech({ index: "zero" }),
    speechSource: "ogx-ai/ogx#4430",
    models: listOf("main"),
    listedWindow: null,
  },
  {
    ...LITELLM,
    name: "Bedrock through LiteLLM",
    model: "bedrock-claude",
    refuses: [
      chatRule("BerriAI/litellm#24712", toolsMissing, {
        message:
          "litellm.UnsupportedParamsError: Bedrock doesn't support tool calling without `tools=` param specified. Pass `tools=` param OR set `litellm.modify_params = True`",
      }),
    ],
    error: (objection) => plainError({ ...objection, more: { type: "None", code: "400" } }),
    models: listOf("bedrock-claude"),
    listedWindow: null,
  },
];
