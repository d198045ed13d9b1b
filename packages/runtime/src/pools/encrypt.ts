/**
 * Encrypts what a home and a pool say to each other: AES-256-GCM with the key of the pool. A text is bound to its place, so that the engine, or
 * anybody who can write there, can neither read it nor put it in the place of another (docs/pools.md).
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";
import { parseRecord } from "@mimikit/protocol/base/json";
import type { z } from "zod";

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** An encrypted text is longer by so many bytes. */
export const ENCRYPTION_BYTES = NONCE_BYTES + TAG_BYTES;
const KEY_BYTES = 32;

/** Where a text belongs. */
export interface CipherPlace {
  /** The job, by its name: home, epoch, task and attempt are in it. That of the home where it is about none. */
  job: string;
  pool: string;
  direction: "to-pool" | "from-pool" | "job" | "outcome" | "join" | "file-to-pool" | "file-from-pool";
  /** Which of the messages of a sender it is; not given for what is said once. */
  seq?: string;
}

/** The text is not what was encrypted for this place with this key. */
export class NotDecryptable extends Error {}

const boundTo = ({ job, pool, direction, seq = "" }: CipherPlace) =>
  Buffer.from(JSON.stringify([job, pool, direction, seq]));

/** @param key 32 bytes in base64. @returns base64. */
export function encrypt(key: string, place: CipherPlace, record: unknown): string {
  return encryptBytes(key, place, Buffer.from(JSON.stringify(record), "utf8")).toString("base64");
}

/** @param key 32 bytes in base64. */
export function encryptBytes(key: string, place: CipherPlace, bytes: Uint8Array): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, Buffer.from(key, "base64"), nonce);
  cipher.setAAD(boundTo(place));
  const body = Buffer.concat([cipher.update(bytes), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

/** Throws `NotDecryptable`, and `BadJson` where what was encrypted is not of `schema`. */
export function decrypt<T>(key: string, place: CipherPlace, schema: z.ZodType<T>, encrypted: string): T {
  return parseRecord(schema, decryptBytes(key, place, Buffer.from(encrypted, "base64")).toString("utf8"));
}

/** Throws `NotDecryptable`. */
export function decryptBytes(key: string, place: CipherPlace, bytes: Buffer): Buffer {
  if (bytes.length < ENCRYPTION_BYTES) throw new NotDecryptable("it is cut off");
  const decipher = createDecipheriv(CIPHER, Buffer.from(key, "base64"), bytes.subarray(0, NONCE_BYTES));
  decipher.setAAD(boundTo(place));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(ENCRYPTION_BYTES)), decipher.final()]);
  } catch {
    throw new NotDecryptable("it was not encrypted for this place with this key");
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
