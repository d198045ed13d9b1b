/** The repository that the workspace is in, as far as self-improvement needs to know it. */
import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { type Git, Unimprovable } from "./git.ts";

export interface Repository {
  git: Git;
  /** The root of the user's tree. */
  top: string;
  /** The shared directory of all its worktrees: objects and refs. */
  commonDir: string;
  /** Where the workspace is below `top`: `packages/app/`, or "". */
  prefix: string;
  /** The commit that the user's HEAD is at. */
  head: string;
}

/** Throws `Unimprovable` where nothing can be improved: there is no repository, none with a commit, or none with a tree. */
export async function openRepository(git: Git): Promise<Repository> {
  const isInside = await git.text(["rev-parse", "--is-inside-work-tree"]);
  if (isInside !== "true") throw new Unimprovable(`the workspace ${git.cwd} is no working tree of its git repository`);
  const [top = "", common = ""] = (
    await git.text(["rev-parse", "--path-format=absolute", "--show-toplevel", "--git-common-dir"])
  ).split("\n");
  // `core.worktree` may name a directory above the workspace, which git would then write to.
  if (!existsSync(join(top, ".git")))
    throw new Unimprovable(`git's settings name ${top} as its tree, which has no .git`);
  const prefix = await git.text(["rev-parse", "--show-prefix"]);
  const head = await git.run(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], { allow: [1] });
  if (head.code !== 0) throw new Unimprovable("the repository of the workspace has no commit yet");
  return { git, top: await realpath(top), commonDir: await realpath(common), prefix, head: head.text };
}

/**
 * The parts of the user's repository that a Worker may read and not change: the user's tree, other worktrees, and what
 * they share.
 * @param home the state directory, whose worktrees are ours.
 */
export async function protectedPaths({ git, top, commonDir }: Repository, home: string): Promise<string[]> {
  const listed = (await git.text(["worktree", "list", "--porcelain"])).split("\n");
  const trees = listed.flatMap((line) => (line.startsWith("worktree ") ? [line.slice("worktree ".length)] : []));
  const others = trees.filter((path) => !path.startsWith(home + sep) && existsSync(path));
  return [...new Set([top, commonDir, ...others])];
}

/** The branch that HEAD is on; null where it is on none. */
export async function currentBranch({ git }: Pick<Repository, "git">): Promise<string | null> {
  const found = await git.run(["symbolic-ref", "--quiet", "--short", "HEAD"], { allow: [1] });
  return found.code === 0 ? found.text : null;
}

export const refOf = (branch: string) => `refs/heads/${branch}`;

/** The commit that a branch points at; null where there is no such branch. */
export async function branchCommit({ git }: Pick<Repository, "git">, branch: string): Promise<string | null> {
  const found = await git.run(["rev-parse", "--verify", "--quiet", `${refOf(branch)}^{commit}`], { allow: [1] });
  return found.code === 0 ? found.text : null;
}

/** The locks of our own branches: what a killed git left there would stop the next one. */
export const branchLock = ({ commonDir }: Pick<Repository, "commonDir">, branch: string) =>
  join(commonDir, `${refOf(branch)}.lock`);
