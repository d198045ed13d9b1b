/** The choice of a role's provider and its fallbacks, and the notes about it for the owner. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chainOf, chooseProviders, describeProviders } from "@mimikit/agent/providers/index";
import { byRole } from "@mimikit/protocol/base/kind";
import { Role } from "@mimikit/protocol/base/role";
import { Config } from "@mimikit/runtime/config/config";
import type { ProviderEnvironment } from "@mimikit/runtime/config/providers";
import { describe, expect, test } from "vitest";
import { temporaryDirectory } from "../fixtures.ts";

const KEY = { OPENAI_API_KEY: "sk-1" };
const LOCAL = { openai: { baseUrl: "http://127.0.0.1:11434/v1" } };

/** A home, and an environment in which the agent CLIs are only where a test puts them. */
function environment(env: Record<string, string> = {}): ProviderEnvironment {
  const nowhere = { MIMIKIT_CODEX_BIN: "/nonexistent/codex", MIMIKIT_CLAUDE_BIN: "/nonexistent/claude" };
  return { home: temporaryDirectory(), env: { ...nowhere, ...env }, keys: {} };
}

/** A program that could be an agent CLI, as far as one can tell without starting it. */
function program(name: string): string {
  const path = join(temporaryDirectory(), name);
  writeFileSync(path, "");
  chmodSync(path, 0o700);
  return path;
}

const ids = (config: object, at: ProviderEnvironment) => chainOf("teller", Config.parse(config), at).ids;

describe("auto", () => {
  test.each<[string, object, Record<string, string>, string]>([
    ["nothing is configured", {}, {}, "offline"],
    ["there is a key, but no model", {}, KEY, "offline"],
    ["there is a model, but no endpoint", { model: "m" }, {}, "offline"],
    ["there is a model and a key", { model: "m" }, KEY, "openai"],
    ["there is a model and an address", { model: "m", ...LOCAL }, {}, "openai"],
    ["the model is another role's", { models: { worker: "m" } }, KEY, "offline"],
    ["the model is this role's", { models: { teller: "m" } }, KEY, "openai"],
    ["the role has another provider", { model: "m", providers: { teller: "offline" } }, KEY, "offline"],
  ])("when %s", (_, config, env, id) => {
    const at = environment(env);
    expect(ids(config, at)).toEqual([id]);
    expect(chooseProviders("teller", Config.parse(config), at).providers.map(({ name }) => name)).toEqual([id]);
  });

  test("takes codex where its program is, with a key or with the login in the state directory, and a model endpoint before it", () => {
    const bin = { MIMIKIT_CODEX_BIN: program("codex") };
    expect(ids({}, environment(bin))).toEqual(["offline"]);
    expect(ids({}, environment({ ...bin, ...KEY }))).toEqual(["codex"]);
    expect(ids({ model: "m" }, environment({ ...bin, ...KEY }))).toEqual(["openai"]);
    const signedIn = environment(bin);
    mkdirSync(join(signedIn.home, "codex"));
    writeFileSync(join(signedIn.home, "codex/auth.json"), "{}");
    expect(ids({}, signedIn)).toEqual(["codex"]);
  });

  test("takes claude likewise, where codex cannot answer", () => {
    const bin = { MIMIKIT_CLAUDE_BIN: program("claude") };
    expect(ids({}, environment(bin))).toEqual(["offline"]);
    expect(ids({}, environment({ ...bin, ANTHROPIC_API_KEY: "sk-2" }))).toEqual(["claude"]);
    const both = { ...bin, ANTHROPIC_API_KEY: "sk-2", MIMIKIT_CODEX_BIN: program("codex"), ...KEY };
    expect(ids({}, environment(both))).toEqual(["codex"]);
  });

  test("says what it did not take, and what that lacks: no problem, but good to know", () => {
    const { names, problems, passedOver } = describeProviders(Config.parse({}), environment(KEY));
    expect(names).toEqual(byRole(() => "offline"));
    expect(problems).toEqual([]);
    expect(passedOver).toEqual([
      "openai lacks a model: run  mimikit connect openai  or set openai.model",
      expect.stringMatching(/^codex lacks a program/),
      expect.stringMatching(/^claude lacks a program/),
      expect.stringMatching(/^anthropic lacks a model: /),
      expect.stringMatching(/^google lacks a model: /),
    ]);
  });
});

describe("a choice", () => {
  test("that lacks something says what, and keeps its name", () => {
    const at = environment(KEY);
    const config = Config.parse({ provider: "openai" });
    expect(chooseProviders("worker", config, at)).toEqual({
      providers: [],
      problems: [
        'the provider "openai" for the worker lacks a model: run  mimikit connect openai  or set openai.model',
      ],
    });
    const { names, problems } = describeProviders(config, at);
    expect(names.worker).toBe("openai");
    expect(problems).toContainEqual(expect.stringContaining('"openai" for the worker lacks a model'));
    expect(describeProviders(Config.parse({ provider: "openai", model: "m" }), environment()).problems[0]).toContain(
      "set OPENAI_BASE_URL or OPENAI_API_KEY",
    );
  });

  test("is told with the model that it asks; what has none behind it, or does not name it, asks for null", () => {
    const at = environment(KEY);
    const config = { provider: "openai", providers: { worker: "offline" }, models: { planner: "large" } };
    const { models } = describeProviders(Config.parse({ ...config, model: "small" }), at);
    expect(models).toEqual({ teller: "small", planner: "large", worker: null, reviewer: "small" });
    expect(describeProviders(Config.parse({ provider: "claude" }), at).models.teller).toBeNull();
  });

  test("of a role wins over the common one", () => {
    const at = environment();
    const mixed = Config.parse({ provider: "codex", providers: { worker: "offline", reviewer: "offline" } });
    expect(chainOf("worker", mixed, at).ids).toEqual(["offline"]);
    expect(chainOf("planner", mixed, at).ids).toEqual([]);
  });
});

describe("a stand-in", () => {
  const dead = { provider: "openai", model: "m", ...LOCAL };

  test("comes after the choice, once, in the order of the settings", () => {
    expect(ids({ ...dead, fallback: ["openai", "offline"] }, environment())).toEqual(["openai", "offline"]);
  });

  test("of a role wins over the common ones, also where it says that there is none", () => {
    const config = { ...dead, fallback: ["offline"], fallbacks: { teller: [] } };
    expect(ids(config, environment())).toEqual(["openai"]);
    expect(chainOf("worker", Config.parse(config), environment()).ids).toEqual(["openai", "offline"]);
  });

  test("that lacks something is left out, and told", () => {
    const { ids: chain, problems } = chainOf("teller", Config.parse({ ...dead, fallback: ["codex"] }), environment());
    expect(chain).toEqual(["openai"]);
    expect(problems).toEqual([expect.stringMatching(/^the fallback "codex" for the teller lacks a program/)]);
  });

  test("answers where the choice itself lacks something, which is told all the same", () => {
    const config = Config.parse({ provider: "openai", fallback: ["offline"] });
    const { names, problems } = describeProviders(config, environment());
    expect(names.teller).toBe("offline");
    expect(problems).toHaveLength(Role.options.length);
  });
});

describe("an endpoint of which a row says everything", () => {
  test.each<[string, object, Record<string, string>, string[]]>([
    ["a server of this machine", { provider: "ollama", ollama: { model: "m" } }, {}, ["ollama"]],
    ["a vendor with its key", { provider: "mistral", mistral: { model: "m" } }, { MISTRAL_API_KEY: "k" }, ["mistral"]],
    ["a vendor without a key", { provider: "mistral", mistral: { model: "m" } }, {}, []],
    [
      "a vendor's proxy, without a key",
      { provider: "mistral", mistral: { model: "m", baseUrl: "http://127.0.0.1:1/v1" } },
      {},
      ["mistral"],
    ],
    ["Azure without an address", { provider: "azure", model: "m" }, { AZURE_OPENAI_API_KEY: "k" }, []],
    [
      "Azure with both",
      { provider: "azure", azure: { baseUrl: "https://name.openai.azure.com/openai/v1" }, model: "m" },
      { AZURE_OPENAI_API_KEY: "k" },
      ["azure"],
    ],
    ["a key alone chooses nobody", { model: "m" }, { MISTRAL_API_KEY: "k", XAI_API_KEY: "k" }, ["offline"]],
  ])("is taken when it is named and lacks nothing: %s", (_, config, env, expected) => {
    expect(ids(config, environment(env))).toEqual(expected);
  });
});

describe("a model", () => {
  const models = (config: object, env: Record<string, string> = KEY) =>
    chooseProviders("teller", Config.parse(config), environment(env)).providers.map(({ name, model }) => [name, model]);
  const ollama = { ollama: { model: "qwen" } };

  test("of a role goes before that of the provider, which goes before the common one", () => {
    const all = { provider: "openai", model: "c", openai: { model: "b" }, models: { teller: "a" } };
    expect(models(all)).toEqual([["openai", "a"]]);
    expect(models({ ...all, models: {} })).toEqual([["openai", "b"]]);
    expect(models({ ...all, models: {}, openai: {} })).toEqual([["openai", "c"]]);
    expect(models({ ...all, provider: "auto", models: {} })).toEqual([["openai", "b"]]);
  });

  test("that is meant for another provider is never asked of a stand-in", () => {
    const config = { provider: "openai", model: "gpt", models: { teller: "gpt-5" }, fallback: ["ollama"] };
    expect(models({ ...config, ...ollama })).toEqual([
      ["openai", "gpt-5"],
      ["ollama", "qwen"],
    ]);
    const { problems } = chooseProviders("teller", Config.parse(config), environment(KEY));
    expect(problems).toEqual([expect.stringMatching(/^the fallback "ollama" for the teller lacks a model/)]);
  });

  test("that is meant for all is asked of whom all have, also where that stands in for the one of a role", () => {
    const config = { provider: "openai", model: "gpt", providers: { teller: "ollama" }, fallback: ["openai"] };
    expect(models({ ...config, ...ollama })).toEqual([
      ["ollama", "qwen"],
      ["openai", "gpt"],
    ]);
  });

  test("is told with who answers", () => {
    const config = Config.parse({ provider: "openai", model: "m", providers: { worker: "offline" } });
    expect(describeProviders(config, environment(KEY)).models).toEqual({
      teller: "m",
      planner: "m",
      worker: null,
      reviewer: "m",
    });
  });
});
