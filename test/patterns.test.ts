/**
 * A text from outside makes no regular expression of the program take more than linear time: one message, document or answer would
 * hold up everything that its process does.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { patternsIn, problemOf } from "./support/patterns.ts";

const ROOT = join(import.meta.dirname, "..");
const SOURCES = execFileSync(
  "git",
  ["ls-files", "--cached", "--others", "--exclude-standard", "apps", "packages", "scripts"],
  {
    cwd: ROOT,
    encoding: "utf8",
  },
)
  .split("\n")
  .filter((path) => /\.(?:ts|tsx|js|mjs|cjs)$/.test(path));

/** The patterns that are made while the program runs: what one of them is, and why its parts are not foreign. */
const MADE: Readonly<Record<string, readonly [example: RegExp, reason: string]>> = {
  'apps/cli/src/i18n/words.ts new RegExp(`\\\\b(?:${UNITS.join("|")})\\\\b`, "g")': [
    /\b(?:d|h|min|s)\b/g,
    "units of time",
  ],
  'apps/cli/src/i18n/zh/sentences.ts new RegExp(`^${parts.join("")}$`, "s")': [
    /^attempt (?<n>\d+) started$/s,
    "texts of ours; for texts of 1,000 characters at most",
  ],
  'apps/cli/src/processes/instance.ts new RegExp(`^${ROLE_SCRIPT.source.replace("$", "( |$)")}`)': [
    /^(dist|apps)\/(supervisor|worker-pool)(\.js|\/src\/main\.ts)( |$)/,
    "a pattern of ours",
  ],
  'apps/http-gateway/src/v1/own-requests.ts new RegExp(`\\\\{\\\\s*"(${Object.keys(TASK_ANSWERS).join("|")})":`)': [
    /\{\s*"(title|tags)":/,
    "names of ours",
  ],
  'apps/web/src/ui/found-in.ts new RegExp(parts.sort((a, b) => b.length - a.length).join("|"), "gu")': [
    /数据库|数据/gu,
    "letters of a search, without a repetition",
  ],
  'packages/agent/src/kernel/written-calls.ts new RegExp(CALL_MARKS.map((mark) => mark.replace(/[[\\]|]/g, "\\\\$&")).join("|"), "g")':
    [/<tool_call>|\[TOOL_CALLS\]|<\|python_tag\|>/g, "words of ours, without a repetition"],
  'packages/agent/src/providers/offline/when.ts new RegExp( String.raw`(?<amount>${EN_AMOUNT})\\s*(?<unit>${EN_UNIT})s?(?![a-z])(?<andHalf>\\s+and\\s+a\\s+half)?(?:,?\\s+and\\s+|,\\s*|\\s+)?`, "giy", )':
    [
      /(?<amount>\d+(?:\.\d+)?|half an?|an?|one|two)\s*(?<unit>second|sec|(?<=\d\s?)[smhd])s?(?![a-z])(?<andHalf>\s+and\s+a\s+half)?(?:,?\s+and\s+|,\s*|\s+)?/giy,
      "words of ours",
    ],
  'packages/agent/src/providers/offline/when.ts new RegExp(`^(?:every|each)\\\\s+(?:(${EN_AMOUNT})\\\\s*)?(${EN_UNIT})s?$`, "i")':
    [
      /^(?:every|each)\s+(?:(\d+(?:\.\d+)?|half an?|an?|one|two)\s*)?(second|sec|(?<=\d\s?)[smhd])s?$/i,
      "words of ours",
    ],
  "packages/runtime/src/process/marked-processes.ts new RegExp(`^(.+)/${RUNS}/([^/]+\\\\.a\\\\d+)/[^/]+$`)": [
    /^(.+)\/runs\/([^/]+\.a\d+)\/[^/]+$/,
    "the name of a folder",
  ],
  "packages/store/src/documents/document.ts new RegExp(`^\\\\.replaced(?:-\\\\w+){4}-${TEMPORARY}-([\\\\w.-]+)-(\\\\d+)$`)":
    [/^\.replaced(?:-\w+){4}-tmp-([\w.-]+)-(\d+)$/, "the name of a folder"],
  'packages/protocol/src/texts/visible.ts new RegExp( `[ \\\\n\\\\t]+|(${UNSEEN})\\\\1*|(?<!${BASE})\\\\p{M}+|(?<=[\\\\p{M}--${UNSEEN}]{${MARKS_MAX}})\\\\p{M}`, "gv", )':
    [/[ \n\t]+|(\p{Cf})\1*|(?<!\p{L})\p{M}+|(?<=[\p{M}--\p{Cf}]{4})\p{M}/gv, "classes of characters of ours"],
  'packages/memory/src/text/words-in-text.ts new RegExp(`[${CJK}${UNSPACED}]`, "v")': [
    /[\p{Script=Han}\p{Script=Thai}]/v,
    "names of scripts",
  ],
  'packages/memory/src/text/words-in-text.ts new RegExp(`[[\\\\p{L}\\\\p{N}\\\\p{M}]--[${CJK}${UNSPACED}]]`, "v")': [
    /[[\p{L}\p{N}\p{M}]--[\p{Script=Han}\p{Script=Thai}]]/v,
    "names of scripts",
  ],
  'packages/protocol/src/texts/coded.ts new RegExp(`^${source.join("")}$`, "s")': [
    /^there is no (?<what>\w+) here$/s,
    "texts of ours; for texts of 1,000 characters at most",
  ],
};

const read = SOURCES.map((path) => ({ path, ...patternsIn(path, readFileSync(join(ROOT, path), "utf8")) }));

describe("a regular expression", () => {
  test("of the program takes linear time, whatever it reads", () => {
    const places = Map.groupBy(
      read.flatMap(({ path, found }) => found.map((each) => ({ ...each, place: `${path}:${each.line}` }))),
      ({ source, flags }) => `/${source}/${flags}`,
    );
    const problems = [...places].flatMap(([pattern, [first, ...others]]) => {
      const problem = first === undefined ? null : problemOf(first);
      return problem === null
        ? []
        : [`${[first, ...others].map((each) => each?.place).join(" ")} ${pattern} ${problem}`];
    });
    expect(problems).toEqual([]);
  }, 300_000);

  test("that is made while the program runs has no foreign parts, and takes linear time", () => {
    const made = read.filter(({ path }) => !path.startsWith("scripts/"));
    expect(made.flatMap(({ path, made }) => made.map(({ code }) => `${path} ${code}`)).toSorted()).toEqual(
      Object.keys(MADE).toSorted(),
    );
    expect(Object.entries(MADE).filter(([, [example]]) => problemOf(example) !== null)).toEqual([]);
  });
});

describe("the check", () => {
  test.each([
    [/\s+$/, "a tail that is sought from each place"],
    [/^(#{1,6})\s+(.*?)[\s#]*$/, "a lazy part beside a tail of the same characters"],
    [/<!--[\s\S]*?-->/g, "a beginning whose end is sought from each place"],
    [/^(?:a+)+$/, "a repetition in a repetition"],
    [/^(?:ab|a|b)+$/, "alternatives that begin alike"],
    [/^(.+?)(?:,? at (.+))?$/i, "a lazy part in front of one that may be missing"],
    [/,\s*(?:and )?\s*then/, "two parts that may both take a space"],
  ])("names %s: %s", (pattern) => {
    expect(problemOf(pattern)).not.toBeNull();
  });

  test.each([/(?<!\s)\s+$/, /^\s+/, /^(#{1,6})\s+(\S.*)$/, /\b(?:run|execute)\b/i, /"(?:[^"\\]|\\.)*"/y])(
    "passes %s",
    (pattern) => {
      expect(problemOf(pattern)).toBeNull();
    },
  );

  test("reads patterns that are made of constants", () => {
    const text = [
      "const A = 'x+';",
      "const B = /y*/;",
      "const C = String.raw`\\s$" + "{A}`;",
      "new RegExp(`^$" + "{C}$" + "{B.source}$`, 'u');",
      "RegExp(a);",
    ].join("\n");
    expect(patternsIn("a.ts", text)).toEqual({
      found: [
        { source: "y*", flags: "", line: 2 },
        { source: "^\\sx+y*$", flags: "u", line: 4 },
      ],
      made: [{ code: "RegExp(a)", line: 5 }],
    });
  });
});
