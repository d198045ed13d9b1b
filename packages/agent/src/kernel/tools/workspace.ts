/**
 * Where a Worker's tools may reach: inside the workspace, outside the state directory, whatever links lie in between
 * (SPEC I2). The state is ours alone: a Worker that could write there could forge results.
 */

import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import type { Task } from "@mimikit/protocol/records/task";
import { hasCode } from "@mimikit/store/disk/error-code";
import type { CallReach, Gate } from "../../approval/gate.ts";
import type { SandboxMode } from "../../provider.ts";

export interface Workspace {
  /** The workspace, absolute. */
  workDir: string;
  /** The state directory, absolute. */
  home: string;
  /** The folder of this run, for whole outputs. */
  runDir: string;
  task: Task;
  /** Whether the shell is kept from the state directory. */
  sandbox: SandboxMode;
  /** The gate that asks the owner; without one, nothing asks. */
  gate?: Gate | undefined;
  /** The paths beside it that a command may not change. */
  protect?: readonly string[];
  /** Files that the user sent, or that hold what the user said: they may be read, though they lie in the state directory. */
  sent?: readonly string[];
  /** The mark of this run, for child processes. */
  environment: Record<string, string>;
  signal: AbortSignal;
}

/** The path is not one that a Worker's tool may touch; the message is for the model. */
export class OutOfBounds extends Error {}

type Place = Pick<Workspace, "workDir" | "home">;
type Access = "read" | "write";

/**
 * The real path of `path`, which may be relative to the workspace and need not exist yet. Open it without following
 * any link: each part may be replaced by one meanwhile. Throws `OutOfBounds`.
 * @param allowed the one path outside the workspace that it may be.
 */
export async function resolveInside(access: Access, path: string, place: Place, allowed?: string): Promise<string> {
  const { real, why } = await resolvePath(access, path, place);
  if (why !== null && real !== allowed) throw new OutOfBounds(`${path} is ${why}`);
  return real;
}

/** A path outside the workspace asks the owner, where anything does. @param shown what is done there, for people. Throws `OutOfBounds`. */
export async function wantedOutside(
  access: Access,
  path: string,
  shown: (real: string) => string,
  { gate, ...place }: Workspace,
): Promise<CallReach | null> {
  if (gate === undefined || gate.mode === "full") return null;
  const { real, why } = await resolvePath(access, path, place);
  return why === null ? null : { reaches: ["outside"], shown: shown(real), place: real };
}

/** Where a path is, and why a tool needs the owner's yes for it, if so. Throws `OutOfBounds` if no tool may touch it. */
async function resolvePath(access: Access, path: string, { workDir, home }: Place) {
  if (path.includes("\0")) throw new OutOfBounds("a path has no NUL character");
  const [work, state] = await Promise.all([realpath(workDir), realpath(home)]);
  const real = await realPathOf(resolve(work, path));
  // Where the workspace itself is below the state directory, it is the part of it that a Worker has.
  if (isWithin(real, state) && !isWithin(work, state))
    throw new OutOfBounds(`${path} is in the state directory, which is not part of the workspace`);
  if (!isWithin(real, work)) return { real, why: `outside the workspace ${work}` };
  const isOfGit = access === "write" && real.slice(work.length).split(sep).some(isRepository);
  return { real, why: isOfGit ? "git's own: its settings and hooks run programs outside the sandbox" : null };
}

/** Some file systems take other cases for the same name. */
function isRepository(name: string): boolean {
  return name.toLowerCase() === ".git";
}

/** For a path that does not exist yet: the real path of the deepest directory that does, and the rest unchanged. */
async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
  }
  if (await isThere(path)) throw new OutOfBounds(`${path} is a link that leads nowhere`);
  return join(await realPathOf(dirname(path)), basename(path));
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return false;
    throw error;
  }
}

function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}
