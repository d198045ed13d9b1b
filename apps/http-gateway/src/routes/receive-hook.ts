/**
 * `POST /hooks/<name>`: a signed delivery from outside runs the one trigger that its hook names, with what it holds as data
 * (docs/hooks.md#from-outside). Loaded where there is a `hooks/`. The same delivery is the same command, however often it comes.
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { coded } from "@mimikit/protocol/texts/coded";
import { GIVEN_CHARS_MAX } from "@mimikit/protocol/triggers/trigger-order";
import { readHookSecrets } from "@mimikit/runtime/config/secrets";
import { HomeError } from "@mimikit/runtime/home/home";
import { readHooks } from "@mimikit/runtime/hooks/read-hooks";
import type { Handler } from "express";
import type { RouteDeps } from "../api/parts.ts";
import { readBytes } from "../http/limits.ts";
import { HttpProblem } from "../http/problem.ts";

export const DELIVERY_BYTES_MAX = 262_144;
/** Of one hook. Senders that are told to wait come again. */
export const DELIVERIES_PER_MINUTE_MAX = 60;
/** The clock of the other side may be so far off, in seconds. */
const CLOCK_OFF_SEC_MAX = 300;
const MINUTE_MS = 60_000;
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
    const given = { from: name, text: textOf(body) };
    const id = await commands.runTrigger(source.receive, `hook ${name} ${delivery}`, given);
    response.status(202).json({ id });
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

/**
 * The key of a delivery, of what is signed alone; null where nothing is signed rightly. Standard Webhooks sign
 * their id and the time. GitHub signs the body alone, so that the same body is the same delivery.
 */
function deliveryOf(headers: IncomingHttpHeaders, body: Buffer, secret: string, nowMs: number): string | null {
  const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures } = headers;
  if (typeof id === "string" && typeof timestamp === "string" && typeof signatures === "string") {
    if (!/^\d{1,12}$/.test(timestamp) || Math.abs(nowMs / 1_000 - Number(timestamp)) > CLOCK_OFF_SEC_MAX) return null;
    const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice("whsec_".length), "base64") : secret;
    const expected = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
    const given = signatures.split(" ").flatMap((each) => (each.startsWith("v1,") ? [each.slice("v1,".length)] : []));
    return given.some((each) => isSame(Buffer.from(each, "base64"), expected)) ? id : null;
  }
  const { "x-hub-signature-256": signature } = headers;
  if (typeof signature !== "string" || !signature.startsWith("sha256=")) return null;
  const expected = createHmac("sha256", secret).update(body).digest();
  if (!isSame(Buffer.from(signature.slice("sha256=".length), "hex"), expected)) return null;
  return createHash("sha256").update(body).digest("hex");
}

function isSame(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

/** @throws HttpProblem 400 for what is no text. */
function textOf(body: Buffer): string {
  try {
    const text = UTF8.decode(body);
    return text.length <= GIVEN_CHARS_MAX
      ? text
      : `${text.slice(0, GIVEN_CHARS_MAX - 1).replace(/[\ud800-\udbff]$/, "")}…`;
  } catch (error) {
    if (error instanceof TypeError) throw new HttpProblem(400, coded("delivery_no_text"));
    throw error;
  }
}
