/** The whole file system as it is but for the state directory and what else is hidden, which are empty and read-only, and a table of processes of its own. */
import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname } from "node:path";
import type { SandboxTool } from "./platform.ts";

/**
 * What root could undo the sandbox with: mounts, devices, kernel memory, and files by their number. Other users have
 * none of these, and a user namespace that they open cannot undo mounts that it was given.
 */
const DROPPED_OF_ROOT = [
  "CAP_SYS_ADMIN",
  "CAP_SYS_PTRACE",
  "CAP_SYS_RAWIO",
  "CAP_SYS_MODULE",
  "CAP_MKNOD",
  "CAP_DAC_READ_SEARCH",
];

export const bubblewrap: SandboxTool = {
  name: "bubblewrap",
  program: null,
  holdsProcesses: true,
  hidesSecrets: true,
  wrap(program, command, { state, hidden, work, passages, isReadOnly, isOffline, protect, secret }) {
    return [
      program,
      ...(isReadOnly ? readOnlyRoot() : ["--dev-bind", "/", "/"]),
      ...["--unshare-pid", "--proc", "/proc", "--die-with-parent"],
      ...(isOffline ? ["--unshare-net"] : []),
      ...(process.getuid?.() === 0 ? DROPPED_OF_ROOT.flatMap((name) => ["--cap-drop", name]) : []),
      ...protect.flatMap((path) => ["--ro-bind", path, path]),
      ...hidden.flatMap((path) => ["--tmpfs", path, "--remount-ro", path]),
      ...(isReadOnly ? ["--ro-bind", work, work] : []),
      // It follows its options in their order: an outer directory must be there before what is inside of it.
      ...["--tmpfs", state],
      ...passages.flatMap(({ path, isWritable }) => [isWritable ? "--bind" : "--ro-bind", path, path]),
      ...(secret === null ? [] : ["--perms", "0700", "--tmpfs", dirname(secret.path)]),
      ...(secret === null ? [] : ["--perms", "0600", "--file", String(secret.fd), secret.path]),
      ...["--remount-ro", state],
      ...["--chdir", work, "--", ...command],
    ];
  },
};

/** Many programs cannot do without temporary files. */
function readOnlyRoot(): string[] {
  const temporary = realpathSync(tmpdir());
  return ["--ro-bind", "/", "/", "--dev-bind", "/dev", "/dev", "--bind", temporary, temporary];
}
