import { clockOf, instantOf, isoIn } from "@mimikit/agent/prompt/clock";
import { Cron } from "croner";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseMessage } from "../../../packages/agent/src/providers/offline/parse.ts";
import { parseWhen, withHalves } from "../../../packages/agent/src/providers/offline/when.ts";
import { WORDS } from "../../../packages/agent/src/providers/offline/words.ts";

/** Sunday 22 November 2026, 10:00 in Shanghai. */
const clock = { nowMs: Date.parse("2026-11-22T02:00:00Z"), timeZone: "Asia/Shanghai" };
const at = (runAt: string) => ({ kind: "scheduled", runAt, timeZone: "Asia/Shanghai" });
const cron = (fields: string) => ({ kind: "recurring", cron: fields, timeZone: "Asia/Shanghai" });
const every = (intervalSec: number) => ({ kind: "recurring", intervalSec });
const change = (path: string) => ({ kind: "conditional", path, becomes: "changed" });
const appears = (path: string) => ({ kind: "conditional", path, becomes: "there" });
const remind = (text: string) => ({ type: "remind", text });
const run = (...steps: string[][]) => ({ type: "run", steps });

test.each([
  ["in 10 minutes remind me to drink water", at("2026-11-22T10:10:00+08:00"), remind("drink water")],
  ["remind me in 10 minutes to drink water", at("2026-11-22T10:10:00+08:00"), remind("drink water")],
  ["remind me to call Bob tomorrow at 9", at("2026-11-23T09:00:00+08:00"), remind("call Bob")],
  ["tomorrow at 9am, remind me to call Bob", at("2026-11-23T09:00:00+08:00"), remind("call Bob")],
  ["in 1 hour and 30 minutes remind me to go", at("2026-11-22T11:30:00+08:00"), remind("go")],
  ["in half an hour remind me to go", at("2026-11-22T10:30:00+08:00"), remind("go")],
  ["in an hour and a half remind me to go", at("2026-11-22T11:30:00+08:00"), remind("go")],
  ["in 2 hrs remind me to go", at("2026-11-22T12:00:00+08:00"), remind("go")],
  ["in 1h30m remind me to go", at("2026-11-22T11:30:00+08:00"), remind("go")],
  ["in a couple of minutes remind me to go", at("2026-11-22T10:02:00+08:00"), remind("go")],
  ["remind me on December 24 at 18:00 of the presents", at("2026-12-24T18:00:00+08:00"), remind("the presents")],
  ["every 5m run `ls`", every(300), run(["ls"])],
  ["on friday at noon run `a` then `b`", at("2026-11-27T12:00:00+08:00"), run(["a"], ["b"])],
  ["run `ls` at 5pm", at("2026-11-22T17:00:00+08:00"), run(["ls"])],
  ["run `ls` tomorrow", at("2026-11-23T09:00:00+08:00"), run(["ls"])],
  ["2026-12-01 09:00 remind me to pay", at("2026-12-01T09:00:00+08:00"), remind("pay")],
  ["at 9am UTC remind me to stand up", at("2026-11-22T17:00:00+08:00"), remind("stand up")],
  ["every day at 9 run `npm test`", cron("0 0 9 * * *"), run(["npm test"])],
  ["run `npm test` every day at 9", cron("0 0 9 * * *"), run(["npm test"])],
  ["first run `a`, then run `b`, every day at 9", cron("0 0 9 * * *"), run(["a"], ["b"])],
  ["every day at 9: first run `a`, then `b`", cron("0 0 9 * * *"), run(["a"], ["b"])],
  ["every day at 9 first run `a`, then `b`", cron("0 0 9 * * *"), run(["a"], ["b"])],
  ["每天9点先运行 `a`，再运行 `b`", cron("0 0 9 * * *"), run(["a"], ["b"])],
  ["每天9点：先运行 `a`，然后运行 `b`", cron("0 0 9 * * *"), run(["a"], ["b"])],
  ["every weekday at 9:15 run `ls`", cron("0 15 9 * * 1-5"), run(["ls"])],
  ["every monday and friday at 18:30 remind me to report", cron("0 30 18 * * 1,5"), remind("report")],
  ["every evening at 8 remind me to stretch", cron("0 0 20 * * *"), remind("stretch")],
  ["monthly on the 1st at 9 run `ls`", cron("0 0 9 1 * *"), run(["ls"])],
  ["on the last day of every month at 18:00 run `ls`", cron("0 0 18 L * *"), run(["ls"])],
  ["on the last day of the month remind me to pay", cron("0 0 9 L * *"), remind("pay")],
  ["remind me at noon on the last day of each month to pay", cron("0 0 12 L * *"), remind("pay")],
  ["monthly on the last day at 9 run `ls`", cron("0 0 9 L * *"), run(["ls"])],
  ["每月最后一天提醒我交房租", cron("0 0 9 L * *"), remind("交房租")],
  ["每个月月底下午5点运行 `ls`", cron("0 0 17 L * *"), run(["ls"])],
  ["every 2 weeks remind me to report", every(1_209_600), remind("report")],
  ["every day at 5pm run `ls`", cron("0 0 17 * * *"), run(["ls"])],
  ["every day at 05:00 run `ls`", cron("0 0 5 * * *"), run(["ls"])],
  ["every evening at 6 run `ls`", cron("0 0 18 * * *"), run(["ls"])],
  ["tomorrow at 5 in the morning run `ls`", at("2026-11-23T05:00:00+08:00"), run(["ls"])],
  ["remind me to stretch, every day at 9", cron("0 0 9 * * *"), remind("stretch")],
  ["when done.txt exists run `cat done.txt`", appears("done.txt"), run(["cat done.txt"])],
  ["as soon as build/done appears, remind me to look", appears("build/done"), remind("look")],
  ["当 a.txt 存在时运行 `ls`", appears("a.txt"), run(["ls"])],
  ["一旦 build/done 出现就提醒我看一下", appears("build/done"), remind("看一下")],
  ["every 10 minutes run `ls`", every(600), run(["ls"])],
  ["every hour run `ls`", every(3_600), run(["ls"])],
  ["when src/a.ts changes run `npm test`", change("src/a.ts"), run(["npm test"])],
  ["run `npm test` when src/**/*.ts is saved", change("src/**/*.ts"), run(["npm test"])],
  ["10分钟后提醒我喝水", at("2026-11-22T10:10:00+08:00"), remind("喝水")],
  ["半小时后提醒我关火", at("2026-11-22T10:30:00+08:00"), remind("关火")],
  ["一个半小时后提醒我走", at("2026-11-22T11:30:00+08:00"), remind("走")],
  ["1小时30分钟后提醒我走", at("2026-11-22T11:30:00+08:00"), remind("走")],
  ["3天后提醒我交报告", at("2026-11-25T10:00:00+08:00"), remind("交报告")],
  ["明天早上9点提醒我开会", at("2026-11-23T09:00:00+08:00"), remind("开会")],
  ["提醒我明天下午3点半开会", at("2026-11-23T15:30:00+08:00"), remind("开会")],
  // A Chinese week begins on Monday: on a Sunday the next one begins tomorrow.
  ["下周一9点运行 `ls`", at("2026-11-23T09:00:00+08:00"), run(["ls"])],
  ["下周日提醒我洗车", at("2026-11-29T09:00:00+08:00"), remind("洗车")],
  ["下下周三下午三点一刻提醒我开会", at("2026-12-02T15:15:00+08:00"), remind("开会")],
  ["本周日晚上提醒我休息", at("2026-11-22T22:00:00+08:00"), remind("休息")],
  ["下个月1号提醒我交房租", at("2026-12-01T09:00:00+08:00"), remind("交房租")],
  ["这个月25号中午提醒我吃饭", at("2026-11-25T12:00:00+08:00"), remind("吃饭")],
  ["过两个小时提醒我收衣服", at("2026-11-22T12:00:00+08:00"), remind("收衣服")],
  ["每天中午提醒我吃饭", cron("0 0 12 * * *"), remind("吃饭")],
  ["每天早上提醒我吃药", cron("0 0 9 * * *"), remind("吃药")],
  ["每天早晨7点提醒我跑步", cron("0 0 7 * * *"), remind("跑步")],
  ["每周五傍晚6点提醒我下班", cron("0 0 18 * * 5"), remind("下班")],
  ["每天9点运行 `npm test`", cron("0 0 9 * * *"), run(["npm test"])],
  ["每晚8点半提醒我吃药", cron("0 30 20 * * *"), remind("吃药")],
  ["每周一、三9点运行 `ls`", cron("0 0 9 * * 1,3"), run(["ls"])],
  ["每个工作日早上9点运行 `ls`", cron("0 0 9 * * 1-5"), run(["ls"])],
  ["每月1号9点运行 `ls`", cron("0 0 9 1 * *"), run(["ls"])],
  ["每隔2小时运行 `ls`", every(7_200), run(["ls"])],
  ["每10分钟提醒我喝水", every(600), remind("喝水")],
  ["当 src/a.ts 变化时运行 `npm test`", change("src/a.ts"), run(["npm test"])],
  ["src/a.ts变了就运行 `npm test`", change("src/a.ts"), run(["npm test"])],
])("%s", (text, when, action) => {
  expect(parseMessage(text, clock)).toMatchObject([{ kind: "schedule", schedule: { when, action } }]);
});

test.each([
  ["yesterday at 5 remind me to call", "past"],
  ["昨天9点提醒我开会", "past"],
  ["本周三提醒我开会", "past"],
  ["这个月1号提醒我开会", "past"],
  ["now remind me to call", "past"],
  ["提醒我下个月32号开会", "no_time"],
  ["every 5 seconds run `ls`", "too_often"],
  ["每5秒运行 `ls`", "too_often"],
  ["in 99999999999 days remind me to go", "too_far"],
  ["remind me to breathe", "no_time"],
  ["提醒我喝水", "no_time"],
  ["Tomorrow I plan to run `x`", "bad_time"],
  ["every last friday of the month run `ls`", "bad_time"],
  ["every last friday of the month remind me to report", "bad_time"],
  ["every other friday run `ls`", "every_other"],
  ["every second friday at 9 remind me to report", "every_other"],
  ["remind me every other week to report", "every_other"],
  ["每隔一周的周五提醒我写周报", "every_other"],
  ["remind me to call mum at 5", "half_day"],
  ["today at 5 remind me to call mum", "half_day"],
  ["run `ls` at 4:30", "half_day"],
  ["every friday at 6 remind me to go", "half_day"],
  ["明天5点提醒我打电话", "half_day"],
  ["每天三点运行 `ls`", "half_day"],
  ["每月32号9点运行 `ls`", "bad_time"],
])("%s cannot be kept and says why", (text, problem) => {
  expect(parseMessage(text, clock)).toEqual([{ kind: "unclear", problem, text }]);
});

test("the examples in an answer to a time that is not understood are understood", () => {
  for (const { unclear } of Object.values(WORDS))
    for (const problem of ["bad_time", "every_other", "no_command"] as const) {
      const [, typed = ""] = /```text\n([\s\S]*)\n```/.exec(unclear[problem]) ?? [];
      const intents = parseMessage(typed, clock);
      expect([problem, ...intents.map(({ kind }) => kind)]).toEqual([
        problem,
        ...typed.split("\n").map(() => "schedule"),
      ]);
    }
});

test.each([
  ["remind me to call mum at 5", "2026-11-23T05:00:00+08:00", "2026-11-22T17:00:00+08:00"],
  ["run `ls` at 4:30", "2026-11-23T04:30:00+08:00", "2026-11-22T16:30:00+08:00"],
  ["明天5点提醒我打电话", "2026-11-23T05:00:00+08:00", "2026-11-23T17:00:00+08:00"],
])("%s is understood with either half of the day", (text, ...moments) => {
  const read = withHalves(text).map((each) => parseMessage(each, clock));
  expect(read).toMatchObject(moments.map((moment) => [{ kind: "schedule", schedule: { when: at(moment) } }]));
});

test.each(["every other thing that I said is wrong", "in my dreams the stars remind me of home"])(
  "%s orders nothing",
  (text) => {
    expect(parseMessage(text, clock)).toMatchObject([{ kind: "other" }]);
  },
);

test("the words of a time are said again without the commas around them", () => {
  expect(parseMessage("remind me, every day at 9, to stretch", clock)).toMatchObject([
    { schedule: { said: "every day at 9", action: remind("stretch") } },
  ]);
});

test("what is understood as a rhythm is a rhythm to the scheduler", () => {
  for (const phrase of [
    "每月最后一天9点",
    "every day at 9",
    "每周一、三9点",
    "monthly on the 31st at 23:59",
    "every weekend at noon",
  ]) {
    const when = parseWhen(phrase, clock);
    const pattern = when?.kind === "recurring" && "cron" in when ? when.cron : "";
    expect(new Cron(pattern, { timezone: "Asia/Shanghai" }).nextRun(new Date(clock.nowMs))).not.toBeNull();
  }
});

describe("whose clock counts", () => {
  test("the client's zone and time come first", () => {
    const client = { timeZone: "America/New_York", now: "2026-11-21T21:00:00-05:00" };
    const [intent] = parseMessage(
      "remind me at 22:00 to sleep",
      clockOf({ at: "2026-11-22T02:00:05Z", client }, { timeZone: "UTC", isSetting: false }),
    );
    expect(intent).toMatchObject({
      schedule: { when: { runAt: "2026-11-21T22:00:00-05:00", timeZone: "America/New_York" } },
    });
  });

  test("a zone that nobody knows gives way to the offset of the client's own time", () => {
    const client = { timeZone: "Mars/Olympus", now: "2026-11-22T07:30:00+05:30" };
    expect(clockOf({ at: "2026-11-22T02:00:00Z", client }, { timeZone: "UTC", isSetting: false }).timeZone).toBe(
      "+05:30",
    );
  });

  test("without a client's clock the server's zone and the time of the message count", () => {
    expect(clockOf({ at: "2026-11-22T02:00:00Z" }, { timeZone: "Asia/Tokyo", isSetting: false })).toEqual({
      nowMs: Date.parse("2026-11-22T02:00:00Z"),
      timeZone: "Asia/Tokyo",
    });
  });
});

describe("clocks that are put forward and back", () => {
  const zone = "Europe/Berlin";
  const wall = (month: number, day: number, hour: number, minute: number) => ({
    year: 2026,
    month,
    day,
    hour,
    minute,
    second: 0,
  });

  test("a time that is skipped is as much later", () => {
    expect(isoIn(instantOf(wall(3, 29, 2, 30), zone), zone)).toBe("2026-03-29T03:30:00+02:00");
  });

  test("a time that comes twice is the first", () => {
    expect(isoIn(instantOf(wall(10, 25, 2, 30), zone), zone)).toBe("2026-10-25T02:30:00+02:00");
  });

  test("in three days it is the same time of day, also when the clocks were changed", () => {
    const friday = { nowMs: Date.parse("2026-10-23T08:00:00+02:00"), timeZone: zone };
    expect(parseWhen("in 3 days", friday)).toMatchObject({ runAt: "2026-10-26T08:00:00+01:00" });
  });
});

test("whatever the phrase, it never throws, and a moment that is understood lies ahead", () => {
  const part = fc.constantFrom(
    "in",
    "every",
    "每",
    "后",
    "天",
    "周一",
    "9",
    "点",
    "at",
    "tomorrow",
    "10",
    "minutes",
    "半",
    "小时",
    "and",
    "monday",
    "on the",
    "1st",
    "当",
    "a.ts",
    "变化时",
    "99999999999",
    "UTC",
    "noon",
    ",",
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), fc.constantFrom(" ", ""), (parts, space) => {
      const when = parseWhen(parts.join(space), clock);
      if (when?.kind === "scheduled") expect(Date.parse(when.runAt)).toBeGreaterThan(clock.nowMs);
    }),
    { numRuns: 1_000 },
  );
});
