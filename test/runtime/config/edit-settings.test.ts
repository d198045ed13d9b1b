/** Settings are saved in config.yaml as their owner would, or refused in words that say what to do. */
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadConfig } from "@mimikit/runtime/config/config";
import { describeSettings } from "@mimikit/runtime/config/describe-settings";
import { editSettings, type SettingChange } from "@mimikit/runtime/config/edit-settings";
import { CONFIG_FIELDS } from "@mimikit/runtime/config/fields";
import { setKey } from "@mimikit/runtime/config/secrets";
import { openDisk } from "@mimikit/store/disk/disk";
import { expect, test } from "vitest";
import { temporaryDirectory, temporaryHome } from "../temporary-home.ts";

let disks = 0;

function homeWith(yaml?: string) {
  const home = temporaryHome();
  const file = join(home, "config.yaml");
  if (yaml !== undefined) writeFileSync(file, yaml);
  // A home that is named is adopted.
  const named = { MIMIKIT_HOME: home };
  return {
    home,
    file,
    text: () => readFileSync(file, "utf8"),
    edit: (changes: SettingChange[], env = {}) =>
      editSettings({ fs: openDisk(home, `test-${++disks}`), home, env: { ...named, ...env } }, changes),
  };
}

test("what is saved is in force, beside everything that was in the file", async () => {
  const { home, edit, text } = homeWith("# mine\nport: 9001 # as ever\n");
  await edit([
    { name: "budget.day.costUsd", value: 2.5 },
    { name: "prices", value: { "gpt-5": { input: 1, cached: 0.1, output: 8 } } },
    { name: "model", value: "  gpt-5 " },
  ]);
  expect(text()).toMatch(/^# mine\nport: 9001 # as ever\n/);
  const { config, problems } = loadConfig(home, {});
  expect(problems).toEqual([]);
  expect(config).toMatchObject({
    port: 9001,
    model: "gpt-5",
    budget: { day: { costUsd: 2.5 } },
    prices: { "gpt-5": { input: 1, cached: 0.1, output: 8 } },
  });
  await edit(["budget.day.costUsd", "prices", "model"].map((name) => ({ name, value: undefined })));
  expect(text()).toBe("# mine\nport: 9001 # as ever\n");
});

test("the file is made where there is none", async () => {
  const { edit, text } = homeWith();
  await edit([{ name: "retryDelaySec", value: 5 }]);
  expect(text()).toBe("retryDelaySec: 5\n");
});

test.each<[name: string, value: unknown, words: RegExp]>([
  ["maxConcurency", 4, /^there is no setting maxConcurency: did you mean maxConcurrency\?$/],
  ["budget", {}, /^there is no setting budget: mimikit config show budget lists/],
  ["foo", 1, /^there is no setting foo: mimikit config show lists/],
  ["zzzzzzzz", 1, /^there is no setting zzzzzzzz: mimikit config show lists/],
  ["openai.apiKey", "x", /^there is no setting openai\.apiKey: keys must not be stored in config\.yaml/],
  ["port", 99_999, /^port: must be at most 65535$/],
  ["port", "many", /^port: must be a number, not text$/],
  ["budget.day.costUsd", -1, /^budget\.day\.costUsd: must be more than 0$/],
  ["prices", { gpt: { input: 1 } }, /^prices\.gpt\.cached: is missing: it must be a number; prices\.gpt\.output: /],
  ["model", "sk-proj-abcdefghijklmnopqrstuvwx", /^model: this looks like a key/],
  ["openai.baseUrl", "https://me:word@models.example/v1", /^openai\.baseUrl: this looks like a key or a password/],
  ["selfImprove.checks", ["curl https://u:p@h/"], /this looks like a key or a password/],
])("%s = %j is refused as a mistake, and nothing of it is saved", async (name, value, words) => {
  const { edit, text } = homeWith("# mine\n");
  const refused = edit([
    { name: "retryDelaySec", value: 5 },
    { name, value },
  ]);
  await expect(refused).rejects.toMatchObject({ reason: "mistake", message: expect.stringMatching(words) });
  expect(text()).toBe("# mine\n");
});

test("a setting that a variable has set is refused with its name, unless the variable says nothing", async () => {
  const { edit, text } = homeWith("");
  await expect(edit([{ name: "maxConcurrency", value: 4 }], { MIMIKIT_MAX_CONCURRENCY: "2" })).rejects.toMatchObject({
    reason: "obstacle",
    message: expect.stringContaining("is set by the variable MIMIKIT_MAX_CONCURRENCY, which wins over config.yaml"),
  });
  expect(text()).toBe("");
  await edit([{ name: "maxConcurrency", value: 4 }], { MIMIKIT_MAX_CONCURRENCY: "", MIMIKIT_PORT: "1" });
  expect(text()).toBe("maxConcurrency: 4\n");
});

test("the key that a variable or secrets.json holds is not saved, whatever its form is; a word that is none is no key", async () => {
  const { home, edit, text } = homeWith("");
  const key = { OPENAI_API_KEY: "a-key-of-no-usual-form" };
  await expect(edit([{ name: "model", value: `x ${key.OPENAI_API_KEY}` }], key)).rejects.toThrow(/looks like a key/);
  await setKey(home, "mistral", "another-key-of-no-usual-form");
  await expect(edit([{ name: "model", value: "another-key-of-no-usual-form" }])).rejects.toThrow(/looks like a key/);
  expect(text()).toBe("");
  await edit([{ name: "openai.baseUrl", value: "http://ollama:11434/v1" }], { OPENAI_API_KEY: "ollama" });
  expect(text()).toBe("openai:\n  baseUrl: http://ollama:11434/v1\n");
});

test.each([
  ["port: 1\nhost: [a\n", /^correct line 3 of config\.yaml first: /],
  [
    "port: 1\nmaxConcurency: 2\n",
    /^correct line 2 of config\.yaml first: .*maxConcurency: there is no setting of this name; did you mean/,
  ],
  ["maxConcurrency: &n 4\nrunsKeepDays: *n\n", /^config\.yaml can only be edited by hand: maxConcurrency is tied/],
])("a file like %j is not written over", async (yaml, words) => {
  const { edit, text } = homeWith(yaml);
  const refused = edit([{ name: "maxConcurrency", value: 3 }]);
  await expect(refused).rejects.toMatchObject({ reason: "obstacle", message: expect.stringMatching(words) });
  expect(text()).toBe(yaml);
});

test("a link is edited where it leads to, by its owner", async () => {
  const { file, edit } = homeWith();
  const elsewhere = join(temporaryDirectory(), "dotfile.yaml");
  writeFileSync(elsewhere, "port: 1\n");
  symlinkSync(elsewhere, file);
  await expect(edit([{ name: "port", value: 2 }])).rejects.toMatchObject({ reason: "obstacle" });
  expect(readFileSync(elsewhere, "utf8")).toBe("port: 1\n");
});

test("a state directory that is not this user's is not edited", async () => {
  const workDir = temporaryDirectory();
  const home = join(workDir, ".mimikit");
  mkdirSync(home);
  writeFileSync(join(home, "config.yaml"), "port: 1\n");
  const env = { MIMIKIT_WORK_DIR: workDir, XDG_STATE_HOME: temporaryDirectory() };
  const refused = editSettings({ fs: openDisk(home, "foreign"), home, env }, [{ name: "port", value: 2 }]);
  await expect(refused).rejects.toMatchObject({
    reason: "obstacle",
    message: expect.stringContaining("mimikit adopt"),
  });
});

test("many who save at once lose nothing", async () => {
  const { home, edit } = homeWith("# mine\n");
  const numbers = CONFIG_FIELDS.filter(({ path }) => path[0] === "timeoutSec" || path[1] === "reserve");
  await Promise.all(numbers.map(({ path }, at) => edit([{ name: path.join("."), value: 1_000 + at }])));
  const values = describeSettings(home, {}).filter(({ source }) => source === "file");
  expect(values.map(({ value }) => value).sort()).toEqual(numbers.map((_field, at) => 1_000 + at));
});

test("each setting is described with its bounds, and passwords stay where they are", () => {
  const { home, file } = homeWith("openai:\n  baseUrl: https://me:se@cret@models.example/v1\n");
  const settings = describeSettings(home, { MIMIKIT_PORT: "9002" });
  const of = (name: string) => settings.find((setting) => setting.name === name);
  expect(settings.map(({ name }) => name)).toEqual(CONFIG_FIELDS.map(({ path }) => path.join(".")));
  expect(of("port")).toEqual({
    name: "port",
    group: null,
    description: "The port that the gateway listens on.",
    schema: { type: "integer", minimum: 1, maximum: 65_535 },
    default: 8_787,
    value: 9_002,
    source: "environment",
    variable: "MIMIKIT_PORT",
    needsRestart: true,
  });
  expect(of("budget.day.costUsd")).toMatchObject({ group: "budget", default: null, value: null, needsRestart: false });
  expect(of("openai.baseUrl")).toMatchObject({ value: "https://********@models.example/v1", source: "file" });
  rmSync(file);
  expect(JSON.stringify(settings)).not.toContain("cret");
});
