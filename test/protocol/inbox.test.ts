/** The promises of the table of commands, whatever rows it has. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { COMMANDS, DroppedCommand, Event, InboxCommand, isIdOf, needsSignature } from "@mimikit/protocol/records/inbox";
import { type CommandInput, commandId } from "@mimikit/store/disk/create-command";
import { isSigned, sign } from "@mimikit/store/disk/sign";
import { expect, test } from "vitest";

const KINDS = Object.keys(COMMANDS) as CommandInput["kind"][];

test.each(KINDS)("the id of a %s is that of no other kind", (kind) => {
  const id = commandId(kind);
  const all: InboxCommand["kind"][] = [...KINDS, "event"];
  expect(all.filter((other) => isIdOf(other, id))).toEqual([kind]);
});

test.each(KINDS)("a %s may be dropped as a file, or is believed only with its signature", (kind) => {
  const kindsOf = (union: typeof DroppedCommand | typeof InboxCommand) =>
    union.options.flatMap(({ _zod }) => [...(_zod.propValues?.kind ?? [])]);
  expect(kindsOf(DroppedCommand).includes(kind)).toBe(!needsSignature({ kind }));
  expect(kindsOf(InboxCommand)).toContain(kind);
});

test("docs/file-protocol.md lists each kind of command, and whether it must be signed", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/file-protocol.md"), "utf8");
  const section = page.slice(page.indexOf("\n## Commands\n"), page.indexOf("\n### A command as a file\n"));
  const rows = [...section.matchAll(/^\| (`.*`) \| .* \| ([✓–]) \|$/gm)];
  const told = rows.flatMap(([, kinds = "", seal]) =>
    [...kinds.matchAll(/`([^`]+)`/g)].map(([, kind]) => [kind, seal === "✓"]),
  );
  expect(told.sort()).toEqual([...KINDS, "event" as const].map((kind) => [kind, needsSignature({ kind })]).sort());
});

const FIRED = {
  kind: "event",
  id: "trg-1--1",
  at: "2026-11-22T12:00:00.000Z",
  name: "cron_trigger",
  text: "It has fired.",
  data: { triggerId: "trg-1", occurrence: "2026-11-22T12:00:00.000Z", prompt: "say the time", later: { a: [1, null] } },
};

test("an event that was read has what its data held, so that its signature still holds", () => {
  const sealed = { ...FIRED, mac: sign("token", FIRED) };
  expect(Event.parse(sealed)).toEqual(sealed);
  expect(isSigned("token", InboxCommand.parse(sealed))).toBe(true);
});

test("an event whose data is not that of its name is none", () => {
  expect(Event.safeParse({ ...FIRED, data: { triggerId: "trg-1" } }).success).toBe(false);
  expect(Event.safeParse({ ...FIRED, name: "restarted", data: { triggerId: 1 } }).success).toBe(false);
  expect(Event.safeParse({ ...FIRED, name: "question_answered", data: { answer: ["yes"] } }).success).toBe(false);
});
