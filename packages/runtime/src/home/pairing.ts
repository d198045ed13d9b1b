/**
 * A pairing code lets one browser sign in once (docs/security.md#signing-in). Its hash is a file, so that the CLI can
 * make a code and the gateway can redeem it without talking to each other. The code itself is never stored.
 */
import { createHash, randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { link, open, readdir, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { tryJson } from "@mimikit/protocol/base/json";
import { hasCode } from "@mimikit/store/disk/error-code";
import { LOCKS } from "@mimikit/store/disk/state";
import { z } from "zod";

/** How long a code can be redeemed. */
export const PAIRING_CODE_MS = 120_000;
const CODE_BYTES = 32;
/** A redeemed code is remembered this long, so that a second use is told "used" instead of "unknown". */
const SPENT_KEPT_MS = 3_600_000;

const PairingCode = z.strictObject({ expiresAt: z.iso.datetime() });
/** The names of codes in locks/, open and redeemed. */
export const CODE_FILE = /^pair-[0-9a-f]{64}\.(json|used)$/;
export const PAIRING_CODE_PATTERN = /^[A-Za-z0-9_-]{43}$/;

export type Redemption = "paired" | "used" | "expired" | "unknown";

function pathsOf(home: string, code: string): { open: string; used: string } {
  const name = `pair-${createHash("sha256").update(code).digest("hex")}`;
  return { open: join(home, LOCKS, `${name}.json`), used: join(home, LOCKS, `${name}.used`) };
}

/** Makes a one-time code of 256 bits for the home; it can be redeemed for PAIRING_CODE_MS. */
export async function createPairingCode(home: string, nowMs = Date.now()): Promise<string> {
  await removeSpentCodes(home, nowMs);
  const code = randomBytes(CODE_BYTES).toString("base64url");
  const file = await open(pathsOf(home, code).open, "wx", 0o600);
  try {
    await file.writeFile(JSON.stringify({ expiresAt: new Date(nowMs + PAIRING_CODE_MS).toISOString() }));
  } finally {
    await file.close();
  }
  return code;
}

/**
 * Spends a code. Of any number of callers at once, in any number of processes, exactly one is told "paired": the mark
 * is a second name of the code's file, and the kernel gives a name only once.
 */
export async function redeemPairingCode(home: string, code: string, nowMs = Date.now()): Promise<Redemption> {
  if (!PAIRING_CODE_PATTERN.test(code)) return "unknown";
  const paths = pathsOf(home, code);
  const expiresAtMs = await readExpiry(paths.open);
  if (expiresAtMs === null) return (await exists(paths.used)) ? "used" : "unknown";
  // A time too far ahead means that the clock was set back since; such a code would live longer than it may.
  const isAlive = nowMs < expiresAtMs && expiresAtMs <= nowMs + PAIRING_CODE_MS;
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

/** When the code in this file expires, in ms since 1970; null when there is no such file; 0 when it says nothing valid. */
async function readExpiry(path: string): Promise<number | null> {
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
  return data === undefined ? 0 : Date.parse(data.expiresAt);
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
