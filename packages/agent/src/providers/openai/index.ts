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
  const { tokensMax } = endpoint;
  return { name: "openai", run: (run, signal) => runKernel(run, { model, tokensMax }, signal) };
}
