/** The window of a model, as its server tells it when it is connected. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { testConnection } from "@mimikit/agent/connect/connect";
import { Config, loadConfig } from "@mimikit/runtime/config/config";
import { prepareHome } from "@mimikit/runtime/home/home";
import { expect, onTestFinished, test } from "vitest";
import { learn, readLearnt } from "../../packages/agent/src/providers/endpoint/learnt.ts";
import { limitedByApi } from "../../packages/agent/src/providers/openai/asked-api.ts";
import { describeApi } from "../../packages/agent/src/providers/openai/describe-api.ts";
import { endpointOf } from "../../packages/agent/src/providers/openai/endpoint.ts";
import { temporaryDirectory } from "../runtime/temporary-home.ts";

const MODEL = "own-model";

/** A home, and a server that lists its model with what is given. */
async function beside(listed: object) {
  const server = createServer((request, response) => {
    request.resume();
    response.setHeader("content-type", "application/json");
    const answer = { choices: [{ message: { content: "ready" }, finish_reason: "stop" }] };
    response.end(JSON.stringify(request.method === "GET" ? { data: [{ id: MODEL, ...listed }] } : answer));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const home = join(temporaryDirectory(), "home");
  prepareHome(home);
  const connect = (env: Record<string, string> = {}) =>
    testConnection(
      { provider: "openai", baseUrl, model: MODEL },
      { home, env, workDir: home },
      AbortSignal.timeout(20_000),
    );
  /** Tokens of a request of a run, with these settings. */
  const usedWith = (openai: object = {}) => {
    const config = Config.parse({ ...loadConfig(home, {}).config, model: MODEL, openai: { baseUrl, ...openai } });
    return limitedByApi(endpointOf("worker", config, { home, env: {}, keys: {} })).tokensMax;
  };
  return { connect, usedWith, at: { home, baseUrl, model: MODEL } };
}

test("runs use the window that the server told when it was connected, unless the settings name one", async () => {
  const { connect, usedWith, at } = await beside({ max_model_len: 65_536 });
  expect(usedWith()).toBe(14_336);
  expect((await connect()).answer).toMatchObject({ contextWindow: 65_536 });
  expect(usedWith()).toBe(65_536 - 2_048);
  expect(usedWith({ contextWindow: 8_192 })).toBe(8_192 - 2_048);
  expect(readLearnt(at)).toEqual({ contextWindow: 65_536 });
});

test("a window that is smaller than usual needs no setting either", async () => {
  const { connect, usedWith } = await beside({ max_model_len: 8_192 });
  expect(await connect()).not.toHaveProperty("problem");
  expect(usedWith()).toBe(8_192 - 2_048);
});

test("who connects is told with how many tokens is counted where nobody tells the window", async () => {
  const { connect } = await beside({});
  expect((await connect()).answer).toMatchObject({ contextWindow: null, assumedWindow: 16_384 });
});

test("connecting forgets what the endpoint refused before, which is shown until then", async () => {
  const { connect, at } = await beside({});
  learn(at, { noEffort: true, corrections: ["bridge", "max_tokens"] });
  expect(describeApi(at).learnt.join("\n")).toContain("bridge, max_tokens");
  await connect();
  expect(readLearnt(at)).toEqual({});
});

test.each([
  ["deepseek-ai/DeepSeek-V3.2", "https://api.vendor.example/v1", 128_000],
  ["kimi-k2.5", "https://api.vendor.example/v1", 128_000],
  ["GLM-5", "https://api.vendor.example/v1", 128_000],
  ["Qwen3-Max", "https://api.vendor.example/v1", 128_000],
  ["qwen3:8b", "http://127.0.0.1:11434/v1", 16_384],
  ["unheard-of", "https://api.vendor.example/v1", 16_384],
])("%s at %s is counted on with %i tokens before it was connected", (model, baseUrl, window) => {
  const config = Config.parse({ model, openai: { baseUrl } });
  const { tokensMax, outputTokensMax = 0 } = limitedByApi(
    endpointOf("worker", config, { home: temporaryDirectory(), env: {}, keys: {} }),
  );
  expect(tokensMax + outputTokensMax).toBe(window);
});
