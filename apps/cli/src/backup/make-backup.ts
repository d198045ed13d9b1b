/** Makes a backup in a stage of its own, and leaves nothing unfinished behind, also where a signal ends it. */
import { mkdtempSync, rmSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { TEMPORARY } from "@mimikit/store/disk/state";
import { unfinishedOf, type Written, writeBackup } from "./write-backup.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** @param home is open (`openHome`). @throws what `writeBackup` throws. */
export async function makeBackup(home: string, file: string, withSecrets: boolean): Promise<Written> {
  // If this process is killed, maintenance removes the directory after a day, like everything there without an owner.
  const stage = mkdtempSync(join(home, TEMPORARY, "backup-"));
  const tidyUp = () => {
    rmSync(unfinishedOf(file), { force: true });
    rmSync(stage, { recursive: true, force: true });
  };
  const leave = (signal: NodeJS.Signals) => {
    tidyUp();
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of SIGNALS) process.once(signal, leave);
  try {
    return await writeBackup(home, file, stage, withSecrets);
  } finally {
    for (const signal of SIGNALS) process.off(signal, leave);
    tidyUp();
  }
}
