/** The views over the conversation, in the order in which they are offered. Their names are their addresses. */
import { words } from "./words.ts";

/** Of each its title and what it shows, in the two languages. */
const TABLE = {
  search: {
    en: ["Search", "everything that was ever said"],
    zh: ["搜索", "曾经说过的一切"],
  },
  tasks: {
    en: ["Task board", "plans, what waits for what, and how each task went"],
    zh: ["任务板", "计划、先后关系，以及每个任务的经过"],
  },
  triggers: {
    en: ["Triggers", "what starts by itself, and when it does next"],
    zh: ["触发器", "会自己开始的事情，以及下一次的时间"],
  },
  backlog: {
    en: ["Backlog", "what is to be done some day"],
    zh: ["待办", "以后要做的事"],
  },
  memory: {
    en: ["Memory", "what is remembered, and what is to be"],
    zh: ["记忆", "记住了什么，还要记住什么"],
  },
  skills: {
    en: ["Skills", "what is done by the book, and what is wrong with the rest"],
    zh: ["技能", "照章办理的事情，以及有问题的文件夹"],
  },
  improvements: {
    en: ["Improvements", "what Mimikit has improved by itself, and why"],
    zh: ["自我改进", "Mimikit 自己改进了什么，为什么"],
  },
  changes: {
    en: ["Recent changes", "what was changed lately, and how to take it back"],
    zh: ["最近的更改", "最近更改了什么，以及怎样撤销"],
  },
  usage: {
    en: ["Usage", "tokens and cost by day, and what may be spent"],
    zh: ["用量", "每天的 token 和费用，以及预算"],
  },
  audit: {
    en: ["Audit log", "every action of the processes, one line each"],
    zh: ["审计日志", "各个进程的每一个动作，一行一条"],
  },
  settings: {
    en: ["Settings", "who answers, how to change it; language and colours"],
    zh: ["设置", "谁来回答，怎样更改；语言和颜色"],
  },
  keys: {
    en: ["Keyboard shortcuts", "what the keyboard does"],
    zh: ["键盘快捷键", "键盘能做什么"],
  },
} as const;
export type View = keyof typeof TABLE;
export const VIEWS = Object.keys(TABLE) as View[];

const language = words.language === "zh" ? "zh" : "en";

export function viewTitle(view: View): string {
  return TABLE[view][language][0];
}

/** What a view shows, in a line. */
export function viewHint(view: View): string {
  return TABLE[view][language][1];
}
