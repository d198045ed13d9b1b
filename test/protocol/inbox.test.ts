/** The promises of the table of commands, whatever rows it has. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { COMMANDS, DroppedWish, Event, isIdOf, needsSeal, Wish } from "@mimikit/protocol/records/inbox";
import { type Said, wishId } from "@mimikit/store/disk/create-wish";
import { isSealed, seal } from "@mimikit/store/disk/seal";
import { expect, test } from "vitest";

const KINDS = Object.keys(COMMANDS) as Said["kind"][];

test.each(KINDS)("the id of a %s is that of no other kind", (kind) => {
  const id = wishId(kind);
  const all: Wish["kind"][] = [...KINDS, "event"];
  expect(all.filter((other) => isIdOf(other, id))).toEqual([kind]);
});

test.each(KINDS)("a %s may be dropped as a file, or is believed only with its seal", (kind) => {
  const kindsOf = (union: typeof DroppedWish | typeof Wish) =>
    union.options.flatMap(({ _zod }) => [...(_zod.propValues?.kind ?? [])]);
  expect(kindsOf(DroppedWish).includes(kind)).toBe(!needsSeal({ kind }));
  expect(kindsOf(Wish)).toContain(kind);
});

test("docs/file-protocol.md lists each kind of command, and whether it must be signed", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/file-protocol.md"), "utf8");
  const section = page.slice(page.indexOf("\n## Commands\n"), page.indexOf("\n### A command as a file\n"));
  const rows = [...section.matchAll(/^\| (`.*`) \| .* \| ([✓–]) \|$/gm)];
  const told = rows.flatMap(([, kinds = "", seal]) =>
    [...kinds.matchAll(/`([^`]+)`/g)].map(([, kind]) => [kind, seal === "✓"]),
  );
  expect(told.sort()).toEqual([...KINDS, "event" as const].map((kind) => [kind, needsSeal({ kind })]).sort());
});

const FIRED = {
  kind: "event",
  id: "trg-1--1",
  at: "2026-11-22T12:00:00.000Z",
  name: "cron_trigger",
  text: "It has fired.",
  data: { triggerId: "trg-1", occurrence: "2026-11-22T12:00:00.000Z", prompt: "say the time", later: { a: [1, null] } },
};

test("an event that was read has what its data held, so that its seal still holds", () => {
  const sealed = { ...FIRED, mac: seal("token", FIRED) };
  expect(Event.parse(sealed)).toEqual(sealed);
  expect(isSealed("token", Wish.parse(sealed))).toBe(true);
});

test("an event whose data is not that of its name is none", () => {
  expect(Event.safeParse({ ...FIRED, data: { triggerId: "trg-1" } }).success).toBe(false);
  expect(Event.safeParse({ ...FIRED, name: "restarted", data: { triggerId: 1 } }).success).toBe(false);
  expect(Event.safeParse({ ...FIRED, name: "question_answered", data: { answer: ["yes"] } }).success).toBe(false);
});
