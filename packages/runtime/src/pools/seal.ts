/**
 * Seals what a home and a pool say to each other: AES-256-GCM with the key of the pool. A text is bound to its place, so that the engine, or
 * anybody who can write there, can neither read it nor put it in the place of another (docs/pools.md).
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";
import { parseRecord } from "@mimikit/protocol/base/json";
import type { z } from "zod";

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** A sealed text is longer by so many bytes. */
export const SEAL_BYTES = NONCE_BYTES + TAG_BYTES;
const KEY_BYTES = 32;

/** Where a text belongs. */
export interface Place {
  /** The job, by its name: home, epoch, task and attempt are in it. That of the home where it is about none. */
  job: string;
  pool: string;
  direction: "to-pool" | "from-pool" | "job" | "outcome" | "join" | "file-to-pool" | "file-from-pool";
  /** Which of the messages of a sender it is; not given for what is said once. */
  seq?: string;
}

/** The text is not what was sealed for this place with this key. */
export class BadSeal extends Error {}

const boundTo = ({ job, pool, direction, seq = "" }: Place) => Buffer.from(JSON.stringify([job, pool, direction, seq]));

/** @param key 32 bytes in base64. @returns base64. */
export function seal(key: string, place: Place, record: unknown): string {
  return sealBytes(key, place, Buffer.from(JSON.stringify(record), "utf8")).toString("base64");
}

/** @param key 32 bytes in base64. */
export function sealBytes(key: string, place: Place, bytes: Uint8Array): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, Buffer.from(key, "base64"), nonce);
  cipher.setAAD(boundTo(place));
  const body = Buffer.concat([cipher.update(bytes), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

/** Throws `BadSeal`, and `BadJson` where what was sealed is not of `schema`. */
export function unseal<T>(key: string, place: Place, schema: z.ZodType<T>, sealed: string): T {
  return parseRecord(schema, unsealBytes(key, place, Buffer.from(sealed, "base64")).toString("utf8"));
}

/** Throws `BadSeal`. */
export function unsealBytes(key: string, place: Place, bytes: Buffer): Buffer {
  if (bytes.length < SEAL_BYTES) throw new BadSeal("it is cut off");
  const decipher = createDecipheriv(CIPHER, Buffer.from(key, "base64"), bytes.subarray(0, NONCE_BYTES));
  decipher.setAAD(boundTo(place));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(SEAL_BYTES)), decipher.final()]);
  } catch {
    throw new BadSeal("it was not sealed for this place with this key");
  }
}

/** The key, in base64, that a one-time secret stands for. */
export function keyOfSecret(secret: string): string {
  return Buffer.from(hkdfSync("sha256", secret, "", "mimikit pool join", KEY_BYTES)).toString("base64");
}

/** Names in the engine tell nothing of the secret. */
export function nameOfSecret(secret: string): string {
  return createHash("sha256").update(`name of ${secret}`).digest("hex");
}
