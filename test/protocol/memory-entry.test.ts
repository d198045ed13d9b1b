/** The entries of a document of memory: people and Mimikit write it, each in their way. */
import { entriesOf, forgottenTurns } from "@mimikit/protocol/records/memory-entry";
import { expect, test } from "vitest";

const shown = (document: string) => entriesOf(document).map(({ text }) => text);

test("a list item, a heading and a paragraph are an entry each, with the lines that go on with them", () => {
  const document =
    "# Beds\n\n- roses in the north\n  and tulips\n- [ ] dig\n1. first\nA note\nin two lines\n\n另一段\n";
  expect(shown(document)).toEqual(
    ["Beds", "roses in the north\nand tulips", "dig", "first\nA note\nin two lines", "另一段"].map((text, i) =>
      i === 0 ? "# Beds" : text,
    ),
  );
});

test("an entry names the edits that made it, and shows none of their marks", () => {
  expect(entriesOf("- tea <!-- t-000042.1 --> <!-- entry-1 -->\n<!-- memory-7 -->\n- milk\n")).toMatchObject([
    { line: 0, count: 1, bullet: "- ", text: "tea", edits: ["t-000042.1", "entry-1"] },
    { line: 2, count: 1, text: "milk", edits: [] },
  ]);
});

test("every line of a document is in one entry at most, whatever it is made of", () => {
  const pieces = ["- a", "  b", "", "# c", "text", "\t- d", "<!-- m-1 -->", "```", "1) e", "* f <!-- x -->", "-", "\r"];
  for (let seed = 0; seed < 2_000; seed++) {
    const lines = Array.from({ length: seed % 9 }, (_, i) => pieces[(seed * 7 + i * (1 + (seed % 5))) % pieces.length]);
    let next = 0;
    for (const { line, count, text } of entriesOf(lines.join("\n"))) {
      expect(line).toBeGreaterThanOrEqual(next);
      expect(text.trim()).not.toBe("");
      next = line + count;
    }
    expect(next).toBeLessThanOrEqual(lines.length);
  }
});

test("the turns are known in which something was told that is forgotten or corrected, but for what was brought back", () => {
  const turns = (document: string) => [...forgottenTurns(document)].sort();
  expect(turns("- tea <!-- t-000002.0 -->\n- milk\n")).toEqual([]);
  expect(turns("- milk\n<!-- t-000002.0 --> <!-- t-000005.1 -->\n")).toEqual([2, 5]);
  expect(turns("- coffee <!-- t-000005.1 --> <!-- t-000002.0 -->\n")).toEqual([2]);
  // Forgetting was undone: what was told stands again.
  expect(
    turns("- tea <!-- t-000002.0 -->\n<!-- t-000002.0 --> <!-- t-000005.1 -->\n<!-- t-000005.1.undo -->\n"),
  ).toEqual([5]);
  expect(turns("<!-- memory-1 --> <!-- note-000001 -->\n")).toEqual([]);
});
