/** How Chinese says patterns of time, and what stands around the conditions of a sentence. */
import type * as en from "../en/sentences.ts";

export const sentences: typeof en.sentences = {
  together: (days, times) => `${days}${times}`,
  everyDay: "每天",
  dayOfMonth: (day) => `每月 ${day} 日`,
  lastDay: "每月最后一天",
  span: (first, last) => `${first}到${last}`,
  listed: (names) => names.join("、"),
  everyMinutes: (step) => `每 ${step} 分钟`,
  hourlyAt: (minute) => `每小时的第 ${Number(minute)} 分`,
  everyHours: (step, minute) => `每 ${step} 小时（第 ${Number(minute)} 分）`,
  hourlyFrom: (from, to) => `${from} 到 ${to} 每小时`,
  atTimes: (times) => ` ${times.join("、")}`,

  all: "，并且",
  any: "，或者",
  inBrackets: (said) => `（${said}）`,
  not: (said) => `并非（${said}）`,
  workdays: "周一到周五",
  anyDay: "、",
};
