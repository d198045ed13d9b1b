/** The words of the bar of a demo. */
import type { DemoKill } from "@mimikit/protocol/wire/demo";
import { pauseText, timeText } from "../base/format.ts";

const ROLES: Record<DemoKill["role"], string> = {
  supervisor: "The supervisor",
  workers: "The worker pool",
  gateway: "The gateway",
};

const tasksOf = (n: number) => (n === 1 ? "1 task" : `${n} tasks`);

export const demoWords = {
  title: "Demo",
  text: "This is a demo. Everything in it is invented.",
  recorded: "This is a recording of a demo. Everything in it is invented, and it is read-only.",
  which: "Which process",
  role: (role: DemoKill["role"]) => ROLES[role],
  kill: "Kill it",
  waiting: "Waiting until it is back…",
  silent: "The demo no longer responds.",
  killed: ({ role, at, running }: DemoKill) =>
    `${ROLES[role]} was killed at ${timeText(at)} with ${tasksOf(running)} running.`,
  back: (ms: number) => `It is back after ${pauseText(ms)}.`,
  whole: "Nothing is lost:",
  lost: "Something is missing:",
  there: ({ goOn, tasks, messages }: NonNullable<DemoKill["after"]>, running: number) =>
    `${goOn} of ${running} running tasks continue; ${tasks.there} of ${tasks.before} tasks and ${messages.there} of ${messages.before} messages are there.`,
  givenUp: (n: number) => `${tasksOf(n)} given up: a task whose process dies three times is not retried.`,
  once: "Nothing was done twice.",
  broken: (sentences: readonly string[]) => `Promises are broken: ${sentences.join("; ")}`,
};
