/** Orders of three chained commands, and a scripted model that plans and does each of them. */

import { commandOf, type Order } from "../../apps/cli/src/chaos/after-kills.ts";
import { CALLS_PER_ROUND_MAX } from "../../packages/agent/src/kernel/limits.ts";
import { call, section } from "../support/main-job.ts";
import type { ModelRequest, Script, Step } from "../support/model-server.ts";

export const STEPS = ["a", "b", "c"] as const;
export type StepName = (typeof STEPS)[number];

/** The marks of an order stand in its text, in its plan and in its commands. @param name letters and digits. */
export function orderOf(name: string): { text: string; marks: Order["marks"] } {
  const marks = STEPS.map((step) => `ran-${name}-${step}`);
  return { text: `order ${marks.join(" ")}`, marks };
}

const ORDER = /order (ran-\w+-a) (ran-\w+-b) (ran-\w+-c)/g;

export type Part = "turn" | "report" | "plan" | StepName;

/**
 * @param onRequest is told of each request before it is answered: what it is about, and the how manieth of its run it is.
 */
export function scriptOf(onRequest: (part: Part, nth: number, request: ModelRequest) => void): Script {
  const tell = (part: Part, request: ModelRequest) => onRequest(part, request.turn + 1, request);
  return {
    // A turn may hold messages and results: it is answered for both. A Teller that only reported would lose the order.
    teller: (request) => {
      const orders = [...section("inputs", request).matchAll(ORDER)].map(([text]) => text);
      tell(orders.length > 0 ? "turn" : "report", request);
      // Of the calls of one answer only so many are made, and those beyond are made again, as the kernel says.
      const made = request.results.length;
      const left = orders.slice(made, made + CALLS_PER_ROUND_MAX);
      if (left.length > 0) return { calls: left.map((prompt) => ({ name: "delegate", args: { prompt } })) };
      return { say: section("results", request) === "" ? "I am on it." : "It is done." };
    },
    planner: (request) => {
      tell("plan", request);
      const [, ...marks] = [...section("request", request).matchAll(ORDER)][0] ?? [];
      return nextStep(marks, request);
    },
    worker: (request) => {
      const [mark = "", , step] = /(ran-\w+)-([abc])/.exec(section("task", request)) ?? [];
      tell(step as StepName, request);
      // A command that was cut off has a result too, where an attempt goes on with the session of the one before: it is run again.
      const hasRun = request.results.some((result) => !result.startsWith("cut off"));
      return hasRun ? { say: `${mark} is done.` } : { calls: [{ shell: commandOf(mark) }] };
    },
  };
}

/** The chain, one task a request: each waits for the one before. */
function nextStep(marks: readonly string[], { results }: ModelRequest): Step {
  const mark = marks[results.length];
  if (mark === undefined) return { say: "" };
  const before = /\bt-[\d.]+\d/.exec(results.at(-1) ?? "")?.[0];
  const condition = before === undefined ? {} : { condition: { type: "task_done", params: { taskId: before } } };
  return call("delegate", { title: mark, prompt: `Do ${mark}`, ...condition });
}
