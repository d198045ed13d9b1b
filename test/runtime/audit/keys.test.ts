/** Which lines the token proves: of earlier versions, of an earlier token, and of those who have none. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AuditEvent } from "@mimikit/protocol/records/audit";
import { openAuditChain } from "@mimikit/runtime/audit/audit-chain";
import { auditFile } from "@mimikit/runtime/audit/audit-files";
import { readWholeTrail } from "@mimikit/runtime/audit/audit-trail";
import { readHead } from "@mimikit/runtime/audit/head-note";
import { hashOf } from "@mimikit/runtime/audit/keyed-line";
import { verifyAudit, verifyTrail } from "@mimikit/runtime/audit/verify-audit";
import { createWitness, keepWitness, WITNESS_EVENT } from "@mimikit/runtime/audit/witness";
import { auditKeyOf } from "@mimikit/runtime/home/audit-key";
import { prepareHome, readToken } from "@mimikit/runtime/home/home";
import type { ProcessRole } from "@mimikit/runtime/process/role-record";
import { expect, onTestFinished, test, vi } from "vitest";
import { temporaryHome } from "../temporary-home.ts";

const FILE = "log.workers.jsonl";
const AT = "2026-11-20T10:00:00.000Z";

/** A run of a role, from its start to a kill. */
function start(home: string, actor: ProcessRole = "workers") {
  const audit = ({ event, detail }: AuditEvent) =>
    void chain.append(({ seq, previousHash }) =>
      JSON.stringify({ timestamp: AT, seq, actor, event, ...(detail && { detail }), previousHash }),
    );
  const onProblem = (error: unknown) => {
    throw error;
  };
  // The day is the one of the lines: a file of another day would be compressed, also after the test has ended.
  const nowMs = () => Date.parse(AT);
  const chain = openAuditChain({ home, actor, token: readToken(home), note: audit, onProblem, nowMs });
  return {
    ...chain,
    audit,
    write: (...events: string[]) => {
      for (const event of events) audit({ event });
    },
  };
}

const textsOf = (home: string) => readFileSync(join(home, FILE), "utf8").trimEnd().split("\n");
const save = (home: string, texts: readonly string[]) => writeFileSync(join(home, FILE), `${texts.join("\n")}\n`);
const events = (home: string) => readWholeTrail(home).map(({ event }) => event);

/** Appends the lines of a version before 0.3. */
function writeUnkeyed(home: string, ...names: string[]): void {
  const texts = names[0] === "one" ? [] : textsOf(home);
  for (const event of names) {
    const previousHash = texts.length === 0 ? "" : hashOf(texts.at(-1) ?? "");
    texts.push(JSON.stringify({ timestamp: AT, seq: texts.length + 1, actor: "workers", event, previousHash }));
  }
  save(home, texts);
}

test("a chain of an earlier version goes on with keyed lines, says from where, and is whole", () => {
  const home = temporaryHome();
  writeUnkeyed(home, "one", "two");
  expect(verifyAudit(home, "workers")).toMatchObject({ unkeyed: { from: 1, to: 2 }, problems: [] });
  start(home).write("three");
  expect(events(home)).toEqual(["one", "two", "audit_keyed", "three"]);
  expect(verifyAudit(home, "workers")).toMatchObject({ lines: 4, unkeyed: { from: 1, to: 2, toAt: AT }, problems: [] });
});

test("lines without a code after lines that have one are a break, and stay one when keyed lines follow", () => {
  const home = temporaryHome();
  start(home).write("one", "two");
  writeUnkeyed(home, "three", "four");
  const told = [expect.stringMatching(/line 3 has no code, though lines before it have/)];
  expect(verifyAudit(home, "workers").problems).toEqual(told);
  start(home).write("five");
  expect(events(home).slice(-2)).toEqual(["audit_keyed", "five"]);
  expect(verifyAudit(home, "workers").problems).toEqual(told);
});

test("a chain that was calculated anew without codes is noticed by the note of its head", () => {
  const home = temporaryHome();
  start(home).write("one", "two", "three");
  writeUnkeyed(home, "one", "three", "four");
  expect(verifyAudit(home, "workers").problems).toEqual([
    "workers: line 1 is not the one that the note of the last line saw: it was rewritten",
  ]);
});

test("a token that was replaced is no break: the chain says so, and which lines only the earlier token proves", () => {
  const home = temporaryHome();
  start(home).write("one", "two");
  rmSync(join(home, "token"));
  prepareHome(home);
  expect(verifyAudit(home, "workers")).toMatchObject({ otherToken: { from: 1, to: 2 }, to: 2, problems: [] });
  start(home).write("three");
  expect(events(home)).toEqual(["one", "two", "audit_key_changed", "three"]);
  expect(verifyAudit(home, "workers")).toMatchObject({ otherToken: { from: 1, to: 2 }, to: 4, problems: [] });
});

test("lines with wrong codes are not taken for those of an earlier token that never was, not after the next start either", () => {
  const home = temporaryHome();
  start(home).write("one", "two");
  save(
    home,
    textsOf(home).map((text) => text.replace(/"mac":"\w+"/, `"mac":"${"0".repeat(32)}"`)),
  );
  start(home).write("three");
  expect(verifyAudit(home, "workers").problems).toContain(
    "lines 1 to 2 are not as they were written: they were changed, or put in without the token",
  );
});

test("a chain whose end is cut off while its role does not run is told by its next line, also after a clean stop", () => {
  const home = temporaryHome();
  const first = start(home);
  first.write("one", "two", "three");
  first.noteHead();
  save(home, textsOf(home).slice(0, 2));
  expect(verifyAudit(home, "workers").problems).toEqual([
    "workers: the chain ends with line 2, and the note of the last line saw line 3: the end was cut off",
  ]);
  start(home).write("four", "five", "six");
  expect(events(home)).toEqual(["one", "two", "audit_lines_missing", "four", "five", "six"]);
  expect(verifyAudit(home, "workers").problems).toEqual([
    expect.stringMatching(/the file ended with line 2, though line 3 had been written/),
  ]);
});

test("roles witness each other until only witness lines are new, and then write nothing", () => {
  const home = temporaryHome();
  const roles = (["supervisor", "workers", "gateway"] as const).map((actor) => {
    const { audit, write } = start(home, actor);
    write("started");
    return createWitness(home, actor, { audit, warn: (message) => expect.fail(message) });
  });
  const sizes = () => readWholeTrail(home).length;
  for (const look of roles) look();
  const settled = sizes();
  expect(settled).toBe(6);
  for (const look of [...roles, ...roles]) look();
  expect(sizes()).toBe(settled);
  expect(verifyTrail(home).chains.map(({ witnessedTo }) => witnessedTo)).toEqual([2, 2, 1, 0, 0]);
});

test("each minute a role witnesses the other chains, and once more at its clean stop, when it notes its own head", () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const home = temporaryHome();
  const [workers, gateway] = [start(home), start(home, "gateway")];
  const end = keepWitness(home, "gateway", {
    audit: gateway.audit,
    endAudit: gateway.noteHead,
    warn: (message) => expect.fail(message),
  });
  const seen = () =>
    readWholeTrail(home).flatMap(({ event, detail }) => (event === WITNESS_EVENT ? [detail?.workers] : []));
  const line = (seq: number) => expect.objectContaining({ seq });
  workers.write("one");
  vi.advanceTimersByTime(59_999);
  expect(seen()).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(seen()).toEqual([line(1)]);
  workers.write("two", "three");
  vi.advanceTimersByTime(60_000);
  expect(seen()).toEqual([line(1), line(3)]);
  workers.write("four");
  end();
  expect(seen()).toEqual([line(1), line(3), line(4)]);
  expect(readHead(home, "gateway", auditKeyOf(readToken(home)))).toMatchObject({ seq: 3 });
  workers.write("five");
  vi.advanceTimersByTime(60_000);
  expect(seen()).toHaveLength(3);
});

test.each<[what: string, edit: (texts: string[]) => string[], told: RegExp]>([
  ["cut off", (texts) => texts.slice(0, 1), /ends with line 1, and the gateway at .* saw line 3: the end was cut off/],
  ["removed", () => [], /log\.workers\.jsonl has no line, and the gateway at .* saw line 3/],
])("the end of a chain that was %s is noticed by what another role has seen, without any note", (_what, edit, told) => {
  const home = temporaryHome();
  start(home).write("one", "two", "three");
  const { audit } = start(home, "gateway");
  createWitness(home, "gateway", { audit, warn: (message) => expect.fail(message) })();
  rmSync(join(home, "log"), { recursive: true });
  save(home, edit(textsOf(home)));
  expect(verifyAudit(home, "workers").problems).toEqual([expect.stringMatching(told)]);
  expect(verifyAudit(home, "gateway").problems).toEqual([]);
  expect(readFileSync(join(home, auditFile("gateway")), "utf8")).toContain("audit_witnessed");
});
