/**
 * The end of an improvement, without a model: what the review passed stays on its branch, and is merged where that is wanted and
 * nothing of the user's is in the way; everything else goes (SPEC J2). Cut off anywhere, it is completed by doing it again.
 */
import { rm } from "node:fs/promises";
import { branchOf, type Landing } from "@mimikit/protocol/records/improvement";
import type { Task } from "@mimikit/protocol/records/task";
import { COMMITTER_NAME, Unimprovable } from "./git.ts";
import { type MoveOptions, moveForward } from "./move-forward.ts";
import { branchCommit, branchLock, currentBranch, openRepository, type Repository, refOf } from "./repository.ts";
import { gitOf, type StepContext } from "./step-context.ts";
import { removeTree, removeWorktree } from "./worktree.ts";

const NOBODY = "0".repeat(40);

export interface LandingOptions extends MoveOptions {
  mayMerge: boolean;
}

/** Throws `Unimprovable` if the branch was moved, or the commit is gone. */
export async function land(task: Task, context: StepContext, options: LandingOptions): Promise<Landing> {
  const { improve } = task;
  const commit = improve?.change?.commit ?? null;
  if (improve?.change === undefined || improve.review === undefined || commit === null)
    throw new Unimprovable("there is nothing to land");
  const { number, change, review } = improve;
  const repository = await openRepository(gitOf(context));
  const branch = branchOf(number);
  if (!review.pass) {
    await removeWorktree(repository, context.home, number, { keepsBranch: false });
    return { outcome: "removed", branch, commit: null };
  }
  await pointBranch(repository, branch, change.base, commit);
  await removeTree(repository, context.home, number);
  options.audit("improvement_on_branch", { branch, commit });
  if (!options.mayMerge) return { outcome: "branch", branch, commit };
  const failedCheck = change.checks.find(({ isPassed }) => !isPassed);
  if (failedCheck !== undefined)
    return { outcome: "branch", branch, commit, note: `not merged: ${failedCheck.command} did not pass` };
  const { isThere, note } = await moveForward(repository, { base: change.base, commit, done: "merged" }, options);
  const into = isThere ? await currentBranch(repository) : null;
  const where = { outcome: isThere ? ("merged" as const) : ("branch" as const), ...(into !== null && { into }) };
  return { branch, commit, ...where, ...(note !== null && { note }) };
}

async function pointBranch(repository: Repository, branch: string, base: string, commit: string): Promise<void> {
  const { git } = repository;
  const there = await git.run(["cat-file", "-e", `${commit}^{commit}`], { allow: [1, 128] });
  if (there.code !== 0) throw new Unimprovable(`the commit ${commit} is gone`);
  const current = await branchCommit(repository, branch);
  if (current === commit) return;
  if (current !== null && current !== base) throw new Unimprovable(`the branch ${branch} was moved meanwhile`);
  await rm(branchLock(repository, branch), { force: true });
  await git.text(["update-ref", "-m", `${COMMITTER_NAME}: reviewed`, refOf(branch), commit, current ?? NOBODY]);
}
