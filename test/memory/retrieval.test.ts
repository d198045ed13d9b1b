/** How well memory is found, measured on the bilingual retrieval set. */
import { Bm25 } from "@mimikit/memory/search/bm25";
import { MemoryIndex } from "@mimikit/memory/search/memory-index";
import { splitUnits } from "@mimikit/memory/text/units";
import { expect, test } from "vitest";
import { DOCUMENTS, fileOf, LANGUAGES, type Language, QUESTIONS } from "./retrieval-set.ts";
import { workspace } from "./workspace.ts";

const HITS = 5;
/** The share of the questions whose document must be among the first five hits. */
const RECALL_MIN = 0.9;

type Find = (question: string) => Promise<string[]>;

async function recall(find: Find, language?: Language): Promise<number> {
  const asked = QUESTIONS.filter((each) => language === undefined || each.language === language);
  const found = await Promise.all(asked.map(async ({ question, source }) => (await find(question)).includes(source)));
  return found.filter(Boolean).length / asked.length;
}

function findByIndex(): Find {
  const files = Object.fromEntries([...DOCUMENTS].map(([source, text]) => [fileOf(source), text]));
  const place = workspace(files);
  const index = new MemoryIndex(place);
  let last: Promise<unknown> = Promise.resolve();
  return (query) => {
    const hits = last.then(() => index.search({ ...place, query, limit: HITS }));
    last = hits;
    return hits.then((each) => each.map(({ source }) => source));
  };
}

/** The tokenizer that a bare regular expression makes: a run of Chinese is one word. */
function findBySeed(): Find {
  const tokens = (text: string) => text.toLowerCase().match(/[a-z0-9_]{2,}|[\u4e00-\u9fff]{2,}/g) ?? [];
  const units = [...DOCUMENTS].flatMap(([source, markdown]) =>
    splitUnits(markdown).map(({ text }) => ({ source, text })),
  );
  const index = new Bm25(units.map(({ text }, id) => [id, { words: tokens(text) }] as const));
  return async (question) =>
    index
      .search(tokens(question))
      .slice(0, HITS)
      .map(([id]) => units[id]?.source ?? "");
}

test("the set is large, half Chinese, and every question has its document", () => {
  const sizeOf = (language: Language) => QUESTIONS.filter((each) => each.language === language).length;
  const chinese = [...DOCUMENTS.values()].filter((text) => /[\u4e00-\u9fff]/.test(text)).length;
  expect(DOCUMENTS.size).toBeGreaterThanOrEqual(200);
  expect(chinese).toBeGreaterThanOrEqual(100);
  for (const language of LANGUAGES) expect(sizeOf(language)).toBeGreaterThanOrEqual(30);
  expect(QUESTIONS.filter(({ source }) => !DOCUMENTS.has(source))).toEqual([]);
});

test("of the questions in each language nine in ten find their document among five hits, and more than a bare regular expression finds", async () => {
  const own = findByIndex();
  const seed = findBySeed();
  for (const language of [undefined, ...LANGUAGES]) {
    const [ours, bare] = [await recall(own, language), await recall(seed, language)];
    console.info(
      `recall@${HITS}, ${language ?? "all"}: ${ours.toFixed(3)}; bare regular expression: ${bare.toFixed(3)}`,
    );
    expect(ours).toBeGreaterThanOrEqual(RECALL_MIN);
    expect(bare).toBeLessThan(ours);
  }
});
