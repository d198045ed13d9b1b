/** The texts about triggers. */

import type { TriggerExplanation } from "@mimikit/protocol/wire/api";
import { numberText } from "../base/format.ts";

export type TriggerState = TriggerExplanation["state"];

const TRIGGER_MOMENTS: Partial<Record<TriggerState, (moment: string) => string>> = {
  scheduled: (moment) => `fires next: ${moment}`,
  due: (moment) => `has been due since ${moment}`,
  resting: (moment) => `has fired, and is cooling down until ${moment}`,
  holding: (moment) => `its condition is true: fires at ${moment} if it stays true until then`,
};

const COMBINATIONS: Record<string, string> = { and: "all of", or: "any of", not: "not" };

export const triggerWords = {
  noTriggers:
    "Nothing is scheduled. Say for example “every day at 9 run `npm test`” or “remind me in 10 minutes to …”.",
  moreTriggers: (n: number) => `${numberText(n)} more: “mimikit triggers” lists them all.`,
  cron: (pattern: string, zone: string) => `${pattern} (${zone})`,
  once: (moment: string) => `once, ${moment}`,
  next: "next:",
  paused: "paused",
  waitsForCondition: "waiting for its condition",
  neverAgain: "will not fire again",
  why: "Why",
  whyOf: (title: string) => `Why ${title}`,
  pause: "Pause",
  pauseOf: (title: string) => `Pause ${title}`,
  resume: "Resume",
  resumeOf: (title: string) => `Resume ${title}`,
  clockWasAhead: "waiting, because the clock was ahead",
  beginAnew: "Count from now",
  beginAnewOf: (title: string) => `Count from now: ${title}`,
  runNow: "Run now",
  runNowOf: (title: string) => `Run now: ${title}`,
  started: "started",
  delete: "Delete",
  deleteOf: (title: string) => `Delete ${title}`,
  deleteQuestion: (title: string) => `Delete the trigger “${title}”? It will not fire again.`,
  upcoming: "Next times",
  lately: "Lately",
  fired: "fired",
  skipped: (count: number | null, reason: string) => `${count === null ? "many" : count} skipped: ${reason}`,
  holds: (holds: boolean | null): string => (holds === null ? "unknown" : holds ? "true" : "false"),
  combination: (type: string) => COMBINATIONS[type] ?? type,
  /** The state of a trigger, in the gateway's words where no moment is in them. @param moment when it may fire, or is due. */
  explained: (state: TriggerState, text: string, moment: string) => TRIGGER_MOMENTS[state]?.(moment) ?? text,
};
