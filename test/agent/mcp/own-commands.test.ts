/** The input schema of an owner's command is applied to what a model says: it refuses what does not fit, and never holds the pool up. */
import type { OwnCommand } from "@mimikit/agent/mcp/files/command-files";
import { checkOf } from "@mimikit/agent/mcp/own-commands";
import { expect, test } from "vitest";

const own = (input: object): OwnCommand => ({
  name: "it",
  description: "Does it.",
  command: ["true"],
  input: { type: "object", ...input },
  level: "read-only",
  roles: ["worker"],
  timeoutSec: 1,
});
const problemsOf = async (input: object, value: object) =>
  (await checkOf(own(input))).safeParse(value).error?.issues.map(({ message }) => message) ?? [];

/** It takes a year to find out by backtracking that this does not match `^(a+)+$`. */
const EVIL = `${"a".repeat(60)}!`;
const UNFINISHED = ["cannot be checked: it takes more than 250 ms"];

test("a call that breaks the schema is refused with the reason, and one that fits is made", async () => {
  const input = { properties: { path: { type: "string", pattern: "^[a-z]+$" } }, required: ["path"] };
  expect(await problemsOf(input, { path: "abc" })).toEqual([]);
  expect(await problemsOf(input, {})).toEqual([expect.stringContaining("path")]);
  expect(await problemsOf(input, { path: "A" })).toEqual([expect.stringContaining("pattern")]);
});

test.each<[string, object, object]>([
  ["a pattern", { properties: { text: { pattern: "^(a+)+$" } } }, { text: EVIL }],
  ["a pattern for names", { patternProperties: { "^(a+)+$": {} } }, { [EVIL]: 1 }],
  ["a pattern for all names", { propertyNames: { pattern: "^(a|a)*$" } }, { [EVIL]: 1 }],
  ["a pattern in a list", { properties: { all: { items: { pattern: "^(a*)*$" } } } }, { all: [EVIL] }],
])("a check that does not end is a refusal: %s", async (_, input, value) => {
  expect(await problemsOf(input, value)).toEqual(UNFINISHED);
});

test("a schema that refers to itself without an end is a refusal or no schema, and a long list of values is checked", async () => {
  const problem = await problemsOf({ allOf: [{ $ref: "#" }] }, {}).catch((error: Error) => [error.message]);
  expect(problem).toEqual([expect.stringContaining("call stack")]);
  const words = Array.from({ length: 2_000 }, (_, i) => `word${i}`);
  const input = { properties: { word: { enum: words } } };
  expect(await problemsOf(input, { word: "word1999" })).toEqual([]);
  expect(await problemsOf(input, { word: "word2000" })).toHaveLength(1);
});
