/** A model is connected from nothing, by the command line, and goes on answering after everything was killed. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ConnectionTest, ProviderEntry } from "@mimikit/protocol/wire/connect";
import { afterEach, describe, expect, test } from "vitest";
import { runCli, type Said } from "../cli/run-cli.ts";
import { hasTerminals, openTerminal } from "../cli/terminal.ts";
import { Aimock } from "../support/aimock.ts";
import {
  expectKept,
  expectSecret,
  CONNECT_KEY as KEY,
  REPLY,
  startAnew,
  startUnconnected,
  untilAnswers,
} from "../support/connected.ts";
import { findKey } from "../support/find-key.ts";
import type { InstanceOptions } from "../support/instance.ts";
import { ModelServer } from "../support/model-server.ts";

const opened: { dispose(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.dispose();
});

const SCRIPT = { teller: [{ say: REPLY }] };

async function unconnected(options?: InstanceOptions) {
  const mimikit = await startUnconnected(options);
  opened.unshift(mimikit);
  return mimikit;
}

async function aimock() {
  const model = await Aimock.start(SCRIPT);
  opened.push({ dispose: () => model.close() });
  return model;
}

async function scripted() {
  const model = await ModelServer.start(SCRIPT);
  opened.push({ dispose: () => model.close() });
  return model;
}

const wires = [
  ["openai", ({ baseUrl }: Aimock) => baseUrl],
  ["anthropic", ({ url }: Aimock) => url],
  ["google", ({ url }: Aimock) => url],
] as const;

describe("by a script", () => {
  test.each(wires)("%s is connected with a key from the pipe, while it runs, and kept", async (provider, urlOf) => {
    const model = await aimock();
    const mimikit = await unconnected();
    const words = ["connect", provider, "--url", urlOf(model), "--model", "scripted", "--key-stdin"];
    const said = await runCli(mimikit, words, `${KEY}\n`);
    expect(said).toMatchObject({ code: 0, error: "" });
    expect(said.out).toMatch(/scripted answered in .* s, calls tools/);
    expect(said.out).toContain(`${provider} · scripted answers for all roles\nit takes effect now`);
    expectSecret(mimikit);
    await expectKept(mimikit, provider, [said]);
    expect(model.of("teller").map((request) => request.model)).toEqual(["scripted", "scripted"]);
  });

  test("Ollama is connected without a key, with its only model, and says what that can hold", async () => {
    const model = await scripted();
    model.models = [{ id: "qwen3:8b" }];
    const show = { capabilities: ["completion", "tools"], model_info: { "qwen3.context_length": 40_960 } };
    model.ollama = { show, ps: { models: [{ name: "qwen3:8b", context_length: 32_768 }] } };
    const mimikit = await unconnected();
    const said = await runCli(mimikit, ["connect", "ollama", "--url", model.baseUrl]);
    expect(said).toMatchObject({ code: 0, error: "" });
    expect(said.out).toMatch(/✓ qwen3:8b answered in .*, calls tools, sees no pictures, holds 32768 tokens\n/);
    await expectKept(mimikit, "ollama", [said]);
    expect(existsSync(join(mimikit.home, "secrets.json"))).toBe(false);

    // As it is loaded where nobody has said otherwise: what does not fit would be cut off without a word.
    model.ollama.ps = { models: [{ name: "qwen3:8b", context_length: 4_096 }] };
    const small = await runCli(mimikit, ["connect", "ollama", "--json"]);
    expect(JSON.parse(small.out)).toMatchObject({
      saved: true,
      problem: { cause: "window", text: expect.stringContaining("OLLAMA_CONTEXT_LENGTH") },
    });
  });

  test("with nothing running it is saved too, in a shell whose variable holds the key, and counts in another", async () => {
    const model = await scripted();
    const mimikit = await unconnected({ roles: [] });
    const words = (provider: string) => ["connect", provider, "--url", model.baseUrl, "--model", "scripted"];
    const refused = await runCli(mimikit, words("mistral"), "", { MISTRAL_API_KEY: KEY });
    expect(refused).toMatchObject({ code: 1, error: expect.stringContaining("belongs to another address") });
    expect(model.trials.map(({ headers }) => headers.authorization)).toEqual([undefined]);
    const shell = { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: model.baseUrl };
    const said = await runCli(mimikit, words("openai"), "", shell);
    expect(said).toMatchObject({ code: 0, error: expect.stringContaining("using the key from OPENAI_API_KEY") });
    expect(said.out).toContain("it takes effect when Mimikit runs");
    expect(model.trials.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`);
    expectSecret(mimikit);
    await startAnew(mimikit);
    await expectKept(mimikit, "openai", [said]);
  });

  test("one role alone gets it, and the others keep theirs", async () => {
    const model = await scripted();
    const mimikit = await unconnected();
    const said = await runCli(mimikit, [
      ...["connect", "openai", "--url", model.baseUrl, "--model", "scripted"],
      ...["--role", "teller", "--role", "planner"],
    ]);
    expect(said.out).toContain("openai · scripted answers for teller, planner\noffline answers for worker, reviewer\n");
    const { providers } = await mimikit.until("the Teller's model", async () => {
      const status = await mimikit.ready();
      return status.providers.teller === "openai" ? status : undefined;
    });
    expect(providers).toEqual({ teller: "openai", planner: "openai", worker: "offline", reviewer: "offline" });
    expect(readFileSync(join(mimikit.home, "config.yaml"), "utf8")).not.toMatch(/^provider:/m);
  });

  test.each<[string, ModelServer["trial"], RegExp]>([
    ["a wrong key", () => ({ status: 401, body: { error: { message: `Incorrect API key: ${KEY}` } } }), /key/],
    [
      "a model that it does not have",
      () => ({ status: 404, body: { error: { message: "no such model" } } }),
      /gpt-5\b/,
    ],
    ["an endpoint that is broken", () => ({ status: 500 }), /500/],
  ])("%s is told in words, without the key, and nothing is saved", async (_, trial, words) => {
    const model = await scripted();
    model.models = ["gpt-5", "gpt-5-mini", "o4", "davinci", "babbage", "curie"].map((id) => ({ id }));
    model.trial = trial;
    const mimikit = await unconnected({ roles: [] });
    const line = ["connect", "openai", "--url", model.baseUrl, "--model", "gpt5", "--key-stdin"];
    const said = await runCli(mimikit, line, KEY);
    expect(said).toMatchObject({ code: 1, out: "", error: expect.stringMatching(words) });
    expect(said.error).toContain("nothing was saved");
    expect(said.error).not.toContain(KEY);
    for (const name of ["secrets.json", "config.yaml"]) expect(existsSync(join(mimikit.home, name))).toBe(false);
    expect(await runCli(mimikit, [...line, "--no-test"], KEY)).toMatchObject({ code: 0 });
    expectSecret(mimikit);
  });

  test("a key as an argument is refused, and not repeated", async () => {
    const mimikit = await unconnected({ roles: [] });
    for (const words of [
      ["--key", "sk-abcdefghijklmnopqrstuvwx"],
      ["--key=sk-abcdefghijklmnopqrstuvwx"],
      ["sk-abcdefghijklmnopqrstuvwx"],
    ]) {
      const said = await runCli(mimikit, ["connect", "openai", ...words]);
      expect(said).toMatchObject({ code: 2, out: "", error: expect.stringContaining("a key is never an argument") });
      expect(said.error).not.toContain("sk-abcdef");
    }
  });

  test("a variable of the processes that says otherwise is named, and nothing is saved", async () => {
    const model = await scripted();
    const mimikit = await unconnected({ env: { MIMIKIT_PROVIDER: "offline", MIMIKIT_MODEL_TELLER: "another" } });
    const words = ["connect", "openai", "--url", model.baseUrl, "--model", "scripted", "--key-stdin"];
    const said = await runCli(mimikit, words, KEY);
    expect(said).toMatchObject({ code: 1, error: expect.stringContaining("MIMIKIT_PROVIDER, which wins") });
    expect(existsSync(join(mimikit.home, "secrets.json"))).toBe(false);
    const own = await unconnected({ env: { OPENAI_API_KEY: "of-the-processes" } });
    const refused = await runCli(own, words, KEY);
    expect(refused).toMatchObject({
      code: 1,
      error: expect.stringContaining("the variable OPENAI_API_KEY, which wins"),
    });
  });

  test("a kept key goes to no other server, and is forgotten when that is asked", async () => {
    const [first, second] = [await scripted(), await scripted()];
    const mimikit = await unconnected({ roles: [] });
    const to = ({ baseUrl }: ModelServer) => ["connect", "openai", "--url", baseUrl, "--model", "scripted"];
    await runCli(mimikit, [...to(first), "--key-stdin"], KEY);
    const said = await runCli(mimikit, to(second));
    expect(said).toMatchObject({ code: 1, error: expect.stringContaining("belongs to another address") });
    expect(second.trials.map(({ headers }) => headers.authorization)).toEqual([undefined]);
    expect(await runCli(mimikit, ["connect", "openai", "--forget"])).toMatchObject({ code: 0 });
    expect(readFileSync(join(mimikit.home, "secrets.json"), "utf8")).not.toContain(KEY);
    expect(await runCli(mimikit, to(second))).toMatchObject({ code: 0 });
  });
});

describe.skipIf(!hasTerminals)("at a terminal", () => {
  const ENTER = "\r";

  test.each(wires)("%s is connected step by step, with the key typed, and kept", async (provider, urlOf) => {
    const model = await aimock();
    const mimikit = await unconnected({
      prepare: async (home) => {
        mkdirSync(home);
        writeFileSync(join(home, "config.yaml"), `${provider}: {baseUrl: "${urlOf(model)}"} # a proxy of ours\n`);
      },
    });
    const terminal = openTerminal(mimikit, ["connect"]);
    await terminal.shows("Which provider?");
    terminal.type(provider);
    await terminal.shows("match");
    terminal.type(ENTER);
    await terminal.shows("Paste its key");
    terminal.type(KEY + ENTER);
    await terminal.shows("Which model?");
    terminal.type(`scripted${ENTER}`);
    await terminal.shows("scripted answered in");
    await terminal.shows("Use it for");
    terminal.type(ENTER);
    await terminal.shows(`${provider} · scripted answers for all roles`);
    expect(await terminal.ended()).toBe(0);
    const shown: Said = { code: 0, out: terminal.raw(), error: "" };
    expectSecret(mimikit);
    expect(readFileSync(join(mimikit.home, "config.yaml"), "utf8")).toContain("# a proxy of ours");
    await expectKept(mimikit, provider, [shown]);
  });

  test("Ctrl-C at any question ends it with nothing saved, and leaves the terminal as it was", async () => {
    const mimikit = await unconnected({ roles: [] });
    for (const questions of [["Which provider?"], ["Which provider?", "Paste its key"]]) {
      const terminal = openTerminal(mimikit, ["connect"]);
      for (const [i, question] of questions.entries()) {
        if (i > 0) {
          terminal.type("mistral");
          await terminal.shows("match");
          terminal.type(ENTER);
        }
        await terminal.shows(question);
      }
      terminal.type("\x03");
      await terminal.shows("nothing was saved");
      expect(await terminal.ended()).toBe(1);
      expect(terminal.raw().lastIndexOf("\x1b[?25h")).toBeGreaterThan(terminal.raw().lastIndexOf("\x1b[?25l"));
    }
    for (const name of ["secrets.json", "config.yaml"]) expect(existsSync(join(mimikit.home, name))).toBe(false);
  });

  test("an agent CLI signs in by itself, in the folder that is Mimikit's alone", async () => {
    const mimikit = await unconnected({ roles: [] });
    const program = join(mimikit.workDir, "codex");
    const login =
      'if [ "$1" = login ]; then read -p "Code? " code; echo "{\\"code\\":\\"$code\\"}" > "$CODEX_HOME/auth.json"; else echo codex-cli 0.1.0; fi';
    writeFileSync(program, `#!/bin/bash\n${login}\n`, { mode: 0o700 });
    const terminal = openTerminal(mimikit, ["connect", "codex"], { MIMIKIT_CODEX_BIN: program });
    await terminal.shows("How is codex signed in?");
    terminal.type(ENTER);
    await terminal.shows("Code?");
    terminal.type("1234\n");
    await terminal.shows("Which model?");
    terminal.type(ENTER);
    await terminal.shows("too old");
    await terminal.shows("What now?");
    terminal.type(`\x1b[B${ENTER}`);
    await terminal.shows("Use it for");
    terminal.type(ENTER);
    await terminal.shows("codex answers for all roles");
    expect(readFileSync(join(mimikit.home, "codex/auth.json"), "utf8")).toBe('{"code":"1234"}\n');
  });
});

test("over HTTP it is listed, tried, connected and forgotten, and no answer and no line of the audit holds the key", async () => {
  const model = await scripted();
  model.models = [{ id: "scripted", context_length: 64_000 }, { id: "another" }];
  const mimikit = await unconnected();
  const post = <T>(path: string, body: object) => mimikit.api<T>(`/api/providers/${path}`, { method: "POST", body });
  const wanted = { provider: "openrouter", baseUrl: model.baseUrl, key: KEY };
  const listed = await post<ConnectionTest>("test", wanted);
  expect(listed).toEqual({ models: [{ id: "scripted", contextWindow: 64_000 }, { id: "another" }] });
  const tried = await post<ConnectionTest>("test", { ...wanted, model: "scripted" });
  expect(tried.answer).toMatchObject({ model: "scripted", toolCalls: true, contextWindow: 64_000 });
  expect(existsSync(join(mimikit.home, "secrets.json"))).toBe(false);
  const saved = await post("connect", { ...wanted, model: "scripted" });
  expect(saved).toMatchObject({ providers: { teller: "openrouter" }, models: { teller: "scripted" } });
  await untilAnswers(mimikit, "openrouter");
  await expectKept(mimikit, "openrouter", []);
  const { providers } = await mimikit.api<{ providers: ProviderEntry[] }>("/api/providers");
  expect(providers.find(({ id }) => id === "openrouter")).toMatchObject({
    kind: "endpoint",
    key: { from: "secrets.json" },
    model: "scripted",
    baseUrl: model.baseUrl,
    ownBaseUrl: "https://openrouter.ai/api/v1",
    missing: null,
    answersFor: ["teller", "planner", "worker", "reviewer"],
  });
  const forgotten = await post<ProviderEntry>("forget-key", { provider: "openrouter" });
  expect(forgotten.key).toBeNull();
  expect(readFileSync(join(mimikit.home, "secrets.json"), "utf8")).not.toContain(KEY);
  const audit = readFileSync(join(mimikit.home, "log.gateway.jsonl"), "utf8");
  expect(audit).toContain('"provider_connected"');
  expect(audit).toContain('"provider_key_forgotten"');
  expect(await findKey(KEY, mimikit, [])).toEqual([]);
  for (const [path, body, status] of [
    ["test", { provider: "opnrouter" }, 400],
    ["connect", { provider: "openai", baseUrl: "ftp://somewhere" }, 400],
    ["connect", { provider: "openai", key: "two words", model: "m" }, 400],
    ["connect", { provider: "mistral", model: "m" }, 400],
  ] as const)
    await expect(post(path, body)).rejects.toThrow(new RegExp(`^Error: ${status}|^${status}`));
});
