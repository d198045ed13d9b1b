/** Removes everything that the bench starts or makes when it ends, also after Ctrl-C. */
import { type ChildProcess, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const EXIT_OF = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
/** A process killed a moment ago may still make a file. */
const REMOVED = { recursive: true, force: true, maxRetries: 10 } as const;

/** All files of the bench are here, those of test instances too. */
const base = mkdtempSync(join(tmpdir(), "mimikit-bench-"));
// PostgreSQL runs as another user.
chmodSync(base, 0o711);
// Asks ext4 to spread the folders below this one: without a journal, it passes over recently removed inodes one by one, so rounds
// would slow each other down. Other file systems refuse the attribute.
spawnSync("chattr", ["+T", base], { stdio: "ignore" });
process.env.TMPDIR = base;

process.once("exit", () => {
  for (const pid of childPids()) process.kill(pid, "SIGKILL");
  rmSync(base, REMOVED);
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.once(signal, () => process.exit(EXIT_OF[signal]));

function childPids(): number[] {
  const path = `/proc/${process.pid}/task/${process.pid}/children`;
  return readFileSync(path, "utf8").split(" ").filter(Boolean).map(Number);
}

/** A new folder, which `removeFolder` or the end of the bench removes. */
export const makeFolder = (): string => mkdtempSync(join(base, "row-"));

export const removeFolder = (folder: string): void => rmSync(folder, REMOVED);

/** Sends the signal, and resolves when the process is gone. */
export async function endChild(child: ChildProcess, signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill(signal);
  await gone;
}
