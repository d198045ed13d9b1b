/** One supervisor, one pool, one gateway per state directory, guarded by the kernel where it can (docs/file-protocol.md R8). */
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { LOCKS } from "@mimikit/store/disk/state";
import { homeHash } from "../home/home.ts";
import type { SingletonPlace } from "../platform/platform.ts";
import { platform } from "../platform/this-platform.ts";
import type { ProcessRole } from "./role-record.ts";

/** What there is one of in a home: the process roles, whoever talks to PM2, and whoever brings PM2 back. */
export type Singleton = ProcessRole | "pm2" | "service";

const RETRY_MS = 1_000;

/**
 * Tries to become the only `role` of `home`, for as long as this process lives: it is free the moment the process is gone.
 * @returns false when another process has it.
 */
export function claimSingleton(home: string, role: Singleton): Promise<boolean> {
  return platform.claim(placeOf(home, role));
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
  return { locks: join(home, LOCKS), hash: homeHash(home), role };
}
