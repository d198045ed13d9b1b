/** The whole file system as it is but for the state directory and what else is hidden, which are empty and read-only, and a table of processes of its own. */
import { realpathSync } from "node:fs";
import { dirname } from "node:path";
import type { SandboxTool, Walls } from "./platform.ts";

/**
 * Capabilities with which root could undo the sandbox: mounts, devices, kernel memory, and files by their number. Other
 * users have none of these, and a user namespace that they open cannot undo mounts that it was given.
 */
const DROPPED_OF_ROOT = [
  "CAP_SYS_ADMIN",
  "CAP_SYS_PTRACE",
  "CAP_SYS_RAWIO",
  "CAP_SYS_MODULE",
  "CAP_MKNOD",
  "CAP_DAC_READ_SEARCH",
];

const TMP = "/tmp";

export const bubblewrap: SandboxTool = {
  name: "bubblewrap",
  program: null,
  holdsProcesses: true,
  hidesSecrets: true,
  hasOwnTmp: true,
  wrap(program, command, walls) {
    const { state, work, passages, isOffline, temporary, secret } = walls;
    return [
      program,
      ...(hasFixedRoot(walls) ? ["--ro-bind", "/", "/", "--dev-bind", "/dev", "/dev"] : ["--dev-bind", "/", "/"]),
      ...["--unshare-pid", "--proc", "/proc", "--die-with-parent"],
      ...(isOffline ? ["--unshare-net"] : []),
      ...(process.getuid?.() === 0 ? DROPPED_OF_ROOT.flatMap((name) => ["--cap-drop", name]) : []),
      ...(temporary === null ? [] : ["--setenv", "TMPDIR", TMP]),
      ...mountsOf(walls, command[0]),
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

/** Is what lies outside of the workspace as it was? */
function hasFixedRoot({ isReadOnly, keepsOutside }: Walls): boolean {
  return isReadOnly || keepsOutside;
}

/** Of all directories but the state directory, outer ones first. @param file the program that runs. */
function mountsOf(walls: Walls, file = ""): string[] {
  const { hidden, work, isReadOnly, protect, temporary, userHome, kept, state } = walls;
  const tmp = realpathSync(TMP);
  const mounts: { path: string; options: string[] }[] = [];
  const bind = (path: string, isWritable: boolean) =>
    mounts.push({ path, options: [isWritable ? "--bind" : "--ro-bind", path, path] });
  const hasOwnTmp = temporary !== null || hasFixedRoot(walls);
  if (hasOwnTmp)
    mounts.push({ path: tmp, options: temporary === null ? ["--tmpfs", tmp] : ["--bind", temporary, tmp] });
  if (hasOwnTmp && isBelow(userHome, tmp)) bind(userHome, !hasFixedRoot(walls));
  for (const path of kept) if (hasOwnTmp && isBelow(path, tmp)) bind(path, true);
  const isCovered = (hasOwnTmp && isBelow(work, tmp)) || protect.some((path) => isBelow(work, path));
  // Of what is read-only, /dev is not, and a workspace may be in /dev/shm.
  if ((isCovered || hasFixedRoot(walls)) && !isBelow(work, state)) bind(work, !isReadOnly);
  if (hasOwnTmp && isBelow(file, tmp) && !isBelow(file, work) && !isBelow(file, userHome))
    bind(dirname(file) === tmp ? file : dirname(file), false);
  for (const path of protect) bind(path, false);
  for (const path of hidden) mounts.push({ path, options: ["--tmpfs", path, "--remount-ro", path] });
  return mounts.sort((a, b) => a.path.length - b.path.length).flatMap(({ options }) => options);
}

function isBelow(path: string, directory: string): boolean {
  return path.startsWith(`${directory}/`);
}
