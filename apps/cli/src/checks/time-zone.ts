/** Checks which time zone is used, and that TZ is valid here and in the running processes. */
import { personZone } from "@mimikit/runtime/clock/person-zone";
import { givenTimeZone, isUnusable, zoneNamed } from "@mimikit/runtime/clock/system-zone";
import { t } from "../i18n/language.ts";
import { plainLine } from "../io/print.ts";
import { runningEnvironment } from "../processes/instance.ts";
import { type DoctorCheck, type DoctorInput, ok, warn } from "./check.ts";

export async function checkTimeZone({ home, config }: DoctorInput): Promise<DoctorCheck[]> {
  const running = await runningEnvironment(home);
  const given = new Set([givenTimeZone(), running?.TZ].filter(isUnusable));
  const next = t("set TZ to a name like Europe/Berlin, or:  mimikit config set timezone Europe/Berlin");
  return [
    ok(t("times are those of {zone}", { zone: personZone(home, config).timeZone })),
    ...[...given].map((tz) =>
      warn(
        t("TZ is {tz}, which is no name of a time zone; this machine's zone is taken as {zone}", {
          tz: plainLine(JSON.stringify(tz)),
          zone: zoneNamed(tz),
        }),
        next,
      ),
    ),
  ];
}
