/** One supervisor, one pool, one gateway per state directory, guarded by the kernel where it can (docs/file-protocol.md R8). */
import { createHmac } from "node:crypto";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { LOCKS } from "@mimikit/store/disk/state";
import { HomeError, homeHash, readToken } from "../home/home.ts";
import type { SingletonPlace } from "../platform/platform.ts";
import { platform } from "../platform/this-platform.ts";
import { isAlive } from "./identity.ts";
import { ACTORS, type ProcessRole, readRole } from "./role-record.ts";

/** Things that exist once per home: the process roles, the user of PM2, and the watcher that restarts PM2. */
export type Singleton = ProcessRole | "pm2" | "service";

const RETRY_MS = 1_000;
/** 128 bits, in hex. */
const SECRET_DIGITS = 32;

/**
 * Tries to become the only `role` of `home`, for as long as this process lives: it is free the moment the process is gone.
 * @returns false when another process has it.
 */
export async function claimSingleton(home: string, role: Singleton): Promise<boolean> {
  return !isNoted(home, role) && (await platform.claim(placeOf(home, role)));
}

/** Is there a living `role` of `home`? It may not have noted itself yet. */
export function isSingletonClaimed(home: string, role: Singleton): Promise<boolean> {
  return platform.isClaimed(placeOf(home, role));
}

/** Waits until this process is the only `role`. A role that exited instead would only be restarted in a loop by PM2. */
export async function waitForSingleton(home: string, role: Singleton, onWait: () => void): Promise<void> {
  for (let waited = false; !(await claimSingleton(home, role)); waited = true) {
    if (!waited) onWait();
    await wait(RETRY_MS);
  }
}

function placeOf(home: string, role: Singleton): SingletonPlace {
  return { locks: join(home, LOCKS), secret: secretOf(home), role };
}

/** A running role of a version before 0.3, or with an earlier token, holds a socket of another name; its record still shows it. */
function isNoted(home: string, role: Singleton): boolean {
  const noted = isProcessRole(role) ? readRole(home, role) : null;
  return noted !== null && noted.pid !== process.pid && isAlive(noted);
}

const isProcessRole = (role: Singleton): role is ProcessRole => (ACTORS as readonly string[]).includes(role);

/**
 * 128 bits derived from the token. Socket names are global to the machine: if the name followed from the path alone, any local user could
 * bind it and keep Mimikit from starting. Without a readable token nothing runs here, and the hash of the path is enough.
 */
function secretOf(home: string): string {
  try {
    return createHmac("sha256", readToken(home))
      .update(`singleton ${homeHash(home)}`)
      .digest("hex")
      .slice(0, SECRET_DIGITS);
  } catch (error) {
    if (error instanceof HomeError) return homeHash(home);
    throw error;
  }
}
