/** Promises of every command. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Result } from "@mimikit/protocol/records/result";
import { openDisk } from "@mimikit/store/disk/disk";
import { createRecord } from "@mimikit/store/disk/record";
import { archivePath } from "@mimikit/store/disk/state";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Command } from "../../apps/cli/src/arguments/command.ts";
import { recordUsage } from "../../apps/worker-pool/src/usage-file.ts";
import { allCommands, helpOf } from "../../scripts/command-page.ts";
import { queue, resultOf, settleTurn, taskOf } from "../http-gateway/records.ts";
import { Instance } from "../support/instance.ts";
import { CLI } from "../support/programs.ts";
import { runCli } from "./run-cli.ts";
import { hasTerminals, openTerminal } from "./terminal.ts";

const MAIN = join(import.meta.dirname, "../../apps/cli/src/main.ts");

function temporaryDirectory(): string {
  const dir = mkdtempSync(join(tmpdir(), "mimikit-commands-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

test("mimikit --help lists each command once, below what it is for", async () => {
  const dir = temporaryDirectory();
  const { out } = await runCli({ home: dir, workDir: dir }, ["--help"]);
  const listed = [...out.matchAll(/^ {2}([a-z]+) {2,}/gm)].map(([, name]) => name);
  expect(listed.toSorted()).toEqual((await allCommands()).map(({ name }) => name));
  expect(out).toMatch(/^Talk with it:\n {2}chat .*\n {2}ask /m);
});

test("every command says in its --help what it is for, with examples whose options there are", async () => {
  const listed = readFileSync(MAIN, "utf8");
  const commands = await allCommands();
  const helps = new Map<string, string>();
  const running: [line: string, Command][] = [];
  for (const command of commands) {
    expect(listed, `${command.name} is in the list of commands`).toContain(`import("./commands/${command.name}.ts")`);
    helps.set(command.name, await helpOf(command));
    if (command.subCommands.length === 0) running.push([command.name, command]);
    for (const each of command.subCommands) {
      helps.set(`${command.name} ${each.name}`, await helpOf(command, each));
      running.push([`${command.name} ${each.name}`, each]);
    }
  }
  for (const [path, { summary, examples }] of running) {
    expect(helps.get(path)).toContain(summary);
    expect(examples.length, `${path} has examples`).toBeGreaterThan(0);
    expect(
      examples.some(([line]) => line.includes(`mimikit ${path}`)),
      path,
    ).toBe(true);
    for (const [line, meaning] of examples) {
      expect(meaning).not.toBe("");
      expect(helps.get(path)?.split("\n"), "it can be copied as a whole").toContain(`  ${line}`);
      // Where one thing is piped into another, the last is what it is about; words of people are no options.
      const [, name = "", rest = ""] = /.*\bmimikit (\w+)(.*)$/.exec(line) ?? [];
      const help = helps.get(`${name} ${rest.split(" ")[1]}`) ?? helps.get(name);
      expect(help, line).toBeDefined();
      for (const [option] of rest.replace(/'[^']*'| -- .*/g, "").matchAll(/(?<= )--?[a-z][a-z-]*/g))
        expect(help, line).toMatch(new RegExp(`${option}\\b`));
    }
  }
  for (const [path, help] of helps)
    for (const text of help.split("\n")) expect(text.length, `${path}: ${text}`).toBeLessThanOrEqual(100);
});

/** Each command with something that it can do in any state directory; what needs PM2 is called so by the tests of PM2. */
const WITH_JSON: Readonly<
  Record<
    string,
    readonly string[] | "with PM2" | "with an engine" | "for people" | "for agents" | "after a reply" | "until Ctrl-C"
  >
> = {
  adopt: ["adopt"],
  approvals: ["approvals"],
  ask: ["ask", "hello", "--timeout", "0.01"],
  audit: ["audit", "tail"],
  backlog: ["backlog"],
  backup: ["backup", "backup.tar.gz"],
  bench: "with PM2",
  channels: ["channels"],
  chaos: "with PM2",
  chat: "for people",
  clear: ["clear", "--yes"],
  completion: ["completion", "zsh"],
  config: ["config"],
  connect: ["connect", "--list"],
  demo: "until Ctrl-C",
  devices: ["devices"],
  doctor: ["doctor"],
  down: "with PM2",
  history: ["history"],
  hooks: ["hooks"],
  import: ["import"],
  improve: ["improve"],
  logs: ["logs"],
  mcp: "for agents",
  memory: ["memory"],
  pair: ["pair"],
  pool: "with an engine",
  pools: ["pools"],
  questions: ["questions"],
  queue: ["queue"],
  recipe: ["recipe"],
  restart: "with PM2",
  restore: ["restore", "backup.tar.gz"],
  retry: "after a reply",
  send: ["send", "hello"],
  service: ["service", "status"],
  skills: ["skills"],
  status: ["status"],
  steer: ["steer", "hello"],
  stop: ["stop"],
  tasks: ["tasks"],
  triggers: ["triggers"],
  undo: ["undo"],
  up: "with PM2",
  update: "with PM2",
  usage: ["usage"],
};

test("every command is tried with --json, or it is said why not", async () => {
  expect(Object.keys(WITH_JSON)).toEqual((await allCommands()).map(({ name }) => name));
});

describe("with --json", () => {
  let served: Instance;
  let dir: string;
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), "mimikit-commands-"));
    served = await Instance.start({ roles: ["gateway"] });
    await served.until("the gateway answers", () => served.api("/api/status"));
  });
  afterAll(async () => {
    await served.dispose();
    rmSync(dir, { recursive: true, force: true });
  });

  const calls = Object.values(WITH_JSON).filter((call) => typeof call !== "string");
  test.each(calls.map((call) => ({ call, line: call.join(" ") })))(
    "mimikit $line prints one JSON document, and nothing else on stdout",
    async ({ call: [name = "", ...rest] }) => {
      const words = rest.map((word) => (word === "backup.tar.gz" ? join(dir, word) : word));
      // A backup is unpacked where nothing is yet.
      const place = name === "restore" ? { home: join(dir, "restored"), workDir: dir } : served;
      const { code, out, error } = await runCli(place, [name, ...words, "--json"]);
      expect(() => JSON.parse(out), `${out}${error}`).not.toThrow();
      // No process answers here, and an instance of which one role runs alone may not be healthy.
      if (name !== "doctor") expect(code).toBe(name === "ask" ? 4 : 0);
    },
  );
});

test.each([
  [["statsu"], "there is no command statsu: did you mean  mimikit status?"],
  [["frobnicate"], "there is no command frobnicate: mimikit --help  lists the commands"],
  [["audit", "tail", "--folow"], "there is no option --folow: did you mean  mimikit audit tail … --follow?"],
  [["--jsn", "status"], "there is no option --jsn: did you mean  --json?"],
  [["tasks", "lst"], "there is no  mimikit tasks lst: did you mean list? The choices are list, show, cancel"],
  [["tasks", "--state", "runing"], "there is no  --state runing: did you mean running? The choices are"],
  [["restore"], "an argument is missing; usage:  mimikit restore <file>"],
  [["undo", "x", "y"], "y is one argument too many; usage:  mimikit undo [id]"],
  [["tasks", "--limit", "x"], "--limit is a number"],
  [["logs", "--lines", "x"], "--lines is a number"],
  [[], "the command is missing:  mimikit --help  lists the commands"],
])("mimikit %j is wrong usage, and one line on stderr says what to type instead", async (words, expected) => {
  const place = { home: join(temporaryDirectory(), "home"), workDir: tmpdir() };
  const said = await runCli(place, words);
  expect(said).toMatchObject({ code: 2, out: "" });
  expect(said.error).toContain(`mimikit: ${expected}`);
  expect(said.error).toMatch(/^[^\n]+\n$/);
});

test.skipIf(!hasTerminals)("mimikit alone says at a terminal whether it runs, and what to type first", async () => {
  const place = { home: join(temporaryDirectory(), "home"), workDir: tmpdir() };
  const terminal = openTerminal(place, []);
  await terminal.shows("does not run");
  await terminal.shows("mimikit up");
  await terminal.shows("mimikit chat");
  expect(await terminal.ended()).toBe(0);
});

describe("with everything down", () => {
  async function stopped() {
    const dir = temporaryDirectory();
    const place = { home: join(dir, "home"), workDir: dir };
    // The first word makes the state directory.
    expect(await runCli(place, ["send", "hello"])).toMatchObject({ code: 0 });
    const fs = openDisk(place.home, "test-1-1");
    const ended = taskOf("t-000001.0", { title: "count the lines" });
    await settleTurn(fs, 1, [], "On it.");
    await createRecord(fs, Result, archivePath(ended.id), resultOf(ended));
    await queue(fs, taskOf("t-000001.1", { title: "write them down" }));
    return place;
  }

  test("tasks lists what is open and what has ended, shows one, and keeps the command to cancel", async () => {
    const place = await stopped();
    const { out } = await runCli(place, ["tasks", "--json"]);
    const { tasks } = JSON.parse(out) as { tasks: { id: string; state: string }[] };
    expect(tasks.map(({ id, state }) => [id, state])).toEqual([
      ["t-000001.1", "queued"],
      ["t-000001.0", "done"],
    ]);
    expect((await runCli(place, ["tasks", "--state", "done"])).out).toMatch(/count the lines\n$/);
    expect((await runCli(place, ["tasks", "show", "t-000001.0"])).out).toContain("result of t-000001.0");
    expect(await runCli(place, ["tasks", "show", "t-000009"])).toMatchObject({
      code: 1,
      error: "mimikit: there is no task t-000009:  mimikit tasks  lists them\n",
    });
    expect(await runCli(place, ["tasks", "cancel", "t-000001"])).toMatchObject({
      code: 1,
      error: "mimikit: there is no task t-000001: did you mean t-000001.1?\n",
    });
    expect(await runCli(place, ["tasks", "cancel", "t-000001.0"])).toMatchObject({
      code: 1,
      error: "mimikit: t-000001.0 has already ended (done)\n",
    });
    expect((await runCli(place, ["tasks", "cancel", "write them down"])).out).toBe(
      "t-000001.1 (queued; it is cancelled when Mimikit runs)\n",
    );
    const commands = readdirSync(join(place.home, "inbox")).filter((name) => name.startsWith("c-"));
    expect(commands).toHaveLength(1);
  });

  test("status says what waits, and ends with the exit code of what does not run", async () => {
    const place = await stopped();
    const { code, out, error } = await runCli(place, ["status"]);
    expect(code).toBe(3);
    expect(out).toMatch(/not running[\s\S]*1 queued: {2}mimikit tasks\n {2}waits +1 in the inbox\n/);
    expect(error).toMatch(/^mimikit: Mimikit is not running for .*: start it with {2}mimikit up\n$/);
    const known = JSON.parse((await runCli(place, ["status", "--json"])).out) as object;
    expect(known).toMatchObject({ ready: false, counts: { inbox: 1 }, tasks: [{ id: "t-000001.1" }] });
    expect(known).toHaveProperty("processes.supervisor", { alive: false });
  });

  test("status says what today has cost, and how much of the input was cached", async () => {
    const place = await stopped();
    const of = {
      at: new Date().toISOString(),
      taskId: "t-000001",
      attempt: 1,
      role: "teller",
      provider: "openai",
    } as const;
    recordUsage(place.home, { ...of, inputTokens: 100, cachedTokens: 60, outputTokens: 7, costUsd: 0 });
    expect((await runCli(place, ["status"])).out).toContain("100 tokens in (60 of them cached), 7 out, 0.0000 USD");
  });

  test("history shows what was said last, and usage what it cost", async () => {
    const place = await stopped();
    expect((await runCli(place, ["history"])).out).toMatch(/assistant {2}t-000001.reply\n {2}On it\.\n$/);
    expect((await runCli(place, ["usage"])).out).toBe("no usage recorded\n");
  });

  test("what needs the processes says exactly what to do next", async () => {
    const place = await stopped();
    for (const words of [["ask", "hi"], ["chat"], ["pair"], ["stop"], ["restart"]]) {
      const said = await runCli(place, words);
      expect(said).toMatchObject({ code: 3, out: "" });
      expect(said.error).toMatch(words[0] === "stop" ? /nothing to stop\n$/ : /mimikit up\n$/);
    }
  });

  test("Tab offers the ids of what is there", async () => {
    const place = await stopped();
    const offered = async (...words: string[]) =>
      (await runCli(place, ["--get-yargs-completions", "mimikit", ...words])).out;
    expect(await offered("tasks", "show", "")).toBe("t-000001.1\nt-000001.0\n");
    expect(await offered("tasks", "cancel", "t-")).toBe("t-000001.1\n");
    expect(await offered("questions", "answer", "")).toBe("");
    expect(await offered("tasks", "ca")).toContain("cancel\n");
    expect(
      (await runCli({ ...place, home: join(place.home, "none") }, ["--get-yargs-completions", "mimikit", "undo", ""]))
        .out,
    ).toBe("");
  });
});

test("ask and send take what comes through the pipe, without being told so", async () => {
  const dir = temporaryDirectory();
  const place = { home: join(dir, "home"), workDir: dir };
  expect(await runCli(place, ["send"], "/stop is a word\nof mine\n")).toMatchObject({ code: 0, error: "" });
  const [name = ""] = readdirSync(join(place.home, "inbox"));
  expect(JSON.parse(readFileSync(join(place.home, "inbox", name), "utf8"))).toMatchObject({
    kind: "message",
    text: "/stop is a word\nof mine",
  });
  expect(await runCli(place, ["ask"], "hi\n")).toMatchObject({ code: 3, out: "" });
  expect(await runCli(place, ["ask"], " \n")).toMatchObject({ code: 2, out: "" });
});

test("Tab completes commands and options in bash", async () => {
  const dir = temporaryDirectory();
  const mimikit = join(dir, "mimikit");
  writeFileSync(mimikit, `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`);
  chmodSync(mimikit, 0o755);
  const { out: script } = await runCli({ home: join(dir, "home"), workDir: dir }, ["completion", "bash"]);
  writeFileSync(join(dir, "completion.sh"), script);
  // SHELL is what somebody logs in with, which need not be the shell that asks.
  const completed = execFileSync(
    "bash",
    [
      "-c",
      `. ./completion.sh
      for line in "mimikit aud" "mimikit audit tail --fol"; do
        COMP_WORDS=($line); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _mimikit; echo "\${COMPREPLY[*]}"
      done`,
    ],
    { cwd: dir, encoding: "utf8", env: { ...process.env, SHELL: "/bin/zsh", PATH: `${dir}:${process.env.PATH}` } },
  );
  expect(completed).toBe("audit\n--follow\n");
});
