/** Long texts are cut where a reader would, and nothing of them is lost. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { split } from "../../apps/channels/src/send/split.ts";

const FAMILY = "👩‍👩‍👧‍👦";

test("a text is cut at a paragraph, else a line, else a word", () => {
  expect(split("one two\n\nthree four", 12)).toEqual(["one two", "three four"]);
  expect(split("one two\nthree four", 12)).toEqual(["one two", "three four"]);
  expect(split("one two three", 8)).toEqual(["one two", "three"]);
  expect(split("x".repeat(10), 4)).toEqual(["xxxx", "xxxx", "xx"]);
});

test("a character as people see it stays whole, if it fits at all", () => {
  expect(split(FAMILY.repeat(3), FAMILY.length * 2)).toEqual([FAMILY.repeat(2), FAMILY]);
  for (const part of split(FAMILY, 3)) expect(part.isWellFormed()).toBe(true);
});

test("a text without anything to say has no part", () => {
  expect(split(" \n\u0000\ud800 ", 10)).toEqual([]);
});

test("whatever the text, all that can be seen of it comes, in parts that the vendor takes, and always the same ones", () => {
  const visible = (text: string) => text.replace(/[\p{Cc}\p{Cs}\s]/gu, "");
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), fc.integer({ min: 2, max: 60 }), (text, unitsMax) => {
      const parts = split(text, unitsMax);
      expect(parts.every((part) => part.length <= unitsMax && part.trim() !== "" && part.isWellFormed())).toBe(true);
      expect(visible(parts.join(""))).toBe(visible(text));
      expect(split(text, unitsMax)).toEqual(parts);
    }),
  );
});
