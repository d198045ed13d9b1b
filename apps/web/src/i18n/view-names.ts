/** The views over the conversation, in the order in which they are offered. Their names are their addresses. */
import { say } from "./words.ts";

/** Of each its title, and what it shows in a line. */
const TABLE = {
  search: [say("Search", "搜索"), say("everything that was ever said", "曾经说过的一切")],
  tasks: [
    say("Task board", "任务板"),
    say("plans, what waits for what, and how each task went", "计划、先后关系，以及每个任务的经过"),
  ],
  triggers: [
    say("Triggers", "触发器"),
    say("what starts by itself, and when it does next", "会自己开始的事情，以及下一次的时间"),
  ],
  backlog: [say("Backlog", "待办"), say("what is to be done some day", "以后要做的事")],
  memory: [say("Memory", "记忆"), say("what is remembered, and what is to be", "记住了什么，还要记住什么")],
  skills: [
    say("Skills", "技能"),
    say("what is done by the book, and what is wrong with the rest", "照章办理的事情，以及有问题的文件夹"),
  ],
  improvements: [
    say("Improvements", "自我改进"),
    say("what Mimikit has improved by itself, and why", "Mimikit 自己改进了什么，为什么"),
  ],
  changes: [
    say("Recent changes", "最近的更改"),
    say("what was changed lately, and how to take it back", "最近更改了什么，以及怎样撤销"),
  ],
  usage: [say("Usage", "用量"), say("tokens and cost by day, and what may be spent", "每天的 token 和费用，以及预算")],
  audit: [
    say("Audit log", "审计日志"),
    say("every action of the processes, one line each", "各个进程的每一个动作，一行一条"),
  ],
  settings: [
    say("Settings", "设置"),
    say("who answers, how to change it; language and colours", "谁来回答，怎样更改；语言和颜色"),
  ],
  keys: [say("Keyboard shortcuts", "键盘快捷键"), say("what the keyboard does", "键盘能做什么")],
} as const;
export type View = keyof typeof TABLE;
export const VIEWS = Object.keys(TABLE) as View[];

export function viewTitle(view: View): string {
  return TABLE[view][0];
}

export function viewHint(view: View): string {
  return TABLE[view][1];
}
