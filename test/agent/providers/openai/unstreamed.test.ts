/** A stream that breaks off before its first word: the request is made once more without one, in which the reason may be told. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { persistent } from "../../../../packages/agent/src/providers/endpoint/persistent.ts";
import { eitherApi } from "../../../../packages/agent/src/providers/openai/either-api.ts";

const REQUEST = { messages: [{ role: "user" as const, content: "Which port?" }], tools: [], mayCall: true };

interface Body {
  stream: boolean;
  stream_options?: unknown;
}

/** Asks a server whose answers are a function of the request; returns the last event, and which requests wanted a stream. */
async function ask(respond: (body: Body, response: ServerResponse) => void) {
  const streamed: boolean[] = [];
  const server = createServer(async (request, response) => {
    const body = (await json(request)) as Body;
    streamed.push(body.stream);
    expect(body.stream_options !== undefined).toBe(body.stream);
    respond(body, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const endpoint = { id: "openai" as const, baseUrl: `http://127.0.0.1:${port}`, model: "m", tokensMax: 9_000 };
  const limits = { firstByteMs: 10_000, idleMs: 10_000, retryDelaysMs: [] };
  const model = persistent(eitherApi({ ...endpoint, ...limits }), [0, 0, 0]);
  let last: unknown;
  for await (const event of model.ask(REQUEST, new AbortController().signal)) last = event;
  return { last, streamed };
}

const chunk = (delta: object) => `data: ${JSON.stringify({ choices: [{ delta }] })}\n\n`;
const begin = (response: ServerResponse) => response.writeHead(200, { "content-type": "text/event-stream" });
const say = (response: ServerResponse) =>
  response.end(JSON.stringify({ choices: [{ message: { content: "8080" }, finish_reason: "stop" }] }));

// As the server of llama-cpp-python 0.3.36 treats a prompt that is too long: the status is sent before it looks.
const breaks: [string, (response: ServerResponse) => void][] = [
  ["an end without a word", (response) => begin(response).end(chunk({ role: "assistant" }))],
  ["a connection that is cut", (response) => begin(response).write(": \n\n", () => response.destroy())],
];

test.each(breaks)("%s: a prompt that is too long is known as such", async (_, breakOff) => {
  const { last, streamed } = await ask((body, response) => {
    if (body.stream) return breakOff(response);
    response.writeHead(400).end(JSON.stringify({ error: { message: "maximum context length is 2560 tokens" } }));
  });
  expect(last).toMatchObject({ type: "failure", kind: "overflow" });
  expect(streamed).toEqual([true, false]);
});

test.each(breaks)("%s: an answer in one piece is the reply", async (_, breakOff) => {
  const { last, streamed } = await ask((body, response) => (body.stream ? breakOff(response) : say(response)));
  expect(last).toMatchObject({ type: "answer", text: "8080" });
  expect(streamed).toEqual([true, false]);
});

test("a stream that broke off behind its first word, one that told an error, and a refusal are asked for as streams again", async () => {
  let asked = 0;
  const { last, streamed } = await ask((_, response) => {
    asked++;
    if (asked === 1) begin(response).write(chunk({ content: "80" }), () => response.destroy());
    else if (asked === 2) response.writeHead(503).end();
    else if (asked === 3) begin(response).end(`data: ${JSON.stringify({ error: { message: "overloaded" } })}\n\n`);
    else say(response);
  });
  expect(last).toMatchObject({ type: "answer", text: "8080" });
  expect(streamed).toEqual([true, true, true, true]);
});

test("where an answer in one piece breaks off as well, the next one is a stream", async () => {
  const { last, streamed } = await ask((_, response) => begin(response).write(": \n\n", () => response.destroy()));
  expect(last).toMatchObject({ type: "failure", kind: "unavailable", cause: "busy" });
  expect(streamed).toEqual([true, false, true, false]);
});
