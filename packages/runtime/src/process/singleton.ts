/** One supervisor, one pool, one gateway per state directory, guarded by the kernel (docs/file-protocol.md R8). */
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { hasCode } from "@mimikit/store/disk/error-code";
import { LOCKS } from "@mimikit/store/disk/state";
import lockfile from "proper-lockfile";
import { homeHash } from "../home/home.ts";
import type { ProcessRole } from "./role-record.ts";

/** What there is one of in a home: the process roles, and whoever talks to PM2. */
export type Singleton = ProcessRole | "pm2";

const RETRY_MS = 1_000;
const LOCK_STALE_MS = 10_000;

/**
 * Tries to become the only `role` of `home`, for as long as this process lives. On Linux the claim is an abstract
 * socket, which the kernel frees the moment the process is gone; elsewhere it is a lock file that a heartbeat keeps fresh.
 * @returns false when another process has it.
 */
export function claimSingleton(home: string, role: Singleton, platform = process.platform): Promise<boolean> {
  return platform === "linux" ? claimSocket(socketName(home, role)) : claimLockFile(home, role);
}

/** Waits until this process is the only `role`. A role that exited instead would only be restarted in a loop by PM2. */
export async function waitForSingleton(home: string, role: Singleton, onWait: () => void): Promise<void> {
  for (let waited = false; !(await claimSingleton(home, role)); waited = true) {
    if (!waited) onWait();
    await wait(RETRY_MS);
  }
}

/** The name of the abstract socket of a role; `ss -lx` shows it with an @. */
export function socketName(home: string, role: Singleton): string {
  return `\0mimikit-${homeHash(home)}-${role}`;
}

function claimSocket(name: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    // The socket carries no data; whoever connects is shown the door.
    const server = createServer((socket) => socket.destroy());
    server.once("error", (error) => (hasCode(error, "EADDRINUSE") ? resolve(false) : reject(error)));
    server.listen({ path: name, exclusive: true }, () => {
      server.unref();
      resolve(true);
    });
  });
}

async function claimLockFile(home: string, role: Singleton): Promise<boolean> {
  try {
    // The lock is `locks/<role>.lock`; the file of that name without .lock need not exist.
    await lockfile.lock(join(home, LOCKS, role), {
      realpath: false,
      stale: LOCK_STALE_MS,
      onCompromised: (error) =>
        process.stderr.write(
          `${JSON.stringify({ level: "warn", message: "the role's lock was lost", role, error: error.message })}\n`,
        ),
    });
    return true;
  } catch (error) {
    if (hasCode(error, "ELOCKED")) return false;
    throw error;
  }
}
