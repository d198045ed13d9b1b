/** How this page says times, durations, numbers, sizes and costs. */
import { formatsOf } from "./formats.ts";
import { language } from "./language.ts";

export const {
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
} = formatsOf(language, navigator.language);
