/** Requests of the page to the gateway about triggers (docs/api.md). */

import type { TriggerInput } from "@mimikit/protocol/triggers/trigger-order";
import type { TriggerDetail, TriggerExplanation } from "@mimikit/protocol/wire/api";
import { words } from "../i18n/words.ts";
import { call, read, refusalIn } from "./call.ts";
import { request } from "./session.ts";

export interface Insight {
  detail: TriggerDetail;
  explanation: TriggerExplanation;
}

/** Why a trigger fires or does not, and when it does next; undefined when there is no answer, and then the user is told why. */
export async function inspectTrigger(id: string): Promise<Insight | undefined> {
  const [detail, explanation] = await Promise.all([
    call<TriggerDetail>("GET", `api/triggers/${id}`),
    call<TriggerExplanation>("GET", `api/triggers/${id}/explain`),
  ]);
  return detail === undefined || explanation === undefined ? undefined : { detail, explanation };
}

/** A trigger with its whole prompt; undefined when there is no answer, and then the user is told why. */
export function readTrigger(id: string): Promise<TriggerDetail | undefined> {
  return call<TriggerDetail>("GET", `api/triggers/${id}`);
}

/** Pauses or resumes a trigger. @returns whether the command is durable; else the user is told why. */
export async function pauseTrigger(id: string, paused: boolean): Promise<boolean> {
  return (await call("PATCH", `api/triggers/${id}`, { paused })) !== undefined;
}

/** Has a schedule count from now, after a clock that was ahead. @returns whether the command is durable; else the user is told why. */
export async function beginAnew(id: string): Promise<boolean> {
  return (await call("PATCH", `api/triggers/${id}`, { anew: true })) !== undefined;
}

/** Fires a trigger once more. @returns whether the command is durable; else the user is told why. */
export async function runTrigger(id: string): Promise<boolean> {
  return (await call("POST", `api/triggers/${id}/run`, {})) !== undefined;
}

/** Ends a trigger for good. @returns whether the command is durable; else the user is told why. */
export async function deleteTrigger(id: string): Promise<boolean> {
  return (await call("DELETE", `api/triggers/${id}`)) !== undefined;
}

/** Makes a trigger, or changes the one with this id. @returns why it was refused; undefined once the order is durable. */
export async function saveTrigger(order: Partial<TriggerInput>, id: string | undefined): Promise<string | undefined> {
  const answer =
    id === undefined
      ? await request("POST", "api/triggers", order)
      : await request("PATCH", `api/triggers/${id}`, order);
  if (answer === undefined) return words.notConnected;
  return answer.ok ? undefined : refusalIn(answer);
}

export type Preview = { upcoming: string[] } | { problem: string };

/** When such an order would fire, or what is wrong with it. */
export async function previewSchedule(query: Record<string, string>): Promise<Preview> {
  const answer = await request("GET", `api/triggers/upcoming?${new URLSearchParams(query)}`);
  if (answer === undefined) return { problem: words.notConnected };
  return answer.ok ? read<Preview>(await answer.text()) : { problem: await refusalIn(answer) };
}
