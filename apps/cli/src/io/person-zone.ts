/** The time zone of whoever types here: they mean the same "at nine" as on the page and in their channels. */
import { personZone } from "@mimikit/runtime/clock/person-zone";
import { loadConfig } from "@mimikit/runtime/config/config";
import { currentPlace } from "./place.ts";

function find(): string {
  const { home } = currentPlace();
  return personZone(home, loadConfig(home, process.env).config).timeZone;
}

let known: string | undefined;

/** An IANA name, found once for a command. */
export function personZoneHere(): string {
  known ??= find();
  return known;
}
