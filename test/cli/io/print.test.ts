import { stripVTControlCharacters } from "node:util";
import { expect, test, vi } from "vitest";
import { diffText, plainLine, plainText, printLine, printTable, screenText } from "../../../apps/cli/src/io/print.ts";

/** The output on a terminal of this width, or in a pipe when no width is given. */
function printed(columns: number | undefined, print: () => void): string[] {
  let output = "";
  const { isTTY, columns: before } = process.stdout;
  const write = vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    output += String(text);
    return true;
  });
  Object.assign(process.stdout, { isTTY: columns !== undefined, columns });
  try {
    print();
  } finally {
    write.mockRestore();
    Object.assign(process.stdout, { isTTY, columns: before });
  }
  // Colours are not what is looked at here.
  return stripVTControlCharacters(output).trimEnd().split("\n");
}

const rows = [
  ["t-000001.0", "done", "a title that is much too long for a narrow terminal"],
  ["t-000002.0", "running", "运行 `ls` 然后 `wc -l README.md`"],
];

test("in a pipe a table is whole and has no colours", () => {
  const lines = printed(undefined, () => printTable(["id", "state", "title"], rows, "none"));
  expect(lines).toEqual([
    "id          state    title",
    "t-000001.0  done     a title that is much too long for a narrow terminal",
    "t-000002.0  running  运行 `ls` 然后 `wc -l README.md`",
  ]);
});

test("on a terminal no line is wider than it is, and wide characters count twice", () => {
  const lines = printed(40, () => printTable(["id", "state", "title"], rows, "none"));
  expect(lines).toEqual([
    "id          state    title",
    "t-000001.0  done     a title that is mu…",
    "t-000002.0  running  运行 `ls` 然后 `wc…",
  ]);
});

test("however narrow the terminal is, an id is whole: the other columns give way", () => {
  const id = "trg-303247a3--20261122t070000z.0";
  const lines = printed(60, () => printTable(["what", "state", "id"], [[rows[0]?.[2] ?? "", "running", id]], "none"));
  expect(lines).toEqual(["what               state    id", `a title that is …  running  ${id}`]);
  for (const columns of [50, 20]) {
    const narrow = printed(columns, () =>
      printTable(["id", "state", "created", "title"], [[id, "running", "11:26:40 PM", "count them"]], "none"),
    );
    expect(narrow[1]).toContain(id);
    if (columns === 50) expect(narrow[1]?.length).toBeLessThanOrEqual(columns);
  }
});

test("a terminal that does not say how wide it is cuts nothing that fits into a common one", () => {
  expect(printed(0, () => printTable(["id", "state", "title"], rows, "none"))[2]).toContain("`wc -l README.md`");
});

test("an empty table says so", () => {
  expect(printed(40, () => printTable(["id"], [], "there are no tasks"))).toEqual(["there are no tasks"]);
});

test("text from outside cannot command the terminal", () => {
  expect(plainLine("a\u001b[2Jb\r\nc\u009bd\u202ee")).toBe("a[2Jb cde");
  expect(screenText("a\u001b]0;title\u0007\n\tb\r\n")).toBe("a]0;title\n  b\n");
});

test("in a pipe a text is what it is, with its tabs, and a diff has its last line; a terminal obeys nothing of either", () => {
  const makefile = "all:\n\tcc -o a a.c\u001b[31m\n";
  const diff = "@@ -1,2 +1,2 @@\n-\ta\n+\tb\n \n";
  expect(printed(undefined, () => printLine(`${plainText(makefile)}|`))).toEqual(["all:", "\tcc -o a a.c", "|"]);
  expect(printed(undefined, () => printLine(`|${diffText(diff)}|`))).toEqual([
    "|@@ -1,2 +1,2 @@",
    "-\ta",
    "+\tb",
    " |",
  ]);
  expect(printed(80, () => printLine(plainText(makefile)))).toEqual(["all:", "  cc -o a a.c[31m"]);
  expect(printed(80, () => printLine(diffText("+a\u202e\n")))).toEqual(["+a⟨U+202E⟩"]);
});
