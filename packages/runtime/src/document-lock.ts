/** A courtesy between those who edit memory.md and backlog.md at the same time; correctness never depends on it (PROTOCOL R5). */
import { join } from "node:path";
import { hasCode } from "@mimikit/store/error-code";
import { LOCKS } from "@mimikit/store/state";
import lockfile from "proper-lockfile";

const STALE_MS = 5_000;
const RETRIES = { retries: 40, minTimeout: 20, maxTimeout: 200, factor: 1.5 };

/** Runs `work` while holding the lock of a document. A lock that was lost is reported by the revision check, not here. */
export async function lockDocument<T>(home: string, path: string, work: () => Promise<T>): Promise<T> {
  const lockfilePath = join(home, LOCKS, `${path.replaceAll("/", "-")}.lock`);
  const release = await lockfile.lock(join(home, path), {
    lockfilePath,
    realpath: false,
    stale: STALE_MS,
    retries: RETRIES,
    onCompromised: () => undefined,
  });
  try {
    return await work();
  } finally {
    await release().catch((error: unknown) => {
      // Somebody took a stale lock over: it is theirs now.
      if (!hasCode(error, "ERELEASED", "ENOTACQUIRED", "ENOENT")) throw error;
    });
  }
}
