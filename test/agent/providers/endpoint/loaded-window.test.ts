/** An Ollama whose loaded window is smaller than what it is sent. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { ModelEvent, ModelRequest } from "../../../../packages/agent/src/kernel/model.ts";
import { estimateTokens } from "../../../../packages/agent/src/prompt/tokens.ts";
import { counted } from "../../../../packages/agent/src/providers/endpoint/counted.ts";
import { withinLoadedWindow } from "../../../../packages/agent/src/providers/endpoint/loaded-window.ts";
import { chatCompletions } from "../../../../packages/agent/src/providers/openai/chat-completions.ts";

/** @param windows the loaded window at each question for it, the last one from then on; null: nothing is loaded. */
async function ollama(windows: (number | null)[], promptTokens: number) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    request.resume();
    if (request.url === "/api/ps") {
      const window = windows.length > 1 ? windows.shift() : windows[0];
      const models = window == null ? [] : [{ name: "qwen3:8b", model: "qwen3:8b", context_length: window }];
      return response.end(JSON.stringify({ models }));
    }
    const choices = [{ message: { content: "yes" }, finish_reason: "stop" }];
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ choices, usage: { prompt_tokens: promptTokens, completion_tokens: 1 } }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const place = {
    id: "ollama" as const,
    baseUrl,
    model: "qwen3:8b",
    tokensMax: 14_336,
    firstByteMs: 5_000,
    idleMs: 5_000,
    retryDelaysMs: [],
  };
  const model = counted(withinLoadedWindow(chatCompletions(place), place, 2_048), place);
  const ask = async (content: string): Promise<ModelEvent | undefined> => {
    const request: ModelRequest = { messages: [{ role: "user", content }], tools: [], mayCall: false };
    const events: ModelEvent[] = [];
    for await (const event of model.ask(request, new AbortController().signal)) events.push(event);
    return events.at(-1);
  };
  return { ask, asked };
}

const LONG = "many words ".repeat(3_000);

test("a request that is longer than the loaded window is an overflow that says what fits, and is not sent", async () => {
  const { ask, asked } = await ollama([4_096], 4_096);
  expect(await ask(LONG)).toMatchObject({
    kind: "overflow",
    cause: "window",
    tokensMax: 2_048,
    message: expect.stringMatching(/reads only 4096 of about \d+ tokens.*OLLAMA_CONTEXT_LENGTH/),
  });
  expect(asked).toEqual(["/api/ps"]);
});

test("an answer to a request that was cut while the model was being loaded does not count", async () => {
  const { ask, asked } = await ollama([null, 4_096], 4_096);
  expect(await ask(LONG)).toMatchObject({ kind: "overflow", tokensMax: 2_048 });
  expect(asked).toEqual(["/api/ps", "/v1/chat/completions", "/api/ps"]);
});

test("a request that fits is answered, and a short one asks for no window", async () => {
  const { ask, asked } = await ollama([32_768], 9_000);
  expect(await ask(LONG)).toMatchObject({ type: "answer", text: "yes" });
  asked.length = 0;
  expect(await ask("short")).toMatchObject({ type: "answer" });
  expect(asked).toEqual(["/v1/chat/completions"]);
});

test("the counts that it reports correct the estimate", async () => {
  const tokens = estimateTokens(LONG);
  const { ask } = await ollama([32_768, 32_768, 4_096], Math.round(tokens * 0.4));
  expect(await ask(LONG)).toMatchObject({ type: "answer" });
  expect(await ask(LONG)).toMatchObject({ type: "answer" });
});
