/**
 * `POST /hooks/<name>`: a signed delivery from outside runs the one trigger that its hook names, with what it holds as data
 * (docs/hooks.md#from-outside). Loaded where there is a `hooks/`. The same delivery is the same command, however often it comes.
 */

import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { coded } from "@mimikit/protocol/texts/coded";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import { EVENT_CHARS_MAX, GIVEN_CHARS_MAX } from "@mimikit/protocol/triggers/trigger-order";
import { readHookSecrets } from "@mimikit/runtime/config/secrets";
import { HomeError } from "@mimikit/runtime/home/home";
import { readHooks } from "@mimikit/runtime/hooks/read-hooks";
import type { Handler } from "express";
import type { RouteDeps } from "../api/parts.ts";
import { readBytes } from "../http/limits.ts";
import { HttpProblem } from "../http/problem.ts";
import type { Commands } from "../state/commands.ts";

export const DELIVERY_BYTES_MAX = 262_144;
/** Of one hook. Senders that are told to wait come again. */
export const DELIVERIES_PER_MINUTE_MAX = 60;
/** The clock of the other side may be so far off, in seconds. */
const CLOCK_OFF_SEC_MAX = 300;
const MINUTE_MS = 60_000;
/** How long the same content is the same delivery, where its sender has no id for it. */
const REPEAT_MS_MAX = 5 * MINUTE_MS;
const UTF8 = new TextDecoder("utf-8", { fatal: true });

export function receiveHook({ fs, home, environment, auth, commands }: RouteDeps): Handler {
  const accepted = new Map<string, number[]>();

  return async (request, response) => {
    response.setHeader("Cache-Control", "no-store");
    if (request.method !== "POST")
      throw new HttpProblem(405, coded("other_methods", { methods: "POST" }), { headers: { Allow: "POST" } });
    const name = request.path.slice(1);
    const body = await readBytes(request, DELIVERY_BYTES_MAX);
    const source = (await readHooks(fs)).sources.find((each) => each.name === name);
    const secret = source && secretNamed(source.secret ?? name);
    const delivery = secret === undefined ? null : deliveryOf(request.headers, body, secret, Date.now());
    // Whether there is such a hook is not said to those who cannot sign for it.
    if (source === undefined || delivery === null)
      return auth.refuse(request, new HttpProblem(401, coded("delivery_unsigned")));
    assertNotTooMany(name, performance.now());
    const { event } = delivery;
    const given = { from: name, text: textOf(body), ...(event !== undefined && { event }) };
    const key = await keyOf(name, delivery, Date.now(), commands);
    response.status(202).json(await commands.deliver(source.receive, key, given));
  };

  function secretNamed(name: string): string | undefined {
    try {
      return readHookSecrets(home, environment)[name];
    } catch (error) {
      if (error instanceof HomeError) return undefined;
      throw error;
    }
  }

  function assertNotTooMany(name: string, nowMs: number): void {
    const recent = (accepted.get(name) ?? []).filter((atMs) => nowMs - atMs < MINUTE_MS);
    if (recent.length >= DELIVERIES_PER_MINUTE_MAX)
      throw new HttpProblem(429, coded("deliveries_too_many", { max: DELIVERIES_PER_MINUTE_MAX }), {
        headers: { "Retry-After": "60" },
      });
    accepted.set(name, [...recent, nowMs]);
  }
}

/** A delivery whose signature is right. */
interface Delivery {
  /** The sender's id of it; without one the content is all that says which it is. */
  id?: string;
  /** The event, as the sender names it. */
  event?: string;
  /** SHA-256 of the body, in hexadecimal. */
  digest: string;
}

/**
 * Where senders, and relays that sign anew, name their deliveries and events. Gitea, Forgejo and Gogs send theirs and those of GitHub. The id
 * is the same for a delivery that is sent again: GitHub's is that of the event (github/docs#32822).
 */
const DELIVERY_HEADERS = [
  "x-github-delivery",
  "x-gitea-delivery",
  "x-forgejo-delivery",
  "x-gogs-delivery",
  "x-gitlab-event-uuid",
  "x-shopify-webhook-id",
  "x-request-uuid",
  "idempotency-key",
  "webhook-id",
];
const EVENT_HEADERS = [
  "x-github-event",
  "x-gitea-event",
  "x-forgejo-event",
  "x-gogs-event",
  "x-gitlab-event",
  "x-shopify-topic",
  "x-event-key",
];

/** Which delivery it is; null where nothing is signed rightly. Standard Webhooks sign their id and the time, GitHub the body alone. */
function deliveryOf(headers: IncomingHttpHeaders, body: Buffer, secret: string, nowMs: number): Delivery | null {
  const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures } = headers;
  const digest = createHash("sha256").update(body).digest("hex");
  if (typeof id === "string" && typeof timestamp === "string" && typeof signatures === "string") {
    if (!/^\d{1,12}$/.test(timestamp) || Math.abs(nowMs / 1_000 - Number(timestamp)) > CLOCK_OFF_SEC_MAX) return null;
    const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice("whsec_".length), "base64") : secret;
    const expected = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
    const given = signatures.split(" ").flatMap((each) => (each.startsWith("v1,") ? [each.slice("v1,".length)] : []));
    if (!given.some((each) => isSame(Buffer.from(each, "base64"), expected))) return null;
    return { digest, ...(id.trim() !== "" && { id }) };
  }
  const { "x-hub-signature-256": signature } = headers;
  if (typeof signature !== "string" || !signature.startsWith("sha256=")) return null;
  const expected = createHmac("sha256", secret).update(body).digest();
  if (!isSame(Buffer.from(signature.slice("sha256=".length), "hex"), expected)) return null;
  const [named, event] = [
    firstOf(headers, DELIVERY_HEADERS),
    firstOf(headers, EVENT_HEADERS)?.slice(0, EVENT_CHARS_MAX),
  ];
  return { digest, ...(named !== undefined && { id: named }), ...(event !== undefined && { event }) };
}

/** The first of these headers that says something. */
function firstOf(headers: IncomingHttpHeaders, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = headers[name];
    if (typeof value === "string" && value.trim() !== "") return value.trim();
  }
  return undefined;
}

/**
 * The key of its command. Without an id of the sender's, the same content is the same delivery for a while after its first arrival: a doorbell
 * that rings again says the same words, and so does a sender that has lost the answer.
 */
async function keyOf(
  hook: string,
  { id, event, digest }: Delivery,
  nowMs: number,
  commands: Commands,
): Promise<string> {
  if (id !== undefined)
    return event === undefined ? `hook ${hook} ${id}` : `hook ${hook} ${JSON.stringify([event, id])}`;
  const numbered = (number: number) => `hook ${hook} ${JSON.stringify([event ?? null, digest, number])}`;
  const last = await commands.lastRun(numbered);
  if (last === null) return numbered(0);
  const isRepeat = last.first !== null && Math.abs(nowMs - Date.parse(last.first.at)) < REPEAT_MS_MAX;
  return numbered(isRepeat ? last.number : last.number + 1);
}

function isSame(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

/** @throws HttpProblem 400 for what is no text. */
function textOf(body: Buffer): string {
  try {
    const text = UTF8.decode(body);
    return text.length <= GIVEN_CHARS_MAX ? text : `${beginningOf(text, GIVEN_CHARS_MAX - 1)}…`;
  } catch (error) {
    if (error instanceof TypeError) throw new HttpProblem(400, coded("delivery_no_text"));
    throw error;
  }
}
