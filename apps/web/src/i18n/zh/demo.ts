/** The words of the bar of a demo. */
import type { DemoKill } from "@mimikit/protocol/wire/demo";
import { pauseText, timeText } from "../base/format.ts";
import type * as en from "../en/demo.ts";

const ROLES: Record<DemoKill["role"], string> = {
  supervisor: "主管进程",
  workers: "工作进程池",
  gateway: "网关",
};

export const demoWords: typeof en.demoWords = {
  title: "演示",
  text: "这是演示，其中一切均为虚构。",
  recorded: "这是一段演示的录制内容，其中一切均为虚构，且无法操作。",
  which: "哪个进程",
  role: (role) => ROLES[role],
  kill: "终止它",
  waiting: "正在等待它恢复……",
  silent: "演示已不再响应。",
  killed: ({ role, at, running }) => `${ROLES[role]}于 ${timeText(at)} 被终止，当时有 ${running} 个任务在运行。`,
  back: (ms) => `${pauseText(ms)} 后恢复。`,
  whole: "没有丢失任何内容：",
  lost: "有内容缺失：",
  there: ({ goOn, tasks, messages }, running) =>
    `运行中的 ${running} 个任务有 ${goOn} 个继续；${tasks.before} 个任务中有 ${tasks.there} 个、${messages.before} 条消息中有 ${messages.there} 条仍在。`,
  givenUp: (n) => `放弃了 ${n} 个任务：所在进程三次中断的任务不再重试。`,
  once: "没有任何事情做了两次。",
  broken: (sentences) => `未守住的承诺：${sentences.join("；")}`,
};
