/**
 * The time zone of this machine, under a name that every part of the program knows. `TZ` may hold what only the C library
 * understands (`:/etc/localtime`, `UTC0`, a path), for which the runtime has no name at all.
 */
import { readFileSync, realpathSync } from "node:fs";
import { isTimeZone } from "@mimikit/protocol/triggers/condition";

const LOCALTIME = "/etc/localtime";
const ZONE_FILE = "/etc/timezone";
const DATABASE = "/zoneinfo";
const UTC = "UTC";
/** A zone of POSIX without summer time: a name, and the hours to the west of Greenwich. */
const FIXED = /^(?:<[^<>]{1,32}>|[A-Za-z]{3,32})([+-]?)(\d{1,2})(?::?00)?$/;

let given: string | undefined;

/**
 * Gives this process, and every process that it starts, a zone with a name. Called before anything asks for the time.
 * @param env its variables; `TZ` is changed where it names no zone.
 */
export function settleTimeZone(env: NodeJS.ProcessEnv): void {
  if (!isUnusable(env.TZ) && isTimeZone(runtimeZone())) return;
  given = env.TZ;
  env.TZ = zoneNamed(env.TZ);
}

/** The name of the zone of this process. */
export function systemTimeZone(): string {
  const { TZ } = process.env;
  const zone = isUnusable(TZ) ? "" : runtimeZone();
  return isTimeZone(zone) ? zone : zoneNamed(TZ);
}

/** `TZ` as this process was given it, before `settleTimeZone` replaced it. */
export function givenTimeZone(): string | undefined {
  return given ?? process.env.TZ;
}

/** Does this value of `TZ` name no zone? Without one, the zone is that of the system. */
export function isUnusable(tz: string | undefined): tz is string {
  return tz !== undefined && !isTimeZone(tz);
}

/** The zone that a value of `TZ` means, and otherwise that of the system; UTC where neither has a name. */
export function zoneNamed(tz: string | undefined): string {
  if (tz === "") return UTC;
  const said = tz?.replace(/^:/, "") ?? "";
  const named = said.startsWith("/") ? zoneOfFile(said) : withoutVariant(said);
  return [named, fixedZone(said), zoneOfFile(LOCALTIME), zoneInFile()].find(isKnown) ?? UTC;
}

/** The runtime has no name for some zones, whatever its types say, and calls others unknown. */
function runtimeZone(): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions() as { timeZone?: string };
  return timeZone ?? "";
}

const isKnown = (name: string) => name !== "" && isTimeZone(name);

/** `UTC+8` of POSIX is to the west of Greenwich, as `Etc/GMT+8` is. */
function fixedZone(posix: string): string {
  const [, sign, hours] = FIXED.exec(posix) ?? [];
  if (hours === undefined) return "";
  return Number(hours) === 0 ? UTC : `Etc/GMT${sign === "-" ? "-" : "+"}${Number(hours)}`;
}

/** The zone that a file of the system's database is for. */
function zoneOfFile(path: string): string {
  const target = orNone(() => realpathSync(path)) ?? path;
  const [, zone] = target.split(`${DATABASE}/`);
  return withoutVariant(zone ?? "");
}

/** The database has each zone three times: also as POSIX counts seconds, and with leap seconds. */
const withoutVariant = (zone: string) => zone.replace(/^(?:posix|right)\//, "");

function zoneInFile(): string {
  return orNone(() => readFileSync(ZONE_FILE, "utf8").trim()) ?? "";
}

/** A system need not have these files, nor show them: then the next place is asked. */
function orNone<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error && "code" in error) return undefined;
    throw error;
  }
}
