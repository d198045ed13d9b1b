/** The words of the cards, in the language of the page; they are loaded with the first of them. */
import type * as en from "../en/cards.ts";

export const cardWords: typeof en.cardWords = {
  members: (title: string) => `${title}的步骤`,
  share: (title: string) => `${title}的进度`,
  outcome: "结果",
  outcomeOf: (title: string) => `${title}的结果`,
  reported: "这里汇报的任务",
  scheduled: "已安排",
  over: "已结束",
  noOutcome: "没有交出任何内容。",
  failed: {
    error: "失败",
    timeout: "超过了允许的时间",
    killed: "被外部终止",
    interrupted: "中途被打断",
    poison: "它的进程一再崩溃",
    cancelled: "已取消",
    budget: "预算用完了",
    invalid_result: "没有可用的结果",
    provider: "模型没有回答",
    needs_approval: "在等待你的许可",
  },
  because: (reason, error) => `${reason}：${error}`,
};

export const usedWords: typeof en.usedWords = {
  used: (n) => `用到 ${n} 条记忆`,
  always: "每次都会提供",
  changed: "之后已修改或忘记",
  fromConversation: "来自对话",
  inConversation: "对话里说过",
  inFile: (file) => `在 ${file} 里查看`,
  gone: "已无法得知这条回复用到了什么。",
};
