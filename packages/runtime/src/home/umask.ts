/** Files that are made for the user have the umask of the shell that started Mimikit; the state itself is private. */
import type { Environment } from "./home.ts";

/** The umask of the caller, in octal, where PM2 starts the process: PM2's daemon has one of its own. */
export const UMASK_VARIABLE = "MIMIKIT_UMASK";
const OCTAL = /^[0-7]{1,4}$/;
/** The permissions that a umask may take away: those of group and others. */
const GROUP_AND_OTHERS = 0o077;

/** The umask of the process that started this one. To be asked before `prepareHome`, which makes it private. */
export function callersUmask(env: Environment): number {
  const told = env[UMASK_VARIABLE] ?? "";
  return (OCTAL.test(told) ? Number.parseInt(told, 8) : process.umask()) & GROUP_AND_OTHERS;
}
