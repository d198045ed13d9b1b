/** Which programs of the system are there, of those that something needs? */
import { findRequired, installHint, REQUIREMENTS } from "@mimikit/runtime/requirements";
import { type Check, ok, type Patient, warn } from "./check.ts";

export function checkRequirements({ config }: Patient): Check[] {
  return REQUIREMENTS.map((each) => {
    const path = findRequired(each, process.env);
    if (path !== null) return ok(`${each.name} is at ${path}`);
    if (each.isWanted(config)) return warn(`${each.name} is missing: ${each.without}`, installHint(each));
    return ok(`${each.name} is not installed; it is only needed by ${each.neededBy}`);
  });
}
