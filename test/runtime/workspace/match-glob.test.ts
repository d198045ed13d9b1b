/** Which paths a glob matches, and how soon that is known. */
import { matchGlob } from "@mimikit/runtime/workspace/match-glob";
import fc from "fast-check";
import picomatch from "picomatch";
import { expect, test } from "vitest";

const RUNS = 5_000;

test.each([
  ["*.md", ["a.md", "a.b.md"], ["a/b.md", ".md", ".a.md", "a.mdx"]],
  ["**", ["a", "a/b/c"], [".a", "a/.b", ".a/b"]],
  ["**/*.ts", ["a.ts", "a/b/c.ts"], [".a.ts", ".a/b.ts", "a/.b/c.ts", "ats"]],
  ["a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["ab", "a/.x/b", "a/xb"]],
  ["a/**", ["a/b", "a/b/c"], ["b/a", "a/.b"]],
  ["a**b", ["ab", "axb"], ["a/b"]],
  ["**/.env", [".env", "a/.env"], ["env", ".a/.env"]],
  ["?.c", ["a.c", "é.c", "😀.c"], [".c", "ab.c", "/.c"]],
  ["[a-c!].h", ["b.h", "!.h"], ["d.h", "-.h"]],
  ["[!a-c].h", ["d.h"], ["b.h", "..h", "/.h"]],
  ["[]x].h", ["].h", "x.h"], ["[.h"]],
  ["[ab", ["[ab"], ["a"]],
  ["{a,b{c,}}.x", ["a.x", "bc.x", "b.x"], ["c.x", "{a,b}.x"]],
  ["{**/a,b/*}.x", ["a.x", "q/a.x", "b/c.x"], ["c.x"]],
  ["{,.}a", ["a", ".a"], ["..a"]],
  ["{a}", ["{a}"], ["a"]],
  ["{a,b", ["{a,b"], ["a"]],
  ["\\*\\{a", ["*{a"], ["x{a"]],
  ["a(1)|@(b)+!", ["a(1)|@(b)+!"], ["a1"]],
])("%s", (glob, matching, others) => {
  const isMatch = matchGlob(glob);
  expect(matching.filter((path) => !isMatch(path))).toEqual([]);
  expect(others.filter(isMatch)).toEqual([]);
});

test("what picomatch matches, and nothing else", () => {
  const name = fc
    .string({ unit: fc.constantFrom("a", "b", "."), minLength: 1, maxLength: 4 })
    .filter((each) => each !== "." && each !== "..");
  const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));
  const part = fc.oneof(
    name,
    fc.constantFrom("*", "?", "[ab]", "a[^a]", "{a,b}", "{ab,b}", "a*", "*b", "*.b", ".*", "a?b*"),
  );
  const glob = fc
    .array(fc.oneof({ arbitrary: part, weight: 4 }, fc.constant("**")), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.join("/"));
  fc.assert(
    fc.property(glob, path, (pattern, each) => {
      // To picomatch `a/**` is also `a` itself, which is no directory here.
      const expected = picomatch(pattern.replace(/\/\*\*$/, "/**/*"), { nonegate: true, noext: true });
      expect(matchGlob(pattern)(each)).toBe(expected(each));
    }),
    { numRuns: RUNS },
  );
});

test.each([
  [`${"*a".repeat(200)}*b`, "a".repeat(255)],
  [`${"**/a/".repeat(60)}b`, "a/".repeat(120)],
  [`${"{a,aa,*}".repeat(60)}b`, "a".repeat(255)],
  [`${"{a,".repeat(300)}b${"}".repeat(300)}*c`, "a".repeat(255)],
])("is known at once, however many ways there are to match: %#", (glob, path) => {
  // A pattern that goes back and tries again takes longer than anybody waits.
  expect(matchGlob(glob)(path)).toBe(false);
  expect(matchGlob(`{${glob},${path}}`)(path)).toBe(true);
});
