/** The words of notifications that are ours, in the language of the device. */
import type { PushLanguage } from "@mimikit/protocol/wire/push";

export interface PushWords {
  name: string;
  asks: string;
  done(title: string): string;
  failed(title: string): string;
  cancelled(title: string): string;
  ended(done: number, all: number): string;
  /** A button was pressed, and the question was closed before. */
  closed: string;
  /** A button was pressed, and the answer could not be delivered. */
  unsent: string;
  test: string;
}

export const PUSH_WORDS: Readonly<Record<PushLanguage, PushWords>> = {
  en: {
    name: "Mimikit",
    asks: "Mimikit asks",
    done: (title) => `Done: ${title}`,
    failed: (title) => `Failed: ${title}`,
    cancelled: (title) => `Cancelled: ${title}`,
    ended: (done, all) => (done === all ? `${all} tasks are done` : `${done} of ${all} tasks are done`),
    closed: "This question is already closed. Your answer was not needed.",
    unsent: "Your answer was not sent. Try again, or open the page.",
    test: "Notifications reach this device.",
  },
  zh: {
    name: "Mimikit",
    asks: "Mimikit 有一个问题",
    done: (title) => `已完成：${title}`,
    failed: (title) => `失败：${title}`,
    cancelled: (title) => `已取消：${title}`,
    ended: (done, all) => (done === all ? `${all} 个任务已全部完成` : `${all} 个任务中完成了 ${done} 个`),
    closed: "这个问题已经关闭，不再需要回答。",
    unsent: "回答没有发送成功。请再试一次，或打开页面。",
    test: "这台设备能收到通知。",
  },
};
