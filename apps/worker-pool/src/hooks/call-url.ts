/** One try of a call: a signed POST of the event. Its answer counts by its status alone. */
import { createHmac } from "node:crypto";
import type { HookDelivery } from "@mimikit/protocol/records/hook";
import { VERSION } from "@mimikit/runtime/home/version";
import type { Hook } from "@mimikit/runtime/hooks/read-hooks";
import { proxyErrorIn } from "@mimikit/runtime/network/proxy-error";

/** From the beginning to the status of the answer. */
export const CALL_MS_MAX = 10_000;
/** The pause after the first failed try; each next one is twice as long, up to RETRY_MS_MAX. */
export const RETRY_MS_MIN = 1_000;
export const RETRY_MS_MAX = 3_600_000;
/** A server may ask for a longer pause, with Retry-After, up to this. */
export const RETRY_AFTER_MS_MAX = 86_400_000;
export const TRIES_MAX = 60;

const GONE = 410;
const ENCODED = /^whsec_/;

export type CallResult =
  | { isTaken: true; detail: string }
  /** @property isFinal no other try is worth while. */
  | { isTaken: false; detail: string; isFinal: boolean; retryAfterMs: number };

/** The secrets of one call. */
export interface Credentials {
  signing: string | null;
  headers: Record<string, string>;
}

/** @param secrets holds all that the hook needs. */
export function credentialsOf(
  { name, secret, headers = {} }: Hook,
  secrets: Readonly<Record<string, string>>,
): Credentials {
  const values = Object.entries(headers).map(([header, value]) => [
    header,
    typeof value === "string" ? value : (secrets[value.secret] ?? ""),
  ]);
  return {
    signing: secret === false ? null : (secrets[secret ?? name] ?? null),
    headers: Object.fromEntries(values),
  };
}

/** Never throws for what the other side does. @param stop ends it at once. */
export async function callUrl(
  url: string,
  { id, event }: HookDelivery,
  { signing, headers }: Credentials,
  nowMs: number,
  stop: AbortSignal,
): Promise<CallResult> {
  const body = JSON.stringify(event);
  const timestamp = String(Math.floor(nowMs / 1_000));
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        ...headers,
        "content-type": "application/json",
        "user-agent": `mimikit/${VERSION}`,
        "webhook-id": id,
        "webhook-timestamp": timestamp,
        ...(signing !== null && { "webhook-signature": signatureOf(signing, id, timestamp, body) }),
      },
      body,
      // The owner did not name the place that it leads to, and the event is not for that server.
      redirect: "manual",
      signal: AbortSignal.any([stop, AbortSignal.timeout(CALL_MS_MAX)]),
    });
    // Nothing of the answer is read: it is another's text, of any length.
    await response.body?.cancel();
    const { status } = response;
    if (response.ok) return { isTaken: true, detail: `status ${status}` };
    const retryAfterMs = retryAfterOf(response.headers.get("retry-after"), nowMs);
    return { isTaken: false, detail: `status ${status}`, isFinal: status === GONE, retryAfterMs };
  } catch (error) {
    return { isTaken: false, detail: reasonOf(error), isFinal: false, retryAfterMs: 0 };
  }
}

/** The header `webhook-signature` of Standard Webhooks: HMAC-SHA256 over id, timestamp and body, in base64. */
export function signatureOf(secret: string, id: string, timestamp: string, body: string): string {
  const key = ENCODED.test(secret) ? Buffer.from(secret.replace(ENCODED, ""), "base64") : Buffer.from(secret);
  return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
}

/** The pause after the n-th failed try, in milliseconds. */
export function pauseAfter(tries: number, retryAfterMs: number): number {
  return Math.max(retryAfterMs, Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** (tries - 1)));
}

/** Seconds, or a date. */
function retryAfterOf(header: string | null, nowMs: number): number {
  if (header === null) return 0;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - nowMs;
  return Number.isFinite(ms) ? Math.min(RETRY_AFTER_MS_MAX, Math.max(0, ms)) : 0;
}

/** In a word or two: the code of the system where it has one. The words of libraries may quote a header. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "no answer";
  const ofProxy = proxyErrorIn(error);
  if (ofProxy !== null) return ofProxy.message;
  if (error.name === "TimeoutError") return `no answer within ${CALL_MS_MAX / 1_000} s`;
  const { cause } = error;
  const code: unknown = typeof cause === "object" && cause !== null ? Reflect.get(cause, "code") : undefined;
  return typeof code === "string" ? code : error.name;
}
