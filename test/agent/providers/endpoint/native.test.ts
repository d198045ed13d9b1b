/** Requests on a vendor's own wire: by the settings of each role, and with the marks that its cache needs. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Provider } from "@mimikit/agent/provider";
import { Config } from "@mimikit/runtime/config/config";
import { SESSIONS } from "@mimikit/store/disk/state";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createAnthropic } from "../../../../packages/agent/src/providers/anthropic/index.ts";
import { ANTHROPIC } from "../../../../packages/agent/src/providers/anthropic/vendor.ts";
import { missingForVendor, nativeEndpointOf } from "../../../../packages/agent/src/providers/endpoint/native.ts";
import { createGoogle } from "../../../../packages/agent/src/providers/google/index.ts";
import { GOOGLE } from "../../../../packages/agent/src/providers/google/vendor.ts";
import { endpointOf } from "../../../../packages/agent/src/providers/openai/endpoint.ts";
import { createOpenai } from "../../../../packages/agent/src/providers/openai/index.ts";
import { ModelServer, type Step } from "../../../support/model-server.ts";
import { messageOf, run, taskOf, temporaryDirectory, turnOf } from "../../fixtures.ts";

const KEYS = { OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k", GEMINI_API_KEY: "k" };
const AT = { home: "/state", env: KEYS, keys: {} };
const ok: Step = { say: "Done." };

let model: ModelServer;
beforeEach(async () => {
  model = await ModelServer.start({ teller: [ok], worker: [ok] });
});
afterEach(() => model.close());

const config = (settings: object) =>
  Config.parse({
    openai: { baseUrl: model.baseUrl },
    anthropic: { baseUrl: model.url },
    google: { baseUrl: model.url },
    ...settings,
  });

/** The request of each role beside the conversation. */
async function bodies(provider: (role: "teller" | "worker") => Provider): Promise<object[]> {
  const home = temporaryDirectory();
  mkdirSync(join(home, SESSIONS));
  await run(turnOf({ messages: [messageOf("hello")] }), { provider: provider("teller"), home });
  await run(taskOf({ id: "t-000007.0.0", role: "worker" }), { provider: provider("worker"), home });
  expect(model.unknown).toEqual([]);
  return model.requests.map(({ body }) => body as object);
}

describe("effort", () => {
  const efforts = (name: string) => config({ model: name, effort: "low", efforts: { worker: "high" } });

  test("goes to a Chat Completions endpoint by its name", async () => {
    const asked = await bodies((role) => createOpenai(endpointOf(role, efforts("gpt-5"), AT)));
    expect(asked).toMatchObject([{ reasoning_effort: "low" }, { reasoning_effort: "high" }]);
  });

  test("goes to Anthropic as its newer models take it, and as a share of the answer to older ones", async () => {
    const by = (name: string) => (role: "teller" | "worker") =>
      createAnthropic(nativeEndpointOf(ANTHROPIC, role, efforts(name), AT));
    expect(await bodies(by("claude-opus-4-6"))).toMatchObject([
      { thinking: { type: "adaptive" }, output_config: { effort: "low" } },
      { thinking: { type: "adaptive" }, output_config: { effort: "high" } },
    ]);
    const older = (await bodies(by("claude-sonnet-4-5"))).slice(2);
    expect(older).toMatchObject([{ thinking: { type: "enabled" } }, { thinking: { type: "enabled" } }]);
  });

  test("goes to Google as a level", async () => {
    const asked = await bodies((role) =>
      createGoogle(nativeEndpointOf(GOOGLE, role, efforts("gemini-3-flash-preview"), AT)),
    );
    expect(asked).toMatchObject([
      { generationConfig: { thinkingConfig: { thinkingLevel: "low", includeThoughts: true } } },
      { generationConfig: { thinkingConfig: { thinkingLevel: "high", includeThoughts: true } } },
    ]);
  });

  test("of none turns thinking off, as far as the vendor lets it be turned off", async () => {
    const none = (name: string) => config({ model: name, effort: "none" });
    const bodyOf = async (provider: Provider) => (await bodies(() => provider)).at(-1);
    const claude = await bodyOf(createAnthropic(nativeEndpointOf(ANTHROPIC, "teller", none("claude-opus-4-6"), AT)));
    expect(claude).toMatchObject({ thinking: { type: "disabled" } });
    const flash = await bodyOf(createGoogle(nativeEndpointOf(GOOGLE, "teller", none("gemini-2.5-flash"), AT)));
    expect(flash).toMatchObject({ generationConfig: { thinkingConfig: { thinkingBudget: 0 } } });
    expect(JSON.stringify(flash)).not.toContain("includeThoughts");
    const chat = await bodyOf(createOpenai(endpointOf("teller", none("gpt-5.6"), AT)));
    expect(chat).toMatchObject({ reasoning_effort: "none" });
  });

  test("is not spoken of where it is not set", async () => {
    const plain = config({ model: "scripted" });
    const [openai] = await bodies((role) => createOpenai(endpointOf(role, plain, AT)));
    const [, , anthropic] = await bodies((role) => createAnthropic(nativeEndpointOf(ANTHROPIC, role, plain, AT)));
    expect(openai).not.toHaveProperty("reasoning_effort");
    expect(anthropic).not.toHaveProperty("thinking");
  });
});

test("Anthropic's cache is told to end behind the rules and behind the newest message, and nowhere else", async () => {
  const provider = createAnthropic(nativeEndpointOf(ANTHROPIC, "teller", config({ model: "scripted" }), AT));
  const home = temporaryDirectory();
  mkdirSync(join(home, SESSIONS));
  model.script = { teller: [{ calls: [{ name: "list_tasks" }] }, ok] };
  await run(turnOf({ messages: [messageOf("hello")] }), { provider, home });
  for (const { body } of model.requests) {
    const { system, messages } = body as { system: unknown[]; messages: { content: unknown[] }[] };
    expect(JSON.stringify(body).match(/"cache_control"/g)).toHaveLength(2);
    expect(system.at(-1)).toHaveProperty("cache_control");
    expect(messages.at(-1)?.content.at(-1)).toHaveProperty("cache_control");
  }
});

test("where nothing may be called any more, a vendor still hears of the tools that the conversation speaks of", async () => {
  const home = temporaryDirectory();
  mkdirSync(join(home, SESSIONS));
  model.script = {
    teller: ({ tools, nth }) =>
      tools.length === 0 ? ok : { calls: [{ name: "query_history", args: { query: `q${nth}` } }] },
  };
  for (const provider of [
    createAnthropic(nativeEndpointOf(ANTHROPIC, "teller", config({ model: "scripted" }), AT)),
    createGoogle(nativeEndpointOf(GOOGLE, "teller", config({ model: "scripted" }), AT)),
  ]) {
    await run(turnOf({ messages: [messageOf("hello")] }), { provider, home });
    const last = model.requests.at(-1)?.body;
    expect(last).toHaveProperty("tools");
    expect(JSON.stringify(last)).toMatch(/"tool_choice":\{"type":"none"|"mode":"NONE"/);
  }
});

describe("an endpoint", () => {
  const at = (vendor: typeof ANTHROPIC, settings: object) =>
    nativeEndpointOf(vendor, "teller", Config.parse({ model: "m", ...settings }), AT);

  test("is the vendor's own where no address is set, and is taken with its version or without", () => {
    expect(at(ANTHROPIC, {}).baseUrl).toBe("https://api.anthropic.com/v1");
    expect(at(ANTHROPIC, { anthropic: { baseUrl: "http://127.0.0.1:1/" } }).baseUrl).toBe("http://127.0.0.1:1/v1");
    expect(at(GOOGLE, { google: { baseUrl: "http://127.0.0.1:1/v1beta" } }).baseUrl).toBe("http://127.0.0.1:1/v1beta");
  });

  test("has its vendor's window, of which an answer takes no more than half", () => {
    expect(at(ANTHROPIC, {})).toMatchObject({ tokensMax: 168_000, outputTokensMax: 32_000 });
    const small = at(ANTHROPIC, { anthropic: { contextWindow: 8_192 } });
    expect(small).toMatchObject({ tokensMax: 4_096, outputTokensMax: 4_096 });
  });

  test("lacks a model or a key, and says which variables may hold it", () => {
    const none = Config.parse({});
    const named = Config.parse({ model: "m" });
    expect(missingForVendor(GOOGLE, "teller", none, AT)).toBe(
      "a model: run  mimikit connect google  or set google.model",
    );
    expect(missingForVendor(GOOGLE, "teller", named, { ...AT, env: {} })).toBe(
      "a key: set GOOGLE_GENERATIVE_AI_API_KEY or GEMINI_API_KEY, or run  mimikit connect google",
    );
    expect(missingForVendor(GOOGLE, "teller", named, AT)).toBeNull();
  });
});
