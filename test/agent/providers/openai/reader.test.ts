/** Chat Completions as vendors really speak it: every answer that is one is read, whatever its form. */
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ModelEvent, ModelRequest } from "../../../../packages/agent/src/kernel/model.ts";
import { wireExtra, wireThoughts } from "../../../../packages/agent/src/providers/openai/answer.ts";
import { chatCompletions } from "../../../../packages/agent/src/providers/openai/chat-completions.ts";
import { readEvents } from "../../../../packages/agent/src/providers/openai/sse.ts";
import { CALLS, TEXTS, type VendorAnswer } from "./vendor-answers.ts";

let server: Server;
let respond: (response: ServerResponse) => void;
let requests = 0;

beforeEach(async () => {
  requests = 0;
  server = createServer((request, response) => {
    requests++;
    request.resume().on("end", () => respond(response));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const REQUEST: ModelRequest = { messages: [{ role: "user", content: "Which port?" }], tools: [], mayCall: true };

async function ask({ signal = new AbortController().signal, idleMs = 10_000 } = {}): Promise<ModelEvent[]> {
  const { port } = server.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}`;
  const place = { id: "openai" as const, baseUrl, model: "m", tokensMax: 9_000, firstByteMs: 10_000, idleMs };
  const events: ModelEvent[] = [];
  for await (const event of chatCompletions({ ...place, retryDelaysMs: [] }).ask(REQUEST, signal)) events.push(event);
  return events;
}

const eventsOf = (events: readonly object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
const bodyOf = ({ body, isOpen = false }: VendorAnswer) =>
  typeof body === "string" ? body : `${eventsOf(body)}${isOpen ? "" : "data: [DONE]\n\n"}`;

async function answerTo(body: string, type?: string) {
  respond = (response) => {
    if (type !== undefined) response.setHeader("content-type", type);
    response.end(body);
  };
  return (await ask()).at(-1);
}

test.each(Object.entries({ ...TEXTS, ...CALLS }))("%s are an answer", async (_, vendor) => {
  expect(await answerTo(bodyOf(vendor), "text/event-stream")).toMatchObject({ type: "answer", ...vendor.expected });
});

test.each([
  [undefined, "data"],
  ["application/json", "data"],
  ["text/plain; charset=utf-8", "data"],
  [undefined, "json"],
  ["text/event-stream", "json"],
])("with the content type %j the first bytes decide (%s)", async (type, form) => {
  const message = { choices: [{ message: { content: "8080" }, finish_reason: "stop" }] };
  const stream = `: hello\n\n${eventsOf([{ choices: [{ delta: { content: "8080" }, finish_reason: "stop" }] }])}`;
  const answer = await answerTo(form === "json" ? JSON.stringify(message) : stream, type);
  expect(answer).toMatchObject({ type: "answer", text: "8080" });
});

test("JSON of another wire is no answer", async () => {
  const answer = await answerTo('{"type":"message","content":[]}', "application/json");
  expect(answer).toMatchObject({ type: "failure", message: expect.stringContaining("JSON of another shape") });
});

test("a web page is no answer, and said to be one", async () => {
  const answer = await answerTo("<!DOCTYPE html><title>Log in</title>", "text/html");
  expect(answer).toMatchObject({
    type: "failure",
    kind: "unavailable",
    message: expect.stringContaining("a web page"),
  });
});

describe("the end of the connection", () => {
  const SAID = eventsOf([{ choices: [{ delta: { content: "8080" } }] }]);
  const FINISHED = `${SAID}${eventsOf([{ choices: [{ delta: {}, finish_reason: "stop" }] }])}`;

  test("does not matter once the model has ended its answer: it may stay open", async () => {
    respond = (response) => void response.write(FINISHED);
    expect((await ask({ idleMs: 50 })).at(-1)).toMatchObject({ type: "answer", text: "8080" });
  });

  test("nor does it where a proxy gives signs of life for ever", async () => {
    respond = (response) => {
      response.write(FINISHED);
      const timer = setInterval(() => response.write(": ping\n\n"), 5);
      response.on("close", () => clearInterval(timer));
    };
    expect((await ask({ idleMs: 50 })).at(-1)).toMatchObject({ type: "answer", text: "8080" });
  });

  test("nor where it breaks", async () => {
    respond = (response) => response.write(FINISHED, () => response.destroy());
    expect((await ask()).at(-1)).toMatchObject({ type: "answer", text: "8080" });
    expect(requests).toBe(1);
  });

  test("is awaited for the count of tokens", async () => {
    const usage = eventsOf([{ choices: [], usage: { prompt_tokens: 71, completion_tokens: 3 } }]);
    respond = (response) => response.write(FINISHED, () => setImmediate(() => response.write(usage)));
    expect((await ask({ idleMs: 200 })).at(-1)).toMatchObject({ usage: { inputTokens: 71, outputTokens: 3 } });
  });

  test("before that is a failure where it breaks, and where nothing or half a call came", async () => {
    respond = (response) => response.write(SAID, () => response.destroy());
    expect((await ask()).at(-1)).toMatchObject({ type: "failure", kind: "unavailable" });
    const torn = eventsOf([
      { choices: [{ delta: { tool_calls: [{ index: 0, id: "a", function: { name: "read", arguments: '{"pa' } }] } }] },
    ]);
    for (const body of ["", ": ping\n\n", torn, `${SAID}data: {"choices":[{"delta":{"con`])
      expect(await answerTo(body), body).toMatchObject({ type: "failure", kind: "unavailable" });
  });

  test("that the run brings about is no answer, though the model had ended it", async () => {
    const stop = new AbortController();
    respond = (response) => response.write(FINISHED, () => setImmediate(() => stop.abort()));
    expect((await ask({ signal: stop.signal })).at(-1)).toMatchObject({ type: "failure", kind: "aborted" });
  });
});

test.each(["error", "insufficient_system_resource", "network_error", "MALFORMED_FUNCTION_CALL"])(
  "an answer that ends with %s is asked for again",
  async (finish_reason) => {
    const answer = await answerTo(eventsOf([{ choices: [{ delta: { content: "80" }, finish_reason }] }]));
    expect(answer).toMatchObject({ type: "failure", kind: "unavailable", cause: "busy" });
  },
);

test.each([
  ["DashScope", { code: "InvalidApiKey", message: "Invalid API-key provided." }, "Invalid API-key"],
  ["FastAPI", { detail: "Not authenticated" }, "Not authenticated"],
  ["MiniMax", { choices: null, base_resp: { status_code: 1004, status_msg: "login fail" } }, "login fail"],
  [
    "OpenRouter",
    { choices: [{ error: { code: 502, message: "Provider died" }, finish_reason: "error" }] },
    "Provider died",
  ],
])("an error of %s inside of a 200 is told in its words", async (_, body, words) => {
  const answer = await answerTo(JSON.stringify(body), "application/json");
  expect(answer).toMatchObject({ type: "failure", message: expect.stringContaining(words) });
});

test("an error that vLLM sends without a frame is one", async () => {
  const answer = await answerTo(
    eventsOf([{ object: "error", message: "maximum context length is 4096 tokens", code: 400 }]),
  );
  expect(answer).toMatchObject({ type: "failure", kind: "overflow" });
});

test("signed thoughts and signatures of calls go back as they came", async () => {
  const signed = await answerTo(bodyOf(TEXTS["signed thoughts of OpenRouter, in pieces"] as VendorAnswer));
  if (signed?.type !== "answer") throw new Error("no answer");
  expect(wireThoughts(signed.thoughts)).toEqual({
    reasoning_details: [
      { type: "reasoning.text", text: "Let me", format: "anthropic-claude-v1", index: 0, signature: "Et8B" },
      { type: "reasoning.encrypted", data: "AAAA", id: "x", index: 1 },
    ],
  });
  const called = await answerTo(bodyOf(CALLS["Gemini's calls without an index, with a signature"] as VendorAnswer));
  if (called?.type !== "answer") throw new Error("no answer");
  expect(called.calls.map(wireExtra)).toEqual([{ extra_content: { google: { thought_signature: "EjQ" } } }, {}]);
});

test("an answer is the same however its bytes are cut, and whatever ends its lines", async () => {
  const whole = bodyOf(TEXTS["signed thoughts of OpenRouter, in pieces"] as VendorAnswer).replace("8080", '汉😀{[\\"');
  const read = async (text: string, cuts: readonly number[]) => {
    const bytes = new TextEncoder().encode(text);
    const ends = [...cuts.map((cut) => cut % bytes.length).sort((a, b) => a - b), bytes.length];
    async function* chunks() {
      let start = 0;
      for (const end of ends) {
        yield bytes.subarray(start, end);
        start = end;
      }
    }
    const events: string[] = [];
    for await (const event of readEvents(chunks())) events.push(event);
    return events;
  };
  const list = `[${whole
    .split("\n\n")
    .filter((event) => event.startsWith("data: {"))
    .map((event) => event.slice(6))
    .join(",\r\n")}]`;
  for (const text of [whole, list]) {
    const expected = await read(text, []);
    expect(expected.filter((event) => event !== "[DONE]")).toHaveLength(6);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { maxLength: 8 }), fc.constantFrom("\n", "\r\n", "\r"), async (cuts, end) => {
        expect(await read(text.replaceAll("\n", end), cuts)).toEqual(expected);
      }),
    );
  }
});
