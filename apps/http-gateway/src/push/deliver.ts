/** One push: encrypted for one browser, signed as ours, and handed to its push service (RFC 8030, 8188, 8291, 8292). */
import { createECDH } from "node:crypto";
import type { PushAddress } from "@mimikit/protocol/wire/push";
import webPush from "web-push";
import type { PushKeys } from "./keys.ts";
import type { PushMessage } from "./payload.ts";

const ENCODING = "aes128gcm";
/** How long a push service may take, in ms. */
export const SEND_MS_MAX = 10_000;
/** A push service that asks for a longer pause than this is asked again all the same, in ms. */
const RETRY_AFTER_MS_MAX = 3_600_000;
/** The contact of the sender, where the page has no address that others could know. Apple refuses local names. */
const SUBJECT = "mailto:push@mimikit.invalid";

/**
 * The outcome: taken; the subscription is no more; this one push cannot be taken, and never will be; the push service refuses
 * us (`status`) or is not there, so that it has to be tried again, after `afterMs` where it said so.
 */
export type PushOutcome =
  | { outcome: "taken" }
  | { outcome: "gone"; status: number }
  | { outcome: "unacceptable"; status: number }
  | { outcome: "refused"; status: number }
  | { outcome: "unreachable"; reason: string; afterMs?: number | undefined };

/** Hands it over. Never throws for what a push service does. @param origin of the page. @param signal ends it early. */
export async function deliver(
  { address, origin }: { address: PushAddress; origin: string },
  { publicKey, privateKey }: PushKeys,
  { payload, ttlSec, urgency, topic }: PushMessage,
  signal: AbortSignal,
): Promise<PushOutcome> {
  const { endpoint, keys } = address;
  const { cipherText } = webPush.encrypt(keys.p256dh, keys.auth, payload, ENCODING);
  const { origin: audience } = new URL(endpoint);
  const signed = webPush.getVapidHeaders(audience, subjectOf(origin), publicKey, privateKey, ENCODING);
  try {
    const response = await fetch(endpoint, {
      method: "POST",
      headers: {
        Authorization: signed.Authorization,
        "Content-Encoding": ENCODING,
        "Content-Type": "application/octet-stream",
        TTL: String(ttlSec),
        Urgency: urgency,
        Topic: topic,
      },
      body: new Uint8Array(cipherText),
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(SEND_MS_MAX)]),
    });
    // It may be long, and tells nothing that the status does not.
    await response.body?.cancel();
    return deliveryOf(response.status, response.headers.get("Retry-After"), Date.now());
  } catch (error) {
    return { outcome: "unreachable", reason: reasonOf(error) };
  }
}

/** The meaning of an HTTP status here. @param retryAfter the header: seconds, or a date. */
export function deliveryOf(status: number, retryAfter: string | null, nowMs: number): PushOutcome {
  if (status >= 200 && status < 300) return { outcome: "taken" };
  if (status === 404 || status === 410) return { outcome: "gone", status };
  if (status === 400 || status === 413) return { outcome: "unacceptable", status };
  if (status === 408 || status === 429 || status >= 500)
    return { outcome: "unreachable", reason: `HTTP ${status}`, afterMs: pauseOf(retryAfter, nowMs) };
  return { outcome: "refused", status };
}

/** Can something be encrypted for this key? Its form alone does not say whether it is on the curve. */
export function isUsable({ keys }: PushAddress): boolean {
  const own = createECDH("prime256v1");
  own.generateKeys();
  try {
    own.computeSecret(keys.p256dh, "base64url");
    return true;
  } catch {
    return false;
  }
}

function pauseOf(retryAfter: string | null, nowMs: number): number | undefined {
  if (retryAfter === null) return undefined;
  const ms = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - nowMs;
  return Number.isFinite(ms) && ms > 0 ? Math.min(ms, RETRY_AFTER_MS_MAX) : undefined;
}

/** The contact that VAPID wants: the address of the page, which its push service may know, but for one of this machine. */
function subjectOf(origin: string): string {
  return origin.startsWith("https:") && !/^https:\/\/(?:localhost|127\.|\[)/.test(origin) ? origin : SUBJECT;
}

/** `fetch` says the reason one level down. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}
