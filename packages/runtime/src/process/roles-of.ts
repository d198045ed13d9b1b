/** Which processes an instance has: the three, and the channels where one is set up. */
import { readChannels } from "../config/secrets.ts";
import { type Environment, HomeError } from "../home/home.ts";
import { PROCESS_ROLES, type ProcessRole } from "./role-record.ts";

/** Is a channel set up in a state directory that is adopted? A file that cannot be read sets up none. */
export function hasChannels(home: string, env: Environment): boolean {
  try {
    return Object.keys(readChannels(home, env)).length > 0;
  } catch (error) {
    if (error instanceof HomeError) return false;
    throw error;
  }
}

/** The processes that are to run. */
export function rolesOf(home: string, env: Environment): readonly ProcessRole[] {
  return hasChannels(home, env) ? [...PROCESS_ROLES, "channels"] : PROCESS_ROLES;
}
