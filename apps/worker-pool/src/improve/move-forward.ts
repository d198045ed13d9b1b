/**
 * The user's branch is moved forward, fast-forward only, where nothing of his is in the way, and back where the system does not
 * get over it (SPEC J2, J3). Cut off anywhere, it is completed by doing it again.
 */
import { realpath } from "node:fs/promises";
import { relative } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { COMMITTER_NAME, type Git, Unimprovable } from "./git.ts";
import { currentBranch, type Repository } from "./repository.ts";

/** After it was moved, the system is looked at this often, in this many milliseconds each. */
const PROBES = 5;
const PROBE_EVERY_MS = 1_000;
/** The line of git's reflog for a branch that was moved back. */
const TAKEN_BACK = `${COMMITTER_NAME}: taken back`;

export interface MoveOptions {
  /** The state directory, absolute: what changes in it is ours, wherever it lies. */
  home: string;
  /** The problem of the running system; null while all is well. */
  problemOf(): Promise<string | null>;
  audit(event: string, detail: Record<string, unknown>): void;
}

interface Move {
  /** Where HEAD must be. */
  base: string;
  /** Where it goes; a descendant of `base`. */
  commit: string;
  /** The outcome of that, for people and for the audit log. */
  done: "merged" | "undone";
}

export interface Moved {
  /** Is the commit in the user's branch? */
  isThere: boolean;
  /** The obstacle or the failure; null if all is well. */
  note: string | null;
}

/** @param repository as it is now, or as an attempt that was cut off has left it: with its HEAD at the commit already. */
export async function moveForward(repository: Repository, move: Move, options: MoveOptions): Promise<Moved> {
  const { git, head } = repository;
  const { base, commit, done } = move;
  if (head !== commit) {
    const unmoved = (reason: string): Moved => ({ isThere: false, note: `not ${done}: ${reason}` });
    if (head === base) await completeMoveBack(git, move);
    const obstacle = await obstacleTo(repository, base, options.home);
    if (obstacle !== null) return unmoved(obstacle);
    const problem = await options.problemOf();
    if (problem !== null) return unmoved(`the system is not well: ${problem}`);
    try {
      await git.text(["merge", "--ff-only", "--no-overwrite-ignore", "--quiet", commit], { withFilters: true });
    } catch (error) {
      if (!(error instanceof Unimprovable)) throw error;
      return unmoved(error.message);
    }
    options.audit(`improvement_${done}`, { commit, base });
  }
  for (let probe = 1; ; probe++) {
    const problem = await options.problemOf();
    if (problem === null) return { isThere: true, note: null };
    if (probe === PROBES) return moveBack(repository, move, problem, options);
    await wait(PROBE_EVERY_MS);
  }
}

async function obstacleTo(repository: Repository, base: string, home: string): Promise<string | null> {
  const { git, head, top } = repository;
  if (head !== base) return "there are newer commits";
  if ((await currentBranch(repository)) === null) return "HEAD is on no branch";
  const state = relative(top, await realpath(home));
  const changes = await git.text(
    [
      ...["status", "--porcelain", "--untracked-files=normal", "--ignore-submodules=dirty"],
      ...(state.startsWith("..") ? [] : ["--", ":(top)", `:(top,exclude,literal)${state}`]),
    ],
    { withFilters: true },
  );
  return changes === "" ? null : "there are changes of your own that are not committed";
}

/**
 * The branch goes first, and only from `commit`: what was committed on top stays. Index and tree follow, unless that would overwrite
 * changes: then the branch goes forward again.
 */
async function moveBack(
  { git }: Repository,
  { base, commit, done }: Move,
  problem: string,
  { audit }: MoveOptions,
): Promise<Moved> {
  const stays = (why: string): Moved => ({
    isThere: true,
    note: `${done}, and ${why}; the system is not healthy: ${problem}`,
  });
  try {
    await git.text(["update-ref", "-m", TAKEN_BACK, "HEAD", base, commit]);
  } catch (error) {
    if (!(error instanceof Unimprovable)) throw error;
    const isStill = (await git.text(["rev-parse", "HEAD"])) === commit;
    return stays(isStill ? `not reverted: ${error.message}` : "there are newer commits");
  }
  try {
    await moveTree(git, commit, base);
  } catch (error) {
    if (!(error instanceof Unimprovable)) throw error;
    await git.text(["update-ref", "-m", `${COMMITTER_NAME}: not taken back`, "HEAD", commit, base]);
    return stays(`not reverted: ${error.message}`);
  }
  audit("improvement_taken_back", { commit, base, problem });
  return { isThere: false, note: `${done} and reverted: the system was not healthy: ${problem}` };
}

/** Throws `Unimprovable` if it would overwrite changes. */
async function moveTree(git: Git, from: string, to: string): Promise<void> {
  await git.text(["read-tree", "-m", "-u", from, to], { withFilters: true });
}

/** A kill may have come between the branch and the tree. The commit may have been made anew since: its tree is the same. */
async function completeMoveBack(git: Git, { base, commit }: Move): Promise<void> {
  const last = await git.text(["log", "--walk-reflogs", "-1", "--no-show-signature", "--format=%gs", "HEAD"]);
  if (last !== TAKEN_BACK) return;
  const trees = ["HEAD@{1}^{tree}", `${commit}^{tree}`].map((each) => git.text(["rev-parse", "--verify", each]));
  const [left, ours] = await Promise.all(trees);
  if (left !== ours) return;
  try {
    await moveTree(git, commit, base);
  } catch (error) {
    // Changes of the user's since then are an obstacle, which is told.
    if (!(error instanceof Unimprovable)) throw error;
  }
}
