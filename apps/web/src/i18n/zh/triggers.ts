/** The texts about triggers. */
import { numberText } from "../base/format.ts";
import type * as en from "../en/triggers.ts";

const COMBINATIONS: Record<string, string> = { and: "全部成立", or: "任一成立", not: "并非" };

const TRIGGER_STATES: Record<en.TriggerState, (moment: string) => string> = {
  over: () => "已结束",
  paused: () => "已暂停，只能手动运行",
  scheduled: (moment) => `下次触发：${moment}`,
  due: (moment) => `${moment} 已到时间`,
  exhausted: () => "时间表上没有下一次，不会再触发",
  resting: (moment) => `刚触发过，${moment} 之前不再触发`,
  holding: (moment) => `条件成立；如果一直成立到 ${moment}，就会触发`,
  firing: () => "条件成立，即将触发",
  disarmed: () => "条件要先变为不成立，才会再次触发",
  unmet: () => "条件还不成立",
  unseen: () => "条件所问的东西无法查看",
  asking: () => "等待模型回答",
};

export const triggerWords: typeof en.triggerWords = {
  noTriggers: "还没有安排。可以说：“每天 9 点运行 `npm test`”，或者“10 分钟后提醒我……”。",
  moreTriggers: (n) => `还有 ${numberText(n)} 个：“mimikit triggers” 会全部列出。`,
  cron: (pattern, zone) => `${pattern}（${zone}）`,
  once: (moment) => `一次，${moment}`,
  next: "下次：",
  paused: "已暂停",
  waitsForCondition: "等待条件满足",
  neverAgain: "不会再触发",
  why: "原因",
  whyOf: (title) => `原因：${title}`,
  pause: "暂停",
  pauseOf: (title) => `暂停 ${title}`,
  resume: "继续",
  resumeOf: (title) => `继续 ${title}`,
  clockWasAhead: "系统时钟曾偏快，因此仍在等待",
  beginAnew: "从现在起重新计时",
  beginAnewOf: (title) => `从现在起重新计时：${title}`,
  runNow: "立即运行",
  runNowOf: (title) => `立即运行 ${title}`,
  started: "已启动",
  delete: "删除",
  deleteOf: (title) => `删除 ${title}`,
  deleteQuestion: (title) => `删除触发器“${title}”？它不会再触发。`,
  upcoming: "接下来",
  lately: "最近",
  fired: "已触发",
  skipped: (count, reason) => `${count === null ? "多次" : `${count} 次`}跳过：${reason}`,
  holds: (holds) => (holds === null ? "未知" : holds ? "成立" : "不成立"),
  combination: (type) => COMBINATIONS[type] ?? type,
  explained: (state, _text, moment) => TRIGGER_STATES[state](moment),
};
