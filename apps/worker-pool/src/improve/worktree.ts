/**
 * The worktree of one improvement: `worktrees/imp-000012` in the state directory, on the branch
 * `self-improve/imp-000012`. A note beside it, `imp-000012.json`, is there before either of them and goes after both:
 * whatever dies in between, the note says what is ours to remove. Of the user's repository nothing else is ever removed,
 * and no other worktrees are pruned.
 */
import { mkdir, readdir, readFile, rm, rmdir, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { improvementId, improvementNumber } from "@mimikit/protocol/base/id";
import { BadJson, parseRecord } from "@mimikit/protocol/base/json";
import { branchOf } from "@mimikit/protocol/records/improvement";
import { hasCode } from "@mimikit/store/disk/error-code";
import { WORKTREES } from "@mimikit/store/disk/state";
import { z } from "zod";
import { COMMITTER_EMAIL, Unimprovable } from "./git.ts";
import { branchCommit, branchLock, type Repository, refOf } from "./repository.ts";

export interface Worktree {
  number: number;
  branch: string;
  /** The tree, in the state directory. */
  path: string;
  /** Git's directory for it, in the user's repository: its index is there. */
  gitDir: string;
  base: string;
}

const Note = z.object({ branch: z.string(), base: z.string() });

const pathOf = (home: string, number: number) => join(home, WORKTREES, improvementId(number));
const noteOf = (home: string, number: number) => `${pathOf(home, number)}.json`;

/** The numbers of the improvements of which something is left. */
export async function leftovers(home: string): Promise<number[]> {
  const names = await readdir(join(home, WORKTREES));
  const numbers = names.map((name) => improvementNumber(name.replace(/\.json$/, "")));
  return [...new Set(numbers)].filter((number) => number > 0);
}

/**
 * Makes the worktree from the user's HEAD; what an earlier attempt left of it is removed first. Throws `Unimprovable` if
 * a branch of that name is not ours.
 */
export async function makeWorktree(repository: Repository, home: string, number: number): Promise<Worktree> {
  await removeWorktree(repository, home, number, { keepsBranch: false });
  const branch = branchOf(number);
  if ((await branchCommit(repository, branch)) !== null)
    throw new Unimprovable(`the branch ${branch} exists already and was not created by Mimikit`);
  const { head: base, git } = repository;
  const path = pathOf(home, number);
  await mkdir(join(home, WORKTREES), { recursive: true, mode: 0o700 });
  await writeFile(noteOf(home, number), `${JSON.stringify({ branch, base })}\n`, { mode: 0o600 });
  await git.text(["worktree", "add", "--quiet", "--no-track", "--no-guess-remote", "-b", branch, path, base]);
  const gitDir = await adminDirOf(repository, path);
  if (gitDir === null) throw new Unimprovable(`git has made no worktree ${path}`);
  return { number, branch, path, gitDir, base };
}

/**
 * Removes what there is of the worktree and, unless it is to stay, of its branch. Repeatable: cut off anywhere, it is
 * completed by the next call. A branch that the user has moved stays.
 */
export async function removeWorktree(
  repository: Repository,
  home: string,
  number: number,
  { keepsBranch }: { keepsBranch: boolean },
): Promise<void> {
  await removeTree(repository, home, number);
  const note = await readNote(home, number);
  if (!keepsBranch && note !== null) await removeBranch(repository, note);
  await rm(noteOf(home, number), { force: true });
}

/** Removes the tree and what git keeps of it; its branch and its note stay. */
export async function removeTree(repository: Repository, home: string, number: number): Promise<void> {
  const path = pathOf(home, number);
  const gitDir = await adminDirOf(repository, path);
  await rm(path, { recursive: true, force: true });
  if (gitDir === null) return;
  await rm(gitDir, { recursive: true, force: true });
  await rmdir(dirname(gitDir)).catch((error: unknown) => {
    // Others are there, or came and went: git keeps none of the directory itself.
    if (!hasCode(error, "ENOTEMPTY", "EEXIST", "ENOENT")) throw error;
  });
}

/** Where there is no repository any more, what is left in the state directory goes. */
export async function removeRemains(home: string, number: number): Promise<void> {
  await rm(pathOf(home, number), { recursive: true, force: true });
  await rm(noteOf(home, number), { force: true });
}

async function removeBranch(repository: Repository, { branch, base }: z.infer<typeof Note>): Promise<void> {
  await rm(branchLock(repository, branch), { force: true });
  const commit = await branchCommit(repository, branch);
  if (commit === null) return;
  if (commit !== base && !(await isOurCommit(repository, commit, base))) return;
  await repository.git.text(["update-ref", "-d", refOf(branch), commit]);
}

async function isOurCommit({ git }: Repository, commit: string, base: string): Promise<boolean> {
  const [email, parents] = (await git.text(["log", "-1", "--format=%ce%n%P", commit])).split("\n");
  return email === COMMITTER_EMAIL && parents === base;
}

async function readNote(home: string, number: number): Promise<z.infer<typeof Note> | null> {
  try {
    const note = parseRecord(Note, await readFile(noteOf(home, number), "utf8"));
    return note.branch === branchOf(number) ? note : null;
  } catch (error) {
    // A note that is half written is older than what it would tell of.
    if (hasCode(error, "ENOENT") || error instanceof BadJson) return null;
    throw error;
  }
}

/** Git's directory for the worktree at `path`; found by its own content, because git chooses the name. */
async function adminDirOf({ commonDir }: Repository, path: string): Promise<string | null> {
  const dir = join(commonDir, "worktrees");
  let names: string[];
  try {
    names = await readdir(dir);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
  for (const name of names) {
    const admin = join(dir, name);
    if ((await readLine(join(admin, "gitdir"))) === join(path, ".git")) return admin;
    // Killed before it had written that: no other worktree is called like this and says nothing.
    const isCalledSo = name === basename(path);
    if (isCalledSo && (await readLine(join(admin, "gitdir"))) === "") return admin;
  }
  return null;
}

/** The first line of a file; "" where there is none. */
async function readLine(path: string): Promise<string> {
  try {
    return (await readFile(path, "utf8")).split("\n")[0] ?? "";
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return "";
    throw error;
  }
}
