/**
 * Directories beside the state that a Worker's shell must not see (docs/security.md#the-shell-of-a-worker). PM2's socket starts any program
 * outside of every sandbox, and what `pm2 save` keeps holds the variables of whoever called it.
 */
import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { join, sep } from "node:path";
import type { Environment } from "@mimikit/runtime/home/home";
import { hasCode } from "@mimikit/store/disk/error-code";

/**
 * Those that are there, by their real paths. One in which the workspace or the state lies stays to be seen: there is no way into them else.
 * Throws what the disk throws. @param state, work real paths.
 */
export async function hiddenPlaces(state: string, work: string, env: Environment = process.env): Promise<string[]> {
  const named = [env.PM2_HOME ?? "", join(env.HOME || homedir(), ".pm2")].filter((path) => path !== "");
  const places = (await Promise.all(named.map(realPathOf))).flat();
  const isInside = (path: string, place: string) => path === place || path.startsWith(place + sep);
  return [...new Set(places)].filter(
    (place) => !isInside(place, state) && !isInside(work, place) && !isInside(state, place),
  );
}

async function realPathOf(path: string): Promise<string[]> {
  try {
    return [await realpath(path)];
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "EACCES", "ELOOP")) return [];
    throw error;
  }
}
