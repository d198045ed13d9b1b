/** May a role have an effect? The Tool Bus asks when a tool is called, settle asks again (SPEC G). */

import type { Role } from "@mimikit/protocol/base/role";
import { EFFECT_ROLES, type Effect } from "@mimikit/protocol/records/effect";

/** May a task of `role` have this effect? A trigger scheduled by the Teller comes back to the Teller (SPEC G). */
export function isPermitted(role: Role, effect: Effect): boolean {
  if (effect.type === "schedule" && role === "teller" && (effect.order.target ?? "teller") !== "teller") return false;
  return EFFECT_ROLES[effect.type].includes(role);
}
