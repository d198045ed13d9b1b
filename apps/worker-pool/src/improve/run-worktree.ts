/** Where the work of an improvement is done: a worktree around the run of a Worker, and the change that comes out of it (SPEC J2). */

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { stopReason } from "@mimikit/agent/provider";
import type { RunOutcome } from "@mimikit/agent/run/run-task";
import { findSandbox } from "@mimikit/agent/shell/sandbox";
import type { CommittedChange } from "@mimikit/protocol/records/improvement";
import type { ImproveTask, Task } from "@mimikit/protocol/records/task";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import type { Config } from "@mimikit/runtime/config/config";
import { commitChange } from "./change.ts";
import { checksOf, runChecks } from "./checks.ts";
import { Unimprovable } from "./git.ts";
import { linkModules } from "./modules.ts";
import { openRepository, protectedPaths, type Repository } from "./repository.ts";
import { gitOf, type StepContext } from "./step-context.ts";
import { makeWorktree, removeWorktree, type Worktree } from "./worktree.ts";

/** The Worker's description of its work, in the record. */
const SAID_CHARS_MAX = 4_000;

export interface RunWorktree {
  /** The workspace of the run. */
  workDir: string;
  /** The paths that the run must not change. */
  protect: readonly string[];
  environment: Record<string, string>;
  /** The outcome of the run: a change with its checks, nothing, or a failure. Never leaves an unneeded worktree behind. */
  conclude(outcome: RunOutcome, stop: AbortSignal): Promise<RunOutcome>;
}

/**
 * Throws `Unimprovable` where the workspace cannot be improved without touching what is the user's: without a repository with a
 * commit, or without a sandbox.
 */
export async function assertImprovable(context: StepContext): Promise<Repository> {
  const sandbox = await findSandbox();
  if ("missing" in sandbox)
    throw new Unimprovable(`self-improvement needs a sandbox, and ${sandbox.missing}; ${sandbox.next}`);
  return openRepository(gitOf(context));
}

/** Makes the worktree of the task. Throws as `assertImprovable`. */
export async function openRunWorktree(
  task: ImproveTask,
  context: StepContext,
  settings: Config["selfImprove"],
): Promise<RunWorktree> {
  const repository = await assertImprovable(context);
  const { home } = context;
  const { number } = task.improve;
  const tree = await makeWorktree(repository, home, number);
  const workDir = join(tree.path, repository.prefix);
  await mkdir(workDir, { recursive: true });
  const link = () => linkAll(repository, context.workDir, tree, workDir);
  let unlink = await link();
  const environment = { GIT_OPTIONAL_LOCKS: "0" };
  const protect = await protectedPaths(repository, home);

  async function change(said: string, stop: AbortSignal): Promise<CommittedChange> {
    await unlink();
    const made = await commitChange(repository, tree, messageOf(task), context.runDir);
    if (made.commit === null) return { ...made, checks: [], said };
    unlink = await link();
    const commands = await checksOf(settings.checks, context.workDir);
    const passages = [{ path: tree.path, isWritable: true }];
    const bounds = { home, workDir, mode: "required" as const, allow: passages, protect };
    const { runDir } = context;
    const checking = {
      bounds,
      environment: { ...context.environment, ...environment },
      runDir,
      checkSec: settings.checkSec,
    };
    return { ...made, checks: await runChecks(commands, checking, stop), said };
  }

  return {
    workDir,
    protect,
    environment,
    async conclude(outcome, stop) {
      const ended = await concluded(outcome, stop, (said) => change(said, stop));
      // An interrupted step begins afresh anyway, and whatever stops the pool waits for this.
      const isKept = stop.aborted || (ended.status === "done" && hasCommit(ended));
      if (!isKept) await removeWorktree(repository, home, number, { keepsBranch: false });
      return ended;
    },
  };
}

async function concluded(
  outcome: RunOutcome,
  stop: AbortSignal,
  change: (said: string) => Promise<CommittedChange>,
): Promise<RunOutcome> {
  const { question, ...rest } = outcome;
  if (outcome.status === "needs_input")
    return failed(rest, `questions are not answered here: ${question ?? "it had a question"}`);
  if (outcome.status === "failed") return { ...outcome, resultType: "change", result: null };
  try {
    return { ...rest, resultType: "change", result: await change(saidIn(outcome)) };
  } catch (error) {
    if (stop.aborted) return { ...failed(rest, "stopped while it was checked"), failureReason: stopReason(stop) };
    if (!(error instanceof Unimprovable)) throw error;
    return failed(rest, error.message);
  }
}

function failed(outcome: RunOutcome, error: string): RunOutcome {
  return {
    ...outcome,
    status: "failed",
    failureReason: "error",
    error,
    retryable: false,
    resultType: "change",
    result: null,
  };
}

function saidIn({ result }: RunOutcome): string {
  if (typeof result === "object" && result !== null && "text" in result && typeof result.text === "string")
    return beginningOf(result.text, SAID_CHARS_MAX);
  return beginningOf(JSON.stringify(result), SAID_CHARS_MAX);
}

function hasCommit({ result }: RunOutcome): boolean {
  return typeof result === "object" && result !== null && "commit" in result && result.commit !== null;
}

/** A first line for lists, and why it was done. */
function messageOf({ id, title, improve }: Task): string {
  const why = improve?.found?.found === true ? improve.found.why : "";
  return `${title.replaceAll("\n", " ")}\n\n${why}\n\nSelf-improvement ${id} of Mimikit, not reviewed by a person.\n`;
}

/** The packages of the root and those of the workspace, where that is not the root. */
async function linkAll(
  { top }: Repository,
  userDir: string,
  { path }: Worktree,
  workDir: string,
): Promise<() => Promise<void>> {
  const undo = [await linkModules(top, path)];
  if (workDir !== path) undo.push(await linkModules(userDir, workDir));
  return async () => {
    for (const each of undo) await each();
  };
}
