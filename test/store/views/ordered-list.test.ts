import { differences, OrderedList } from "@mimikit/store/views/ordered-list";
import { expect, test } from "vitest";

interface Item {
  id: string;
  at: number;
}

const byAt = (a: Item, b: Item) => a.at - b.at || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

/** The same numbers at each run: `n` of them below `max`. */
function* numbers(seed: number, max: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state % max;
  }
}

test.each([3, 7, 11])(
  "a list that is patched is the list that is sorted, and its differences lead from one to the other (%i)",
  (seed) => {
    const ordered = new OrderedList<Item>(byAt);
    const plain = new Map<string, Item>();
    const dice = numbers(seed, 60);
    const next = () => dice.next().value;
    for (let round = 0; round < 300; round++) {
      const before = ordered.list;
      const known = new Map(plain);
      // Sometimes half of them change, mostly one or two.
      const changes = Array.from(
        { length: round % 10 === 0 ? 30 : 1 + (next() % 2) },
        (): [string, Item | undefined] => {
          const id = `item-${next()}`;
          return [id, next() < 20 ? undefined : { id, at: next() % 8 }];
        },
      );
      for (const [id, item] of changes) {
        if (item === undefined) plain.delete(id);
        else if (plain.get(id)?.at !== item.at) plain.set(id, item);
      }
      ordered.patch(new Map(changes));
      expect(ordered.list).toEqual([...plain.values()].sort(byAt));
      const { come, gone } = differences(before, ordered.list, byAt);
      const news = [...plain.values()].filter((item) => known.get(item.id)?.at !== item.at);
      expect(come.sort(byAt)).toEqual(news.sort(byAt));
      expect(gone.map(({ id }) => id).sort()).toEqual([...known.keys()].filter((id) => !plain.has(id)).sort());
    }
  },
);

test("what says the same stays the same object, and a list that was handed out never changes", () => {
  const ordered = new OrderedList<Item>(byAt);
  ordered.patch([["a", { id: "a", at: 1 }]]);
  const { list } = ordered;
  ordered.patch([["a", { id: "a", at: 1 }]]);
  expect(ordered.list).toBe(list);
  ordered.patch([
    ["a", undefined],
    ["b", { id: "b", at: 2 }],
  ]);
  expect(list).toEqual([{ id: "a", at: 1 }]);
  expect(ordered.list).toEqual([{ id: "b", at: 2 }]);
});
