/** The session of this browser at the gateway: a cookie that scripts cannot read, and a secret that other sites cannot send. */
import { signal } from "@preact/signals";
import { store } from "../storage/storage.ts";

const SECRET_KEY = "mimikit.secret";
const KEYS_PREFIX = "mimikit.";
const REQUEST_MS_MAX = 10_000;
const CODE_IN_FRAGMENT = /#pair=([^&\s]+)/;

export type SessionState = "unknown" | "paired" | "unpaired";
export const session = signal<SessionState>("unknown");

export type PairOutcome = "paired" | "expired" | "refused" | "locked" | "foreign" | "unreachable";

/** The secret of a session that lasts as long as this page, because the browser had no room for it. */
let unstored: string | undefined;

/** The secret of this browser, or undefined before pairing. */
export function secret(): string | undefined {
  return unstored ?? localStorage.getItem(SECRET_KEY) ?? undefined;
}

/** Takes a pairing code out of the address, so that neither the history nor a screenshot keeps it. */
export function takeCodeFromAddress(): string | undefined {
  const code = CODE_IN_FRAGMENT.exec(location.hash)?.[1];
  if (code !== undefined) history.replaceState(null, "", location.pathname + location.search);
  return code;
}

/** The code in what a person pasted: the code itself, or the whole address that holds it. */
export function codeIn(pasted: string): string {
  return CODE_IN_FRAGMENT.exec(pasted)?.[1] ?? pasted.trim();
}

/** Redeems a one-time code. On success the gateway has set the cookie and the secret is stored. */
export async function pair(code: string): Promise<PairOutcome> {
  const answer = await request("POST", "api/pair", { code });
  if (answer === undefined) return "unreachable";
  if (answer.status === 410) return "expired";
  if (answer.status === 429) return "locked";
  if (answer.status === 403) return "foreign";
  if (!answer.ok) return "refused";
  const body = (await answer.json()) as { secret: string };
  if (!store(SECRET_KEY, body.secret)) unstored = body.secret;
  return "paired";
}

/**
 * Asks the gateway whether it knows this browser, and `unknown` when it does not say. A WebSocket cannot ask that:
 * browsers hide why an upgrade failed.
 */
export async function askWhetherPaired(): Promise<SessionState> {
  if (secret() === undefined) return "unpaired";
  const answer = await request("GET", "api/status");
  if (answer?.status === 401) return "unpaired";
  return answer?.ok ? "paired" : "unknown";
}

/** Revokes the session and leaves nothing of it in this browser, drafts and unsent messages included. */
export async function signOut(): Promise<void> {
  await request("POST", "api/sign-out", {});
  unstored = undefined;
  for (const key of Object.keys(localStorage)) if (key.startsWith(KEYS_PREFIX)) localStorage.removeItem(key);
}

export type CallMethod = "GET" | "POST" | "PATCH" | "DELETE";

/**
 * Asks the gateway as this browser; the same `key` is the same command, however often it is sent. Undefined when there
 * is no answer within `msMax` milliseconds.
 */
export async function request(
  method: CallMethod,
  path: string,
  body?: unknown,
  msMax = REQUEST_MS_MAX,
  key?: string,
): Promise<Response | undefined> {
  const headers: Record<string, string> = {};
  const own = secret();
  if (own !== undefined) headers["X-Mimikit-Secret"] = own;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (key !== undefined) headers["Idempotency-Key"] = key;
  const init: RequestInit = { method, headers, signal: AbortSignal.timeout(msMax), cache: "no-store" };
  if (body !== undefined) init.body = JSON.stringify(body);
  try {
    return await fetch(path, init);
  } catch (error) {
    // `fetch` rejects with exactly these when there is no answer; anything else is a mistake of ours.
    if (error instanceof TypeError || error instanceof DOMException) return undefined;
    throw error;
  }
}
