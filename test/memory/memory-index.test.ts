import { appendFileSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { Bm25 } from "@mimikit/memory/search/bm25";
import { MemoryIndex } from "@mimikit/memory/search/memory-index";
import { DOCS_MAX, SOURCE_BYTES_MAX } from "@mimikit/memory/sources/sources";
import { monthsIn } from "@mimikit/memory/text/months";
import { tokenize } from "@mimikit/memory/text/tokenize";
import { BEGINNING, readUnits, splitUnits, type TextUnit } from "@mimikit/memory/text/units";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import createEngine from "wink-bm25-text-search";
import { workspace, writeFiles } from "./workspace.ts";

const note = (nth: number) => `.mimikit/memory/2026-01-${String(nth).padStart(3, "0")}.md`;
const notes = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, nth) => [note(nth), `zebra number${nth}`]));

describe("an index", () => {
  test.each([0, 1, 2, 3])("of %i units answers", async (count) => {
    const place = workspace(notes(count));
    const hits = await new MemoryIndex(place).search({ ...place, query: "zebra" });
    expect(hits).toHaveLength(count);
    expect(await new MemoryIndex(place).search({ ...place, query: "number0" })).toHaveLength(Math.min(count, 1));
  });

  test("finds what was written, changed and removed since the last search", async () => {
    const place = workspace(notes(50));
    const index = new MemoryIndex(place);
    const find = async (query: string) => (await index.search({ ...place, query })).map(({ text }) => text);
    expect(await find("giraffe")).toEqual([]);
    writeFiles(place.workDir, { [note(50)]: "giraffe one", [note(7)]: "giraffe instead of number7" });
    expect((await find("giraffe")).toSorted()).toEqual(["giraffe instead of number7", "giraffe one"]);
    expect(await find("number7")).toEqual(["giraffe instead of number7"]);
    rmSync(join(place.workDir, note(50)));
    rmSync(join(place.workDir, note(3)));
    expect(await find("giraffe")).toEqual(["giraffe instead of number7"]);
    expect(await find("number3")).toEqual([]);
    writeFiles(place.workDir, { ".mimikit/memory/summary/2026-02.md": "giraffe month", "docs/a.md": "giraffe page" });
    expect(await find("giraffe")).toHaveLength(3);
  });

  test("sees a change that keeps the size and the time of a file", async () => {
    const place = workspace({ ".mimikit/memory.md": "zebra" });
    const path = join(place.home, "memory.md");
    const index = new MemoryIndex(place);
    expect(await index.search({ ...place, query: "zebra" })).toHaveLength(1);
    const { atime, mtime } = statSync(path);
    writeFiles(place.workDir, { ".mimikit/memory.md": "camel" });
    utimesSync(path, atime, mtime);
    expect(await index.search({ ...place, query: "camel" })).toHaveLength(1);
    expect(await index.search({ ...place, query: "zebra" })).toEqual([]);
  });

  test("a day that its summary has not covered yet is found beside the new summary of the month", async () => {
    const day = ".mimikit/memory/summary/2026-03-04.md";
    const place = workspace({ [day]: "zebra of the day" });
    const index = new MemoryIndex(place);
    expect(await index.search({ ...place, query: "zebra" })).toMatchObject([{ text: "zebra of the day" }]);
    writeFiles(place.workDir, { ".mimikit/memory/summary/2026-03.md": "zebra of the month" });
    expect(await index.search({ ...place, query: "zebra" })).toMatchObject([
      { text: "zebra of the month" },
      { text: "zebra of the day" },
    ]);
  });

  test("scores from 1 down, and never below 0", async () => {
    const place = workspace({
      ".mimikit/memory.md": "- zebra camel\n- zebra\n- camel and many other words of no weight",
    });
    const scores = (await new MemoryIndex(place).search({ ...place, query: "zebra camel" })).map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(scores[0]).toBe(1);
    expect(scores.at(-1)).toBeGreaterThan(0);
  });

  test("a heading finds what stands under it, and so does the name of the file", async () => {
    const place = workspace({ "docs/billing.md": "# Invoices\n\n## Reminders\n\nfirst\n\n- second\n- third" });
    const index = new MemoryIndex(place);
    for (const query of ["invoice", "reminder", "billing"]) {
      const hits = await index.search({ ...place, query });
      expect(hits.map(({ text }) => text).toSorted()).toEqual(["Reminders: first", "second", "third"]);
    }
  });

  test("reads no more documents than its bound, and no file that is too large", async () => {
    const files: Record<string, string> = { "MEMORY.md": "camel ".repeat(SOURCE_BYTES_MAX / 6 + 1) };
    for (let nth = 0; nth <= DOCS_MAX; nth++) files[`docs/${String(nth).padStart(3, "0")}.md`] = `page number${nth}`;
    const place = workspace(files);
    const index = new MemoryIndex(place);
    const find = (query: string) => index.search({ ...place, query });
    expect((await find(`number${DOCS_MAX - 1}`)).map(({ source }) => source)).toEqual([`docs/${DOCS_MAX - 1}.md`]);
    expect(await find(`number${DOCS_MAX}`)).toEqual([]);
    expect(await find("camel")).toEqual([]);
  });
});

const WORDS = ["zebra", "camel", "deploy", "发布", "窗口", "v1.2", "the"];
const text = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 6 }).map((words) => words.join(" "));
const change = fc.record({ nth: fc.nat({ max: 35 }), text: fc.option(text) });

test("an index that follows its files finds what a fresh index finds", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(change, { maxLength: 3 }), { minLength: 1, maxLength: 5 }), async (rounds) => {
      const place = workspace(notes(30));
      const index = new MemoryIndex(place);
      const find = async (by: MemoryIndex, query: string) =>
        (await by.search({ ...place, query, limit: 50 })).map(({ source, text }) => `${source} ${text}`).toSorted();
      await find(index, "zebra");
      for (const changes of rounds) {
        for (const { nth, text } of changes) {
          if (text === null) rmSync(join(place.workDir, note(nth)), { force: true });
          else writeFiles(place.workDir, { [note(nth)]: text });
        }
        const fresh = new MemoryIndex(place);
        for (const word of WORDS) expect(await find(index, word)).toEqual(await find(fresh, word));
      }
    }),
    { numRuns: 10 },
  );
});

/** The parts of a note, and where it may be broken off. */
const PIECES = [
  ...[
    "zebra",
    "camel",
    "发布窗口",
    " ",
    " ",
    "\n",
    "\n",
    "\n\n",
    "\r\n",
    "\n- ",
    "\n12",
    ". ",
    "\n# ",
    "\n### ",
    "-",
    "#",
  ],
  ...["<!--", "-->", "\u2028", "é"],
];
const pieces = fc.array(fc.constantFrom(...PIECES), { maxLength: 8 }).map((some) => some.join(""));

test("a note that is read on each time that it grows gives the units of the whole", () => {
  fc.assert(
    fc.property(fc.array(pieces, { minLength: 2, maxLength: 6 }), (parts) => {
      const name = "memory/2026-01-28-zebra.md";
      const units: TextUnit[] = [];
      let from = BEGINNING;
      for (const [nth] of parts.entries()) {
        const text = parts.slice(0, nth + 1).join("");
        const { settled, kept, last } = readUnits(name, text, from);
        units.push(...kept);
        from = settled;
        expect([...units, ...last].map((unit) => unit.words)).toEqual(wordsOf(text));
        expect([...units, ...last].map((unit) => unit.text)).toEqual(splitUnits(text).map((unit) => unit.text));
      }
    }),
    { numRuns: 2_000 },
  );
});

const wordsOf = (text: string) =>
  splitUnits(text).map((unit) => [
    ...tokenize(unit.text),
    ...new Set(["2026-01-28", ...monthsIn("2026-01-28"), ...tokenize("zebra"), ...tokenize(unit.above.join(" "))]),
  ]);

describe("a note that has grown", () => {
  const items = (count: number, from = 0) =>
    Array.from({ length: count }, (_, nth) => `- zebra number${from + nth}\n`).join("");

  test("is indexed from where it has grown", async () => {
    const place = workspace({ [note(1)]: items(500) });
    const index = new MemoryIndex(place);
    await index.refresh();
    const before = index.unitsRead;
    appendFileSync(join(place.workDir, note(1)), items(1, 500));
    expect(await index.search({ ...place, query: "number500" })).toHaveLength(1);
    // The last one that was there might have gone on.
    expect(index.unitsRead - before).toBe(2);
  });

  test("is indexed anew where it is another at its beginning", async () => {
    const place = workspace({ [note(1)]: items(20) });
    const index = new MemoryIndex(place);
    await index.refresh();
    writeFiles(place.workDir, { [note(1)]: `${items(20).replace("number3", "giraffe")}${items(5, 20)}` });
    expect(await index.search({ ...place, query: "number3" })).toEqual([]);
    for (const query of ["giraffe", "number24"]) expect(await index.search({ ...place, query })).toHaveLength(1);
  });

  test("keeps the order and the scores that a fresh index has", async () => {
    const place = workspace({ [note(1)]: items(3), "docs/a.md": "# Zebra\n\ncamel" });
    const index = new MemoryIndex(place);
    for (let nth = 3; nth < 12; nth++) {
      appendFileSync(join(place.workDir, note(1)), items(1, nth));
      const query = { ...place, query: "zebra number4 camel", limit: 50 };
      expect(await index.search(query)).toEqual(await new MemoryIndex(place).search(query));
    }
  });
});

test("units that come and go are weighed as the library weighs them", () => {
  const wordy = fc.array(fc.constantFrom("a", "b", "c", "constructor", "__proto__", "7"), { maxLength: 8 });
  fc.assert(
    fc.property(fc.array(wordy, { minLength: 1, maxLength: 12 }), fc.array(fc.nat(11)), wordy, (all, gone, query) => {
      const index = new Bm25(all.map((words, id) => [id, { words }] as const));
      for (const id of gone) index.remove(id);
      const left = all.map((words, id) => ({ words, id })).filter(({ id }) => !gone.includes(id));
      const known = query.filter((word) => left.some(({ words }) => words.includes(word)));
      expect(new Map(index.search(query))).toEqual(new Map(weighed(left, known)));
    }),
    { numRuns: 500 },
  );
});

/** By the library alone, which is told all units at once. */
function weighed(units: readonly { words: readonly string[]; id: number }[], query: readonly string[]) {
  const engine = createEngine() as ReturnType<typeof createEngine> & {
    addDoc(document: { words: string }, id: number): number;
    consolidate(): boolean;
  };
  // "constructor" is a word of every object.
  const safe = (words: readonly string[]) => words.map((word) => `w-${word}`).join(" ");
  engine.defineConfig({ fldWeights: { words: 1 }, bm25Params: { k1: 1.2, b: 0.75 } });
  engine.definePrepTasks([(text) => text.split(" ").filter((word) => word !== "")]);
  for (const { words, id } of units) engine.addDoc({ words: safe(words) }, id);
  for (let pad = units.length; pad < 3; pad++) engine.addDoc({ words: "" }, -1 - pad);
  engine.consolidate();
  return engine.search(safe(query), Number.POSITIVE_INFINITY).map(([id, score]) => [Number(id), score] as const);
}
