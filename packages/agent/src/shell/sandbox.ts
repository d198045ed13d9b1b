/**
 * A Worker's shell cannot reach the state directory: it runs under bubblewrap, with the whole file system as it is but
 * for that directory, which is empty and read-only there. Whoever could write it could forge results; whoever could read
 * it would have the token.
 *
 * It keeps the state from a Worker, not the owner's files: everything else is the owner's authority, and so are the
 * network and what listens on it. The processes of the sandbox have a PID namespace of their own, so they see no other
 * process, and none of them outlives the sandbox.
 */

import { access, constants, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join, sep } from "node:path";
import { hasCode } from "@mimikit/store/disk/error-code";
import { execa } from "execa";
import type { Run, SandboxMode } from "../provider.ts";
import { followsReadOnly, mayWrite } from "../roles/index.ts";
import { artifactOf } from "./artifact.ts";

/** Where a command may reach. */
export interface Bounds {
  /** The state directory; it must exist. */
  home: string;
  /** The workspace: stays reachable where it is inside the state directory. */
  workDir: string;
  /** What of the state directory the command sees nevertheless; each must exist. */
  allow: readonly Passage[];
  mode: SandboxMode;
  /** In the sandbox, nothing can be changed but temporary files. */
  isReadOnly?: boolean;
  /** In the sandbox there is no network, not even this machine's own. */
  isOffline?: boolean;
  /** In the sandbox, nothing in these directories can be changed either; each must exist. */
  protect?: readonly string[];
  /** In the sandbox, what comes over SECRET_FD is a file at `secretPathIn(home)`, in memory, that can be removed. */
  hasSecret?: boolean;
}

/** One file or directory of the state directory. */
export interface Passage {
  path: string;
  isWritable: boolean;
}

export type CommandLine = [file: string, ...args: string[]];

/** The command line to spawn. */
export interface Confined {
  commandLine: CommandLine;
  isSandboxed: boolean;
}

/** The sandbox of this machine: its program, or why there is none. */
export type Sandbox = { program: string } | { missing: string };

/** A sandbox is required and there is none; the message says what to do. */
export class SandboxMissing extends Error {}

export const INSTALL_HINT = "install bubblewrap (Debian, Ubuntu: apt-get install bubblewrap)";

/** The descriptor over which a secret is handed to the sandbox. */
export const SECRET_FD = 3;
const SECRET_DIR = "secret";

const PROGRAM = "bwrap";
const PROBE_MS = 5_000;
const REASON_CHARS_MAX = 300;

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

/**
 * A Worker's shell may read its own run's folder and the outputs that its prompt names. Some only look; one that follows a
 * read-only skill looks from a sandbox or not at all, because nothing else would keep it from writing.
 */
export async function boundsOf(
  run: Pick<Run, "task" | "home" | "workDir" | "runDir" | "sandbox" | "protect">,
): Promise<Bounds> {
  const { task, home, workDir, runDir, sandbox, protect = [] } = run;
  const outputs = await Promise.all(task.upstream.map((report) => artifactOf(report, home)));
  const readable = [runDir, ...outputs.filter((path) => path !== null)];
  const allow = readable.map((path) => ({ path, isWritable: false }));
  const mode = followsReadOnly(task) ? "required" : sandbox;
  return { home, workDir, mode, allow, isReadOnly: !mayWrite(task), protect };
}

let found: Sandbox | undefined;

/** Whether a sandbox works here, found out by running one. It is looked for until there is one, and then no more. */
export async function findSandbox(): Promise<Sandbox> {
  if (found === undefined || "missing" in found) found = await tryProgram();
  return found;
}

/** Whether `sandboxed` will put a command in a sandbox. */
export async function isSandboxThere(mode: SandboxMode): Promise<boolean> {
  return mode !== "off" && "program" in (await findSandbox());
}

/** Where a secret is in the sandbox. */
export async function secretPathIn(home: string): Promise<string> {
  return join(await realpath(home), SECRET_DIR, "key");
}

/**
 * `command` as it runs within `bounds`: under bubblewrap, or as it is where the mode allows that.
 * Throws `SandboxMissing`, and ENOENT where the workspace or the state directory is gone.
 */
export async function sandboxed(command: CommandLine, bounds: Bounds): Promise<Confined> {
  const { mode } = bounds;
  if (mode === "off") return { commandLine: command, isSandboxed: false };
  const sandbox = await findSandbox();
  if ("program" in sandbox) return { commandLine: await wrap(sandbox.program, command, bounds), isSandboxed: true };
  if (mode === "auto") return { commandLine: command, isSandboxed: false };
  throw new SandboxMissing(
    `no shell is allowed here without a sandbox ("sandbox: required", or a read-only skill), and ${sandbox.missing}; ${INSTALL_HINT}`,
  );
}

async function wrap(
  program: string,
  command: CommandLine,
  {
    home,
    workDir,
    allow,
    isReadOnly = false,
    isOffline = false,
    protect = [],
    hasSecret = false,
  }: Omit<Bounds, "mode">,
): Promise<CommandLine> {
  const [state, work] = await Promise.all([realpath(home), realpath(workDir)]);
  const passages = [...allow];
  if (isBelow(work, state)) passages.push({ path: work, isWritable: !isReadOnly });
  const real = await Promise.all(passages.map(async (each) => ({ ...each, path: await realpath(each.path) })));
  // bubblewrap follows its options in their order: an outer directory must be there before what is inside of it.
  const binds = real
    .filter(({ path }) => isBelow(path, state))
    .sort((a, b) => a.path.length - b.path.length)
    .flatMap(({ path, isWritable }) => [isWritable ? "--bind" : "--ro-bind", path, path]);
  return [
    program,
    ...(isReadOnly ? await readOnlyRoot() : ["--dev-bind", "/", "/"]),
    ...["--unshare-pid", "--proc", "/proc", "--die-with-parent"],
    ...(isOffline ? ["--unshare-net"] : []),
    ...(process.getuid?.() === 0 ? DROPPED_OF_ROOT.flatMap((name) => ["--cap-drop", name]) : []),
    ...(await Promise.all(protect.map((path) => realpath(path)))).flatMap((path) => ["--ro-bind", path, path]),
    ...(isReadOnly ? ["--ro-bind", work, work] : []),
    ...["--tmpfs", state, ...binds],
    ...(hasSecret ? ["--perms", "0700", "--tmpfs", join(state, SECRET_DIR)] : []),
    ...(hasSecret ? ["--perms", "0600", "--file", String(SECRET_FD), await secretPathIn(home)] : []),
    ...["--remount-ro", state],
    ...["--chdir", work, "--", ...command],
  ];
}

/** Many programs cannot do without temporary files. */
async function readOnlyRoot(): Promise<string[]> {
  const temporary = await realpath(tmpdir());
  return ["--ro-bind", "/", "/", "--dev-bind", "/dev", "/dev", "--bind", temporary, temporary];
}

function isBelow(path: string, directory: string): boolean {
  return path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}

async function tryProgram(): Promise<Sandbox> {
  if (process.platform !== "linux") return { missing: "bubblewrap is for Linux only" };
  const program = await findProgram();
  if (program === null) return { missing: "bubblewrap is not installed" };
  const home = await mkdtemp(join(tmpdir(), "mimikit-sandbox-"));
  try {
    const [file, ...args] = await wrap(program, ["/bin/sh", "-c", ":"], { home, workDir: "/", allow: [] });
    const ended = await execa(file, args, { reject: false, stdin: "ignore", timeout: PROBE_MS });
    if (ended.exitCode === 0) return { program };
    const reason = ended.stderr.trim() || ended.shortMessage || "no reason given";
    return { missing: `bubblewrap does not work here: ${reason.slice(0, REASON_CHARS_MAX)}` };
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

async function findProgram(): Promise<string | null> {
  for (const directory of (process.env.PATH ?? "").split(delimiter)) {
    // A relative entry would mean whatever lies in the directory that we happen to be in.
    if (!directory.startsWith(sep)) continue;
    const path = join(directory, PROGRAM);
    try {
      await access(path, constants.X_OK);
      return path;
    } catch (error) {
      if (!hasCode(error, "ENOENT", "ENOTDIR", "EACCES")) throw error;
    }
  }
  return null;
}
