/** One value of a file that people edit becomes another; everything else stays as they wrote it. */
import { NotEditable, withSetting } from "@mimikit/runtime/config/edit-yaml";
import { expect, test } from "vitest";

/** As people write: columns, blank lines, comments at every place, four kinds of quotes and two of lists. */
const WRITTEN = `# ours
budget:   # money
    # about the day
    day:
        costUsd:   5      # five

    month: {tokens: 1000}   # m
allowedHosts:  # who
# the first
- a   # one
- 'b'   # two
selfImprove: {checks: ["npm test"], merge: true}
prices:
  # dear
  "gpt": {input: 1, cached: 0, output: 2}  # g
  other:   # o
    input: 3
    cached: 0
    output: 4
model: 'x'
# end`;

/** The lines that are gone, with a -, and those that came, with a +; both in their order. */
function difference(before: string, after: string): string[] {
  const [old, fresh] = [before.split("\n"), after.replace(/\n$/, "").split("\n")];
  const gone = old.filter((line) => !fresh.includes(line)).map((line) => `-${line}`);
  return [...gone, ...fresh.filter((line) => !old.includes(line)).map((line) => `+${line}`)];
}

test.each<[path: string, value: unknown, difference: string[]]>([
  ["budget.day.costUsd", 7, ["-        costUsd:   5      # five", "+        costUsd:   7      # five"]],
  ["budget.day.tokens", 900, ["+        tokens: 900"]],
  ["budget.month.costUsd", 1.5, ["-    month: {tokens: 1000}   # m", "+    month: {tokens: 1000, costUsd: 1.5}   # m"]],
  ["budget.task.tokens", 5, ["+    task:", "+        tokens: 5"].map((line) => line.replace("        ", "      "))],
  ["model", "it's: new", ["-model: 'x'", '+model: "it\'s: new"']],
  ["model", "true", ["-model: 'x'", '+model: "true"']],
  ["retryDelaySec", 0, ["+retryDelaySec: 0"]],
  ["allowedHosts", ["a", "b", "c, d"], ['+- "c, d"']],
  ["allowedHosts", ["a"], ["-- 'b'   # two"]],
  ["allowedHosts", ["c"], ["-- a   # one", "-- 'b'   # two", "+- c"]],
  ["allowedHosts", [], ["-allowedHosts:  # who", "-- a   # one", "-- 'b'   # two", "+allowedHosts: []  # who"]],
  [
    "selfImprove.checks",
    ["a # b", "c\nd"],
    ['-selfImprove: {checks: ["npm test"], merge: true}', '+selfImprove: {checks: ["a # b","c\\nd"], merge: true}'],
  ],
  [
    "prices",
    { gpt: { input: 1, cached: 0.5, output: 2 }, new: { input: 1, cached: 0, output: 1 } },
    [
      '-  "gpt": {input: 1, cached: 0, output: 2}  # g',
      "-  other:   # o",
      "-    input: 3",
      "-    cached: 0",
      "-    output: 4",
      '+  "gpt": {input: 1, cached: 0.5, output: 2}  # g',
      "+  new: { input: 1, cached: 0, output: 1 }",
    ],
  ],
  // Comments on lines of their own stay also where what they were about is gone.
  ["budget.day.costUsd", undefined, ["-    day:", "-        costUsd:   5      # five"]],
  ["budget.month.tokens", undefined, ["-    month: {tokens: 1000}   # m"]],
  [
    "selfImprove.checks",
    undefined,
    ['-selfImprove: {checks: ["npm test"], merge: true}', "+selfImprove: {merge: true}"],
  ],
  ["port", undefined, []],
])("%s becomes %j, and no other line is touched", (path, value, expected) => {
  expect(difference(WRITTEN, withSetting(WRITTEN, path.split("."), value))).toEqual(expected);
});

test.each<[before: string, path: string, value: unknown, after: string]>([
  ["", "budget.day.costUsd", 5, "budget:\n  day:\n    costUsd: 5\n"],
  ["", "prices", { "a: b": { input: 1 }, c: { input: 2 } }, 'prices:\n  "a: b": { input: 1 }\n  c: { input: 2 }\n'],
  ["", "prices", {}, "prices: {}\n"],
  ["# hi", "port", 1, "# hi\nport: 1\n"],
  ["---\n# hi\n", "port", 1, "---\n# hi\nport: 1\n"],
  ["---\nport: 1\n...\n", "host", "z", "---\nport: 1\nhost: z\n...\n"],
  ["port: 1", "port", 1, "port: 1"],
  ["port: 1 # x\r\nhost: y\r\n", "port", 2, "port: 2 # x\r\nhost: y\r\n"],
  ["{}\n", "port", 1, "{ port: 1 }\n"],
  ["{ port: 1, host: x }\n", "port", undefined, "{ host: x }\n"],
  ["# a\nbudget:\n  # b\n  day:\n    costUsd: 4\n# c\n", "budget.day.costUsd", undefined, "# a\n  # b\n# c\n"],
  ["selfImprove:\n  merge: false\n", "selfImprove.merge", undefined, ""],
  ["host:\n  |\n  odd\nport: 1\n", "host", "plain", "host:\n  plain\nport: 1\n"],
  ["port: 1\nhost: *p\n".replace("1", "&p 1"), "host", "h", "port: &p 1\nhost: h\n"],
])("of %j, %s becomes %j", (before, path, value, after) => {
  expect(withSetting(before, path.split("."), value)).toBe(after);
});

test("a value that others refer to is left to whoever tied them together", () => {
  const tied = "maxConcurrency: &n 4\nport: *n\n";
  expect(() => withSetting(tied, ["maxConcurrency"], 5)).toThrow(NotEditable);
  expect(() => withSetting(tied, ["maxConcurrency"], undefined)).toThrow(NotEditable);
});
