/** Which role may stage which effect (SPEC G). The Tool Bus checks it when a tool is called, settle checks it again. */
import type { Effect } from "@mimikit/protocol/effect";
import type { Role } from "@mimikit/protocol/role";

export const EFFECT_ROLES: Record<Effect["type"], readonly Role[]> = {
  reply: ["teller"],
  delegate: ["teller", "planner"],
  remember: ["teller"],
  update_backlog: ["teller"],
  cancel_task: ["teller", "planner"],
};

/** May a task of `role` have this effect? */
export function isPermitted(role: Role, effect: Effect): boolean {
  return EFFECT_ROLES[effect.type].includes(role);
}
