/** Which endpoint a role is given, what its refusals mean, and how its stream is read. */

import { Config, loadConfig } from "@mimikit/runtime/config/config";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { failureInStream, failureOf } from "../../../../packages/agent/src/providers/endpoint/failure.ts";
import { endpointOf } from "../../../../packages/agent/src/providers/openai/endpoint.ts";
import { readEvents } from "../../../../packages/agent/src/providers/openai/sse.ts";
import { temporaryDirectory } from "../../fixtures.ts";

describe("the settings of an endpoint", () => {
  const key = { OPENAI_API_KEY: "sk-1" };

  test("the variables of the environment are all it takes, and the key stays there", () => {
    const env = { OPENAI_BASE_URL: "http://127.0.0.1:1/v1", MIMIKIT_MODEL: "m", MIMIKIT_MODEL_WORKER: "w", ...key };
    const { config, problems } = loadConfig(temporaryDirectory(), env);
    expect(problems).toEqual([]);
    expect(JSON.stringify(config)).not.toContain("sk-1");
    expect(endpointOf("teller", config, { home: "/state", env, keys: {} })).toMatchObject({
      baseUrl: env.OPENAI_BASE_URL,
      model: "m",
      apiKey: "sk-1",
      tokensMax: 14_336,
    });
    expect(endpointOf("worker", config, { home: "/state", env, keys: {} }).model).toBe("w");
    expect(endpointOf("worker", Config.parse({ model: "m" }), { home: "/state", env: key, keys: {} }).baseUrl).toBe(
      "https://api.openai.com/v1",
    );
  });

  test("an address that is none is reported and ignored", () => {
    const { config, problems } = loadConfig(temporaryDirectory(), { OPENAI_BASE_URL: "localhost:11434" });
    expect(config.openai.baseUrl).toBeUndefined();
    expect(problems).toEqual([expect.stringMatching(/^OPENAI_BASE_URL: /)]);
  });
});

describe("a refusal", () => {
  const error = (message: string, more: object = {}) => JSON.stringify({ error: { message, ...more } });

  test.each<[string, number, string, string]>([
    ["OpenAI", 400, error("too long", { code: "context_length_exceeded" }), "overflow"],
    ["vLLM", 400, error("This model's maximum context length is 4096 tokens."), "overflow"],
    ["llama.cpp", 400, error("the request exceeds the available context size"), "overflow"],
    ["a proxy", 413, "<html>Payload too large</html>", "overflow"],
    ["a busy server that mentions its context window", 429, error("context window busy"), "unavailable"],
    ["llama.cpp without eyes", 500, error("image input is not supported - hint: provide the mmproj"), "refused"],
    ["a server that loads its model", 503, error("Loading model"), "unavailable"],
    ["a request that is wrong", 400, error("unknown field"), "refused"],
    ["a key that is not allowed", 403, error("no"), "refused"],
    ["Ollama", 404, '{"error":"model not found"}', "not_found"],
  ])("of %s is understood", (_, status, body, kind) => {
    expect(failureOf(status, body, null, 0, "api.test").kind).toBe(kind);
  });

  test.each([
    ["3", 3_000],
    ["0.5", 500],
    ["Thu, 01 Jan 1970 00:00:10 GMT", 10_000],
    ["soon", undefined],
    ["", undefined],
  ])("with Retry-After: %j waits as long as it says", (header, ms) => {
    expect(failureOf(429, "", header, 0, "api.test").retryAfterMs).toBe(ms);
  });

  test("is told in one short line, and a web page is not told", () => {
    const { message } = failureOf(500, error(`a\nb ${"x".repeat(5_000)}`), null, 0, "api.test");
    expect(message).toMatch(/^api\.test says HTTP 500: a b x+$/);
    expect(message.length).toBeLessThanOrEqual(500);
    expect(failureOf(502, "<html>nginx</html>", null, 0, "api.test").message).toBe("api.test says HTTP 502");
    expect(failureInStream({ message: "context_length_exceeded" }, "api.test").kind).toBe("overflow");
    expect(failureInStream("boom", "api.test")).toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining("boom"),
    });
  });
});

test("a stream of events is the same however it is cut and whatever ends its lines", async () => {
  const text = 'data: {"a":"汉😀"}\n\n: ping\r\n\r\ndata:[DONE]\r\nevent: x\nid: 1\n\ndata: {"b":1}';
  const bytes = new TextEncoder().encode(text);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 8 }), async (cuts) => {
      const ends = [...cuts.sort((a, b) => a - b), bytes.length];
      async function* chunks() {
        let start = 0;
        for (const end of ends) {
          yield bytes.subarray(start, end);
          start = end;
        }
      }
      const events: string[] = [];
      for await (const event of readEvents(chunks())) events.push(event);
      expect(events).toEqual(['{"a":"汉😀"}', "[DONE]", '{"b":1}']);
    }),
  );
});
