/**
 * Any endpoint that speaks Chat Completions: OpenAI itself, LM Studio, Ollama, llama.cpp, vLLM. It gives the model; the
 * tools and the rules are the kernel's.
 */
import { runKernel } from "../../kernel/loop.ts";
import type { Provider } from "../../provider.ts";
import { chatCompletions } from "./chat-completions.ts";
import type { Endpoint } from "./endpoint.ts";
import { persistent } from "./persistent.ts";

export function createOpenai(endpoint: Endpoint): Provider {
  const model = persistent(chatCompletions(endpoint), endpoint.retryDelaysMs);
  const { tokensMax, toolCalls = true } = endpoint;
  const kernel = { model, tokensMax, toolCalls };
  return { name: "openai", model: endpoint.model, run: (run, signal) => runKernel(run, kernel, signal) };
}
