/** The whole file system as it is, except for hidden places, the kernel's settings, devices, processes and shared memory. */
import { readdirSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import type { SandboxTool, Walls } from "./platform.ts";

/** The capabilities that root keeps: those over files and processes of its own. A user namespace cannot undo mounts that it was given. */
const KEPT_BY_ROOT = [
  "CAP_CHOWN",
  "CAP_DAC_OVERRIDE",
  "CAP_FOWNER",
  "CAP_FSETID",
  "CAP_KILL",
  "CAP_NET_BIND_SERVICE",
  // A shell that gives up its network makes a user namespace with a mapping of root, which takes it.
  "CAP_SETFCAP",
  "CAP_SETGID",
  "CAP_SETUID",
];
/** Settings of the kernel. Root may write most of them without any capability, and `core_pattern` names a program to run. */
const KERNEL_SETTINGS = ["sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi", "mtrr"].map(
  (name) => `/proc/${name}`,
);
const DEV = "/dev";
/** Devices for computing, sound, video and serial lines. Disks, memory, terminals and input devices are never among them. */
const DEVICES = /^(dri|kfd|nvidia.*|dxg|accel|kvm|snd|video\d+|tty(USB|ACM)\d+)$/;
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
      ...(hasFixedRoot(walls) ? ["--ro-bind", "/", "/"] : ["--bind", "/", "/"]),
      // Its own terminals and shared memory, and the harmless devices that every program expects.
      ...["--dev", DEV, ...(hasFixedRoot(walls) ? [] : devices())],
      ...["--unshare-pid", "--unshare-ipc", "--proc", "/proc", "--die-with-parent"],
      ...[...KERNEL_SETTINGS, "/sys"].flatMap((path) => ["--ro-bind-try", path, path]),
      ...(isOffline ? ["--unshare-net"] : []),
      ...(process.getuid?.() === 0
        ? ["--cap-drop", "ALL", ...KEPT_BY_ROOT.flatMap((name) => ["--cap-add", name])]
        : []),
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

function devices(): string[] {
  const names = readdirSync(DEV).filter((name) => DEVICES.test(name));
  return names.flatMap((name) => ["--dev-bind-try", `${DEV}/${name}`, `${DEV}/${name}`]);
}

/** Is everything outside the workspace read-only? */
function hasFixedRoot({ isReadOnly, keepsOutside }: Walls): boolean {
  return isReadOnly || keepsOutside;
}

/** The mounts of all places except the state directory, outer ones first. @param file the program that runs. */
function mountsOf(walls: Walls, file = ""): string[] {
  const { hidden, work, isReadOnly, keepsOutside, protect, repository, temporary, userHome, kept, state } = walls;
  const tmp = realpathSync(TMP);
  const mounts: { path: string; options: string[] }[] = [];
  const bind = (path: string, isWritable: boolean, isOptional = false) =>
    mounts.push({ path, options: [`${isWritable ? "--bind" : "--ro-bind"}${isOptional ? "-try" : ""}`, path, path] });
  const hasOwnTmp = temporary !== null || hasFixedRoot(walls);
  if (hasOwnTmp)
    mounts.push({ path: tmp, options: temporary === null ? ["--tmpfs", tmp] : ["--bind", temporary, tmp] });
  if (hasOwnTmp && isBelow(userHome, tmp)) bind(userHome, !hasFixedRoot(walls));
  for (const path of kept) if (hasOwnTmp && isBelow(path, tmp)) bind(path, true);
  const isCovered =
    (hasOwnTmp && isBelow(work, tmp)) || isBelow(work, DEV) || protect.some((path) => isBelow(work, path));
  if ((isCovered || hasFixedRoot(walls)) && !isBelow(work, state)) bind(work, !isReadOnly);
  if (hasOwnTmp && isBelow(file, tmp) && !isBelow(file, work) && !isBelow(file, userHome))
    bind(dirname(file) === tmp ? file : dirname(file), false);
  for (const path of protect) bind(path, false);
  // A mount cannot be renamed or removed, so no other repository can take its place.
  if (keepsOutside && !isReadOnly)
    for (const { path, isWritable, isOptional } of repository) bind(path, isWritable, isOptional);
  for (const path of hidden) mounts.push({ path, options: ["--tmpfs", path, "--remount-ro", path] });
  return mounts.sort((a, b) => a.path.length - b.path.length).flatMap(({ options }) => options);
}

function isBelow(path: string, directory: string): boolean {
  return path.startsWith(`${directory}/`);
}
