import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { type ChainPosition, openAuditChain } from "@mimikit/runtime/audit/audit-chain";
import { parsePosition, readAfter, readBefore, readWholeTrail, START } from "@mimikit/runtime/audit/audit-trail";
import { verifyAudit } from "@mimikit/runtime/audit/verify-audit";
import { readToken } from "@mimikit/runtime/home/home";
import { expect, test, vi } from "vitest";
import { startProcess } from "../start-process.ts";
import { temporaryHome } from "../temporary-home.ts";

const FILE = "log.workers.jsonl";
const DAY_MS = 86_400_000;
/** Files are compressed and let go of beside the writing, however slow the machine is. */
const PATIENCE = { timeout: 60_000 };

/** A chain of a clock and a size of its own. */
function openChain(home: string, options: { fileBytesMax?: number; bytesMax?: number } = {}) {
  const clock = { nowMs: Date.parse("2026-11-20T10:00:00Z") };
  const problems: unknown[] = [];
  const write = (event: string, detail?: Record<string, unknown>) =>
    chain.append(({ seq, previousHash }) =>
      JSON.stringify({
        timestamp: new Date(clock.nowMs).toISOString(),
        seq,
        actor: "workers",
        event,
        ...(detail && { detail }),
        previousHash,
      }),
    );
  const chain = openAuditChain({
    home,
    token: readToken(home),
    actor: "workers",
    note: ({ event, detail }) => void write(event, detail),
    onProblem: (error) => problems.push(error),
    nowMs: () => clock.nowMs,
    ...options,
  });
  return { clock, problems, write };
}

const finished = (home: string) =>
  readdirSync(join(home, "log"))
    .filter((name) => name.includes(".jsonl"))
    .sort();
const events = (home: string) => readWholeTrail(home).map(({ event }) => event);
const allPacked = (home: string, count: number) =>
  vi.waitFor(() => {
    const names = finished(home);
    expect(names).toHaveLength(count);
    expect(names.filter((name) => !name.endsWith(".jsonl.gz"))).toEqual([]);
  }, PATIENCE);

test("lines that are appended together are one chain with those before and after", () => {
  const home = temporaryHome();
  const lineOf = (event: string) => (position: ChainPosition) =>
    JSON.stringify({
      timestamp: new Date(0).toISOString(),
      seq: position.seq,
      actor: "workers",
      event,
      previousHash: position.previousHash,
    });
  const chain = openAuditChain({
    home,
    token: readToken(home),
    actor: "workers",
    note: () => undefined,
    onProblem: () => undefined,
  });
  const lines = [["one"], ["two", "three", "four"], ["five"]].map((some) => chain.append(...some.map(lineOf)));
  expect(readFileSync(join(home, FILE), "utf8")).toBe(`${lines.join("\n")}\n`);
  expect(events(home)).toEqual(["one", "two", "three", "four", "five"]);
  expect(verifyAudit(home, "workers")).toMatchObject({ lines: 5, problems: [] });
});

test("a file is finished at midnight and compressed, and the chain goes on in the next", async () => {
  const home = temporaryHome();
  const { clock, write } = openChain(home);
  write("one");
  write("two");
  clock.nowMs += DAY_MS;
  write("three");
  await allPacked(home, 1);
  expect(finished(home)).toEqual(["workers.0000000001.2026-11-20.jsonl.gz"]);
  expect(
    gunzipSync(readFileSync(join(home, "log", finished(home)[0] ?? "")))
      .toString()
      .split("\n"),
  ).toHaveLength(3);
  expect(statSync(join(home, "log", finished(home)[0] ?? "")).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(home, FILE), "utf8")).toMatch(/^.*"seq":3,.*\n$/);
  expect(events(home)).toEqual(["one", "two", "three"]);
  expect(verifyAudit(home, "workers")).toMatchObject({ files: 2, lines: 3, from: 1, to: 3, problems: [] });
});

test("a file is finished when it is long, however often", async () => {
  const home = temporaryHome();
  const { write } = openChain(home, { fileBytesMax: 500 });
  for (let n = 0; n < 20; n++) write(`event-${n}`);
  await vi.waitFor(() => expect(finished(home).some((name) => name.endsWith(".jsonl"))).toBe(false), PATIENCE);
  expect(finished(home).length).toBeGreaterThan(3);
  expect(events(home)).toEqual(Array.from({ length: 20 }, (_, n) => `event-${n}`));
  expect(verifyAudit(home, "workers")).toMatchObject({ lines: 20, problems: [] });
});

test.each([
  ["the file has its new name and there is no other yet", (home: string, name: string) => rmNew(home, name)],
  ["both forms of a finished file are there", (home: string, name: string) => addPlain(home, name)],
  ["the compressed form is half written", (home: string, name: string) => cutPacked(home, name)],
])("a kill when %s loses no line and breaks no chain", async (_when, leave) => {
  const home = temporaryHome();
  const first = openChain(home);
  first.write("one");
  first.write("two");
  first.clock.nowMs += DAY_MS;
  first.write("three");
  await allPacked(home, 1);
  const expected = leave(home, finished(home)[0] ?? "");
  expect(verifyAudit(home, "workers").problems).toEqual([]);
  const second = openChain(home);
  second.clock.nowMs += DAY_MS;
  second.write("four");
  await allPacked(home, 1);
  expect(events(home)).toEqual([...expected, "four"]);
  expect(verifyAudit(home, "workers")).toMatchObject({ torn: 0, problems: [] });
  expect(second.problems).toEqual([]);
});

function rmNew(home: string, _name: string): string[] {
  // As if the second file had never begun.
  rmSync(join(home, FILE));
  writeFileSync(join(home, `${FILE}.next`), "");
  return ["one", "two"];
}

function plainOf(home: string, name: string): [string, Buffer] {
  return [join(home, "log", name.replace(".gz", "")), gunzipSync(readFileSync(join(home, "log", name)))];
}

function addPlain(home: string, name: string): string[] {
  writeFileSync(...plainOf(home, name));
  return ["one", "two", "three"];
}

function cutPacked(home: string, name: string): string[] {
  writeFileSync(...plainOf(home, name));
  const packed = join(home, "log", name);
  renameSync(packed, `${packed}.tmp`);
  writeFileSync(`${packed}.tmp`, readFileSync(`${packed}.tmp`).subarray(0, 20));
  return ["one", "two", "three"];
}

test("a writer that is killed at any instant, while files are finished, leaves a whole chain", async () => {
  const home = temporaryHome();
  for (let round = 0; round < 3; round++) {
    const writer = startProcess("rotate-log", [home], {});
    await vi.waitFor(() => expect(writer.lines.length).toBeGreaterThan(40), PATIENCE);
    writer.process.kill("SIGKILL");
    await writer.ended;
    expect(verifyAudit(home, "workers").problems).toEqual([]);
  }
  const { to, lines } = verifyAudit(home, "workers");
  expect(to).toBe(lines);
  expect(lines).toBeGreaterThan(120);
});

test("what is older than thirty days is let go, and the chain says so", async () => {
  const home = temporaryHome();
  const { clock, write } = openChain(home);
  for (let day = 0; day < 33; day++) {
    write(`day-${day}`);
    clock.nowMs += DAY_MS;
  }
  write("today");
  await vi.waitFor(() => expect(events(home)).toContain("audit_pruned"), PATIENCE);
  await vi.waitFor(() => expect(finished(home).some((name) => name.includes("2026-11-20"))).toBe(false), PATIENCE);
  expect(verifyAudit(home, "workers").problems).toEqual([]);
  expect(events(home)).not.toContain("day-0");
  expect(events(home)).toContain("day-20");
});

test("beyond the bytes that are kept, the oldest goes first", async () => {
  const home = temporaryHome();
  const { write } = openChain(home, { fileBytesMax: 400, bytesMax: 900 });
  for (let n = 0; n < 40; n++) write(`event-${n}`);
  await vi.waitFor(() => expect(events(home)).not.toContain("event-0"), PATIENCE);
  expect(events(home)).toContain("event-39");
  expect(verifyAudit(home, "workers").problems).toEqual([]);
});

test.each([
  ["cut out", (lines: string[]) => lines.splice(1, 1), /line 3 follows line 1/],
  [
    "changed",
    (lines: string[]) => lines.splice(1, 1, (lines[1] ?? "").replace("two", "2wo")),
    /line 3 does not fit line 2/,
  ],
  ["put in twice", (lines: string[]) => lines.splice(1, 0, lines[1] ?? ""), /line 2 follows line 2/],
  ["cut off at the beginning", (lines: string[]) => lines.splice(0, 1), /the lines before line 2 are gone/],
  ["made unreadable", (lines: string[]) => lines.splice(1, 1, "{"), /line 3 follows line 1/],
])("a line that was %s is found", (_what, tamper, sentence) => {
  const home = temporaryHome();
  const { write } = openChain(home);
  for (const event of ["one", "two", "three"]) write(event);
  const path = join(home, FILE);
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  tamper(lines);
  writeFileSync(path, `${lines.join("\n")}\n`);
  expect(verifyAudit(home, "workers").problems.join("\n")).toMatch(sentence);
});

/** A chain of three lines, and how to make another file of it. */
function threeLines() {
  const home = temporaryHome();
  const { write } = openChain(home);
  for (const event of ["one", "two", "three"]) write(event);
  const path = join(home, FILE);
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  return { home, lines, save: (changed: readonly string[]) => writeFileSync(path, `${changed.join("\n")}\n`) };
}

test.each([
  ["words", () => "junk"],
  ["an object", () => '{"hello":"there"}'],
  ["a line without its hash", (line: string) => line.replace(/,"previousHash":.*/, "}")],
  ["the beginning of a line of another number", (line: string) => line.slice(0, -10)],
  ["the beginning of a line of another process", (line: string) => line.slice(0, -10).replace("workers", "gateway")],
])("%s between two lines is told as put in", (_what, forge) => {
  const { home, lines, save } = threeLines();
  save(lines.toSpliced(2, 0, forge(lines[0] ?? "")));
  expect(verifyAudit(home, "workers")).toMatchObject({
    torn: 0,
    problems: [`${FILE}:3 is no line of the audit log: it was put in or damaged`],
  });
});

test("the beginning of the next line, cut off anywhere, is what a crash leaves: counted, and no break", () => {
  const { home, lines, save } = threeLines();
  const [, , third = ""] = lines;
  for (let end = 1; end < third.length; end++) {
    save(lines.toSpliced(2, 0, third.slice(0, end)));
    expect(verifyAudit(home, "workers"), third.slice(0, end)).toMatchObject({ lines: 3, torn: 1, problems: [] });
  }
  // A power failure leaves zeros where nothing was written yet.
  save(lines.toSpliced(2, 0, "\0".repeat(100), `${third.slice(0, 70)}${"\0".repeat(100)}`));
  expect(verifyAudit(home, "workers")).toMatchObject({ lines: 3, torn: 2, problems: [] });
  // Of this line all but its newline was written; the role that started next wrote it once more.
  save(lines.toSpliced(2, 0, `${third}${"\0".repeat(100)}`));
  expect(verifyAudit(home, "workers")).toMatchObject({ lines: 3, torn: 1, problems: [] });
});

test("a chain is whole from its first line to its last, and says when these were written", () => {
  const home = temporaryHome();
  const { clock, write } = openChain(home);
  write("one");
  clock.nowMs += 60_000;
  write("two");
  expect(verifyAudit(home, "workers")).toMatchObject({
    from: 1,
    fromAt: "2026-11-20T10:00:00.000Z",
    to: 2,
    toAt: "2026-11-20T10:01:00.000Z",
  });
});

test("a file that is removed while it is written is begun anew, the chain goes on in it and says so, and the loss is found", () => {
  const home = temporaryHome();
  const { write } = openChain(home);
  write("one");
  write("two");
  rmSync(join(home, FILE));
  write("three");
  write("four");
  const [first, ...others] = readWholeTrail(home);
  expect(first).toMatchObject({
    event: "audit_file_reopened",
    seq: 3,
    detail: { file: FILE, was: "removed", after: 2 },
  });
  expect(others.map(({ seq, event }) => [seq, event])).toEqual([
    [4, "three"],
    [5, "four"],
  ]);
  expect(statSync(join(home, FILE)).mode & 0o777).toBe(0o600);
  expect(verifyAudit(home, "workers").problems).toEqual([
    "the lines before line 3 are gone, and the chain does not record their removal",
  ]);
});

test("a file that an editor has replaced by one with the same lines is gone on with, and no line is missed", () => {
  const home = temporaryHome();
  const { write } = openChain(home);
  write("one");
  const path = join(home, FILE);
  // Without the newline at its end.
  writeFileSync(`${path}~`, readFileSync(path, "utf8").trimEnd());
  renameSync(`${path}~`, path);
  write("two");
  expect(events(home)).toEqual(["one", "audit_file_reopened", "two"]);
  expect(verifyAudit(home, "workers")).toMatchObject({ lines: 3, torn: 0, problems: [] });
});

test("a file that was begun anew is finished under its own first line, and noticed when it is removed again", async () => {
  const home = temporaryHome();
  const { clock, write } = openChain(home);
  write("one");
  rmSync(join(home, FILE));
  write("two");
  clock.nowMs += DAY_MS;
  write("three");
  await allPacked(home, 1);
  expect(finished(home)).toEqual(["workers.0000000002.2026-11-20.jsonl.gz"]);
  rmSync(join(home, FILE));
  write("four");
  expect(events(home)).toEqual(["audit_file_reopened", "two", "audit_file_reopened", "four"]);
  expect(verifyAudit(home, "workers").problems).toEqual([
    expect.stringMatching(/line 5 follows line 3/),
    expect.stringMatching(/the lines before line 2 are gone/),
  ]);
});

test("a finished file that was taken away is found", async () => {
  const home = temporaryHome();
  const { clock, write } = openChain(home);
  for (const event of ["one", "two", "three"]) {
    write(event);
    clock.nowMs += DAY_MS;
  }
  await allPacked(home, 2);
  rmSync(join(home, "log", finished(home)[1] ?? ""));
  expect(verifyAudit(home, "workers").problems).toEqual([expect.stringMatching(/line 3 follows line 1/)]);
});

test("pages join without a gap or a repetition, forwards and backwards, over finished files", async () => {
  const home = temporaryHome();
  const { write } = openChain(home, { fileBytesMax: 500 });
  const all = Array.from({ length: 25 }, (_, n) => `event-${n}`);
  for (const event of all) write(event);

  const forwards: string[] = [];
  let next = "s0.w0.g0";
  for (;;) {
    const page = readAfter(home, parsePosition(next) ?? START, 4);
    if (page.entries.length === 0) break;
    forwards.push(...page.entries.map(({ event }) => event));
    next = page.next;
  }
  expect(forwards).toEqual(all);

  const backwards: string[] = [];
  let page = readBefore(home, null, 4);
  expect(page.next).toBe("s0.w25.g0");
  for (;;) {
    backwards.unshift(...page.entries.map(({ event }) => event));
    if (page.previous === null) break;
    page = readBefore(home, parsePosition(page.previous), 4);
  }
  expect(backwards).toEqual(all);
});

test("a home in which nothing was logged has an empty trail and a whole chain", () => {
  const home = temporaryHome();
  expect(readBefore(home, null, 10)).toEqual({ entries: [], next: "s0.w0.g0", previous: null });
  expect(verifyAudit(home, "gateway")).toMatchObject({ lines: 0, problems: [] });
  expect(existsSync(join(home, "log.gateway.jsonl"))).toBe(false);
});
