/**
 * The state directory stays complete while a role runs. Nothing is looked at for it while all is well: a directory that was
 * removed is noticed where it is missed, by a notification, and every so often whatever was notified.
 */
import { restoreDirectories } from "@mimikit/store/disk/restore-directories";
import { watchState } from "@mimikit/store/disk/watch";
import type { Log } from "./audit/log.ts";
import { platform } from "./platform/this-platform.ts";
import { writeRoleAgain } from "./process/role-record.ts";

/** The audit event of a directory that was removed and is there again, empty: `dir`. */
export const RESTORED_EVENT = "directory_restored";

/** Makes what is missing of the state directory, and says so. Never throws: what cannot be made now is missed again. */
export function completeHome(home: string, log: Pick<Log, "audit" | "error">): void {
  try {
    for (const dir of restoreDirectories(home)) log.audit({ event: RESTORED_EVENT, detail: { dir } });
    writeRoleAgain();
    platform.claimAgain();
  } catch (error) {
    log.error("the state directory could not be completed", { error });
  }
}

export interface KeepOptions {
  home: string;
  log: Log;
  /** The directories whose changes the role wants to hear of. */
  dirs: readonly string[];
  /** Something changed in `dir`, or may have. @param name of what changed; null where it is not known. */
  onChange(dir: string, name: string | null): void;
  /** So often, in milliseconds, it is completed without a notification. */
  everyMs: number;
}

/** Watches the state directory, and completes it. @returns stops that. */
export function keepHome({ home, log, dirs, onChange, everyMs }: KeepOptions): () => void {
  const complete = () => completeHome(home, log);
  const stopWatching = watchState(home, dirs, {
    onChange,
    onReplaced: complete,
    onProblem: (error) => log.warn("changes of the state directory are not notified", { error }),
  });
  const timer = setInterval(complete, everyMs).unref();
  return () => {
    clearInterval(timer);
    stopWatching();
  };
}
