/** The words of the cards, in the language of the page; they are loaded with the first of them. */
import { say } from "./words.ts";

export const cardWords = {
  members: (title: string) => say(`Steps of ${title}`, `${title}的步骤`),
  share: (title: string) => say(`How far ${title} is`, `${title}的进度`),
  outcome: say("Result", "结果"),
  outcomeOf: (title: string) => say(`Result of ${title}`, `${title}的结果`),
  reported: say("Reported here", "这里汇报的任务"),
  scheduled: say("Scheduled", "已安排"),
  over: say("is over", "已结束"),
  noOutcome: say("It handed in nothing.", "没有交出任何内容。"),
};
