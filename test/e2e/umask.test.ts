/** Files made for the user have the permissions that the user chose where Mimikit was started; the state is private all the same. */
import { chmodSync, lstatSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findSandbox } from "@mimikit/agent/shell/sandbox";
import type { Improvement } from "@mimikit/protocol/wire/api";
import { modeText } from "@mimikit/runtime/home/home";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { runCli } from "../cli/run-cli.ts";
import { IMPROVES, settingsOf } from "../support/improve-script.ts";
import { Instance, ROLE_NAMES } from "../support/instance.ts";
import { call, KEY } from "../support/main-job.ts";
import { ModelServer } from "../support/model-server.ts";
import { makeRepository } from "../support/user-tree.ts";

/** The group may read, others may not: neither what is usual nor what the state has. The roles have it from us. */
const UMASK = 0o027;
const MADE = { made: "750", "made/file": "640" };

let before = 0;
beforeAll(() => {
  before = process.umask(UMASK);
});
afterAll(() => {
  process.umask(before);
});

/** The permissions of everything below a directory, by path. */
function modesIn(top: string): Record<string, string> {
  const paths = readdirSync(top, { recursive: true, encoding: "utf8" });
  return Object.fromEntries(paths.map((path) => [path, modeText(lstatSync(join(top, path)).mode)]));
}

/** The parts of the state that others may look at. */
function openIn({ home }: Instance): string[] {
  return Object.entries(modesIn(home)).flatMap(([path, mode]) => (mode.endsWith("00") ? [] : [`${mode} ${path}`]));
}

/** @param furnish makes what is in the workspace. */
async function start(env: Record<string, string>, furnish: (workDir: string) => void = () => {}): Promise<Instance> {
  const mimikit = await Instance.start({ env, roles: [] });
  onTestFinished(() => mimikit.dispose());
  furnish(mimikit.workDir);
  for (const role of ROLE_NAMES) mimikit.startRole(role);
  await mimikit.ready();
  return mimikit;
}

/** A program that makes a folder and a file where it is started, and says `lines`. */
function standIn(version: string, lines: readonly object[]): string {
  const dir = mkdtempSync(join(tmpdir(), "mimikit-stand-in-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const file = join(dir, "stand-in");
  const body = [
    `if (process.argv[2] === "--version") { console.log("${version}"); process.exit(0); }`,
    `const { mkdirSync, readFileSync, writeFileSync } = require("node:fs");`,
    `readFileSync(0); mkdirSync("made"); writeFileSync("made/file", "");`,
    ...lines.map((line) => `console.log(${JSON.stringify(JSON.stringify(line))});`),
  ];
  writeFileSync(file, `#!${process.execPath}\n${body.join("\n")}\n`);
  chmodSync(file, 0o700);
  return file;
}

describe("what a Worker makes has the umask that the role was started with", () => {
  test("with the offline engine", async () => {
    const mimikit = await start({});
    await mimikit.send("run `mkdir made; touch made/file; echo Made.`");
    await mimikit.replyWith("\nMade.");
    await mimikit.drained();
    expect(modesIn(mimikit.workDir)).toEqual(MADE);
    expect(openIn(mimikit)).toEqual([]);
  });

  test("with a model: by its shell and by its tools, and what is edited keeps what it had", async () => {
    const model = await ModelServer.start({
      worker: [
        { calls: [{ shell: "mkdir made; touch made/file" }] },
        call("write_text_file", { path: "written/file", content: "x" }),
        call("edit_text_file", { path: "old", oldText: "a", newText: "b" }),
        { say: "Made." },
      ],
    });
    onTestFinished(() => model.close());
    const mimikit = await start({
      MIMIKIT_PROVIDER_WORKER: "openai",
      OPENAI_BASE_URL: model.baseUrl,
      OPENAI_API_KEY: KEY,
      MIMIKIT_MODEL: "scripted",
    });
    writeFileSync(join(mimikit.workDir, "old"), "a");
    chmodSync(join(mimikit.workDir, "old"), 0o664);
    await mimikit.send("run `make it`");
    await mimikit.replyWith("Made.");
    await mimikit.drained();
    expect(modesIn(mimikit.workDir)).toEqual({ ...MADE, written: "750", "written/file": "640", old: "664" });
    expect(openIn(mimikit)).toEqual([]);
  });

  test("with codex", async () => {
    const file = standIn("codex-cli 0.169.0", [
      { type: "thread.started", thread_id: "01a20197-58fb-7d22-bee6-6d97fdf55d6c" },
      { type: "item.completed", item: { id: "item_1", type: "agent_message", text: "Made." } },
      { type: "turn.completed", usage: { input_tokens: 1, cached_input_tokens: 0, output_tokens: 1 } },
    ]);
    const env = { MIMIKIT_PROVIDER_WORKER: "codex", MIMIKIT_CODEX_BIN: file, OPENAI_API_KEY: KEY };
    const mimikit = await start(env);
    await mimikit.send("run `make it`");
    await mimikit.replyWith("Made.");
    await mimikit.drained();
    expect(modesIn(mimikit.workDir)).toEqual(MADE);
    expect(openIn(mimikit)).toEqual([]);
  });

  test("with claude", async () => {
    const thread = { session_id: "01a20197-58fb-7d22-bee6-6d97fdf55d6c" };
    const usage = { input_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 1 };
    const file = standIn("2.1.330 (Claude Code)", [
      { type: "system", subtype: "init", ...thread, mcp_servers: [{ name: "mimikit", status: "connected" }] },
      { type: "assistant", message: { id: "m-1", model: "scripted", content: [{ type: "text", text: "Made." }] } },
      {
        type: "result",
        subtype: "success",
        ...thread,
        is_error: false,
        terminal_reason: "completed",
        stop_reason: "end_turn",
        usage,
      },
    ]);
    const env = { MIMIKIT_PROVIDER_WORKER: "claude", MIMIKIT_CLAUDE_BIN: file, ANTHROPIC_API_KEY: KEY };
    const mimikit = await start(env);
    await mimikit.send("run `make it`");
    await mimikit.replyWith("Made.");
    await mimikit.drained();
    expect(modesIn(mimikit.workDir)).toEqual(MADE);
    expect(openIn(mimikit)).toEqual([]);
  });
});

describe.skipIf("missing" in (await findSandbox()))("self-improvement", () => {
  test("checks, merges and takes back with it: what is the user's can be read by whoever could read it", async () => {
    const model = await ModelServer.start(IMPROVES);
    onTestFinished(() => model.close());
    const env = { ...settingsOf(model), MIMIKIT_SELF_IMPROVE_MERGE: "true", MIMIKIT_SELF_IMPROVE_CHECKS: "umask" };
    const mimikit = await start(env, makeRepository);
    const { workDir } = mimikit;
    const unreadable = () => Object.entries(modesIn(workDir)).filter(([, mode]) => !/[4-7].$/.test(mode));
    expect(unreadable()).toEqual([]);

    await runCli(mimikit, ["improve", "now"]);
    const { change } = await mimikit.until("the merge", async () => {
      const { improvements } = await mimikit.api<{ improvements: Improvement[] }>("/api/improvements");
      return improvements.find(({ state }) => state === "merged");
    });
    expect(unreadable()).toEqual([]);
    expect(change?.checks).toMatchObject([{ command: "umask", output: "0027\n", isPassed: true }]);

    expect((await runCli(mimikit, ["undo", "imp-000001"])).out).toMatch(/undone by the commit/);
    expect(unreadable()).toEqual([]);
    await mimikit.drained();
    expect(openIn(mimikit)).toEqual([]);
  });
});
