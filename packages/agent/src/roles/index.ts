/** Every role. A new one is a file beside this, a line here and its name in packages/protocol/src/role.ts. */
import type { Role } from "@mimikit/protocol/role";
import type { RoleDefinition } from "../role.ts";
import { planner } from "./planner.ts";
import { teller } from "./teller.ts";
import { worker } from "./worker.ts";

export const ROLE_DEFINITIONS: Record<Role, RoleDefinition> = { teller, planner, worker };
