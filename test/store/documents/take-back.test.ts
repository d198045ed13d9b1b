/** A change of a document is undone exactly where it stands as it was written; what somebody has edited since stays. */
import type { DocumentEdit } from "@mimikit/core/base/action";
import { DocumentChange } from "@mimikit/protocol/records/change";
import { changeOf } from "@mimikit/store/documents/ordered-edit";
import { takenBack } from "@mimikit/store/documents/take-back";
import { expect, test } from "vitest";
import { NOON } from "../../core/facts.ts";

function changeIn(text: string, edit: DocumentEdit): DocumentChange {
  return DocumentChange.parse(changeOf(edit, text, { by: "user", at: NOON }));
}

const remember: DocumentEdit = { document: "memory", id: "m-1", at: NOON, content: "tea\nand milk", longTerm: true };
const item = (op: "add" | "done" | "remove", what: string): DocumentEdit => ({
  document: "backlog",
  id: "b-1",
  op,
  item: what,
});

test("what was remembered goes with all its lines, and nothing else does", () => {
  const change = changeIn("", remember);
  const written = "- tea\n  and milk <!-- m-1 -->\n";
  const marks = "<!-- m-1 --> <!-- m-1.undo -->\n";
  expect(takenBack(change, written)).toEqual(marks);
  expect(takenBack(change, `# Mine\n${written}- more\n`)).toEqual(`# Mine\n- more\n${marks}`);
  expect(takenBack(change, `${written}- no line break`)).toEqual(`- no line break\n${marks}`);
  expect(takenBack(change, marks)).toEqual(marks);
});

test("what was edited since stays, and the line is named", () => {
  const change = changeIn("", remember);
  expect(takenBack(change, "# Mine\n- green tea\n  and milk <!-- m-1 -->\n")).toEqual({
    problem: "line 3 of memory.md was edited since, so it was kept: remove it there",
  });
  expect(takenBack(change, "# Mine\n")).toEqual({ problem: "it is no longer in memory.md" });
  const added = changeIn("", item("add", "bread"));
  expect(takenBack(added, "- [x] bread <!-- b-1 -->\n")).toMatchObject({ problem: expect.stringContaining("line 1") });
});

test("what was taken out since is not there, whatever marks are left of it", () => {
  const added = changeIn("", item("add", "bread"));
  expect(takenBack(added, "- [ ] milk\n<!-- b-1 --> <!-- b-2 -->\n")).toEqual({
    problem: "it is no longer in backlog.md",
  });
});

test("what was ticked off is open again", () => {
  const change = changeIn("* [ ] bread\n- [ ] milk\n", item("done", "milk"));
  const back = "* [ ] bread\n- [ ] milk\n<!-- b-1 -->\n<!-- b-1.undo -->\n";
  expect(takenBack(change, "* [ ] bread\n- [x] milk\n<!-- b-1 -->\n")).toEqual(back);
  expect(takenBack(change, "- [x] oat milk\n<!-- b-1 -->\n")).toMatchObject({ problem: expect.stringMatching(/milk/) });
  expect(changeOf(item("done", "1"), "- [x] bread\n", { by: "user", at: NOON })).toBeNull();
});

test.each([
  ["between its neighbours", "- [ ] a\n- [ ] c\n", "- [ ] a\n- [ ] b <!-- x -->\n- [ ] c\n"],
  ["after the one that is left", "# New\n- [ ] a\n- [ ] d\n", "# New\n- [ ] a\n- [ ] b <!-- x -->\n- [ ] d\n"],
  ["before the one that is left", "# New\n- [ ] c\n", "# New\n- [ ] b <!-- x -->\n- [ ] c\n"],
  ["at the end where none is left", "# New\n", "# New\n<!-- x --> <!-- b-1 -->\n- [ ] b <!-- x -->\n"],
])("a line that was removed comes back %s", (_, now, restored) => {
  const change = changeIn("- [ ] a\n- [ ] b <!-- x -->\n- [ ] c\n", item("remove", "b"));
  const marks = "<!-- x --> <!-- b-1 -->\n";
  const text = restored.includes("<!-- b-1 -->") ? restored : `${restored}${marks}`;
  expect(takenBack(change, `${now}${marks}`)).toEqual(`${text}<!-- b-1.undo -->\n`);
});

test("the first and the last line come back to their places", () => {
  for (const [text, what, rest] of [
    ["- [ ] a\n- [ ] b\n", "a", "- [ ] b\n<!-- b-1 -->\n"],
    ["- [ ] a\n- [ ] b\n", "b", "- [ ] a\n<!-- b-1 -->\n"],
  ] as const)
    expect(takenBack(changeIn(text, item("remove", what)), rest)).toEqual(`${text}<!-- b-1 -->\n<!-- b-1.undo -->\n`);
});
