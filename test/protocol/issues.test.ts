/** The promises of the sentences about bad values: they say what to write instead, in both languages (docs/api.md#errors). */
import { scheduleProblem } from "@mimikit/core/schedule/schedule";
import { HookFile, SourceFile } from "@mimikit/protocol/records/hook";
import { chineseOf } from "@mimikit/protocol/texts/chinese";
import { codeOf } from "@mimikit/protocol/texts/coded";
import { describeIssues, problemWith } from "@mimikit/protocol/texts/issues";
import { TriggerChange, TriggerInput } from "@mimikit/protocol/triggers/trigger-order";
import { McpServer } from "@mimikit/protocol/wire/mcp";
import { CONFIG_FIELDS, readVariable } from "@mimikit/runtime/config/fields";
import { mistakesIn } from "@mimikit/runtime/config/find-mistakes";
import { Config } from "@mimikit/runtime/config/schema";
import { expect, test } from "vitest";
import { z } from "zod";
import { ROUTES } from "../../apps/http-gateway/src/routes.ts";

const chineseFor = (text: string) => {
  const code = codeOf(text);
  return code === undefined ? undefined : chineseOf(code, (at) => at);
};

const Mode = z.enum(["ask", "workspace", "full"]);
const Shape = z.discriminatedUnion("type", [
  z.object({ type: z.literal("file") }),
  z.object({ type: z.literal("time") }),
]);

/** Each kind of problem: the schema, the value, and what is said of it. */
const PROBLEMS: readonly [kind: string, schema: z.ZodType, value: unknown, english: string, chinese: string][] = [
  ["text for a number", z.number(), "abc", "must be a number, not text", "应为数字，而不是文字"],
  ["a number for text", z.string(), 5, "must be text, not a number", "应为文字，而不是数字"],
  ["a number for a switch", z.boolean(), 1, "must be true or false, not a number", "应为 true 或 false，而不是数字"],
  ["a switch for a number", z.number(), true, "must be a number, not true", "应为数字，而不是 true"],
  ["text for a list", z.array(z.string()), "a", "must be a list, not text", "应为列表，而不是文字"],
  ["a list for text", z.string(), [], "must be text, not a list", "应为文字，而不是列表"],
  [
    "a list for a table",
    z.object({}),
    [],
    "must be a table of names and values, not a list",
    "应为由名称和值组成的表，而不是列表",
  ],
  ["a table for text", z.string(), {}, "must be text, not a table", "应为文字，而不是表"],
  ["a fraction for a whole number", z.int(), 1.5, "must be a whole number, not 1.5", "应为整数，而不是 1.5"],
  ["text that is no number", z.number(), Number("x"), "must be a number", "应为数字"],
  ["nothing at all", z.number(), undefined, "is missing: it must be a number", "缺少这一项：应为数字"],
  ["an empty value", z.number(), null, "has no value: it must be a number", "没有填写：应为数字"],
  ["one of some words", Mode, "none", "must be one of: ask, workspace, full", "应为以下之一：ask, workspace, full"],
  ["one word", z.literal("model"), "x", "must be model", "应为 model"],
  ["one of some kinds", Shape, { type: "x" }, "must be one of these kinds: file, time", "应为以下类型之一：file, time"],
  ["a text that is too long", z.string().max(64), "x".repeat(65), "must have at most 64 characters", "最多 64 个字符"],
  ["a list that is too long", z.array(z.any()).max(1), [1, 2], "must have at most 1 item", "最多 1 项"],
  ["a text that is too short", z.string().min(9), "x", "must have at least 9 characters", "至少 9 个字符"],
  ["an empty text", z.string().min(1), "", "must not be empty", "不能为空"],
  ["an empty list", z.array(z.any()).min(1), [], "must not be empty", "不能为空"],
  ["a number that is too big", z.number().max(65_535), 65_536, "must be at most 65535", "不能大于 65535"],
  ["a number that is too small", z.number().min(1), 0, "must be at least 1", "不能小于 1"],
  ["a number that is too small for a negative bound", z.int().min(-5), -6, "must be at least -5", "不能小于 -5"],
  ["a number that is not above", z.number().positive(), 0, "must be more than 0", "应大于 0"],
  ["a number between the steps", z.number().multipleOf(5), 3, "must be a multiple of 5", "应为 5 的倍数"],
  ["a text of another form", z.string().regex(/^a$/), "b", "must match the pattern /^a$/", "应符合格式 /^a$/"],
  [
    "no moment",
    z.iso.datetime(),
    "noon",
    "must be written as a moment like 2026-12-01T09:00:00Z",
    "应写成 2026-12-01T09:00:00Z 这样的时刻",
  ],
  ["no day", z.iso.date(), "x", "must be written as a day like 2026-12-01", "应写成 2026-12-01 这样的日期"],
  ["no time", z.iso.time(), "x", "must be written as a time like 09:00:00", "应写成 09:00:00 这样的时间"],
  [
    "no address",
    z.url(),
    "x",
    "must be written as an address like https://example.org",
    "应写成 https://example.org 这样的地址",
  ],
  ["an unknown field", z.strictObject({}), { b: 1 }, "there is no field of this name", "没有这个名称的项"],
  [
    "a name that cannot be one",
    z.record(z.string().max(1), z.any()),
    { long: 1 },
    "this name cannot be used: must have at most 1 character",
    "不能用这个名称：最多 1 个字符",
  ],
  [
    "none of several forms",
    z.union([z.string(), z.number()]),
    {},
    "has a form that is not accepted here",
    "形式不对，这里不接受",
  ],
  [
    "the nearest of several forms",
    z.union([z.strictObject({ every: z.number() }), z.strictObject({ cron: z.string(), zone: z.string() })]),
    { every: "x" },
    "must be a number, not text",
    "应为数字，而不是文字",
  ],
];

test.each(PROBLEMS)("%s", (_kind, schema, value, english, chinese) => {
  expect(problemWith(schema, value)).toBe(english);
  expect(chineseFor(english)).toBe(chinese);
});

test("a line names each place, the unknown fields at theirs", () => {
  const schema = z.strictObject({ to: z.strictObject({ port: z.number() }) });
  const { error } = schema.safeParse({ to: { port: "x", hots: 1 }, later: 2, now: 3 });
  const line = error && describeIssues(error);
  expect(line).toBe(
    "to.port: must be a number, not text; to.hots: there is no field of this name; later: there is no field of this name; now: there is no field of this name",
  );
  expect(chineseFor(line ?? "")).toBe(
    "to.port: 应为数字，而不是文字；to.hots: 没有这个名称的项；later: 没有这个名称的项；now: 没有这个名称的项",
  );
});

test("a text that does not fit is never quoted: it may be a key", () => {
  const secret = "sk-proj-0123456789";
  for (const schema of [z.number(), z.url(), z.literal("a"), Mode, z.array(z.any()), z.string().max(3), z.object({})])
    expect(problemWith(schema, secret)).not.toContain(secret);
});

const FOREIGN = /Invalid|[Ee]xpected|[Rr]eceived|Too (big|small)|Unrecognized|discriminator|[<>]=?\d/;

const LONG = "x".repeat(100_000);
/** Values that most fields do not take. */
const BAD: readonly unknown[] = [
  ...[undefined, null, true, false, "", "x", "..", "\0", "http://u:p@h/", LONG, -1, 0, 1.5, 1e15, Number.NaN],
  ...[[], [""], [1], [{}], ["a", "a"], {}, { a: 1 }, { type: "x" }, { interval: "x" }, { cron: 1 }, { "": "" }],
  {
    type: "and",
    conditions: [
      { type: "file_changed", params: { path: 1 } },
      { type: "not", condition: {} },
    ],
  },
];

/** All that is said about bad values of a form: as a whole, and in each of its fields. */
function said(schema: z.ZodType): string[] {
  const fields = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const values = [...BAD, ...[...fields, "unknown"].flatMap((name) => BAD.map((value) => ({ [name]: value })))];
  return values.flatMap((value) => {
    const { error } = schema.safeParse(value);
    return error === undefined ? [] : [describeIssues(error)];
  });
}

function expectPlain(lines: readonly string[]) {
  expect(lines.length).toBeGreaterThan(0);
  const unique = [...new Set(lines)];
  expect(unique.filter((line) => FOREIGN.test(line))).toEqual([]);
  // A line that was cut at its end is one of many mistakes at once.
  expect(unique.filter((line) => line.length < 500 && chineseFor(line) === undefined)).toEqual([]);
}

test("each setting refuses what it does not take in plain words that have a Chinese sentence", () => {
  expectPlain(said(Config));
  for (const { schema } of CONFIG_FIELDS) {
    const lines = said(schema);
    const ofVariables = ["", "x", "-1", "1.5", "{", '{"m":1}', LONG].flatMap((text) => {
      const { error } = readVariable(text, schema);
      return error === undefined ? [] : [describeIssues(error)];
    });
    expectPlain([...lines, ...ofVariables]);
  }
});

test("so does each request", () => {
  for (const { params, query, body } of ROUTES)
    for (const schema of [params, query, body])
      if (schema !== undefined && said(schema).length > 0) expectPlain(said(schema));
});

test.each([
  ["hook", HookFile],
  ["hook of what comes in", SourceFile],
  ["MCP server", McpServer],
  ["trigger", TriggerInput],
  ["change of a trigger", TriggerChange],
])("so does each %s", (_what, schema: z.ZodType) => {
  expectPlain(said(schema));
});

test.each([
  ["0 0 25 * * *", "the hour cannot be 25", "小时不能是 25"],
  ["0 0 x * * *", "the hour cannot be x", "小时不能是 x"],
  ["61 9 * * *", "the minute cannot be 61", "分钟不能是 61"],
  ["0 9 * * 9", "the weekday cannot be 9", "星期不能是 9"],
  ["0 9 * * 5-1", "5-1 ends before it begins", "“5-1”的起点大于终点"],
  ["* *", "it has 2 fields", "它有 2 项"],
])("the cron %s is refused in our words: %s", (cron, english, chinese) => {
  const problem = scheduleProblem({ cron, timezone: "UTC" }, 0) ?? "";
  expect(problem).toContain(`is not a cron pattern: ${english}. Use six fields`);
  expect(chineseFor(problem)).toContain(`不是 cron：${chinese}。请写六项`);
});

test("a mistake in config.yaml has its line, and the name that is not one is known as such", () => {
  expect(mistakesIn("port: many\nbudgett: 5\n")).toMatchObject([
    {
      line: 1,
      path: "port",
      message: "must be a number, not text",
      next: "correct it, or remove it: the default is 8787",
    },
    { line: 2, path: "budgett", message: "there is no setting of this name", next: "did you mean budget?" },
  ]);
});
