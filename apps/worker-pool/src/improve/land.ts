/**
 * The end of an improvement, without a model: what the review passed stays on its branch, and is merged where that is wanted and
 * nothing of the user's is in the way; everything else goes (SPEC J2). Cut off anywhere, it is completed by doing it again.
 */
import { rm } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { branchOf, type Landing } from "@mimikit/protocol/improvement";
import type { Task } from "@mimikit/protocol/task";
import { COMMITTER_NAME, Unimprovable } from "./git.ts";
import { branchCommit, branchLock, openRepository, type Repository, refOf } from "./repository.ts";
import { gitOf, type Site } from "./site.ts";
import { removeTree, removeWorktree } from "./worktree.ts";

/** After a merge the system is looked at this often, in this many milliseconds each. */
const PROBES = 5;
const PROBE_EVERY_MS = 1_000;
const NOBODY = "0".repeat(40);

export interface LandingOptions {
  mayMerge: boolean;
  /** What is wrong with the running system; null while all is well. */
  problemOf(): Promise<string | null>;
  audit(event: string, detail: Record<string, unknown>): void;
}

/** Throws `Unimprovable` where somebody has moved the branch on, or the commit is gone. */
export async function land(task: Task, site: Site, options: LandingOptions): Promise<Landing> {
  const { improve } = task;
  const commit = improve?.change?.commit ?? null;
  if (improve?.change === undefined || improve.review === undefined || commit === null)
    throw new Unimprovable("there is nothing to land");
  const { number, change, review } = improve;
  const repository = await openRepository(gitOf(site));
  const branch = branchOf(number);
  if (!review.pass) {
    await removeWorktree(repository, site.home, number, { keepsBranch: false });
    return { outcome: "removed", branch, commit: null };
  }
  await pointBranch(repository, branch, change.base, commit);
  await removeTree(repository, site.home, number);
  options.audit("improvement_on_branch", { branch, commit });
  if (!options.mayMerge) return { outcome: "branch", branch, commit };
  const failedCheck = change.checks.find(({ isPassed }) => !isPassed);
  const note =
    failedCheck === undefined
      ? await merge(repository, change.base, commit, options)
      : `not merged: ${failedCheck.command} did not pass`;
  return { outcome: note === null ? "merged" : "branch", branch, commit, ...(note !== null && { note }) };
}

async function pointBranch(repository: Repository, branch: string, base: string, commit: string): Promise<void> {
  const { git } = repository;
  const there = await git.run(["cat-file", "-e", `${commit}^{commit}`], { allow: [1, 128] });
  if (there.code !== 0) throw new Unimprovable(`the commit ${commit} is gone`);
  const current = await branchCommit(repository, branch);
  if (current === commit) return;
  if (current !== null && current !== base) throw new Unimprovable(`somebody has moved the branch ${branch}`);
  await rm(branchLock(repository, branch), { force: true });
  await git.text(["update-ref", "-m", `${COMMITTER_NAME}: reviewed`, refOf(branch), commit, current ?? NOBODY]);
}

/** Fast-forward only, and taken back where the system does not get over it. @returns why it was not merged; null when it was. */
async function merge(
  repository: Repository,
  base: string,
  commit: string,
  options: LandingOptions,
): Promise<string | null> {
  const { git, head } = repository;
  // An attempt that was cut off may have got so far.
  if (head !== commit) {
    const obstacle = await obstacleTo(repository, base);
    if (obstacle !== null) return `not merged: ${obstacle}`;
    const problem = await options.problemOf();
    if (problem !== null) return `not merged: the system is not well: ${problem}`;
    try {
      await git.text(["merge", "--ff-only", "--no-overwrite-ignore", "--quiet", commit], { withFilters: true });
    } catch (error) {
      if (!(error instanceof Unimprovable)) throw error;
      return `not merged: ${error.message}`;
    }
    options.audit("improvement_merged", { commit, base });
  }
  for (let probe = 0; probe < PROBES; probe++) {
    const problem = await options.problemOf();
    if (problem === null) return null;
    if (probe === PROBES - 1) return takeBack(repository, base, commit, problem, options);
    await wait(PROBE_EVERY_MS);
  }
  return null;
}

async function obstacleTo({ git, head }: Repository, base: string): Promise<string | null> {
  if (head !== base) return "there are newer commits";
  const branch = await git.run(["symbolic-ref", "--quiet", "HEAD"], { allow: [1] });
  if (branch.code !== 0) return "HEAD is on no branch";
  const changes = await git.text(["status", "--porcelain", "--untracked-files=normal", "--ignore-submodules=none"], {
    withFilters: true,
  });
  return changes === "" ? null : "there are changes of your own that are not committed";
}

async function takeBack(
  { git }: Repository,
  base: string,
  commit: string,
  problem: string,
  { audit }: LandingOptions,
): Promise<string> {
  const head = await git.text(["rev-parse", "HEAD"]);
  if (head !== commit) return `merged, and somebody has gone on from there; the system is not well: ${problem}`;
  // Refuses where it would overwrite what somebody has changed meanwhile.
  await git.text(["reset", "--quiet", "--keep", base], { withFilters: true });
  audit("improvement_taken_back", { commit, base, problem });
  return `merged and taken back: the system was not well: ${problem}`;
}
