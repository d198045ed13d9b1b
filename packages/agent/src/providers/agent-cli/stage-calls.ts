/**
 * Takes over the effects of a run from what its CLI says: each call that succeeded is made once more on the run's own
 * bus, which must answer the same id. The MCP server has changed nothing; this is where effects come from.
 */
import { childId } from "@mimikit/protocol/base/id";
import { tryJson } from "@mimikit/protocol/base/json";
import { z } from "zod";
import type { ToolAnswer, ToolBus } from "../../bus.ts";
import type { AnsweredCall } from "./agent-cli.ts";

/** The answer to a staged write, and to nothing else. */
const Staged = z.strictObject({ id: z.string() });

/** The calls that are staged now, in the order of their ids; or why these are not the calls of this run. */
export type Staging = { staged: AnsweredCall[] } | { problem: string };

/**
 * Makes the calls in the order of their ids, for a CLI may tell of them in another; reads last. With a problem, what was
 * staged before it does not count: the run fails.
 */
export async function stageCalls(calls: readonly AnsweredCall[], taskId: string, bus: ToolBus): Promise<Staging> {
  const told = calls.map((call) => ({ call, id: idIn(call.answer) }));
  const foreign = told.find(({ id }) => id !== null && placeOf(id, taskId) === null);
  if (foreign !== undefined) return { problem: `${foreign.call.tool} was answered for another task` };
  const staged: AnsweredCall[] = [];
  for (const { call, id } of told.toSorted((a, b) => orderOf(a.id, taskId) - orderOf(b.id, taskId))) {
    const { tool, input, requestId, durationMs } = call;
    const answer = await bus.call(tool, input, { requestId, ...(durationMs !== undefined && { durationMs }) });
    if (id !== idOf(answer)) return { problem: `${tool} was answered otherwise than here: ${describe(answer)}` };
    if (id !== null) staged.push(call);
  }
  return { staged };
}

function idIn(answer: string): string | null {
  return Staged.safeParse(tryJson(answer)).data?.id ?? null;
}

function idOf(answer: ToolAnswer): string | null {
  return answer.ok ? (Staged.safeParse(answer.data).data?.id ?? null) : null;
}

/** k of `<taskId>.<k>`; null for any other id. */
function placeOf(id: string, taskId: string): number | null {
  const k = Number(id.slice(taskId.length + 1));
  return Number.isSafeInteger(k) && childId(taskId, k) === id ? k : null;
}

function orderOf(id: string | null, taskId: string): number {
  return (id === null ? null : placeOf(id, taskId)) ?? Number.MAX_SAFE_INTEGER;
}

function describe(answer: ToolAnswer): string {
  return answer.ok ? (idOf(answer) ?? "no id") : answer.message;
}
