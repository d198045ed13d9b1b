/**
 * A shell without a network for the model that follows a read-only skill (SPEC I7). The CLI itself needs the network, so its sandbox
 * has one; the CLI starts each of its commands through the program that a variable names, and this one gives up the network first.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { platform } from "@mimikit/runtime/platform/this-platform";

/** The CLI hands over its command as one argument. Without a namespace of its own, the command does not run. */
const PROGRAM = `#!/bin/sh
shell=/bin/bash
[ -x "$shell" ] || shell=/bin/sh
exec unshare --map-current-user --net -- "$shell" -c "$1"
`;
const FILE = "offline-shell";
const VARIABLE = "CLAUDE_CODE_SHELL_PREFIX";

/** Can a command give up its network here? */
export const mayBeOffline = () => platform.sandbox?.name === "bubblewrap";

/** Writes the program into the folder of the run, which the shell cannot change. Throws what the disk throws. @returns the variables that say so. */
export async function offlineShell(runDir: string): Promise<Record<string, string>> {
  const path = join(runDir, FILE);
  await writeFile(path, PROGRAM, { mode: 0o700 });
  return { [VARIABLE]: path };
}
