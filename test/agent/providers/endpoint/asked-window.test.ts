/** The window of a model that is not in our table: what its server says of it is what runs use. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { testConnection } from "@mimikit/agent/connect/connect";
import { TABLE, tokensMaxFor } from "@mimikit/agent/providers/index";
import { Config } from "@mimikit/runtime/config/config";
import { expect, onTestFinished, test } from "vitest";
import { ModelServer } from "../../../support/model-server.ts";
import { messageOf, run, temporaryDirectory, turnOf } from "../../fixtures.ts";

/** 24,000 characters, about 6,500 tokens: more than a quarter of 16k. */
const PASTE = Array.from({ length: 480 }, (_, i) => `Resident number ${i} asks about the new balconies.`).join("\n");

async function serverOf(listed: object) {
  const server = await ModelServer.start({ teller: [{ say: "Read." }] });
  onTestFinished(() => server.close());
  server.models = [{ id: "mind-1", ...listed }];
  const home = join(temporaryDirectory(), "home");
  mkdirSync(home);
  const openai = { baseUrl: server.baseUrl };
  const config = Config.parse({ provider: "openai", model: "mind-1", openai });
  const environment = { home, env: {}, keys: { openai: "sk-1" } };
  const isWhole = async () => {
    const provider = await TABLE.openai.create("teller", config, environment);
    await run(turnOf({ messages: [messageOf(PASTE)] }), { provider });
    return server.of("teller").at(-1)?.prompt.replaceAll("\n    ", "\n").includes(PASTE);
  };
  const connect = () =>
    testConnection(
      { provider: "openai", baseUrl: server.baseUrl, model: "mind-1", key: "sk-1" },
      { home, env: {}, workDir: home },
      AbortSignal.timeout(20_000),
    );
  return { home, isWhole, connect, tokensMax: () => tokensMaxFor("teller", config, environment) };
}

test("a run uses the window that the list of models tells, and so does what comes after it", async () => {
  const { isWhole, tokensMax } = await serverOf({ max_model_len: 65_536 });
  expect(await tokensMax()).toBe(14_336);
  expect(await isWhole()).toBe(true);
  expect(await tokensMax()).toBe(65_536 - 2_048);
});

test("what a connection was told is used from the first run on", async () => {
  const { connect, tokensMax } = await serverOf({ max_model_len: 65_536 });
  const { answer } = await connect();
  expect(answer).toMatchObject({ contextWindow: 65_536 });
  expect(answer).not.toHaveProperty("assumedWindow");
  expect(await tokensMax()).toBe(65_536 - 2_048);
});

test("where nothing says how much a model holds, a connection tells what is assumed, and which setting says so", async () => {
  const { connect, isWhole } = await serverOf({});
  const { answer } = await connect();
  expect(answer).toMatchObject({
    contextWindow: null,
    assumedWindow: { tokens: 16_384, setting: "openai.contextWindow" },
  });
  expect(await isWhole()).toBe(false);
});

test.each([
  ["deepseek", "deepseek-chat", 128_000],
  ["moonshot", "kimi-k2.5", 128_000],
  ["zhipu", "glm-4.6", 200_000],
  ["mistral", "mistral-large-latest", 128_000],
  ["openrouter", "qwen/qwen3-max", 128_000],
  // A server of one's own may have loaded it with less.
  ["ollama", "qwen3", 16_384],
] as const)("the family of a model tells its window where %s does not", async (provider, model, window) => {
  const config = Config.parse({ provider, model });
  const environment = { home: temporaryDirectory(), env: {}, keys: { [provider]: "sk-1" } };
  expect(await tokensMaxFor("teller", config, environment)).toBe(window - 2_048);
});
