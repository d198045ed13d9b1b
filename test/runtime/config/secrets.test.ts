/** Keys are kept for this user alone, and a file that cannot be trusted is neither believed nor overwritten. */
import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { problemOfKey, readChannels, readKeys, setChannel, setKey, withoutKey } from "@mimikit/runtime/config/secrets";
import { HomeError } from "@mimikit/runtime/home/home";
import { expect, onTestFinished, test } from "vitest";
import { whileHeld } from "../../support/lost-lock.ts";
import { temporaryDirectory, temporaryHome } from "../temporary-home.ts";

const adopted = (home: string) => ({ MIMIKIT_HOME: home });

test("a key is read as it was kept, in a file that others cannot read whatever the umask, until it is forgotten", async () => {
  const home = temporaryHome();
  const umask = process.umask(0);
  onTestFinished(() => void process.umask(umask));
  await setKey(home, "openai", " sk-one\n");
  await setKey(home, "anthropic", "sk-two");
  expect(readKeys(home, adopted(home))).toEqual({ keys: { openai: "sk-one", anthropic: "sk-two" } });
  expect(statSync(join(home, "secrets.json")).mode & 0o777).toBe(0o600);
  await setKey(home, "openai", undefined);
  expect(readKeys(home, adopted(home))).toEqual({ keys: { anthropic: "sk-two" } });
});

test("keys that are set at once are all kept, and nothing is left beside the file", async () => {
  const home = temporaryHome();
  const names = Array.from({ length: 8 }, (_, i) => `provider-${i}`);
  await Promise.all(names.map((name) => setKey(home, name, `sk-${name}`)));
  expect(Object.keys(readKeys(home, adopted(home)).keys).sort()).toEqual(names);
  expect(readdirSync(home).filter((name) => name.startsWith("secrets"))).toEqual(["secrets.json"]);
});

test("a key that another process keeps stays, when one that was held while it saved goes on", async () => {
  const home = temporaryHome();
  let isFirst = true;
  const fields = {
    get topic() {
      const other = `import { setKey } from "@mimikit/runtime/config/secrets"; await setKey(${JSON.stringify(home)}, "openai", "sk-one");`;
      if (isFirst) whileHeld(home, "secrets.json", other);
      isFirst = false;
      return "mine";
    },
  };
  await setChannel(home, "ntfy", fields);
  expect(readKeys(home, adopted(home)).keys).toEqual({ openai: "sk-one" });
  expect(readChannels(home, adopted(home))).toEqual({ ntfy: { topic: "mine" } });
  expect(readdirSync(home).filter((name) => name.startsWith("secrets"))).toEqual(["secrets.json"]);
});

test("sections of a later version stay in the file", async () => {
  const home = temporaryHome();
  writeFileSync(join(home, "secrets.json"), JSON.stringify({ push: { secret: "p" }, keys: {} }), { mode: 0o600 });
  await setKey(home, "openai", "sk-one");
  expect(JSON.parse(readFileSync(join(home, "secrets.json"), "utf8"))).toEqual({
    push: { secret: "p" },
    keys: { openai: "sk-one" },
  });
});

test.each([
  [
    "readable by others",
    (path: string) => {
      writeFileSync(path, '{"keys":{"openai":"sk-x"}}');
      chmodSync(path, 0o644);
    },
  ],
  ["a link", (path: string) => symlinkSync("/etc/hostname", path)],
  ["no JSON", (path: string) => writeFileSync(path, "sk-canary", { mode: 0o600 })],
  ["another shape", (path: string) => writeFileSync(path, '{"keys":["sk-canary"]}', { mode: 0o600 })],
])(
  "a file that is %s gives no key, is told in words without its content, and is not overwritten",
  async (_what, make) => {
    const home = temporaryHome();
    const path = join(home, "secrets.json");
    make(path);
    const before = readFileSync(path, "utf8");
    const { keys, problem } = readKeys(home, adopted(home));
    expect(keys).toEqual({});
    expect(problem).toContain("secrets.json");
    expect(problem).not.toContain("canary");
    await expect(setKey(home, "openai", "sk-new")).rejects.toThrow(HomeError);
    expect(readFileSync(path, "utf8")).toBe(before);
  },
);

test("a state directory that is not adopted gives no key", async () => {
  const workDir = temporaryDirectory();
  const home = join(workDir, ".mimikit");
  const { prepareHome } = await import("@mimikit/runtime/home/home");
  prepareHome(home);
  await setKey(home, "openai", "sk-one");
  const env = { MIMIKIT_WORK_DIR: workDir, XDG_STATE_HOME: temporaryDirectory() };
  expect(readKeys(home, env)).toEqual({ keys: {} });
  expect(readKeys(home, adopted(home)).keys).toEqual({ openai: "sk-one" });
});

test.each(["", "two words", "sk-\u00e9", `sk-${"x".repeat(5_000)}`])("%j is no key, in words", (text) => {
  expect(problemOfKey(text)).toMatch(/key|characters|big/i);
});

test("where there can be no file there is no key, and one that cannot be opened is told in words", () => {
  const dir = temporaryDirectory();
  writeFileSync(join(dir, "file"), "");
  const nowhere = join(dir, "file", "home");
  expect(readKeys(nowhere, adopted(nowhere))).toEqual({ keys: {} });
  const tooLong = join(dir, "x".repeat(300));
  expect(readKeys(tooLong, adopted(tooLong))).toEqual({ keys: {}, problem: expect.stringContaining("cannot be read") });
});

test("a text that repeats a key is shown without it, also where the text was cut within the key", () => {
  expect(withoutKey("no sk-proj-0123456789: sk-proj-0123456789", "sk-proj-0123456789")).toBe("no [key]: [key]");
  expect(withoutKey("no sk-proj-0123…", "sk-proj-0123456789")).toBe("no [key]…");
  expect(withoutKey("no sk-pr…", "sk-proj-0123456789")).toBe("no sk-pr…");
  expect(withoutKey("none is none", "none")).toBe("[key] is [key]");
  expect(withoutKey("as it is", "")).toBe("as it is");
});
