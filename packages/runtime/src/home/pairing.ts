/**
 * A pairing lets one browser sign in once (docs/security.md#signing-in). It has two codes, a long one for an address and a short one that
 * a person types. The hash of each is a file, so that the CLI can make them and the gateway can redeem one without talking to each
 * other. The codes themselves are never stored.
 */
import { createHash, randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { link, open, readdir, stat, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { tryJson } from "@mimikit/protocol/base/json";
import { hasCode } from "@mimikit/store/disk/error-code";
import { LOCKS } from "@mimikit/store/disk/state";
import { z } from "zod";

/** How long a pairing can be redeemed. */
export const PAIRING_MS = 600_000;
const CODE_BYTES = 32;
/** Digits and letters that cannot be mistaken for each other (Crockford's base 32): five bits each. */
const TYPED_LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const TYPED_CHARS = 8;
/** A redeemed code is remembered this long, so that a second use is told "used" instead of "unknown". */
const SPENT_KEPT_MS = 3_600_000;

const HASH = /^[0-9a-f]{64}$/;
/** `of`: a code that is typed stands for the long one with this hash. */
const PairingCode = z.strictObject({ expiresAt: z.iso.datetime(), of: z.string().regex(HASH).optional() });
/** The names of codes in locks/, open and redeemed. */
export const CODE_FILE = /^pair-[0-9a-f]{64}\.(json|used)$/;
const LONG_CODE = /^[A-Za-z0-9_-]{43}$/;
const TYPED_CODE = new RegExp(`^[${TYPED_LETTERS}]{${TYPED_CHARS}}$`);

export type Redemption = "paired" | "used" | "expired" | "unknown";

/** The two codes of a pairing; whichever comes first counts, once. */
export interface Pairing {
  /** 256 bits, for an address. */
  code: string;
  /** 40 bits, to be typed: `K7QM-2P9D`. */
  typed: string;
  /** Until then one of them can be redeemed. */
  expiresAt: string;
}

/** Makes a pairing for the home; it can be redeemed for PAIRING_MS. Throws what the disk throws. */
export async function createPairing(home: string, nowMs = Date.now()): Promise<Pairing> {
  await removeSpentCodes(home, nowMs);
  const code = randomBytes(CODE_BYTES).toString("base64url");
  const typed = newTyped();
  const expiresAt = new Date(nowMs + PAIRING_MS).toISOString();
  await writeCode(home, hashOf(code), { expiresAt });
  await writeCode(home, hashOf(typed), { expiresAt, of: hashOf(code) });
  return { code, typed: typedText(typed), expiresAt };
}

/** 40 bits in TYPED_LETTERS. */
export function newTyped(): string {
  return Array.from(randomBytes(TYPED_CHARS), (byte) => TYPED_LETTERS[byte % TYPED_LETTERS.length]).join("");
}

/** As it is shown to be typed: `K7QM-2P9D`. */
export function typedText(typed: string): string {
  return `${typed.slice(0, TYPED_CHARS / 2)}-${typed.slice(TYPED_CHARS / 2)}`;
}

/** The code that a person may have typed, as `newTyped` has made it; null where it is none. */
export function typedIn(given: string): string | null {
  const typed = given.toUpperCase().replace(/[\s-]/g, "").replaceAll("O", "0").replace(/[IL]/g, "1");
  return TYPED_CODE.test(typed) ? typed : null;
}

/**
 * Spends a pairing by one of its codes. Of any number of callers at once, in any number of processes, exactly one is told "paired": the mark
 * is a second name of the long code's file, and the kernel gives a name only once. Throws what the disk throws.
 */
export async function redeemPairingCode(home: string, given: string, nowMs = Date.now()): Promise<Redemption> {
  const code = codeIn(given);
  if (code === null) return "unknown";
  const found = await readCode(pathsOf(home, hashOf(code)).open);
  const paths = pathsOf(home, found?.of ?? hashOf(code));
  if (await exists(paths.used)) return "used";
  if (found === null) return "unknown";
  // A time too far ahead means that the clock was set back since; such a code would live longer than it may.
  const isAlive = nowMs < found.expiresAtMs && found.expiresAtMs <= nowMs + PAIRING_MS;
  if (!isAlive) return "expired";
  try {
    await link(paths.open, paths.used);
  } catch (error) {
    if (hasCode(error, "EEXIST", "ENOENT")) return "used";
    throw error;
  }
  await remove(paths.open);
  return "paired";
}

/** Is this a code that a person has typed? It has 40 bits, so that its guesses must be few. */
export function isTyped(given: string): boolean {
  return !LONG_CODE.test(given) && codeIn(given) !== null;
}

/** The code that was meant, however a person has typed it; null where it is none. */
function codeIn(given: string): string | null {
  return LONG_CODE.test(given) ? given : typedIn(given);
}

const hashOf = (code: string) => createHash("sha256").update(code).digest("hex");

function pathsOf(home: string, hash: string): { open: string; used: string } {
  const path = join(home, LOCKS, `pair-${hash}`);
  return { open: `${path}.json`, used: `${path}.used` };
}

async function writeCode(home: string, hash: string, record: z.infer<typeof PairingCode>): Promise<void> {
  await writeFile(pathsOf(home, hash).open, JSON.stringify(record), { flag: "wx", mode: 0o600 });
}

/** The content of a code's file; null when there is no such file, and expired long ago when it says nothing valid. */
async function readCode(path: string): Promise<{ expiresAtMs: number; of?: string | undefined } | null> {
  let text: string;
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      text = await file.readFile("utf8");
    } finally {
      await file.close();
    }
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
  const { data } = PairingCode.safeParse(tryJson(text));
  return data === undefined ? { expiresAtMs: 0 } : { expiresAtMs: Date.parse(data.expiresAt), of: data.of };
}

async function removeSpentCodes(home: string, nowMs: number): Promise<void> {
  for (const name of await readdir(join(home, LOCKS))) {
    if (!CODE_FILE.test(name)) continue;
    const path = join(home, LOCKS, name);
    if ((await ageMs(path, nowMs)) > SPENT_KEPT_MS) await remove(path);
  }
}

async function ageMs(path: string, nowMs: number): Promise<number> {
  try {
    return nowMs - (await stat(path)).mtimeMs;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return 0;
    throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return false;
    throw error;
  }
}

async function remove(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
  }
}
