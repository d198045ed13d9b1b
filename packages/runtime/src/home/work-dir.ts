/** Which directory is the workspace. */
import { existsSync, mkdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";

export const STATE_FOLDER = ".mimikit";
/** In the home of the user, for those who call Mimikit in its own folder; the second where the first is Mimikit's own folder. */
const APART = ["mimikit", "mimikit-workspace"] as const;

export interface WorkDir {
  /** Absolute. */
  workDir: string;
  /**
   * How it was chosen: a variable names it; it is where the user is; it is apart from the folder of the program, where the
   * user is; or it is that folder, because a state directory was in it before.
   */
  chosen: "named" | "here" | "apart" | "kept";
}

export interface WorkDirSources {
  /** The value of MIMIKIT_WORK_DIR. */
  named: string | undefined;
  /** Where the user is, absolute. */
  calledIn: string;
  /** The folder of the program, absolute. */
  program: string;
  /** The home directory of the user, absolute. */
  userHome: string;
}

/**
 * The workspace is where the user is, but never the folder of the program: what Workers change there would be Mimikit itself.
 * @param hasState says whether a directory has a state directory in it, from before.
 */
export function chooseWorkDir(called: WorkDirSources, hasState: (dir: string) => boolean): WorkDir {
  const { named, calledIn, program, userHome } = called;
  if (named) return { workDir: resolve(named), chosen: "named" };
  if (!isInside(program, calledIn)) return { workDir: calledIn, chosen: "here" };
  const kept = [calledIn, program].find(hasState);
  if (kept !== undefined) return { workDir: kept, chosen: "kept" };
  const [first, second] = APART.map((name) => join(userHome, name)) as [string, string];
  return { workDir: isInside(program, first) ? second : first, chosen: "apart" };
}

/**
 * Makes the workspace that is apart from the folder of the program, if it is not there; call it before anything is started.
 * @returns a line for people where it is not simply the directory they are in; null where there is nothing to say.
 * @throws what the disk throws.
 */
export function makeWorkDir({ workDir, chosen }: WorkDir): string | null {
  const another = "MIMIKIT_WORK_DIR names another";
  if (chosen === "kept") return `the workspace is Mimikit's own folder, as its ${STATE_FOLDER} is there; ${another}`;
  if (chosen !== "apart" || existsSync(workDir)) return null;
  mkdirSync(workDir, { recursive: true });
  return `made ${workDir}, the workspace, because this is Mimikit's own folder; ${another}`;
}

function isInside(dir: string, path: string): boolean {
  const [first] = relative(dir, path).split(sep, 1);
  return first !== "..";
}

/**
 * The git work tree in which an existing directory lies; null where it lies in none. `git clean -fdx` there deletes it, because it is ignored.
 * A repository of its own in it would keep git from that, and from `git add -A` in the work tree as well, which fails then.
 */
export function workTreeAround(dir: string): string | null {
  for (let above = dirname(realpathSync(dir)); ; above = dirname(above)) {
    const git = join(above, ".git");
    // A directory without a HEAD is no repository, and a linked work tree has a file.
    if (existsSync(join(git, "HEAD")) || statSync(git, { throwIfNoEntry: false })?.isFile()) return above;
    if (dirname(above) === above) return null;
  }
}
