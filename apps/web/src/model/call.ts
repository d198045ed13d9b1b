/** Requests of the page to the gateway over HTTP (docs/api.md). */
import type { ApiError } from "@mimikit/protocol/wire/api";
import { momentText, words } from "../i18n/words.ts";
import { type CallMethod, request } from "./session.ts";
import { notice } from "./state.ts";

let inOurLanguage: ((key: string, value: unknown) => unknown) | undefined;

/** Loads what the gateway says in the language of the page; without it, its English is shown. */
export async function loadTexts(): Promise<void> {
  if (words.language !== "zh") return;
  try {
    inOurLanguage = (await import("@mimikit/protocol/texts/chinese")).inChinese((at) => momentText(at, Date.now()));
  } catch (error) {
    // A chunk that cannot be fetched.
    if (!(error instanceof TypeError)) throw error;
  }
}

/** An answer of the gateway, with its sentences in the language of the page. */
export function read<T>(json: string): T {
  return JSON.parse(json, inOurLanguage) as T;
}

/** The outcome of a request: its answer, or why there is none, in words. */
export type CallOutcome<T> = { answer: T } | { refusal: string };

/** Asks, for a part of the page that says itself why there is no answer. @param msMax how long to wait, in ms. @param key the same is the same command. */
export async function ask<T>(
  method: CallMethod,
  path: string,
  body?: unknown,
  msMax?: number,
  key?: string,
): Promise<CallOutcome<T>> {
  const answer = await request(method, path, body, msMax, key);
  if (answer === undefined) return { refusal: words.notConnected };
  return answer.ok ? { answer: read<T>(await answer.text()) } : { refusal: await refusalIn(answer) };
}

/** The answer, or undefined when there was none or it was a refusal; then the notice says why. */
export async function call<T>(method: CallMethod, path: string, body?: unknown): Promise<T | undefined> {
  const asked = await ask<T>(method, path, body);
  if ("answer" in asked) return asked.answer;
  notice.value = asked.refusal;
  return undefined;
}

/** The gateway's reason for refusing a request; a proxy in front of it may answer in another way. */
export async function refusalIn(answer: Response): Promise<string> {
  if (answer.headers.get("Content-Type")?.includes("json") !== true) return `${answer.status} ${answer.statusText}`;
  return read<ApiError>(await answer.text()).error.message;
}
