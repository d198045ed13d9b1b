/** The outcome of a pool, as the home accepts it: bounded, checked and without effects (docs/pools.md). */

import { basename, join } from "node:path";
import { TOOL_NAME_CHARS_MAX } from "@mimikit/agent/mcp/tool-names";
import type { RunOutcome } from "@mimikit/agent/run/run-task";
import { failedResult } from "@mimikit/core/tasks/finish";
import { type AskedCall, Reach, SHOWN_CALL_CHARS_MAX } from "@mimikit/protocol/approvals/approval";
import { ProviderProblem } from "@mimikit/protocol/base/cause";
import { BadJson } from "@mimikit/protocol/base/json";
import type { Signal } from "@mimikit/protocol/base/signal";
import { NO_USAGE } from "@mimikit/protocol/base/usage";
import { type CarriedFile, FILES_BYTES_MAX, OUTCOME_BYTES_MAX, PoolOutcome } from "@mimikit/protocol/pools/messages";
import { RESULT_SCHEMAS } from "@mimikit/protocol/records/result";
import type { Task } from "@mimikit/protocol/records/task";
import { visibleFromElsewhere, visibleLine } from "@mimikit/protocol/texts/visible";
import { beginningOf, endOf } from "@mimikit/protocol/texts/whole-characters";
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
const CWD_CHARS_MAX = 500;
const MODEL_CHARS_MAX = 200;
/** The tools of a Worker that ask: our own, and `server__tool` from outside. */
const ASKING_TOOL =
  /^(?:bash|(?:read|write|edit)_text_file|web_(?:fetch|search)|[A-Za-z_](?:[A-Za-z0-9-]|_(?!_))*__[A-Za-z0-9_-]+)$/;
const PROVIDER = /^[\w.:-]{1,64}$/;

/** A problem as a machine tells it: each part is a name that can be shown, and be part of a command. */
const ProblemThere = ProviderProblem.extend({
  provider: z.string().regex(PROVIDER),
  model: z
    .string()
    .regex(/^[\w.:/@+-]{1,200}$/)
    .optional(),
  host: z
    .string()
    .regex(/^[\w.:[\]-]{1,260}$/)
    .optional(),
  names: z
    .array(z.string().regex(/^[\w.:/@+-]{1,200}$/))
    .max(10)
    .optional(),
});

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
    const { error, question, model } = outcome;
    const problem = ProblemThere.safeParse(outcome.problem).data;
    const asks = failureReason === "needs_approval" ? askedThere(outcome.asks, pool) : undefined;
    if (failureReason === "needs_approval" && asks === undefined)
      return invalid(task, pool, "it asks for a call that cannot be shown");
    if (!PROVIDER.test(outcome.provider)) return invalid(task, pool, "it names no provider");
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
        result: atHome(outcome, pool, here),
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
        ...(model !== undefined && { model: visibleLine(model, MODEL_CHARS_MAX) }),
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
  return `away-${number}-${endOf(name, NAME_CHARS_MAX)}`;
}

/** A result that names the files where they are here; of those that stayed there it says so. */
function atHome(
  { resultType, result = null }: Pick<PoolOutcome, "resultType" | "result">,
  pool: string,
  here: ReadonlyMap<string, string>,
): unknown {
  const { data } = RESULT_SCHEMAS[resultType].safeParse(result);
  if (data === undefined) return result;
  if ("files" in data)
    return {
      ...data,
      files: data.files.map((file) => ({ ...file, path: here.get(file.path) ?? `${pool}:${file.path}` })),
    };
  if (!("text" in data)) return data;
  const { artifact = "", ...rest } = data;
  const path = here.get(artifact);
  return path === undefined ? rest : { ...rest, artifact: path };
}

/**
 * The call that a machine asks for, as the home asks its owner: nothing in it is part of the question or of a permission. Its reach
 * is known there alone, so it counts as everything; nothing is allowed for good. Undefined where it cannot be shown.
 */
function askedThere(asks: AskedCall | undefined, pool: string): AskedCall | undefined {
  if (asks === undefined || asks.tool.length > TOOL_NAME_CHARS_MAX || !ASKING_TOOL.test(asks.tool)) return undefined;
  const shown = visibleFromElsewhere(asks.shown);
  if (shown.length > SHOWN_CALL_CHARS_MAX) return undefined;
  const { tool, digest } = asks;
  const cwd = beginningOf(asks.cwd, CWD_CHARS_MAX).toWellFormed();
  return { tool, digest, shown, cwd, reaches: [...Reach.options], pool };
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
