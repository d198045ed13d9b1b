/** Which role may stage which effect (SPEC G). The Tool Bus checks it when a tool is called, settle checks it again. */

import type { Role } from "@mimikit/protocol/base/role";
import type { Effect } from "@mimikit/protocol/records/effect";

export const EFFECT_ROLES: Record<Effect["type"], readonly Role[]> = {
  reply: ["teller"],
  delegate: ["teller", "planner"],
  remember: ["teller"],
  update_backlog: ["teller"],
  cancel_task: ["teller", "planner"],
  schedule: ["teller", "planner"],
  ask_user: ["teller"],
  restart_server: ["teller"],
  notify: ["teller"],
  compress_context: ["teller"],
  summarize_task_result: ["teller"],
};

/** May a task of `role` have this effect? What the Teller schedules comes back to the Teller (SPEC G). */
export function isPermitted(role: Role, effect: Effect): boolean {
  if (effect.type === "schedule" && role === "teller" && (effect.order.target ?? "teller") !== "teller") return false;
  return EFFECT_ROLES[effect.type].includes(role);
}
