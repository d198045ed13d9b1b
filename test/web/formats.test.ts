/** Times, durations, numbers and sizes are said in one way for each language. */
import { describe, expect, test } from "vitest";
import { formatsOf } from "../../apps/web/src/i18n/base/formats.ts";

const english = formatsOf("en", "en-US");
const british = formatsOf("en", "en-GB");
const chinese = formatsOf("zh", "zh-CN");
/** A Sunday, in whatever zone the test runs. */
const NOW_MS = new Date(2026, 10, 22, 23, 30).getTime();
const at = (year: number, month: number, day: number, hour = 9) => new Date(year, month, day, hour).toISOString();
const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, " ");

describe("a moment", () => {
  test.each([
    [at(2026, 10, 22), "09:00 AM", "09:00"],
    [at(2026, 10, 23, 0), "tomorrow 12:00 AM", "明天 00:00"],
    [at(2026, 10, 21, 21), "yesterday 09:00 PM", "昨天 21:00"],
    [at(2026, 10, 24), "Tuesday 09:00 AM", "星期二 09:00"],
    [at(2026, 10, 28), "Saturday 09:00 AM", "星期六 09:00"],
    [at(2026, 10, 29), "Nov 29, 09:00 AM", "11月29日 09:00"],
    [at(2026, 10, 20), "Nov 20, 09:00 AM", "11月20日 09:00"],
    [at(2025, 10, 20), "Nov 20, 2025, 09:00 AM", "2025年11月20日 09:00"],
  ])("%s is %s, or %s", (moment, inEnglish, inChinese) => {
    expect(plain(english.momentText(moment, NOW_MS))).toBe(inEnglish);
    expect(plain(chinese.momentText(moment, NOW_MS))).toBe(inChinese);
  });

  test("follows the habit of the browser where it speaks the language of the page, and has 24 hours in Chinese", () => {
    const evening = at(2026, 10, 22, 21);
    expect(british.timeText(evening)).toBe("21:00");
    expect(british.clockText(21, 5)).toBe("21:05");
    expect(formatsOf("en", "de-DE").timeText(evening)).toMatch(/^09:00\sPM$/);
    expect(chinese.clockText(21, 5)).toBe("21:05");
  });
});

test("a day of the calendar is that day in every zone, and has its year where that is not this year", () => {
  expect(english.dateText("2026-11-20", NOW_MS)).toBe("Nov 20");
  expect(english.dateText("2025-11-20", NOW_MS)).toBe("Nov 20, 2025");
  expect(chinese.dateText("2026-11-20", NOW_MS)).toBe("11月20日");
  expect(english.dayText(at(2026, 10, 22), NOW_MS)).toBe("Today");
  expect(chinese.dayText(at(2026, 10, 21), NOW_MS)).toBe("昨天");
  expect(english.dayText(at(2026, 10, 20), NOW_MS)).toBe("Friday, Nov 20");
  expect(chinese.dayText(at(2026, 10, 20), NOW_MS)).toBe("11月20日星期五");
});

test("durations, sizes, counts and costs have the units and the grouping of the language", () => {
  const MINUTE_MS = 60_000;
  expect([8_000, MINUTE_MS + 5_000, 123 * MINUTE_MS, -1].map(english.durationText)).toEqual([
    "8s",
    "1m 05s",
    "2h 03m",
    "0s",
  ]);
  expect([8_000, MINUTE_MS + 5_000].map(chinese.durationText)).toEqual(["8秒", "1分钟 05秒"]);
  expect([40, 1_234].map(english.pauseText)).toEqual(["40ms", "1.2s"]);
  expect([12, 3_500, 12_345_678].map(english.bytesText)).toEqual(["12 B", "3.4 KB", "12 MB"]);
  expect([english, chinese].map(({ numberText }) => numberText(1_234_567))).toEqual(["1,234,567", "1,234,567"]);
  expect(english.costText(0.0213)).toBe("$0.0213");
});
