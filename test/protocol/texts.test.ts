/** The promises of the table of sentences to its translations (docs/api.md#errors). */

import { chineseOf, inChinese } from "@mimikit/protocol/texts/chinese";
import { CHINESE_TEXTS } from "@mimikit/protocol/texts/chinese-table";
import { type Coded, coded, codeOf, englishOf, type TextCode, withCodes } from "@mimikit/protocol/texts/coded";
import { TEXTS } from "@mimikit/protocol/texts/table";
import { expect, test } from "vitest";
import { englishIn } from "../support/english-in.ts";

const asIs = (at: string) => at;

const CODES = Object.keys(TEXTS) as TextCode[];

const namesIn = (template: string) => [...new Set([...template.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name))];

/** Values of parameters that cannot be any text: a sentence of ours, a word, a number. */
const VALUES: Record<string, string> = {
  ...{ problem: "must not be empty", lack: "an address: set A_VARIABLE", first: "missed", second: "not valid JSON" },
  ...{ unit: "items", field: "budget.day", id: "t-000001.0" },
  ...{ date: "2026-12-01", time: "09:00", weekday: "tue", moment: "2026-12-01T09:00:00.000Z", now: "2026-12-01" },
  ...{ host: "127.0.0.1:1", proxy: "127.0.0.1:3128", scheme: "socks5", scope: "day", period: "2026-12-01" },
};
const NUMBERS = ["count", "days", "depth", "line", "max", "min", "seconds", "status", "window"];
const sampleOf = (name: string) => VALUES[name] ?? (NUMBERS.includes(name) ? "7" : `a ${name}`);

/** A sentence of a code, with something in every place. */
function example(code: TextCode) {
  const params = Object.fromEntries(namesIn(TEXTS[code]).map((name) => [name, sampleOf(name)]));
  return (coded as (code: TextCode, params: Record<string, string>) => Coded)(code, params);
}

test.each(CODES)("%s is said in Chinese, with the same parameters", (code) => {
  const chinese = CHINESE_TEXTS[code];
  expect(namesIn(chinese).sort()).toEqual(namesIn(TEXTS[code]).sort());
  expect(englishIn(chinese)).toEqual([]);
  expect(chineseOf(example(code), asIs)).not.toMatch(/\{\w+\}/);
});

test.each(CODES.filter((code) => code !== "quoted"))("%s is known again by its English alone", (code) => {
  const said = example(code);
  expect(codeOf(englishOf(said))).toEqual(said);
});

test("words of somebody else have no code, however long they are", () => {
  expect(codeOf("the printer is on fire")).toBeUndefined();
  expect(codeOf(`${"a: ".repeat(400)}; missed`)).toBeUndefined();
});

test("several mistakes in one line are known one by one", () => {
  const line = "text: must not be empty; client.now: must be written as a moment like 2026-12-01T09:00:00Z";
  const said = codeOf(line);
  expect(said).toBeDefined();
  expect(said && englishOf(said)).toBe(line);
  expect(said && chineseOf(said, asIs)).toBe("text: 不能为空；client.now: 应写成 2026-12-01T09:00:00Z 这样的时刻");
});

test("an answer says which of its sentences have codes, by their places; the rest of it stays as it is", () => {
  const answer = { problems: ["it is odd", "the worker pool is not running: tasks wait"], title: "missed" };
  const sent = withCodes(answer);
  expect(sent).toEqual({ ...answer, coded: { "problems/1": { code: "workers_down", params: {} } } });
  expect(JSON.parse(JSON.stringify(sent), inChinese(asIs))).toMatchObject({
    problems: ["it is odd", "工作进程池没有运行：任务在等待"],
    title: "missed",
  });
  expect(withCodes({ problems: [] })).toEqual({ problems: [] });
});

test("a code that only a newer gateway knows leaves its English", () => {
  const coded = { message: { code: "of_tomorrow", params: {} }, "no/such/place": { code: "file_empty", params: {} } };
  const read = JSON.parse(JSON.stringify({ message: "tomorrow's words", coded }), inChinese(asIs));
  expect(read).toMatchObject({ message: "tomorrow's words" });
});
