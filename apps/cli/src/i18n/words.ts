/** Durations, and when triggers fire, in the language of the reader. */
import { durationText, momentText, whenText } from "@mimikit/core/schedule/trigger-words";
import type { Trigger } from "@mimikit/protocol/records/trigger";
import { conditionTold, speaksChinese, t } from "./language.ts";

/** Of `durationText`. */
export const UNITS = ["d", "h", "min", "s"] as const;

/** `1 min 30 s`. @param sec whole seconds. */
export function durationIn(sec: number): string {
  return durationText(sec).replace(new RegExp(`\\b(?:${UNITS.join("|")})\\b`, "g"), (unit) => t(unit));
}

/** When a trigger fires, in one line. @param timeZone of the moments that are shown. */
export function whenIn(trigger: Trigger, timeZone: string): string {
  if (!speaksChinese()) return whenText(trigger, timeZone);
  switch (trigger.type) {
    case "recurring": {
      const { schedule } = trigger;
      if ("interval" in schedule) return t("every {duration}", { duration: durationIn(schedule.interval) });
      return t("cron {cron} in {timezone}", schedule);
    }
    case "scheduled":
      return t("once, {moment}", { moment: momentText(Date.parse(trigger.runAt), timeZone) });
    case "conditional": {
      const condition = conditionTold(trigger.condition);
      if (trigger.stableSec === undefined) return t("when {condition}", { condition });
      return t("when {condition}, for {duration}", { condition, duration: durationIn(trigger.stableSec) });
    }
  }
}
