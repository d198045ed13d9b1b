/** The outcome of a pool, as the home accepts it: bounded, checked and without effects (docs/pools.md). */
import { basename, join } from "node:path";
import type { RunOutcome } from "@mimikit/agent/run/run-task";
import { failedResult } from "@mimikit/core/tasks/finish";
import { BadJson } from "@mimikit/protocol/base/json";
import type { Signal } from "@mimikit/protocol/base/signal";
import { NO_USAGE } from "@mimikit/protocol/base/usage";
import { type CarriedFile, FILES_BYTES_MAX, OUTCOME_BYTES_MAX, PoolOutcome } from "@mimikit/protocol/pools/messages";
import type { Task } from "@mimikit/protocol/records/task";
import { decrypt, NotDecryptable } from "@mimikit/runtime/pools/encrypt";
import { z } from "zod";

export interface AcceptedOutcome {
  outcome: RunOutcome;
  /** It may have cost something that it cannot tell. */
  isBegun: boolean;
  tools: PoolOutcome["tools"];
  /** Its files, and where they go; the small ones are here, the others are still to come. */
  files: (CarriedFile & { to: string; data?: Buffer })[];
}

const NAME_CHARS_MAX = 60;

/**
 * The outcome that lies in the engine. A wrong one is an outcome, too: the attempt has ended.
 * @param signals what the owner has said to the task: only those count as heard.
 */
export function acceptOutcome(
  found: { sealed: string } | { bytes: number },
  { key, job, pool, task, runDir }: { key: string; job: string; pool: string; task: Task; runDir: string },
  signals: readonly Signal[],
): AcceptedOutcome {
  if ("bytes" in found) return invalid(task, pool, `it has ${found.bytes} bytes, more than ${OUTCOME_BYTES_MAX}`);
  try {
    const { steers, isBegun, hasLeft, files, tools, ...outcome } = decrypt(
      key,
      { job, pool, direction: "outcome" },
      PoolOutcome,
      found.sealed,
    );
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    if (bytes > FILES_BYTES_MAX)
      return invalid(task, pool, `its files have ${bytes} bytes, more than ${FILES_BYTES_MAX}`);
    const carried = files.map((file, i) => ({ ...file, to: join(runDir, nameOf(file.path, i + 1)) }));
    const here = new Map(carried.map(({ path, to }) => [path, to]));
    const heard = signals.filter(({ id }) => steers.includes(id)).map(({ taskId: _, ...steer }) => steer);
    // The home alone says that a task is cancelled.
    const failureReason = outcome.failureReason === "cancelled" ? "killed" : outcome.failureReason;
    const { error, problem, question, asks, model } = outcome;
    return {
      isBegun,
      tools,
      files: carried.map(({ path: _, data, ...file }) => ({
        ...file,
        ...(data !== undefined && { data: Buffer.from(data, "base64") }),
      })),
      outcome: {
        status: outcome.status,
        resultType: outcome.resultType,
        result: atHome(outcome.result ?? null, pool, here),
        retryable: outcome.retryable,
        usage: outcome.usage,
        provider: outcome.provider,
        effects: [],
        steers: heard,
        ...(error !== undefined && { error: `${pool}: ${error}` }),
        ...(failureReason !== undefined && { failureReason }),
        ...(problem !== undefined && { problem }),
        ...(question !== undefined && { question }),
        ...(asks !== undefined && { asks }),
        ...(model !== undefined && { model }),
        ...(hasLeft === true && { hasLeft }),
      },
    };
  } catch (error) {
    if (error instanceof NotDecryptable || error instanceof BadJson) return invalid(task, pool, error.message);
    throw error;
  }
}

/** The name of a file here: never that of anything else in the folder of a run. */
function nameOf(path: string, number: number): string {
  const name = basename(path).replace(/[^\w.-]+/g, "-");
  return `away-${number}-${name.slice(-NAME_CHARS_MAX)}`;
}

const WithArtifact = z.looseObject({ artifact: z.string() });
const WithFiles = z.looseObject({ files: z.array(z.looseObject({ path: z.string() })) });

/** A result that names the files where they are here; of those that stayed there it says so. */
function atHome(result: unknown, pool: string, here: ReadonlyMap<string, string>): unknown {
  const { data: text } = WithArtifact.safeParse(result);
  if (text !== undefined) {
    const { artifact, ...rest } = text;
    const path = here.get(artifact);
    return path === undefined ? rest : { ...rest, artifact: path };
  }
  const { data: change } = WithFiles.safeParse(result);
  if (change === undefined) return result;
  const files = change.files.map((file) => ({ ...file, path: here.get(file.path) ?? `${pool}:${file.path}` }));
  return { ...change, files };
}

/** A failure in the place of what is no valid outcome. */
export function invalid(task: Task, pool: string, why: string): AcceptedOutcome {
  const error = `${pool} handed in no valid outcome: ${why}`;
  return { isBegun: true, tools: null, files: [], outcome: failedOutcome(task, "invalid_result", error) };
}

/** The outcome of a task that the dispatcher ends, and that is not tried again. */
export function failedOutcome(task: Task, failureReason: "error" | "invalid_result", error: string): RunOutcome {
  const { resultType } = failedResult(task, failureReason, error, 0, 1);
  return {
    status: "failed",
    failureReason,
    error,
    retryable: false,
    resultType,
    result: null,
    effects: [],
    steers: [],
    usage: NO_USAGE,
    provider: "unknown",
  };
}
