/** The role of a task as a field of records; the table of roles is in kind.ts. */
import { z } from "zod";
import { ROLES } from "./kind.ts";

export const Role = z.enum(Object.keys(ROLES) as (keyof typeof ROLES)[]);
export type Role = z.infer<typeof Role>;
