/** Which processes an instance has: the three, the channels where one is set up, and the dispatcher where pools are. */
import { loadConfig } from "../config/config.ts";
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

/** Is an engine set up that carries work to pools on other machines (docs/pools.md)? */
export function hasPools(home: string, env: Environment): boolean {
  return loadConfig(home, env).config.pools.url !== undefined;
}

/** The processes that are to run. */
export function rolesOf(home: string, env: Environment): readonly ProcessRole[] {
  return [
    ...PROCESS_ROLES,
    ...(hasChannels(home, env) ? (["channels"] as const) : []),
    ...(hasPools(home, env) ? (["dispatcher"] as const) : []),
  ];
}
