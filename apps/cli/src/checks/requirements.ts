/** Which programs of the system are there, of those that something needs? */

import { findRequired, installHint, REQUIREMENTS } from "@mimikit/runtime/requirements";
import { t, told } from "../i18n/language.ts";
import { type DoctorCheck, type DoctorInput, ok, warn } from "./check.ts";

export function checkRequirements({ config }: DoctorInput): DoctorCheck[] {
  return REQUIREMENTS.map((each) => {
    const path = findRequired(each, process.env);
    if (path !== null) return ok(t("{name} is at {path}", { name: each.name, path }));
    if (each.isWanted(config))
      return warn(t("{name} is missing: {loss}", { name: each.name, loss: told(each.without) }), installHint(each));
    return ok(
      t("{name} is not installed; it is only needed by {neededBy}", { name: each.name, neededBy: each.neededBy }),
    );
  });
}
