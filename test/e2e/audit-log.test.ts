/**
 * `mimikit audit verify` after each of the ways to tamper with the audit log of an instance that has worked: each is noticed, named,
 * and ends with 1. Nothing that a crash leaves is taken for tampering.
 */
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Status } from "@mimikit/protocol/wire/api";
import { hashOf } from "@mimikit/runtime/audit/keyed-line";
import { verifyTrail } from "@mimikit/runtime/audit/verify-audit";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { verifyWithArchive } from "../../apps/cli/src/checks/verify-with-archive.ts";
import { withState } from "../../apps/cli/src/instance/state.ts";
import { runCli } from "../cli/run-cli.ts";
import { fewOrAll } from "../support/few-or-all.ts";
import { Instance, ROLE_NAMES } from "../support/instance.ts";

const SUPERVISOR = "log.jsonl";
const FILES = [SUPERVISOR, "log.workers.jsonl", "log.gateway.jsonl"];

let mimikit: Instance;
let orders = 0;

async function works(instance = mimikit): Promise<void> {
  const word = `order-${++orders}`;
  await instance.replyTo(await instance.send(`run \`echo ${word}\``));
  await instance.replyWith(`${word}\n`);
  await instance.drained();
}

async function startAgain(): Promise<void> {
  for (const role of ROLE_NAMES) mimikit.startRole(role);
  await mimikit.ready();
}

beforeAll(async () => {
  mimikit = await Instance.start();
  await works();
  await mimikit.stop();
  await startAgain();
  await works();
  await mimikit.stop();
});
afterAll(() => mimikit?.dispose());

/** A copy of the home of an instance that was stopped. */
function copyOfHome(): string {
  const dir = mkdtempSync(join(tmpdir(), "mimikit-tampered-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  cpSync(mimikit.home, join(dir, "state"), { recursive: true, preserveTimestamps: true });
  return join(dir, "state");
}

const verify = (home: string) => runCli({ home, workDir: mimikit.workDir }, ["audit", "verify"]);
const linesOf = (home: string, file: string) => readFileSync(join(home, file), "utf8").trimEnd().split("\n");
const save = (home: string, lines: readonly string[], file = SUPERVISOR) =>
  writeFileSync(join(home, file), lines.length === 0 ? "" : `${lines.join("\n")}\n`);
const change =
  (edit: (lines: string[]) => string[], file = SUPERVISOR) =>
  (home: string) =>
    save(home, edit(linesOf(home, file)), file);
const FORGED =
  '{"timestamp":"2026-11-22T00:00:00.000Z","seq":4,"event":"task_done","actor":"supervisor","previousHash":"0"}';

/** A chain of the same events without some of them, and every number and hash right again: there is no key in it. */
function recalculated(lines: readonly string[], keep: (text: string, at: number) => boolean): string[] {
  let previousHash = "";
  return lines.filter(keep).map((text, at) => {
    const { mac: _, ...line } = JSON.parse(text);
    const made = JSON.stringify({ ...line, seq: at + 1, previousHash });
    previousHash = hashOf(made);
    return made;
  });
}

test("an instance that has worked and was stopped in order has whole chains, all of them witnessed, and every turn in the log", async () => {
  const { code, out } = await verify(copyOfHome());
  expect(out).toMatch(/✓ supervisor: whole from line 1 \(.*Z\) to line \d+ \(.*Z\)\n/);
  expect(out).toMatch(/✓ archive: 4 completed turns/);
  expect(out).not.toMatch(/not witnessed|no other process has witnessed/);
  expect(code).toBe(0);
});

test.each<[what: string, tamper: (home: string) => void, told: RegExp]>([
  [
    "a byte in the middle is changed",
    change((lines) => lines.with(3, (lines[3] ?? "").replace('"seq"', '"sEq"'))),
    /✗ log\.jsonl:4 is no line/,
  ],
  [
    "a word in the middle is changed",
    change((lines) => lines.with(3, (lines[3] ?? "").replace('"event":"', '"event":"x'))),
    /✗ log\.jsonl:4: line 4 is not as it was written/,
  ],
  ["a line in the middle is deleted", change((lines) => lines.toSpliced(3, 1)), /line 5 follows line 3/],
  [
    "two lines are swapped",
    change((lines) => lines.toSpliced(3, 2, lines[4] ?? "", lines[3] ?? "")),
    /line 5 follows line 3/,
  ],
  ["a line is there twice", change((lines) => lines.toSpliced(3, 0, lines[3] ?? "")), /line 4 follows line 4/],
  ["the first lines are cut off", change((lines) => lines.slice(2)), /the lines before line 3 are gone/],
  [
    "a line is no UTF-8",
    change((lines) => lines.with(3, (lines[3] ?? "").replace("event", "ev\ufffdnt"))),
    /log\.jsonl:4 is no line/,
  ],
  [
    "the last line is changed",
    change((lines) => lines.with(-1, (lines.at(-1) ?? "").replace('"event":"', '"event":"x'))),
    /is not as it was written/,
  ],
  [
    "the last line is replaced by one of no code",
    change((lines) => lines.with(-1, (lines.at(-1) ?? "").replace(/,"mac":"\w+"/, ""))),
    /has no code, though lines before it have/,
  ],
  [
    "the last three lines are cut off",
    change((lines) => lines.slice(0, -3)),
    /the chain ends with line \d+, and the .* saw line \d+: the end was cut off/,
  ],
  ["the last line is cut off", change((lines) => lines.slice(0, -1)), /the end was cut off/],
  [
    "the file is emptied",
    change(() => []),
    /log\.jsonl has no line, and the .* saw line \d+: it was removed or emptied/,
  ],
  ["the file is deleted", (home) => rmSync(join(home, SUPERVISOR)), /log\.jsonl was removed/],
  [
    "all files are deleted",
    (home) => {
      for (const file of FILES) rmSync(join(home, file));
    },
    /✗ log\.gateway\.jsonl was removed/,
  ],
  [
    "all files and all notes are deleted",
    (home) => {
      for (const file of [...FILES, "log", "locks"]) rmSync(join(home, file), { recursive: true });
    },
    /✗ the archive has applied turns, but the log of the supervisor has no line/,
  ],
  [
    "garbage is put in",
    change((lines) => lines.toSpliced(3, 0, "\u0001garbage")),
    /log\.jsonl:4 is no line of the audit log: it was put in or damaged/,
  ],
  [
    "a forged line is put in at the end",
    (home) => appendFileSync(join(home, SUPERVISOR), `${FORGED}\n`),
    /has no code, though lines before it have/,
  ],
  [
    "a forged line is put in the middle",
    change((lines) => lines.toSpliced(3, 0, FORGED)),
    /has no code, though lines before it have/,
  ],
  [
    "lines are taken out and the chain is calculated anew",
    change((lines) => recalculated(lines, (_, at) => at < 3 || at > 5)),
    /line \d+ is not the one that the .* saw: it was rewritten/,
  ],
  [
    "all chains are calculated anew without a code",
    (home) => {
      for (const file of FILES) change((lines) => recalculated(lines, (_, at) => at !== 3), file)(home);
    },
    /the end was cut off|is not the one that the note/,
  ],
  [
    "a chain is replaced by that of another role",
    (home) => cpSync(join(home, "log.gateway.jsonl"), join(home, SUPERVISOR)),
    /was written by the gateway/,
  ],
])("noticed in an instance that was stopped: %s", async (_what, tamper, told) => {
  const home = copyOfHome();
  tamper(home);
  const { code, out } = await verify(home);
  expect(out).toMatch(told);
  expect(code).toBe(1);
});

test("noticed by the role that starts next, told in the status, and not forgotten: the end of a file is cut off", async () => {
  change((lines) => lines.slice(0, -3))(mimikit.home);
  await startAgain();
  await told("log.jsonl was changed while the supervisor was not running: its last lines are missing or different");
  await works();
  expect(await verify(mimikit.home)).toMatchObject({
    code: 1,
    out: expect.stringMatching(/✗ log\.jsonl:\d+: line \d+ says that at the start .* the file ended with line \d+/),
  });
});

test.each<[what: string, tamper: (path: string) => void, told: string, broken: RegExp]>([
  ["removed", (path) => rmSync(path), "was removed while", /✗ the lines before line \d+ are gone/],
  [
    "cut off",
    (path) => truncateSync(path, statSync(path).size - 100),
    "was shortened while",
    /✗ log\.gateway\.jsonl:\d+ is no line|✗ log\.gateway\.jsonl:\d+: line \d+ follows line/,
  ],
  [
    "lengthened",
    (path) => appendFileSync(path, `${FORGED}\n`),
    "was lengthened while",
    /✗ log\.gateway\.jsonl:\d+: line 4 has no code/,
  ],
])(
  "noticed by the role that writes it, told in the status, and not forgotten: a file is %s",
  async (_what, tamper, how, broken) => {
    tamper(join(mimikit.home, "log.gateway.jsonl"));
    await works();
    await told(`log.gateway.jsonl ${how} the gateway wrote to it`);
    const { code, out } = await verify(mimikit.home);
    expect(out).toMatch(broken);
    expect(code).toBe(1);
  },
);

const told = (what: string) =>
  mimikit.until(`a problem with "${what}"`, async () => {
    const { problems } = await mimikit.api<Status>("/api/status");
    return problems.join("\n").includes(what) || undefined;
  });

const KILLS = fewOrAll(8, 20);

test(`${KILLS} kills of any role, while it works, leave nothing that looks like tampering, nor a turn without its line`, async () => {
  const killed = await Instance.start();
  onTestFinished(() => killed.dispose());
  const look = () =>
    withState(verifyWithArchive, { home: killed.home, workDir: killed.workDir }).then(({ chains, missing }) =>
      expect([...chains.flatMap(({ problems }) => problems), ...missing]).toEqual([]),
    );
  for (let kills = 0; kills < KILLS; kills++) {
    const id = await killed.until("a message", () => killed.send(`run \`echo ${kills}\``, `kill-${kills}`));
    // Nothing is waited for: wherever the roles are in it, one of them dies, and every fourth time all of them.
    const role = ROLE_NAMES[Math.floor(Math.random() * ROLE_NAMES.length)] ?? "workers";
    if (kills % 4 === 3) await Promise.all(ROLE_NAMES.map((each) => killed.kill(each)));
    else await killed.kill(role);
    await look();
    if (kills % 5 === 4) await killed.replyTo(id);
  }
  await killed.drained();
  await killed.stop();
  await look();
  // Neither the channels nor the dispatcher run here.
  expect(verifyTrail(killed.home).chains.map(({ lines }) => lines > 0)).toEqual([true, true, true, false, false]);
  expect(readdirSync(killed.home)).toContain("log.jsonl");
}, 600_000);
