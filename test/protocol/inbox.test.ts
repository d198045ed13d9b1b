/** What the table of wishes promises, whatever rows it has. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { COMMANDS, DroppedWish, isIdOf, needsSeal, Wish } from "@mimikit/protocol/records/inbox";
import { type Said, wishId } from "@mimikit/store/disk/create-wish";
import { expect, test } from "vitest";

const KINDS = Object.keys(COMMANDS) as Said["kind"][];

test.each(KINDS)("the id of a %s is that of no other kind", (kind) => {
  const id = wishId(kind);
  const all: Wish["kind"][] = [...KINDS, "event"];
  expect(all.filter((other) => isIdOf(other, id))).toEqual([kind]);
});

test.each(KINDS)("a %s may be dropped as a file, or is believed only with its seal", (kind) => {
  const kindsOf = (union: typeof DroppedWish | typeof Wish) =>
    union.options.map(({ shape }) => shape.kind.value as string);
  expect(kindsOf(DroppedWish).includes(kind)).toBe(!needsSeal(kind));
  expect(kindsOf(Wish)).toContain(kind);
});

test("docs/file-protocol.md has each kind, and whether it needs the seal", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/file-protocol.md"), "utf8");
  const section = page.slice(page.indexOf("\n## Wishes\n"), page.indexOf("\n### A wish as a file\n"));
  const rows = [...section.matchAll(/^\| (`.*`) \| .* \| ([✓–]) \|$/gm)];
  const told = rows.flatMap(([, kinds = "", seal]) =>
    [...kinds.matchAll(/`([^`]+)`/g)].map(([, kind]) => [kind, seal === "✓"]),
  );
  expect(told.sort()).toEqual([...KINDS, "event" as const].map((kind) => [kind, needsSeal(kind)]).sort());
});
