/** Ends a child of a run with all that it started, in a sandbox or not (docs/file-protocol.md R6). */
import { setTimeout as wait } from "node:timers/promises";
import { findMarked, killMarked, MARK_VARIABLE } from "@mimikit/runtime/process/marked-processes";
import { endProcesses, listProcesses } from "@mimikit/runtime/process/process-table";
import { hasCode } from "@mimikit/store/disk/error-code";

/** What was just killed, alone or with its sandbox, is still listed for a moment. */
const LOOKS_MAX = 3;
const LOOK_EVERY_MS = 2;

/** At once: its process group, and whatever carries the mark of its run. A child that was never started has no pid. */
export async function endChild(pid: number | undefined, mark: string | undefined): Promise<void> {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if (!hasCode(error, "ESRCH", "EPERM")) throw error;
  }
  if (mark === undefined) return;
  for (let looks = 0; looks < LOOKS_MAX; looks++) {
    if ((await findMarked(mark)).length === 0) return;
    await wait(LOOK_EVERY_MS);
  }
  await killMarked(mark);
}

export interface SandboxEnd {
  /** The sandbox. */
  pid: number | undefined;
  mark: string | undefined;
  /** Between asking and making it end. */
  termMs: number;
  /** Only this program is asked: it has to end what it started by itself. Everything in the sandbox when not given. */
  program?: string;
}

/**
 * Asks what runs in a sandbox to end, and after `termMs` ends the sandbox. A signal for all would end the sandbox first,
 * and with it, at once, whatever wants to tidy up.
 */
export async function endSandboxed({ pid, mark, termMs, program }: SandboxEnd): Promise<void> {
  const inside = async () =>
    (await listProcesses()).filter(
      (each) =>
        each.pid !== pid &&
        each.environment.get(MARK_VARIABLE) === mark &&
        (program === undefined || each.args[0] === program),
    );
  if (mark !== undefined) await endProcesses(inside, termMs);
  await endChild(pid, mark);
}
