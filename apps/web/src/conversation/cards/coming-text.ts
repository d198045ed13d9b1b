/** A moment to come as people say it: `tomorrow 09:00`, `Friday 18:30`, `March 3, 2027, 09:00`. In the zone of who reads. Pure. */

const DAY_MS = 86_400_000;
/** From there on the name of the weekday would be that of today, and mean another. */
const NAMED_DAYS = 7;

/** @param at ISO 8601. @param language of the words; the habit for times is the browser's. */
export function comingText(at: string, nowMs: number, language: string): string {
  const moment = new Date(at);
  const time = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" }).format(moment);
  const days = daysBetween(new Date(nowMs), moment);
  if (days === 0 || days === 1)
    return `${new Intl.RelativeTimeFormat(language, { numeric: "auto" }).format(days, "day")} ${time}`;
  const isNear = days > 1 && days < NAMED_DAYS;
  const day = new Intl.DateTimeFormat(
    language,
    isNear ? { weekday: "long" } : { year: "numeric", month: "long", day: "numeric" },
  ).format(moment);
  return isNear ? `${day} ${time}` : `${day}, ${time}`;
}

/** Midnights between two moments, as the calendar counts them: a day of 23 or 25 hours is one. */
function daysBetween(from: Date, to: Date): number {
  const dayOf = (date: Date) => Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / DAY_MS;
  return dayOf(to) - dayOf(from);
}
