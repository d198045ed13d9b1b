/** Wall time in a time zone. The meaning of "tomorrow at 9" depends on the speaker's place. */
import type { ClientClock, Message } from "@mimikit/protocol/records/inbox";
import type { PersonZone } from "@mimikit/runtime/clock/person-zone";
import { systemTimeZone } from "@mimikit/runtime/clock/system-zone";

export interface Clock {
  nowMs: number;
  /** An IANA name, or an offset such as `+08:00`. */
  timeZone: string;
}

/** The part of a run's context that says what its clock shows. */
export interface ClockPlace {
  now: string;
  client?: ClientClock | undefined;
  zone?: PersonZone | undefined;
}

export interface WallTime {
  year: number;
  /** 1 to 12. */
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] as const;
/** Zones whose formats are kept: making one takes as long as using it a hundred times. */
const FORMATS_MAX = 100;
const offsetFormats = new Map<string, Intl.DateTimeFormat>();

/**
 * The basis of every relative time in `message`: its client's clock first, then the server's (SPEC F1). A message that
 * names no zone, as one of a channel does, has that of the owner; the owner's setting goes before both.
 */
export function clockOf(message: Pick<Message, "at" | "client">, owner?: PersonZone): Clock {
  const { client } = message;
  if (client === undefined) return { nowMs: Date.parse(message.at), timeZone: owner?.timeZone ?? systemTimeZone() };
  return { nowMs: Date.parse(client.now), timeZone: owner?.isSetting ? owner.timeZone : zoneOf(client) };
}

/** Times are shown as the user's clock shows them, so that they compare with "now". */
export function localTime(at: string, place: ClockPlace): string {
  return isoIn(Date.parse(at), clockAt(place).timeZone);
}

/** The clock by which times are meant and shown in a run. */
export function clockAt({ now, client, zone }: ClockPlace): Clock {
  return clockOf({ at: now, ...(client !== undefined && { client }) }, zone);
}

/** A client may name a zone that this machine does not know; the offset of its own time is still right. */
function zoneOf({ timeZone, now }: ClientClock): string {
  if (isTimeZone(timeZone)) return timeZone;
  return /[+-]\d{2}:\d{2}$/.exec(now)?.[0] ?? "UTC";
}

function isTimeZone(name: string): boolean {
  try {
    offsetFormatOf(name);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** The local time of `timeZone` at an instant. */
export function wallTimeOf(ms: number, timeZone: string): WallTime {
  const shifted = new Date(ms + offsetMs(ms, timeZone));
  return {
    year: shifted.getUTCFullYear(),
    month: shifted.getUTCMonth() + 1,
    day: shifted.getUTCDate(),
    hour: shifted.getUTCHours(),
    minute: shifted.getUTCMinutes(),
    second: shifted.getUTCSeconds(),
  };
}

/**
 * The instant at which the clocks of `timeZone` show `wall`; fields may overflow (day 32 is the next month's first). A
 * time that comes twice means the first; one that is skipped means as much later as the clocks are put forward.
 */
export function instantOf(wall: WallTime, timeZone: string): number {
  const asUtc = Date.UTC(wall.year, wall.month - 1, wall.day, wall.hour, wall.minute, wall.second);
  const before = offsetMs(asUtc - DAY_MS, timeZone);
  const after = offsetMs(asUtc + DAY_MS, timeZone);
  const exact = [before, after].map((offset) => asUtc - offset).find((ms) => ms + offsetMs(ms, timeZone) === asUtc);
  return exact ?? asUtc - before;
}

/** ISO 8601 with the offset that `timeZone` has then: `2026-11-22T10:10:00+08:00`. */
export function isoIn(ms: number, timeZone: string): string {
  const offset = offsetMs(ms, timeZone);
  const minutes = Math.abs(offset) / MINUTE_MS;
  const two = (n: number) => String(Math.floor(n)).padStart(2, "0");
  const sign = offset < 0 ? "-" : "+";
  return `${new Date(ms + offset).toISOString().slice(0, 19)}${sign}${two(minutes / 60)}:${two(minutes % 60)}`;
}

/** The day of the week in `timeZone`, in English. */
export function weekdayIn(ms: number, timeZone: string): string {
  return WEEKDAYS[new Date(ms + offsetMs(ms, timeZone)).getUTCDay()] ?? "";
}

/** How far the clocks of `timeZone` are ahead of UTC, in whole minutes as ISO 8601 can say it. */
function offsetMs(ms: number, timeZone: string): number {
  const name =
    offsetFormatOf(timeZone)
      .formatToParts(ms)
      .find((part) => part.type === "timeZoneName")?.value ?? "GMT";
  const [, sign, hours, minutes] = /([+-])(\d{2}):(\d{2})/.exec(name) ?? [];
  if (sign === undefined) return 0;
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
}

/** @throws RangeError for a zone that the runtime does not know. */
function offsetFormatOf(timeZone: string): Intl.DateTimeFormat {
  const kept = offsetFormats.get(timeZone);
  if (kept !== undefined) return kept;
  const format = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" });
  if (offsetFormats.size >= FORMATS_MAX) offsetFormats.delete(offsetFormats.keys().next().value ?? "");
  offsetFormats.set(timeZone, format);
  return format;
}
