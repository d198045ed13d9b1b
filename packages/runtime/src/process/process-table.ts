/** The processes of this machine, with what they were started as. */
import { setTimeout as wait } from "node:timers/promises";
import type { Identity } from "@mimikit/protocol/records/claim";
import { hasCode } from "@mimikit/store/disk/error-code";
import { platform } from "../platform/this-platform.ts";
import { isAlive } from "./identity.ts";

export type { RunningProcess } from "../platform/platform.ts";

const KILL_MS = 3_000;
const POLL_MS = 50;
/** A child between fork and exec still shows its parent's environment: what looks empty is looked at twice. */
const EXEC_MS = 50;

/** Every living process that this user may look into, except this one. */
export const listProcesses = () => platform.listProcesses();

/**
 * Ends every process that `find` finds: TERM once each, KILL for those that are left after `termMs`, and looks again
 * until none is left.
 * @returns those that are still there 3 s after that (in an uninterruptible system call); empty means verified gone.
 */
export async function endProcesses<T extends Identity>(find: () => Promise<T[]>, termMs: number): Promise<T[]> {
  const start = performance.now();
  const asked = new Set<string>();
  let hasKilled = false;
  for (;;) {
    const found = await find();
    const elapsedMs = performance.now() - start;
    if (found.length === 0) {
      await wait(EXEC_MS);
      if ((await find()).length === 0) return [];
      continue;
    }
    // Where to list them takes longer than that, they are killed first all the same.
    if (elapsedMs > termMs + KILL_MS && hasKilled) return found;
    for (const target of found) {
      const name = `${target.pid}/${target.startTime}`;
      if (elapsedMs >= termMs) signal(target, "SIGKILL");
      // A second TERM means "at once" to many programs, so each process gets one.
      else if (!asked.has(name)) signal(target, "SIGTERM");
      asked.add(name);
    }
    hasKilled = elapsedMs >= termMs;
    await wait(POLL_MS);
  }
}

function signal(target: Identity, name: "SIGTERM" | "SIGKILL"): void {
  if (!isAlive(target)) return;
  try {
    process.kill(target.pid, name);
  } catch (error) {
    if (!hasCode(error, "ESRCH")) throw error;
  }
}
