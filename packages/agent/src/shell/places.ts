/**
 * Directories that a Worker's shell does not see, besides the state directory, and those that it cannot change
 * (docs/security.md#the-shell-of-a-worker).
 */
import { mkdir, realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, sep } from "node:path";
import { recordedHomes, recordsDir } from "@mimikit/runtime/home/adoption";
import type { Environment } from "@mimikit/runtime/home/home";
import { ROOT } from "@mimikit/runtime/home/programs";
import { hasCode } from "@mimikit/store/disk/error-code";
import { userSkillsDir } from "../skills/skills.ts";

/**
 * The real paths of the directories to hide. PM2's socket starts programs outside the sandbox, and the file of `pm2 save` holds
 * environment variables, keys among them. A record of adoption lets the content of a state directory run. Other state directories
 * of this user have tokens and keys of their own. A directory that contains the workspace or the state directory is not hidden.
 * Throws what the disk throws. @param state, work real paths.
 */
export async function hiddenPlaces(state: string, work: string, env: Environment = process.env): Promise<string[]> {
  const named = [env.PM2_HOME ?? "", join(env.HOME || homedir(), ".pm2"), recordsDir(env), ...recordedHomes(env)];
  const places = (await Promise.all(named.filter((path) => path !== "").map(realPathOf))).flat();
  return [...new Set(places)].filter(
    (place) => !isWithin(place, state) && !isWithin(work, place) && !isWithin(state, place),
  );
}

/**
 * The real paths of the directories that stay as they are: Mimikit's own program, which runs outside the sandbox at the next
 * start, and the folder of the user's skills, whose instructions count as the user's. That folder is made where it is missing, because
 * a command could make it otherwise. A directory that is the workspace is not among them.
 * Throws what the disk throws. @param work a real path.
 */
export async function protectedPlaces(work: string, env: Environment = process.env): Promise<string[]> {
  const settings = dirname(userSkillsDir(env));
  await mkdir(settings, { recursive: true, mode: 0o700 }).catch(() => undefined);
  const places = (await Promise.all([ROOT, settings].map(realPathOf))).flat();
  return places.filter((place) => place !== work);
}

/** Is `path` the directory `place`, or in it? */
export function isWithin(path: string, place: string): boolean {
  return path === place || path.startsWith(place.endsWith(sep) ? place : place + sep);
}

async function realPathOf(path: string): Promise<string[]> {
  try {
    return [await realpath(path)];
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "EACCES", "ELOOP")) return [];
    throw error;
  }
}
