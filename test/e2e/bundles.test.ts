/** The code that the bundles load when they start, as counts: a change that makes a start dearer has to say so here. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Instance, ROLE_NAMES } from "../support/instance.ts";
import { CLI, modulesIn } from "../support/programs.ts";

const ROOT = join(import.meta.dirname, "../..");
/**
 * Files that a process has imported when it is ready, at most, and the kilobytes in them. The gateway's are more because of the
 * 70,000 characters of its tables of encodings that are written `\uXXXX`: in memory the bundle is half as large for that. Code that
 * it shares with what it loads later (clients of /v1, MCP servers, hooks, the sender of Web Push, the list of pools) is in files of its own, of the same
 * kilobytes. The workers read the formats in which models write calls and thoughts into their text. Of pools, each has the shape of what is told of a machine, and the sentences that refuse one. The workers' are more because the programs of pools share their code, in files of its own, and their joints: without that
 * the package would be 1.8 MB larger. Of proxies, each has the rules by which a request takes one, and the words of its failures: 9 KB.
 * Of what is forgotten, the workers and the supervisor have the comparison of sentences, and the supervisor the stemmer for it: 8 and 18 KB.
 * Two files are what a window that was told shares with the code of models. The supervisor reads answers in words, and names the files of a firing: 14 KB. Of recall, the workers and the gateway have the words that are in everything and what ranks messages: 22 KB.
 */
const FILES_MAX = { supervisor: 19, workers: 56, gateway: 63 };
const KB_MAX = { supervisor: 1_540, workers: 1_730, gateway: 2_800 };
/** Of the command line, for `status`: one of the files is the code of records that it shares with the list of pools, which it loads where an engine is set up; another one chooses the language, and one says in words why a value does not fit. Three are the rules of proxies, one is what compares forgotten sentences. Four are parts that others share: time zones, whose process it is, fences. */
const CLI_FILES_MAX = 83;
const CLI_KB_MAX = 1_085;
/** Modules that only some runs, commands or requests need: dates in words, models, agent CLIs, documents, MCP, hooks, channels, clients of /v1, pages of the web, zod's other languages, pools on other machines. */
const LAZY =
  /chrono-node|@ai-sdk\/|@modelcontextprotocol|@clack\/|zod\/v4\/locales\/(?!en\.js)|providers\/offline\/when|routes\/demo|web-push|push\/sender|src\/hooks\/|records\/hook\.ts|routes\/receive-hook|grammy|channel-states|commands\/channels|agent\/src\/documents|apps\/channels|http-gateway\/src\/v1\/|bullmq|ioredis|runtime\/src\/pools\/|protocol\/src\/pools\/messages|core\/src\/pools\/|src\/dispatcher\/|src\/remote\/|place-away|cli\/src\/mcp-server\/|cli\/src\/i18n\/zh\/|html-to-text|web\/(get-page|get-through|read-in-thread|search-web)|undici|network\/(fetch-through|tunnel)/;

let mimikit: Instance;
beforeAll(async () => {
  mimikit = await Instance.start({ countsCalls: true });
});
afterAll(() => mimikit.dispose());

const kilobytes = (paths: readonly string[]) =>
  Math.ceil(paths.reduce((sum, path) => sum + statSync(join(ROOT, path)).size, 0) / 1_024);

test.each(ROLE_NAMES)("%s starts from few files, and loads nothing that only some runs need", async (role) => {
  const { imported, modules } = await mimikit.calls(role);
  expect(imported.filter((path) => !path.startsWith("dist/"))).toEqual([]);
  expect(imported.length).toBeLessThanOrEqual(FILES_MAX[role]);
  expect(kilobytes(imported)).toBeLessThanOrEqual(KB_MAX[role]);
  expect(modules).toContainEqual(expect.stringMatching(/main\.ts$/));
  expect(modules.filter((path) => LAZY.test(path))).toEqual([]);
});

test("a bundle is ASCII, so that V8 keeps it in one byte a character", () => {
  const scripts = readdirSync(join(ROOT, "dist")).filter((name) => name.endsWith(".js"));
  const others = scripts.filter((name) => readFileSync(join(ROOT, "dist", name)).some((byte) => byte > 0x7f));
  expect(scripts.length).toBeGreaterThan(0);
  expect(others).toEqual([]);
});

test("the three bundles do the main job together", async () => {
  await mimikit.send("run `echo a` then `echo b`");
  await mimikit.replyWith("Both are done.");
});

test("a command loads itself, and no other command", () => {
  const script = `
    const { registerHooks } = require("node:module");
    const imported = [];
    registerHooks({ load: (url, context, next) => (url.startsWith("file:") && imported.push(url), next(url, context)) });
    process.on("exit", () => console.error(JSON.stringify(imported)));
    import(process.argv[1]);`;
  const { stderr } = spawnSync(process.execPath, ["-e", script, CLI, "status"], {
    env: {
      ...process.env,
      MIMIKIT_HOME: mimikit.home,
      MIMIKIT_WORK_DIR: mimikit.workDir,
      MIMIKIT_PORT: String(mimikit.port),
    },
    encoding: "utf8",
  });
  const imported = (JSON.parse(stderr) as string[]).map((url) => url.slice(url.lastIndexOf("dist/")));
  expect(imported.length).toBeLessThanOrEqual(CLI_FILES_MAX);
  expect(kilobytes(imported)).toBeLessThanOrEqual(CLI_KB_MAX);
  const modules = modulesIn(imported);
  expect(modules.filter((path) => path.includes("cli/src/commands/"))).toEqual(["apps/cli/src/commands/status.ts"]);
  expect(modules.filter((path) => LAZY.test(path))).toEqual([]);
});
