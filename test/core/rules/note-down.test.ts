/** Users' notes are written down, each command once and in its turn (docs/file-protocol.md R10, docs/file-protocol.md#commands). */
import { decide } from "@mimikit/core/decide";
import type { InboxCommand } from "@mimikit/protocol/records/inbox";
import { expect, test } from "vitest";
import { noteDown } from "../../../packages/core/src/rules/note-down.ts";
import { message, NOON, NOON_MS, snapshot } from "../facts.ts";

const seconds = (count: number) => new Date(NOON_MS + count * 1_000).toISOString();
const add: InboxCommand = {
  kind: "memory-add",
  id: "memory-1",
  at: seconds(1),
  content: "tea",
  longTerm: true,
  mac: "seal",
};
const list = (id: string, at: string, op: "add" | "done", item: string): InboxCommand => ({
  kind: "backlog-edit",
  id,
  at,
  op,
  item,
  mac: "seal",
});

const editsOf = (inbox: InboxCommand[]) =>
  noteDown(snapshot({ inbox })).map((action) => action.type === "note-down" && action.edit);

test("every command becomes an edit under its own id", () => {
  expect(editsOf([message("m-1"), list("backlog-2", NOON, "add", "x"), add])).toEqual([
    { document: "backlog", id: "backlog-2", op: "add", item: "x" },
    { document: "memory", id: "memory-1", at: seconds(1), content: "tea", longTerm: true },
  ]);
});

test("no command overtakes an earlier one for its document that cannot be carried out just now", () => {
  const [first, second] = [list("backlog-2", NOON, "add", "x"), list("backlog-1", seconds(3), "done", "x")];
  expect(editsOf([second, first, add])).toMatchObject([{ id: "backlog-2" }, { id: "memory-1" }]);
  expect(editsOf([second, add])).toMatchObject([{ id: "memory-1" }, { id: "backlog-1" }]);
});

test("what has a place of its own goes there", () => {
  const inbox: InboxCommand[] = [{ ...add, longTerm: false, target: "profile" }];
  expect(noteDown(snapshot({ inbox }))).toMatchObject([{ edit: { target: "profile", longTerm: false } }]);
});

test("a command that was answered is not carried out again, and leaves", () => {
  const facts = snapshot({ inbox: [add], archive: [add.id] });
  expect(decide(facts, NOON_MS)).toMatchObject([{ type: "remove", removals: [{ from: "inbox", id: add.id }] }]);
});
