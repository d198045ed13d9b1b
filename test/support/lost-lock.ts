/** A process that is held for seconds while it holds the lock of a file: another one then takes the lock, and saves. */
import { execFileSync } from "node:child_process";
import { utimesSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

/** Makes the lock of `path` as old as that of a holder that does not run any more, and has another process run this module meanwhile. */
export function whileHeld(home: string, path: string, program: string): void {
  utimesSync(join(home, "locks", `${path}.lock`), 0, 0);
  const args = ["--input-type=module", "--eval", program];
  execFileSync(process.execPath, args, { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"] });
}
