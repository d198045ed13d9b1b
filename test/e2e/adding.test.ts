/** Adding a thing takes at most three files, and what was added runs (docs/adding.md). */
import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text as readAll } from "node:stream/consumers";
import type { TaskSummary, TriggerDetail } from "@mimikit/protocol/wire/api";
import { setChannel } from "@mimikit/runtime/config/secrets";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { ADDITIONS, type Addition } from "../support/additions.ts";
import { Instance } from "../support/instance.ts";

const ROOT = join(import.meta.dirname, "../..");
const FILES_MAX = 3;
/** They hold the words of one language, and stand beside the three. */
const WORDS = /\/i18n\/(?:en|zh)\/|\/chinese-(?:titles|atoms)\.ts$/;
const RUN_MS_MAX = 120_000;

let copy: string;
let instance: Instance;

beforeAll(async () => {
  copy = realpathSync(mkdtempSync(join(tmpdir(), "mimikit-adding-")));
  copyTree(copy);
  for (const addition of ADDITIONS) add(addition);
});

afterAll(async () => {
  await instance?.dispose();
  rmSync(copy, { recursive: true, force: true });
});

/** The files of the working tree, with packages of their own: what they import of each other is the copy. */
function copyTree(to: string): void {
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: ROOT });
  const tops = ["apps/", "packages/", "prompts/", "test/", "scripts/"];
  for (const path of listed.toString().split("\0").filter(Boolean))
    if (tops.some((top) => path.startsWith(top)) || !path.includes("/")) cpSync(join(ROOT, path), join(to, path));
  mkdirSync(join(to, "node_modules"));
  const entries = readdirSync(join(ROOT, "node_modules")).filter((name) => name !== ".cache");
  for (const name of entries)
    if (name === "@mimikit")
      cpSync(join(ROOT, "node_modules", name), join(to, "node_modules", name), {
        recursive: true,
        verbatimSymlinks: true,
      });
    else symlinkSync(join(ROOT, "node_modules", name), join(to, "node_modules", name));
}

function add({ files, lines }: Addition): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    writeFileSync(join(copy, path), text, { flag: "wx" });
  }
  for (const [path, insertions] of Object.entries(lines)) {
    let text = readFileSync(join(copy, path), "utf8");
    for (const { after, line } of insertions) {
      expect(text.split(`\n${after}\n`).length, `${path}: ${after}`).toBe(2);
      text = text.replace(`\n${after}\n`, (found) => `${found}${line}\n`);
    }
    writeFileSync(join(copy, path), text);
  }
}

function filesOf({ files, lines }: Addition): string[] {
  return [...Object.keys(files), ...Object.keys(lines)];
}

test.each(ADDITIONS)(
  "adding a $thing takes at most three files and its words in each language, those that docs/adding.md names",
  (addition) => {
    const paths = filesOf(addition);
    expect(paths.filter((path) => !WORDS.test(path)).length).toBeLessThanOrEqual(FILES_MAX);
    const row = readFileSync(join(ROOT, "docs/adding.md"), "utf8")
      .split("\n")
      .find((line) => line.startsWith(`| ${addition.thing} |`));
    expect(row).toBeDefined();
    const named = [...(row ?? "").matchAll(/`((?:apps|packages|prompts)\/[^`]+)`/g)].map(([, path = ""]) => path);
    expect(named.sort()).toEqual(paths.sort());
    expect(row).toContain(`| ${paths.length} |`);
  },
);

test("one of each, added to a copy of the tree, passes the type checks", () => {
  for (const project of ["tsconfig.json", "apps/web"]) {
    const { stdout, status } = spawnSync(join(copy, "node_modules/.bin/tsc"), ["-p", project], {
      cwd: copy,
      encoding: "utf8",
      timeout: RUN_MS_MAX,
    });
    expect({ stdout, status }).toEqual({ stdout: "", status: 0 });
  }
});

test("a tool that was added is offered to its roles", () => {
  const tools = `import { toolsOf } from "@mimikit/agent/tools/index"; console.log(toolsOf("teller").map(({ name }) => name).join());`;
  expect(run(process.execPath, "--input-type=module", "-e", tools)).toContain("count_words");
});

test("a CLI command that was added runs, and has its help", () => {
  expect(run(process.execPath, "apps/cli/src/main.ts", "today")).toMatch(/^\d{4}-\d\d-\d\d\n$/);
  expect(run(process.execPath, "apps/cli/src/main.ts", "today", "--help")).toContain("the day, YYYY-MM-DD");
});

test("a view that was added is built into the page", () => {
  run(process.execPath, "node_modules/vite/bin/vite.js", "build", "apps/web");
  expect(scripts("about")).toHaveLength(1);
});

test("a condition that was added can be chosen in the form of the page", () => {
  expect(scripts("")).toContainEqual(expect.stringContaining("文件消失"));
});

test("a provider that was added has its settings, and its title on the page", () => {
  const shown = run(process.execPath, "apps/cli/src/main.ts", "config", "show", "echo");
  expect(shown).toContain("echo.prefix is set by MIMIKIT_ECHO_PREFIX");
  expect(scripts("zh-page")).toContainEqual(expect.stringContaining("回声"));
});

test("a compatible endpoint that was added can be connected, and has its title on the page", () => {
  const { providers } = JSON.parse(run(process.execPath, "apps/cli/src/main.ts", "connect", "--list", "--json"));
  expect(providers).toContainEqual(
    expect.objectContaining({ id: "nearby", kind: "endpoint", needsKey: true, ownBaseUrl: "http://127.0.0.1:9/v1" }),
  );
  expect(scripts("page")).toContainEqual(expect.stringContaining("Nearby"));
});

test("a route, a protocol command, a provider, a condition, a role and a channel that were added are served by the running processes", async () => {
  instance = await Instance.start({
    sources: copy,
    env: { MIMIKIT_PROVIDER_TELLER: "echo", MIMIKIT_ECHO_PREFIX: "You say: " },
  });
  const gotify: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await readAll(request);
    if (request.url === "/message" && request.headers["x-gotify-key"] === "a-token")
      gotify.push(JSON.parse(body).message);
    response.end("{}");
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  await setChannel(instance.home, "gotify", { server: `http://127.0.0.1:${port}`, token: "a-token" });
  instance.startRole("channels");
  // A message from before its owner is paired is not sent.
  await instance.until("the channel", () => existsSync(join(instance.home, "channels/gotify/state.json")) || undefined);
  const reply = await instance.replyTo(await instance.send("so it is"));
  expect(reply).toMatchObject({ text: "You say: so it is", provider: "echo" });
  const { now } = await instance.api<{ now: string }>("/api/clock");
  expect(Date.parse(now)).toBeGreaterThan(0);
  writeFileSync(join(instance.home, "inbox/hello.json"), JSON.stringify({ kind: "ping" }));
  const archive = join(instance.home, "archive");
  const answered = () =>
    readdirSync(archive, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".json"))
      .find((name) => readFileSync(join(archive, name), "utf8").includes('"outcome":"pong"'));
  await instance.until("the answer to the ping", answered);
  const { id } = await instance.api<{ id: string }>("/api/triggers", {
    method: "POST",
    body: { prompt: "tidy up", target: "critic", condition: { type: "file_gone", params: { path: "nothing.txt" } } },
  });
  const fired = async () => (await instance.api<TriggerDetail>(`/api/triggers/${id}`)).recent[0];
  await instance.until("a firing of the trigger", fired);
  const critique = async () =>
    (await instance.api<{ tasks: TaskSummary[] }>("/api/tasks?role=critic&state=failed")).tasks[0];
  const { error } = await instance.until("the end of its task", critique);
  expect(error).toContain("the critic needs a model");
  await instance.until("its report by the channel", () => gotify.find((message) => message.startsWith("You say:")));
});

/** The scripts of the built page whose names begin so. */
function scripts(prefix: string): string[] {
  const assets = join(copy, "apps/web/dist/assets");
  const names = readdirSync(assets).filter((name) => name.startsWith(prefix) && name.endsWith(".js"));
  return names.map((name) => readFileSync(join(assets, name), "utf8"));
}

function run(program: string, ...words: string[]): string {
  // In the folder of the program the workspace would be ~/mimikit.
  const env = { ...process.env, MIMIKIT_WORK_DIR: copy };
  return execFileSync(program, words, { cwd: copy, env, encoding: "utf8", timeout: RUN_MS_MAX });
}
