import { rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { Bm25 } from "@mimikit/memory/search/bm25";
import { MemoryIndex } from "@mimikit/memory/search/memory-index";
import { DOCS_MAX, SOURCE_BYTES_MAX } from "@mimikit/memory/sources/sources";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
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

test("an index with a tail and hidden units finds what a fresh index finds", async () => {
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

test("a unit that came later is scored like one that was there", () => {
  const units = Array.from(
    { length: 40 },
    (_, id) => [id, { words: ["zebra", `number${id}`, "of", "many"] }] as [number, { words: string[] }],
  );
  const index = new Bm25(units);
  const [[, score] = [0, 0]] = index.search(["number7", "many"]);
  expect(index.scoreOf({ words: ["zebra", "number7", "of", "many"] }, ["number7", "many"])).toBeCloseTo(score, 3);
  expect(index.scoreOf({ words: ["zebra", "new", "of", "many"] }, ["new", "many"])).toBeCloseTo(score, 3);
  expect(index.scoreOf({ words: ["other"] }, ["number7"])).toBe(0);
});
