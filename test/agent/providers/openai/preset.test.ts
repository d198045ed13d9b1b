/** Requests over the wire to an endpoint that is nothing but a row of the table. */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { PresetId } from "@mimikit/protocol/base/provider";
import { Config } from "@mimikit/runtime/config/config";
import { expect, onTestFinished, test } from "vitest";
import type { ModelEvent, ModelRequest } from "../../../../packages/agent/src/kernel/model.ts";
import { chatCompletions } from "../../../../packages/agent/src/providers/openai/chat-completions.ts";
import { endpointOf } from "../../../../packages/agent/src/providers/openai/endpoint.ts";

const THOUGHT = { text: "so it is", vendor: { chat: { field: "reasoning_content" } } };
const REQUEST: ModelRequest = {
  messages: [
    { role: "user", content: "hello" },
    { role: "assistant", content: "", calls: [{ id: "1", name: "look", arguments: "{}" }], thoughts: [THOUGHT] },
    { role: "tool", callId: "1", tool: "look", content: "seen" },
  ],
  tools: [{ name: "look", parameters: { type: "object" } }],
  mayCall: true,
};

async function askedBy(id: PresetId) {
  const asked: { path: string | undefined; headers: IncomingHttpHeaders; body: Record<string, unknown> }[] = [];
  const server = createServer(async (request, response) => {
    asked.push({ path: request.url, headers: request.headers, body: JSON.parse(await text(request)) });
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ choices: [{ message: { content: "hi" }, finish_reason: "stop" }] }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/openai/v1`;
  const config = Config.parse({ model: "m", [id]: { baseUrl } });
  const environment = { home: "/nowhere", env: {}, keys: { [id]: "k-1" } };
  const model = chatCompletions(endpointOf("teller", config, environment, id));
  let last: ModelEvent | undefined;
  for await (const event of model.ask(REQUEST, new AbortController().signal)) last = event;
  expect(last).toMatchObject({ type: "answer", text: "hi" });
  return asked[0];
}

test("Azure gets the key in a header of its own, at the address that was given", async () => {
  const asked = await askedBy("azure");
  expect(asked).toMatchObject({ path: "/openai/v1/chat/completions", headers: { "api-key": "k-1" } });
  expect(asked?.headers.authorization).toBeUndefined();
});

test("Mistral, which refuses what it does not know, gets neither a wish for the count nor thoughts", async () => {
  const asked = await askedBy("mistral");
  expect(asked?.headers.authorization).toBe("Bearer k-1");
  expect(Object.keys(asked?.body ?? {}).sort()).toEqual(["messages", "model", "stream", "tools"]);
  expect(JSON.stringify(asked?.body)).not.toContain("so it is");
});

test("DeepSeek gets back what it thought before its calls", async () => {
  const asked = await askedBy("deepseek");
  expect(asked?.body).toMatchObject({ stream_options: { include_usage: true } });
  expect(JSON.stringify(asked?.body)).toContain('"reasoning_content":"so it is"');
});
