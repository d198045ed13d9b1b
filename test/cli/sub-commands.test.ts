/** Sub-commands: a help of their own, options of their own, and lines as they were typed before there were any. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Command } from "../../apps/cli/src/arguments/command.ts";
import { commandFirst } from "../../apps/cli/src/arguments/command-first.ts";
import { allCommands, helpOf } from "../../scripts/command-page.ts";
import { CLI } from "../support/programs.ts";
import { type CliPlace, runCli } from "./run-cli.ts";

const COMMANDS = await allCommands();
const GROUPS = COMMANDS.filter(({ subCommands }) => subCommands.length > 0);

let dir: string;
let place: CliPlace;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "mimikit-sub-commands-"));
  place = { home: join(dir, "home"), workDir: join(dir, "work") };
  mkdirSync(place.workDir);
  const env = { ...process.env, MIMIKIT_HOME: place.home, MIMIKIT_WORK_DIR: place.workDir };
  execFileSync(process.execPath, [CLI, "triggers", "add", "--every", "2h", "--title", "standup", "x"], { env });
  writeFileSync(join(place.home, "memory.md"), "- Tea at five\n");
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const optionsIn = (help: string) => [...help.matchAll(/^ +(?:-\w, )?(--[a-z-]+)/gm)].map(([, option]) => option);

describe.each(GROUPS.map((group) => ({ name: group.name, group })))("mimikit $name", ({ group }) => {
  test("lists its sub-commands in its help, each with its summary, and no option of theirs", async () => {
    const help = await helpOf(group);
    for (const { usage, summary } of group.subCommands) {
      expect(help).toContain(`mimikit ${group.name} ${usage}`);
      expect(help.replace(/\s+/g, " ")).toContain(summary.slice(0, 20));
    }
    expect(optionsIn(help)).toEqual(["--json", "--help"]);
    if (group.alone !== undefined) expect(help).toContain(`mimikit ${group.name} runs ${group.alone.name}.`);
  });

  test("has a help for each sub-command, with its usage, its summary and its examples", async () => {
    for (const sub of group.subCommands) {
      const help = await helpOf(group, sub);
      expect(help).toContain(`mimikit ${group.name} ${sub.usage}\n\n${sub.summary}`);
      for (const [line] of sub.examples) expect(help).toContain(line.split(" ", 3).join(" "));
      for (const other of group.subCommands.filter((each) => each !== sub))
        expect(help).not.toContain(`mimikit ${group.name} ${other.usage}\n`);
    }
  });
});

test.each([
  [
    ["triggers", "add"],
    ["--every", "--budget-usd"],
    ["--to", "--limit"],
  ],
  [
    ["triggers", "simulate"],
    ["--to", "--limit"],
    ["--every", "--prompt"],
  ],
  [["triggers", "show"], [], ["--every", "--to"]],
  [["memory", "search"], ["--after", "--source"], ["--long-term"]],
  [["audit", "verify"], ["--actor"], ["--follow", "--at"]],
  [["mcp", "test"], [], ["--url", "--env", "--level"]],
])("mimikit %j --help shows the options %j, and not %j of its siblings", async (words, own, others) => {
  const { code, out } = await runCli(place, [...words, "--help"]);
  expect(code).toBe(0);
  expect(optionsIn(out)).toEqual(expect.arrayContaining(own));
  for (const option of others) expect(optionsIn(out)).not.toContain(option);
});

test.each([
  [
    ["tasks", "show", "t-1", "--state", "done"],
    "mimikit tasks show takes no --state: it is an option of  mimikit tasks list",
  ],
  [
    ["triggers", "list", "--every", "2h"],
    "mimikit triggers list takes no --every: it is an option of  mimikit triggers add and change",
  ],
  [
    ["triggers", "--every", "2h"],
    "mimikit triggers list takes no --every: it is an option of  mimikit triggers add and change",
  ],
  [
    ["memory", "search", "x", "--long-term"],
    "mimikit memory search takes no --long-term: it is an option of  mimikit memory add",
  ],
  [["audit", "verify", "-f"], "mimikit audit verify takes no -f: it is an option of  mimikit audit tail"],
  [["mcp", "test", "x", "--no-test"], "mimikit mcp test takes no --test: it is an option of  mimikit mcp add"],
  [["recipe", "list", "--yes"], "mimikit recipe list takes no --yes: it is an option of  mimikit recipe add"],
])("mimikit %j is wrong usage, and the line says which sub-command has the option", async (words, expected) => {
  const { code, out, error } = await runCli(place, words);
  expect([code, out, error]).toEqual([2, "", `mimikit: ${expected}\n`]);
});

test.each([
  [["queue", "stop"], "there is no  mimikit queue stop: choose one of list, pause, resume"],
  [
    ["tasks", "--json", "lst"],
    "there is no  mimikit tasks lst: did you mean list? The choices are list, show, cancel, again",
  ],
  [["audit"], "mimikit audit <sub-command>: choose one of tail, verify, replay"],
  [["pool", "--json"], "mimikit pool <sub-command>: choose one of invite, join, service, remove"],
  [["triggers", "show"], "an argument is missing; usage:  mimikit triggers show <trigger>"],
  [["queue", "pause", "x"], "there is no  mimikit queue pause x: choose one of planner, worker, reviewer"],
])("mimikit %j is wrong usage, and the line names what there is", async (words, expected) => {
  const { code, out, error } = await runCli(place, words);
  expect([code, out]).toEqual([2, ""]);
  expect(error).toContain(`mimikit: ${expected}`);
});

test.each([
  [["tasks"], ["tasks", "list"]],
  [
    ["--json", "triggers"],
    ["triggers", "list", "--json"],
  ],
  [
    ["triggers", "--json"],
    ["triggers", "list", "--json"],
  ],
  [
    ["--limit", "1", "tasks", "--state", "done"],
    ["tasks", "list", "--limit", "1", "--state", "done"],
  ],
  [
    ["memory", "--limit", "3", "search", "tea"],
    ["memory", "search", "tea", "--limit", "3"],
  ],
  [
    ["config", "--json", "show", "port"],
    ["config", "show", "port", "--json"],
  ],
  [
    ["recipe", "--set", "time=08:30", "show", "disk-space"],
    ["recipe", "show", "disk-space", "--set", "time=08:30"],
  ],
  [
    ["history", "--role", "user"],
    ["history", "list", "--role", "user"],
  ],
  [
    ["service", "--system"],
    ["service", "status", "--system"],
  ],
  [
    ["tasks", "--transcript", "show", "t-9"],
    ["tasks", "show", "t-9", "--transcript"],
  ],
])("mimikit %j, the old spelling, gives what mimikit %j gives", async (old, now) => {
  const [before, after] = [await runCli(place, old), await runCli(place, now)];
  expect(before).toEqual(after);
  expect(after.code, after.error).not.toBe(2);
});

const named = (name: string): Command => {
  const command = COMMANDS.find((each) => each.name === name);
  if (command === undefined) throw new Error(`there is no command ${name}`);
  return command;
};

test.each([
  ["triggers --every 2h add x", "triggers add --every 2h x"],
  ["memory --long-term add tea", "memory add --long-term tea"],
  ["audit -n 3 -f tail", "audit tail -n 3 -f"],
  // The value of an option is no sub-command, whatever it is called.
  ["tasks --text show list", "tasks list --text show"],
  ["tasks --text show", "tasks list --text show"],
  ["triggers --title run --every=2h add x", "triggers add --title run --every=2h x"],
  ["channels --no-test add telegram", "channels add --no-test telegram"],
  ["mcp --env A --url https://x.example add shop", "mcp add --env A --url https://x.example shop"],
  ["mcp add memory -- npx --yes list", "mcp add memory -- npx --yes list"],
  ["triggers --help", "triggers --help"],
  ["triggers -h", "triggers -h"],
  ["triggers help", "triggers help"],
  ["audit --json", "audit --json"],
  ["--json --timeout 3 ask hello list", "ask --json --timeout 3 hello list"],
])("the parser gets %j as %j", (line, expected) => {
  const words = line.split(" ");
  const name = expected.split(" ", 1).join();
  expect(commandFirst(words, named(name)).join(" ")).toBe(expected);
});

test("Tab offers the sub-commands, and the options of the one that is typed or runs alone", async () => {
  const offered = async (...words: string[]) =>
    (await runCli(place, ["--get-yargs-completions", "mimikit", ...words])).out.trimEnd().split("\n");
  expect(await offered("queue", "")).toEqual(["list", "pause", "resume"]);
  expect(await offered("queue", "pause", "")).toEqual(expect.arrayContaining(["planner", "worker", "reviewer"]));
  expect(await offered("triggers", "add", "--ev")).toContain("--every");
  expect(await offered("triggers", "show", "x", "--")).not.toContain("--every");
  expect(await offered("tasks", "--st")).toContain("--state");
  expect(await offered("tasks", "-")).toContain("--state");
  expect(await offered("tasks", "--state", "")).toContain("running");
  expect(await offered("triggers", "show", "")).toHaveLength(1);
});

test("Tab offers the names of settings and of providers", async () => {
  const offered = async (...words: string[]) =>
    (await runCli(place, ["--get-yargs-completions", "mimikit", ...words, ""])).out.trimEnd().split("\n");
  for (const word of ["show", "set", "unset"]) expect(await offered("config", word)).toContain("budget.day.costUsd");
  expect(await offered("connect")).toEqual(expect.arrayContaining(["openai", "codex", "offline"]));
});
