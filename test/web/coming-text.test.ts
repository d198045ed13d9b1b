import { describe, expect, test } from "vitest";
import { comingText } from "../../apps/web/src/conversation/cards/coming-text.ts";

/** A Sunday, in whatever zone the test runs. */
const NOW_MS = new Date(2026, 10, 22, 23, 30).getTime();
const at = (month: number, day: number, hour = 9) => new Date(2026, month, day, hour).toISOString();
const dayOf = (text: string) => text.replace(/,? \d{1,2}:\d{2}( [AP]M)?$/, "");

describe("a moment to come", () => {
  test.each([
    [at(10, 22, 23), "today", "今天"],
    [at(10, 23, 0), "tomorrow", "明天"],
    [at(10, 24), "Tuesday", "星期二"],
    [at(10, 28), "Saturday", "星期六"],
    [at(10, 29), "November 29, 2026", "2026年11月29日"],
    [at(10, 20), "November 20, 2026", "2026年11月20日"],
  ])("%s is %s, or %s", (moment, english, chinese) => {
    expect(dayOf(comingText(moment, NOW_MS, "en"))).toBe(english);
    expect(dayOf(comingText(moment, NOW_MS, "zh"))).toBe(chinese);
  });

  test("says the hour, too", () => {
    expect(comingText(at(10, 23), NOW_MS, "en")).toMatch(/^tomorrow 0?9:00( AM)?$/);
  });
});
