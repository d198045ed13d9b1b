/** A request is bounded before it is understood: its type, size, encoding and depth are checked before it is parsed. */

import type { IncomingMessage } from "node:http";
import { BadJson, parseJson } from "@mimikit/protocol/base/json";
import { coded, codeOrQuote } from "@mimikit/protocol/texts/coded";
import { describeIssues } from "@mimikit/protocol/texts/issues";
import { BODY_DEPTH_MAX, MESSAGE_BODY_BYTES_MAX } from "@mimikit/protocol/wire/api";
import type { z } from "zod";
import { HttpProblem } from "./problem.ts";

/** Node answers 408 and closes a connection whose header or body takes longer, in ms. */
export const REQUEST_MS_MAX = 8_000;
/** How often Node looks for such connections, in ms: the longest a slow one lives is the sum of both. */
export const REQUEST_CHECK_MS = 1_000;
export const HEADER_BYTES_MAX = 16_384;
export const CONNECTIONS_MAX = 1_024;
export const SOCKETS_MAX = 64;
/** A frame may carry a message. */
export const FRAME_BYTES_MAX = MESSAGE_BODY_BYTES_MAX;
export const IDEMPOTENCY_KEY_CHARS_MAX = 255;

const UTF8 = new TextDecoder("utf-8", { fatal: true });
const JSON_TYPE = /^application\/json(?:\s*;\s*charset="?utf-8"?)?$/i;
/** Names through which a carelessly copied object could change the prototype of all others. */
const FORBIDDEN_KEYS = new Set(["__proto__", "constructor", "prototype"]);

/**
 * Reads the JSON body of a request as `schema`.
 * @throws HttpProblem 415 for another type, 413 above `bytesMax`, 400 for anything that is not of the schema.
 */
export async function readBody<T>(request: IncomingMessage, schema: z.ZodType<T>, bytesMax: number): Promise<T> {
  assertJsonType(request);
  return checkedAs(schema, parseBounded((await readText(request, bytesMax)) || "{}", bytesMax));
}

/** The Idempotency-Key of a request, if it has one. Throws Problem 400 for more than one value, or one that is not bounded. */
export function idempotencyKeyOf(request: IncomingMessage): string | undefined {
  const keys = request.headersDistinct["idempotency-key"];
  if (keys === undefined) return undefined;
  const [key, ...others] = keys;
  if (others.length === 0 && key !== undefined && key.length > 0 && key.length <= IDEMPOTENCY_KEY_CHARS_MAX) return key;
  throw new HttpProblem(400, coded("key_one_value", { max: IDEMPOTENCY_KEY_CHARS_MAX }));
}

/** Parses text from outside within the limits of a body. Throws Problem 400. */
export function parseBounded(text: string, bytesMax: number): unknown {
  try {
    const value = parseJson(text, { bytes: bytesMax, depth: BODY_DEPTH_MAX });
    assertNoForbiddenKeys(value);
    return value;
  } catch (error) {
    if (error instanceof BadJson) throw new HttpProblem(400, coded("json_unacceptable", { problem: error.message }));
    throw error;
  }
}

/** Checks a value (a body, a query, a frame). Throws Problem 400 that names the field. */
export function checkedAs<T>(schema: z.ZodType<T>, value: unknown): T {
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  throw new HttpProblem(400, codeOrQuote(describeIssues(checked.error)));
}

/** Every mutating route wants JSON: a form or a text, which a foreign page can send without asking, is none. */
export function assertJsonType(request: IncomingMessage): void {
  const type = request.headers["content-type"] ?? "";
  if (!JSON_TYPE.test(type)) {
    throw new HttpProblem(415, coded("body_not_json"), { hint: "Send Content-Type: application/json." });
  }
  const encoding = request.headers["content-encoding"] ?? "identity";
  if (encoding !== "identity") throw new HttpProblem(415, coded("body_compressed"));
}

async function readText(request: IncomingMessage, bytesMax: number): Promise<string> {
  const bytes = await readBytes(request, bytesMax);
  try {
    return UTF8.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) throw new HttpProblem(400, coded("body_not_utf8"));
    throw error;
  }
}

/** The bytes of a body. By its events, which cost less than an iterator: that is seen where many ask at once. */
export function readBytes(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const tooLarge = () => new HttpProblem(413, coded("body_too_large", { max: bytesMax }));
  return new Promise((resolve, reject) => {
    if (Number(request.headers["content-length"] ?? 0) > bytesMax) return reject(tooLarge());
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= bytesMax) chunks.push(chunk);
      // The rest is read and forgotten, within the time that a request may take.
      else reject(tooLarge());
    });
    request.on("end", () => resolve(Buffer.concat(chunks)));
    request.on("error", reject);
  });
}

function assertNoForbiddenKeys(value: unknown): void {
  if (value === null || typeof value !== "object") return;
  for (const [key, member] of Object.entries(value)) {
    if (FORBIDDEN_KEYS.has(key)) throw new HttpProblem(400, coded("json_forbidden_key"));
    assertNoForbiddenKeys(member);
  }
}
