/**
 * A merged improvement is undone by a commit on top of HEAD that has nothing of it, which is made without any tree or
 * index: until the user's branch is moved there, nothing of the repository has changed but objects that nothing names
 * (SPEC J3). Its trailer says whose undoing it is, so whatever is cut off or asked twice finds it done.
 */

import { improvementId } from "@mimikit/protocol/base/id";
import type { Merged, Unmerging } from "@mimikit/protocol/records/improvement";
import type { Task } from "@mimikit/protocol/records/task";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import { COMMITTER_EMAIL, Unimprovable } from "./git.ts";
import { type MoveOptions, moveForward } from "./move-forward.ts";
import { currentBranch, openRepository, type Repository } from "./repository.ts";
import { gitOf, type StepContext } from "./step-context.ts";

const TRAILER = "Mimikit-Undo";
/** Characters of the names of files in conflict that a note shows. */
const CONFLICTS_CHARS_MAX = 300;
/** Characters of a commit's name in a note. */
const COMMIT_CHARS = 12;

/** Throws `Unimprovable` where there is no repository with a commit any more; the merge may be undone another time. */
export async function unmerge(task: Task, context: StepContext, options: MoveOptions): Promise<Unmerging> {
  const { merged, number } = task.improve ?? {};
  if (merged === undefined || number === undefined) throw new Unimprovable("there is nothing to undo");
  const { base, commit, into } = merged;
  const repository = await openRepository(gitOf(context));
  const { git, head } = repository;
  const refused = (problem: string): Unmerging => {
    const byHand = `git revert --no-edit ${short(base)}..${short(commit)}`;
    return {
      outcome: "refused",
      commit: null,
      note: `${problem}; see to that and ask again, or do it yourself: ${byHand}`,
    };
  };

  const branch = await currentBranch(repository);
  if (into !== undefined && branch !== into)
    return refused(
      `not undone: it is in the branch ${into}, and HEAD is on ${branch ?? "no branch"}: git switch ${into}`,
    );
  const contains = await git.run(["merge-base", "--is-ancestor", commit, head], { allow: [1, 128] });
  if (contains.code !== 0)
    return refused(`not undone: HEAD does not come from the commit ${short(commit)} any more, see  git log`);

  const found = await undoingIn(repository, number, commit);
  if (found !== null && found !== head) return { outcome: "undone", commit: found, note: "it was undone before" };
  let made: Undoing;
  try {
    made = found ?? (await commitUndoing(repository, task, merged));
  } catch (error) {
    if (!(error instanceof Unimprovable)) throw error;
    return refused(`not undone: ${error.message}`);
  }
  if (made === null) return { outcome: "undone", commit: null, note: "HEAD has nothing of it any more" };
  if (typeof made !== "string")
    return refused(
      `not undone: later commits have changed the same: ${beginningOf(made.conflicts, CONFLICTS_CHARS_MAX)}`,
    );
  const parent = await git.text(["rev-parse", `${made}^`]);
  const { isThere, note } = await moveForward(repository, { base: parent, commit: made, done: "undone" }, options);
  if (!isThere) return refused(note ?? "not undone");
  return { outcome: "undone", commit: made, note: note ?? `undone by the commit ${short(made)}` };
}

/**
 * The commit of ours behind `merged` that takes improvement `number` back; null where HEAD has none. Messages of ours may hold a
 * model's words: a trailer is what git takes for one, at the end.
 */
async function undoingIn({ git, head }: Repository, number: number, merged: string): Promise<string | null> {
  const search = [`--grep=^${TRAILER}: ${improvementId(number)}$`, `--committer=<${COMMITTER_EMAIL}>`];
  const format = `--format=%H %(trailers:key=${TRAILER},valueonly,separator=%x2C)`;
  const listed = (await git.text(["rev-list", format, ...search, `${merged}..${head}`])).split("\n");
  const found = listed.map((line) => line.split(" ")).find(([, value]) => value === improvementId(number));
  return found?.[0] ?? null;
}

/** The commit that undoes it, the files in which the same was changed since, or null if HEAD has nothing of it. */
type Undoing = string | { conflicts: string } | null;

/** HEAD without what is between `base` and `commit`; no branch points at it yet. Needs git 2.38, throws `Unimprovable` without. */
async function commitUndoing(
  { git, head }: Repository,
  { title, improve }: Task,
  { base, commit }: Merged,
): Promise<Undoing> {
  // git merges histories: in this one `commit` is where HEAD and the state before it parted.
  const tree = async (of: string, ...parents: string[]) =>
    git.text(["commit-tree", `${of}^{tree}`, ...parents.flatMap((each) => ["-p", each]), "-m", "undo"]);
  const parting = await tree(commit);
  const sides = [await tree(head, parting), await tree(base, parting)];
  const merging = ["merge-tree", "--write-tree", "--name-only", "--no-messages", ...sides];
  const merge = await git.run(merging, { allow: [1] });
  const [result = "", ...conflicts] = merge.text.split("\n");
  if (merge.code !== 0) return { conflicts: conflicts.join(", ") };
  if (result === (await git.text(["rev-parse", `${head}^{tree}`]))) return null;
  const name = improvementId(improve?.number ?? 0);
  const message = `${title.replaceAll("\n", " ")}\n\nThis reverts commit ${commit}.\n\n${TRAILER}: ${name}\n`;
  return git.text(["commit-tree", result, "-p", head, "-F", "-"], { input: message });
}

const short = (commit: string) => commit.slice(0, COMMIT_CHARS);
