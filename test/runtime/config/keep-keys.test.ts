/** Values of variables are kept where a restart finds them, and only there. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { keepKeys } from "@mimikit/runtime/config/keep-keys";
import { KEY_VARIABLES } from "@mimikit/runtime/config/providers";
import { readKeys } from "@mimikit/runtime/config/secrets";
import { expect, test } from "vitest";
import { temporaryDirectory, temporaryHome } from "../temporary-home.ts";

const ROOT = join(import.meta.dirname, "../../..");

test("a key is kept under each provider whose variable it is, told once, and replaced by that of a later shell", async () => {
  const home = temporaryHome();
  const named = { MIMIKIT_HOME: home };
  const keysNow = () => readKeys(home, named).keys;
  const first = { ...named, OPENAI_API_KEY: " sk-one\n", GEMINI_API_KEY: "g-one", ANTHROPIC_API_KEY: "" };
  expect(await keepKeys(home, first)).toEqual({
    kept: ["OPENAI_API_KEY", "GEMINI_API_KEY"],
    lines: [
      "saved the key of OPENAI_API_KEY in secrets.json, for this user alone: a restart from another shell answers the same",
      "saved the key of GEMINI_API_KEY in secrets.json, for this user alone: a restart from another shell answers the same",
    ],
  });
  expect(keysNow()).toMatchObject({ openai: "sk-one", codex: "sk-one", google: "g-one" });
  expect(keysNow()).not.toHaveProperty("claude");
  expect(await keepKeys(home, first)).toEqual({ kept: [], lines: [] });
  expect(await keepKeys(home, named)).toEqual({ kept: [], lines: [] });
  expect(keysNow()).toMatchObject({ openai: "sk-one", google: "g-one" });

  const { lines } = await keepKeys(home, { ...named, OPENAI_API_KEY: "sk-two" });
  expect(lines).toEqual([expect.stringContaining("OPENAI_API_KEY in secrets.json, in place of another, for")]);
  expect(keysNow()).toMatchObject({ openai: "sk-two", codex: "sk-two", google: "g-one" });
});

test("the keys of search engines are kept as those of providers are", async () => {
  const home = temporaryHome();
  const env = { MIMIKIT_HOME: home, BRAVE_API_KEY: "b-one", TAVILY_API_KEY: "t-one" };
  expect((await keepKeys(home, env)).kept).toEqual(["BRAVE_API_KEY", "TAVILY_API_KEY"]);
  expect(readKeys(home, env).keys).toEqual({ brave: "b-one", tavily: "t-one" });
  expect(KEY_VARIABLES).toEqual(expect.arrayContaining(["BRAVE_API_KEY", "TAVILY_API_KEY"]));
});

test("of two variables of a provider the one that counts is kept", async () => {
  const home = temporaryHome();
  const env = { MIMIKIT_HOME: home, GOOGLE_GENERATIVE_AI_API_KEY: "first", GEMINI_API_KEY: "second" };
  expect((await keepKeys(home, env)).kept).toEqual(["GOOGLE_GENERATIVE_AI_API_KEY"]);
  expect(readKeys(home, env).keys).toMatchObject({ google: "first" });
});

test("what is no key is not kept, and said without what it is", async () => {
  const home = temporaryHome();
  const env = { MIMIKIT_HOME: home, OPENAI_API_KEY: "two words" };
  expect(await keepKeys(home, env)).toEqual({
    kept: [],
    lines: ["the key of OPENAI_API_KEY was not saved: a key is one word of plain characters"],
  });
  expect(existsSync(join(home, "secrets.json"))).toBe(false);
});

test("a state directory that is not adopted keeps none", async () => {
  const workDir = temporaryDirectory();
  const home = join(workDir, ".mimikit");
  mkdirSync(home);
  writeFileSync(join(home, "config.yaml"), "openai:\n  baseUrl: https://stranger.example\n");
  const env = { MIMIKIT_WORK_DIR: workDir, XDG_STATE_HOME: join(workDir, "xdg"), OPENAI_API_KEY: "sk-canary" };
  expect(await keepKeys(home, env)).toEqual({
    kept: [],
    lines: ["the key of OPENAI_API_KEY was not saved: this state directory is not adopted:  mimikit adopt  keeps it"],
  });
  expect(existsSync(join(home, "secrets.json"))).toBe(false);
});

test("ecosystem.config.cjs takes every variable that holds a key out of the environment that PM2 copies", () => {
  const home = temporaryHome();
  const keys = Object.fromEntries(KEY_VARIABLES.map((name) => [name, "sk-canary"]));
  const look = `require("./ecosystem.config.cjs"); console.log(JSON.stringify(process.env))`;
  const { PATH, HOME } = process.env;
  const out = execFileSync(process.execPath, ["-e", look], {
    cwd: ROOT,
    env: { PATH, HOME, ...keys, MIMIKIT_HOME: home, MIMIKIT_WORK_DIR: home, MIMIKIT_MODEL: "stays" },
    stdio: ["ignore", "pipe", "ignore"],
  });
  expect(JSON.parse(out.toString())).toMatchObject({ MIMIKIT_MODEL: "stays" });
  expect(out.toString()).not.toContain("sk-canary");
  expect(readKeys(home, { MIMIKIT_HOME: home }).keys).toMatchObject({ openai: "sk-canary", anthropic: "sk-canary" });
});
