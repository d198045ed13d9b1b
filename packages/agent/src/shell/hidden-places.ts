/**
 * Directories that are hidden from a Worker's shell, besides the state directory (docs/security.md#the-shell-of-a-worker). PM2's socket
 * starts programs outside the sandbox, and the file of `pm2 save` holds environment variables, keys among them.
 */
import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { join, sep } from "node:path";
import type { Environment } from "@mimikit/runtime/home/home";
import { hasCode } from "@mimikit/store/disk/error-code";

/**
 * The real paths of those that exist. A directory that contains the workspace or the state directory is not hidden.
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
