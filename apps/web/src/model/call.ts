/** What the page asks the gateway over HTTP (docs/api.md). Whatever goes wrong is told to the user in one place. */
import type { ApiError } from "@mimikit/protocol/wire/api";
import { words } from "../i18n/words.ts";
import { request } from "./session.ts";
import { notice } from "./state.ts";

/** The answer, or undefined when there was none or it was a refusal; then the notice says why. */
export async function call<T>(
  method: "GET" | "POST" | "PATCH" | "DELETE",
  path: string,
  body?: unknown,
): Promise<T | undefined> {
  const answer = await request(method, path, body);
  if (answer === undefined) {
    notice.value = words.notConnected;
    return undefined;
  }
  if (answer.ok) return (await answer.json()) as T;
  notice.value = await refusalIn(answer);
  return undefined;
}

/** What the gateway says of a request that it refused; whoever stands in front of it may answer in another way. */
export async function refusalIn(answer: Response): Promise<string> {
  if (answer.headers.get("Content-Type")?.includes("json") !== true) return `${answer.status} ${answer.statusText}`;
  return ((await answer.json()) as ApiError).error.message;
}
