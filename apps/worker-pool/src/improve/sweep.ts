/**
 * Removes the remains of improvements that are over: worktrees, and branches that no archived review stands for. It
 * looks at states, like every other rule: whatever ended an improvement, and whatever died meanwhile, the next look
 * finds what is left.
 */
import { improvementId } from "@mimikit/protocol/base/id";
import { KINDS } from "@mimikit/protocol/base/kind";
import { IMPROVE_STEPS, Landing, stepId } from "@mimikit/protocol/records/improvement";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { queuePath } from "@mimikit/store/disk/state";
import type { ArchiveIndex } from "@mimikit/store/state-cache/archive-index";
import { type Git, Unimprovable } from "./git.ts";
import { openRepository, type Repository } from "./repository.ts";
import { leftovers, removeRemains, removeWorktree } from "./worktree.ts";

export interface Sweeping {
  /** The state directory; its real path. */
  home: string;
  git: Git;
  fs: FileSystem;
  archiveIndex: ArchiveIndex;
  /** Does a task run here, its end still to come? */
  isRunning(taskId: string): boolean;
  onSwept(id: string): void;
}

/** Throws what the disk throws, and what git says. */
export async function sweep(sweeping: Sweeping): Promise<void> {
  const { home, git } = sweeping;
  const over: number[] = [];
  for (const number of await leftovers(home)) if (!(await isOpen(number, sweeping))) over.push(number);
  if (over.length === 0) return;
  const repository = await repositoryOf(git);
  for (const number of over) {
    const keepsBranch = await hasLanded(number, sweeping.archiveIndex);
    if (repository === null) await removeRemains(home, number);
    else await removeWorktree(repository, home, number, { keepsBranch });
    sweeping.onSwept(improvementId(number));
  }
}

/** Steps are looked for in their order: the next is in its queue before the one before leaves. */
async function isOpen(number: number, { fs, isRunning }: Sweeping): Promise<boolean> {
  for (const step of IMPROVE_STEPS) {
    const id = stepId(number, step);
    if (isRunning(id) || (await fs.exists(queuePath(KINDS[`improve-${step}`].role, id)))) return true;
  }
  return false;
}

async function hasLanded(number: number, archiveIndex: ArchiveIndex): Promise<boolean> {
  const id = stepId(number, "land");
  if (!(await archiveIndex.confirm(id))) return false;
  const result = await archiveIndex.readResult(id);
  const landing = Landing.safeParse(result?.result).data;
  return result?.status === "done" && landing !== undefined && landing.outcome !== "removed";
}

/** null where there is none any more, so that there is no branch either. */
async function repositoryOf(git: Git): Promise<Repository | null> {
  try {
    return await openRepository(git);
  } catch (error) {
    if (error instanceof Unimprovable) return null;
    throw error;
  }
}
