/** The texts of the first page, in its language, and its formats of numbers and times. */
import { part } from "./base/language.ts";

/** The name of a role, in every language. */
export { capitalized as titleOf } from "@mimikit/protocol/base/capitalized";
export {
  bytesText,
  clockText,
  costText,
  dateText,
  dayText,
  durationText,
  momentText,
  numberText,
  pauseText,
  timeText,
  weekdayText,
} from "./base/format.ts";

export const { words } = await part({ en: () => import("./en/page.ts"), zh: () => import("./zh/page.ts") });

/** How often that is, in the largest unit of which it is a whole number. */
export function everyText(seconds: number): string {
  if (seconds % 86_400 === 0) return words.every(seconds / 86_400, "day");
  if (seconds % 3_600 === 0) return words.every(seconds / 3_600, "hour");
  return seconds % 60 === 0 ? words.every(seconds / 60, "minute") : words.every(seconds, "second");
}
