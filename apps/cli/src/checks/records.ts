/** Do the records keep the promises of the protocol, and is the audit log whole? */

import { t, told } from "../i18n/language.ts";
import { withState } from "../instance/state.ts";
import { plainLine } from "../io/print.ts";
import { type DoctorCheck, type DoctorInput, fail, ok } from "./check.ts";
import { findViolations } from "./find-violations.ts";

const NAMED_MAX = 5;

export async function checkRecords({ exists, home, workDir }: DoctorInput): Promise<DoctorCheck[]> {
  if (!exists) return [];
  const { turns, results, violations } = await findViolations((look) => withState(look, { home, workDir }));
  if (violations.length === 0)
    return [
      ok(
        t(
          "{turns} turns and {results} tasks are consistent; the audit log is intact (mimikit audit verify says what that proves)",
          { turns, results },
        ),
      ),
    ];
  const next = t("keep a copy of the state directory (mimikit backup), and restore an earlier one if work is missing");
  const named = violations.slice(0, NAMED_MAX).map((violation) => fail(plainLine(told(violation)), next));
  const more = violations.length - named.length;
  return more === 0 ? named : [...named, fail(t("and {more} more", { more }), next)];
}
