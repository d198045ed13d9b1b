/** The words of the cards, in the language of the page; they are loaded with the first of them. */
import { words } from "./words.ts";

const ENGLISH = {
  members: (title: string) => `Steps of ${title}`,
  share: (title: string) => `How far ${title} is`,
  outcome: "Result",
  outcomeOf: (title: string) => `Result of ${title}`,
  reported: "Reported here",
  scheduled: "Scheduled",
  over: "is over",
  noOutcome: "It handed in nothing.",
};

const CHINESE: typeof ENGLISH = {
  members: (title) => `${title}的步骤`,
  share: (title) => `${title}的进度`,
  outcome: "结果",
  outcomeOf: (title) => `${title}的结果`,
  reported: "这里汇报的任务",
  scheduled: "已安排",
  over: "已结束",
  noOutcome: "没有交出任何内容。",
};

export const cardWords = words.language === "zh" ? CHINESE : ENGLISH;
