/**
 * A machine that its home has removed is told: a note in the engine, encrypted with the key that the two had, which nobody else can write. It
 * is there for a while, because the machine may be off (docs/pools.md).
 */
import { createHash } from "node:crypto";
import { BadJson } from "@mimikit/protocol/base/json";
import type { Redis } from "ioredis";
import { z } from "zod";
import { decrypt, encrypt, NotDecryptable } from "./encrypt.ts";
import { removedKey } from "./names.ts";

/** So long the note is there. */
const KEPT_SEC = 90 * 86_400;
const DIGITS = 16;

/** The home, the name and the key of a machine. */
export interface Membership {
  home: string;
  pool: string;
  key: string;
}

const Removed = z.object({ removed: z.literal(true) });

const placeOf = ({ home, pool }: Membership) => ({ job: home, pool, direction: "to-pool" as const, seq: "removed" });
const nameOf = ({ home, pool, key }: Membership) =>
  removedKey(home, pool, createHash("sha256").update(`removed ${key}`).digest("hex").slice(0, DIGITS));

/** Throws what the engine says. */
export async function noteRemoved(client: Redis, membership: Membership): Promise<void> {
  const note = encrypt(membership.key, placeOf(membership), { removed: true });
  await client.set(nameOf(membership), note, "EX", KEPT_SEC);
}

/** Throws what the engine says. */
export async function isRemoved(client: Redis, membership: Membership): Promise<boolean> {
  const note = await client.get(nameOf(membership));
  if (note === null) return false;
  try {
    return decrypt(membership.key, placeOf(membership), Removed, note).removed;
  } catch (error) {
    if (error instanceof NotDecryptable || error instanceof BadJson) return false;
    throw error;
  }
}
