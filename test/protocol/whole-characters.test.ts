import { beginningOf, endOf, wellFormed, wellFormedJson } from "@mimikit/protocol/texts/whole-characters";
import * as fc from "fast-check";
import { expect, test } from "vitest";

const text = fc.string({ unit: "grapheme", maxLength: 40 });

test("a cut text is well-formed, no longer than it may be, and less than a character shorter", () => {
  void fc.assert(
    fc.property(text, fc.nat(60), (whole, max) => {
      for (const part of [beginningOf(whole, max), endOf(whole, max)]) {
        expect(part.isWellFormed()).toBe(true);
        expect(part.length).toBeLessThanOrEqual(max);
        expect(part.length).toBeGreaterThanOrEqual(Math.min(whole.length, max) - 1);
      }
      expect(whole.startsWith(beginningOf(whole, max))).toBe(true);
      expect(whole.endsWith(endOf(whole, max))).toBe(true);
    }),
  );
});

test("halves of characters are replaced in texts, lists and names, and nothing else is", () => {
  const value = { "a\ud83d": ["😀\ude00", { b: "c" }, 1, null, true], d: undefined };
  expect(wellFormed(value)).toEqual({ "a\ufffd": ["😀\ufffd", { b: "c" }, 1, null, true], d: undefined });
});

test.each([
  ['{"a":"\\ud83d"}', '{"a":"\\ufffd"}'],
  ['{"a":"\\ud83d\\ude00 \\uDE00"}', '{"a":"\\ud83d\\ude00 \\ufffd"}'],
  ['{"a":"C:\\\\ud83d"}', '{"a":"C:\\\\ud83d"}'],
  ['{"a":"\\\\\\ud83d', '{"a":"\\\\\\ufffd'],
  ['{"a": 1.0, "b":"\ud83d"}', '{"a": 1.0, "b":"\ufffd"}'],
])("in %j, halves that are written as escapes are replaced", (json, whole) => {
  expect(wellFormedJson(json)).toBe(whole);
});
