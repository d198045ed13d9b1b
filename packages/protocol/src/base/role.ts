/** The roles that tasks run under (SPEC B). A new role is one name here and one file in packages/agent/src/roles. */
import { z } from "zod";

export const ROLES = ["teller", "planner", "worker", "reviewer"] as const;
export const Role = z.enum(ROLES);
export type Role = z.infer<typeof Role>;
