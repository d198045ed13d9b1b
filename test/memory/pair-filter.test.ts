/** A filter that saves looking at texts, and never hides one. */
import { PairFilter } from "@mimikit/memory/text/pair-filter";
import { expect, test } from "vitest";

/** As many texts as three blocks hold, of which each has a word of its own. */
function filled() {
  const texts = Array.from(
    { length: 2_500 },
    (_, i) => `talk ${(i * 7_919) % 100_003} about 发布${String.fromCodePoint(0x4e00 + i)}`,
  );
  const filter = new PairFilter();
  for (const text of texts) filter.add(text);
  return { texts, filter };
}

test.each(["talk", "about", "发布", "7919", "布乁", "k 5", "x", "zeppelin"])(
  "of the texts that hold %j none is left out",
  (word) => {
    const { texts, filter } = filled();
    const candidates = new Set(filter.textsWith(word));
    texts.forEach((text, i) => {
      if (text.includes(word)) expect(candidates.has(i), text).toBe(true);
    });
  },
);

test("of the texts that do not hold a word few are left in, in order and without repeats", () => {
  const { texts, filter } = filled();
  expect(filter.size).toBe(texts.length);
  for (const word of ["zeppelin", "布乁", "部署"]) {
    const candidates = filter.textsWith(word);
    expect(candidates.length).toBeLessThan(texts.length / 10);
    expect(candidates).toEqual([...new Set(candidates)].toSorted((a, b) => a - b));
  }
});
