/** `mimikit triggers` with everything down, by real processes: what is asked for is a signed record, and reads see it at once. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InboxCommand } from "@mimikit/protocol/records/inbox";
import { Simulation, TriggerSummary } from "@mimikit/protocol/wire/api";
import { readToken } from "@mimikit/runtime/home/home";
import { isSigned } from "@mimikit/store/disk/sign";
import { describe, expect, onTestFinished, test } from "vitest";
import yargs from "yargs";
import { z } from "zod";
import { definitionFrom, orderOptions, secondsOf } from "../../../apps/cli/src/arguments/trigger-options.ts";
import { type CliPlace, runCli } from "../run-cli.ts";

/** A state directory in which nothing runs. */
function stopped(): CliPlace {
  const dir = mkdtempSync(join(tmpdir(), "mimikit-cli-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const workDir = join(dir, "work");
  mkdirSync(workDir);
  return { home: join(dir, "home"), workDir };
}

function inboxOf({ home }: CliPlace): InboxCommand[] {
  const names = readdirSync(join(home, "inbox"));
  return names.map((name) => InboxCommand.parse(JSON.parse(readFileSync(join(home, "inbox", name), "utf8"))));
}

const Added = z.object({ id: z.string(), outcome: z.null(), triggerId: z.string(), next: z.string().nullable() });

/** Adds a trigger. @returns what the command says in JSON. */
async function add(at: CliPlace, ...words: string[]) {
  const { code, out, error } = await runCli(at, ["triggers", "add", "--json", ...words]);
  expect([code, error]).toEqual([0, ""]);
  return Added.parse(JSON.parse(out));
}

async function listed(at: CliPlace): Promise<TriggerSummary[]> {
  const { code, out } = await runCli(at, ["triggers", "--json"]);
  expect(code).toBe(0);
  return z.object({ triggers: z.array(TriggerSummary) }).parse(JSON.parse(out)).triggers;
}

test.each([
  ["90", 90],
  ["30s", 30],
  ["10m", 600],
  ["1.5h", 5_400],
  ["7d", 604_800],
  ["1w", null],
  ["-5m", null],
  ["", null],
])("the length of time %j is %j seconds", (text, seconds) => {
  expect(secondsOf(text)).toBe(seconds);
});

const ORDERS: [string[], object][] = [
  [["--every", "2h", "run", "the", "tests"], { interval: 7_200 }],
  [
    ["--cron", "0 0 9 * * 1-5", "--timezone", "Europe/Paris", "-p", "x"],
    { cron: "0 0 9 * * 1-5", timezone: "Europe/Paris" },
  ],
];

describe("an order", () => {
  test.each(ORDERS)("%j is a signed record in inbox/, and listed at once", async (words, schedule) => {
    const at = stopped();
    const { id, triggerId } = await add(at, ...words);
    const [command] = inboxOf(at);
    expect(command).toMatchObject({ kind: "trigger-put", id, definition: { when: { type: "recurring", schedule } } });
    expect(command !== undefined && isSigned(readToken(at.home), command)).toBe(true);
    expect(await listed(at)).toMatchObject([{ id: triggerId, target: "teller", schedule }]);
    // A command that has only read has left nothing behind.
    expect(readdirSync(join(at.home, "tmp"))).toEqual([]);
  });

  test("says everything that an order can say", async () => {
    const at = stopped();
    const condition = { type: "not", condition: { type: "file_exists", params: { path: "lock" } } };
    await add(
      at,
      ...["--when", JSON.stringify(condition), "--cooldown", "5m", "--title", "T", "--target", "worker"],
      ...[
        "--priority",
        "7",
        "--timeout",
        "2m",
        "--on-interrupt",
        "ask",
        "--budget-tokens",
        "1000",
        "--budget-usd",
        "0.5",
        "go",
        "-",
        "help",
      ],
    );
    const order = {
      prompt: "go - help",
      title: "T",
      target: "worker",
      priority: 7,
      timeoutSec: 120,
      onInterrupt: "ask",
      budget: { tokens: 1_000, costUsd: 0.5 },
    };
    expect(inboxOf(at)).toMatchObject([
      { definition: { order, when: { type: "conditional", condition, cooldown: 300 } } },
    ]);
  });

  test("a cron that names no zone means the clock of the terminal", async () => {
    const at = stopped();
    await add(at, "--cron", "0 0 9 * * *", "x");
    const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    expect(await listed(at)).toMatchObject([{ schedule: { cron: "0 0 9 * * *", timezone } }]);
  });
});

/** The order in the words of `mimikit triggers add`. */
function ordered(...words: string[]) {
  const cli = orderOptions(yargs([]).option("json", { type: "boolean", default: false })).exitProcess(false);
  const options = cli.parseSync(words);
  return definitionFrom(options, options._.join(" "), Date.now());
}

test.each([
  [["x"], "a time or a condition is missing: use one of --every, --cron, --at, --when,"],
  [["--every", "1h", "--at", "2036-01-01T00:00:00Z", "x"], "use one of --every and --at"],
  [["--every", "1h"], "the prompt is missing"],
  [["--every", "5s", "x"], "--every: must be at least 10 seconds"],
  [["--every", "soon", "x"], "--every is a duration"],
  [["--at", "2020-01-01T00:00:00Z", "x"], "is in the past"],
  [["--at", "2036-01-01T09:00", "x"], "--at: must be a moment with its time zone"],
  [["--cron", "0 0 25 * * *", "x"], "is not a cron pattern"],
  [["--cron", "* * * * * *", "x"], "more often than every 10 seconds"],
  [["--cron", "0 0 9 * * *", "--timezone", "Mars/Base", "x"], "--timezone: must be a time zone"],
  [["--every", "1h", "--cooldown", "5m", "x"], "cooldown applies to conditions only"],
  [["--when", "{", "x"], "--when: not valid JSON"],
  [
    ["--when", '{"type":"or","conditions":[{"type":"file_exists","params":{}}]}', "x"],
    "--when at conditions.0.params.path",
  ],
  [["--when-file-changes", "../x", "x"], "--when at params.path: a path must not contain .."],
  [
    ["--when-file-changes", "a", "--when-file-exists", "b", "x"],
    "use one of --when-file-changes and --when-file-exists: --when combines",
  ],
  [["--every", "1h", "-p", "x", "y"], "give one prompt"],
  [["--every", "1h", "--budget-usd", "-1", "x"], "--budget-usd: "],
])("the order %j is refused in words that say what would be right", (words, why) => {
  expect(() => ordered(...words)).toThrow(why);
});

test.each([
  [["add", "--at", "2020-01-01T00:00:00Z", "x"], "is in the past"],
  [
    ["list", "--when-file-changes", "x"],
    "takes no --when-file-changes: it is an option of  mimikit triggers add and change",
  ],
  [["show"], "an argument is missing; usage:  mimikit triggers show <trigger>"],
  [["simulate", "--to", "tomorrow"], "--to is a moment with its zone"],
  [["simulate", "--to", "800d"], "at most 366 d"],
])("mimikit triggers %j is refused, and nothing is sent", async (words, why) => {
  const at = stopped();
  const { code, error } = await runCli(at, ["triggers", ...words]);
  expect([code, error]).toEqual([2, expect.stringContaining(why)]);
  expect(existsSync(at.home)).toBe(false);
});

test("a trigger is changed, paused and deleted by the beginning of its id, and what was asked for is seen at once", async () => {
  const at = stopped();
  const { triggerId } = await add(at, "--every", "2h", "--title", "before", "x");
  const short = triggerId.slice("trg-".length, "trg-".length + 8);
  for (const words of [
    ["change", short, "--every", "4h", "--title", "after", "do", "y"],
    ["change", short, "--missed", "all"],
    ["pause", short],
  ])
    expect((await runCli(at, ["triggers", ...words])).code).toBe(0);
  const changed = { title: "after", prompt: "do y", schedule: { interval: 14_400 }, missed: "all" };
  expect(await listed(at)).toMatchObject([{ id: triggerId, ...changed, paused: true, next: null }]);
  expect((await runCli(at, ["triggers", "resume", "after"])).out).toContain(`${triggerId}: resumed`);
  expect(await listed(at)).toMatchObject([{ ...changed, paused: false }]);
  expect((await runCli(at, ["triggers", "delete", short])).code).toBe(0);
  expect(await listed(at)).toEqual([]);
  const nothing = await runCli(at, ["triggers", "change", (await add(at, "--every", "2h", "x")).triggerId]);
  expect([nothing.code, nothing.error]).toEqual([2, expect.stringContaining("name what to change")]);
  const gone = await runCli(at, ["triggers", "show", short]);
  expect([gone.code, gone.error]).toEqual([
    1,
    `mimikit: there is no trigger ${short}:  mimikit triggers  lists them\n`,
  ]);
});

test("the beginning of several ids means none of them", async () => {
  const at = stopped();
  await add(at, "--every", "2h", "x");
  await add(at, "--every", "2h", "y");
  const { code, error } = await runCli(at, ["triggers", "run", "trg-"]);
  expect([code, error]).toEqual([2, expect.stringContaining("trg- means 2 of them: trg-")]);
});

test("explain draws the tree of a condition with marks and evidence", async () => {
  const at = stopped();
  writeFileSync(join(at.workDir, "go"), "");
  const exists = (path: string) => ({ type: "file_exists", params: { path } });
  const condition = {
    type: "and",
    conditions: [
      exists("go"),
      { type: "not", condition: exists("lock") },
      { type: "llm_eval", params: { prompt: "?" } },
    ],
  };
  const { triggerId } = await add(at, "--when", JSON.stringify(condition), "--title", "T", "x");
  const { code, out } = await runCli(at, ["triggers", "explain", triggerId]);
  expect(code).toBe(0);
  expect(out.split("\n\n")[1]?.trim().split("\n")).toEqual([
    "? and",
    "├─ ✓ file_exists  go exists",
    "├─ ✓ not",
    "│  └─ ✗ file_exists  lock does not exist",
    '└─ ? llm_eval  "?": a model has not been asked yet',
  ]);
  const json = await runCli(at, ["triggers", "explain", triggerId, "--json"]);
  expect(JSON.parse(json.out)).toMatchObject({ id: triggerId, next: null, condition: { type: "and", holds: null } });
});

test("simulate shows what is to come as a picture and a list, with collisions, and runs nothing", async () => {
  const at = stopped();
  const cron = ["--cron", "0 30 1 * * *", "--timezone"];
  const paris = await add(at, ...cron, "Europe/Paris", "--title", "in Paris", "x");
  const berlin = await add(at, ...cron, "Europe/Berlin", "--title", "in Berlin", "x");
  await add(at, "--when-file-exists", "go", "--title", "by a file", "x");
  const span = ["simulate", "--from", "2036-03-29T00:00:00Z", "--to", "2d"];
  const { code, out } = await runCli(at, ["triggers", ...span]);
  expect(code).toBe(0);
  expect(out).toContain("6 firings from");
  expect(out).toMatch(/^in Paris {3}●·+●·+●$/m);
  expect(out).toContain(`! at once with ${berlin.triggerId.slice(0, 12)}`);
  expect(out).toContain("by a file");
  const json = Simulation.parse(JSON.parse((await runCli(at, ["triggers", ...span, "--json"])).out));
  expect(json.firings.map(({ triggerId, local }) => [triggerId, local])).toEqual(
    expect.arrayContaining([
      [paris.triggerId, "2036-03-29 01:30:00 Europe/Paris"],
      // The clocks have gone forward: 23 hours after the one before.
      [berlin.triggerId, "2036-03-31 01:30:00 Europe/Berlin"],
    ]),
  );
  const one = await runCli(at, ["triggers", "simulate", paris.triggerId, ...span.slice(1)]);
  expect(one.out).toContain("3 firings from");
  expect(inboxOf(at)).toHaveLength(3);
});

test("where there is no state directory, nothing is made by looking", async () => {
  const at = stopped();
  const { code, error } = await runCli(at, ["triggers"]);
  expect([code, error]).toEqual([1, expect.stringContaining("there is no state directory")]);
  expect(existsSync(at.home)).toBe(false);
});
