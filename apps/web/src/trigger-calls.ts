/** What the page asks the gateway about triggers, and wants of them (API.md). */
import type { ApiError, TriggerDetail, TriggerExplanation } from "@mimikit/protocol/api";
import { request } from "./session.ts";
import { notice } from "./state.ts";
import { words } from "./words.ts";

export interface Insight {
  detail: TriggerDetail;
  explanation: TriggerExplanation;
}

/** Why a trigger fires or does not, and when it does next; undefined when nobody said, and then the user is told why. */
export async function inspectTrigger(id: string): Promise<Insight | undefined> {
  const [detail, explanation] = await Promise.all([
    call("GET", `api/triggers/${id}`),
    call("GET", `api/triggers/${id}/explain`),
  ]);
  if (detail === undefined || explanation === undefined) return undefined;
  return { detail: detail as TriggerDetail, explanation: explanation as TriggerExplanation };
}

/** Pauses or resumes a trigger. @returns whether the wish is durable; else the user is told why. */
export async function pauseTrigger(id: string, paused: boolean): Promise<boolean> {
  return (await call("PATCH", `api/triggers/${id}`, { paused })) !== undefined;
}

/** Fires a trigger once more. @returns whether the wish is durable; else the user is told why. */
export async function runTrigger(id: string): Promise<boolean> {
  return (await call("POST", `api/triggers/${id}/run`, {})) !== undefined;
}

/** Ends a trigger for good. @returns whether the wish is durable; else the user is told why. */
export async function deleteTrigger(id: string): Promise<boolean> {
  return (await call("DELETE", `api/triggers/${id}`)) !== undefined;
}

/** What the gateway answers; undefined when nobody does, or with no, and then the user is told why. */
export async function call(
  method: "GET" | "POST" | "PATCH" | "DELETE",
  path: string,
  body?: unknown,
): Promise<unknown> {
  const answer = await request(method, path, body);
  if (answer === undefined) {
    notice.value = words.notConnected;
    return undefined;
  }
  const said: unknown = await answer.json();
  if (answer.ok) return said;
  notice.value = (said as ApiError).error.message;
  return undefined;
}
