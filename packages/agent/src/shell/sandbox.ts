/**
 * A Worker's shell cannot reach the state directory: it runs in the sandbox of this system (bubblewrap on Linux), with
 * the file system as it is but for that directory, which is empty and read-only there, for other places of that kind
 * (places.ts), and for a /tmp of its own. A writer could forge results; a reader would have the token.
 *
 * It keeps the state from a Worker, not the owner's files: everything else is the owner's authority, and so are the
 * network and what listens on it. Under bubblewrap they have a PID namespace of their own, so they see no other process,
 * and none of them outlives the sandbox.
 */

import { existsSync, lstatSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { join, sep } from "node:path";
import { IGNORE_FILE } from "@mimikit/runtime/home/home";
import type { SandboxTool } from "@mimikit/runtime/platform/platform";
import { probeSandbox, sandboxHint } from "@mimikit/runtime/platform/probe-sandbox";
import { platform } from "@mimikit/runtime/platform/this-platform";
import { BUBBLEWRAP, findRequired, installHint } from "@mimikit/runtime/requirements";
import type { Run, SandboxMode } from "../provider.ts";
import { followsReadOnly, mayWrite } from "../roles/index.ts";
import { SKILLS_DIR } from "../skills/allowed.ts";
import { artifactOf } from "./artifact.ts";
import { hiddenPlaces, protectedPlaces } from "./places.ts";
import { repositoryPlaces } from "./repository.ts";
import { makeTemporary } from "./temporary.ts";

/** Where a command may reach. */
export interface Bounds {
  /** The state directory; it must exist. */
  home: string;
  /** The workspace: stays reachable where it is inside the state directory. */
  workDir: string;
  /** The parts of the state directory that the command sees nevertheless; each must exist. */
  allow: readonly Passage[];
  mode: SandboxMode;
  /** In the sandbox, nothing can be changed but temporary files. */
  isReadOnly?: boolean;
  /** In the sandbox, nothing outside the workspace can be changed but temporary files. */
  keepsOutside?: boolean;
  /** In the sandbox there is no network, not even this machine's own. */
  isOffline?: boolean;
  /** In the sandbox, nothing in these directories can be changed either; each must exist. */
  protect?: readonly string[];
  /** In the sandbox it is /tmp, where the system has such a sandbox; it must exist. */
  temporary?: string;
  /** Directories that stay where they are in a /tmp of its own; each must exist. */
  kept?: readonly string[];
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
  /** Processes of the command end with the sandbox. */
  isHeld: boolean;
}

/** The sandbox of this machine: its program, or why there is none and what to do. */
export type Sandbox = Found | { missing: string; next: string };

interface Found {
  tool: SandboxTool;
  program: string;
}

/** A sandbox is required and there is none; the message says what to do. */
export class SandboxMissing extends Error {}

/** The descriptor over which a secret is handed to the sandbox. */
export const SECRET_FD = 3;
const SECRET_DIR = "secret";

/**
 * A Worker's shell may read its own run's folder, the outputs and the skills that its prompt names, and run their scripts. Some only look; one that follows a
 * read-only skill looks from a sandbox or not at all, because nothing else would keep it from writing.
 */
export async function boundsOf(
  run: Pick<Run, "task" | "home" | "workDir" | "runDir" | "sandbox" | "protect">,
): Promise<Bounds> {
  const { task, home, workDir, runDir, sandbox, protect = [] } = run;
  const outputs = await Promise.all(task.upstream.map((report) => artifactOf(report, home)));
  const temporary = await makeTemporary(runDir);
  const skills = join(home, SKILLS_DIR);
  const isThere = lstatSync(skills, { throwIfNoEntry: false })?.isDirectory() === true;
  const readable = [runDir, ...(isThere ? [skills] : []), ...outputs.filter((path) => path !== null)];
  const allow = readable.map((path) => ({ path, isWritable: false }));
  const mode = followsReadOnly(task) ? "required" : sandbox;
  return { home, workDir, mode, allow, isReadOnly: !mayWrite(task), protect, temporary };
}

let found: Sandbox | undefined;

/** Whether a sandbox works here, found out by running one. It is looked for until there is one, and then no more. */
export async function findSandbox(): Promise<Sandbox> {
  if (found === undefined || "missing" in found) found = await tryProgram();
  return found;
}

/** Whether `sandboxed` will put a command in a sandbox that has a file in memory for a secret. */
export async function mayHideSecret(mode: SandboxMode): Promise<boolean> {
  if (mode === "off") return false;
  const sandbox = await findSandbox();
  return "tool" in sandbox && sandbox.tool.hidesSecrets;
}

/** Where a secret is in the sandbox. */
export async function secretPathIn(home: string): Promise<string> {
  return join(await realpath(home), SECRET_DIR, "key");
}

/**
 * `command` as it runs within `bounds`: in a sandbox, or as it is where the mode allows that.
 * Throws `SandboxMissing`, and ENOENT where the workspace or the state directory is gone.
 */
export async function sandboxed(command: CommandLine, bounds: Bounds): Promise<Confined> {
  const { mode } = bounds;
  if (mode === "off") return { commandLine: command, isSandboxed: false, isHeld: false };
  const sandbox = await findSandbox();
  if ("tool" in sandbox)
    return {
      commandLine: await wrap(sandbox, command, bounds),
      isSandboxed: true,
      isHeld: sandbox.tool.holdsProcesses,
    };
  if (mode === "auto") return { commandLine: command, isSandboxed: false, isHeld: false };
  throw new SandboxMissing(
    `no shell is allowed here without a sandbox ("sandbox: required", or a read-only skill), and ${sandbox.missing}; ${sandbox.next}`,
  );
}

async function wrap(
  { tool, program }: Found,
  command: CommandLine,
  {
    home,
    workDir,
    allow,
    isReadOnly = false,
    keepsOutside = false,
    isOffline = false,
    protect = [],
    temporary,
    kept = [],
    hasSecret = false,
  }: Omit<Bounds, "mode">,
): Promise<CommandLine> {
  const [state, work] = await Promise.all([realpath(home), realpath(workDir)]);
  const passages = [...allow];
  if (isBelow(work, state)) passages.push({ path: work, isWritable: !isReadOnly });
  // Without it, `git add -A` takes what the command sees of the state into the owner's repository.
  const ignore = join(state, IGNORE_FILE);
  if (existsSync(ignore)) passages.push({ path: ignore, isWritable: false });
  const real = await Promise.all(passages.map(async (each) => ({ ...each, path: await realpath(each.path) })));
  return tool.wrap(program, command, {
    state,
    hidden: await hiddenPlaces(state, work),
    work,
    passages: real.filter(({ path }) => isBelow(path, state)).sort((a, b) => a.path.length - b.path.length),
    isReadOnly,
    keepsOutside,
    isOffline,
    protect: [...(await Promise.all(protect.map((path) => realpath(path)))), ...(await protectedPlaces(work))],
    repository: keepsOutside && !isReadOnly ? await repositoryPlaces(work) : [],
    temporary: temporary === undefined ? null : await realpath(temporary),
    userHome: homedir(),
    kept: await Promise.all(kept.map((path) => realpath(path))),
    secret: hasSecret ? { path: await secretPathIn(home), fd: SECRET_FD } : null,
  });
}

function isBelow(path: string, directory: string): boolean {
  return path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}

async function tryProgram(): Promise<Sandbox> {
  const tool = platform.sandbox;
  if (tool === null) return { missing: "there is no sandbox for this system", next: "run it on Linux" };
  const program = tool.program ?? findRequired(BUBBLEWRAP, process.env);
  if (program === null) return { missing: "bubblewrap is not installed", next: installHint(BUBBLEWRAP) };
  const reason = await probeSandbox(tool, program);
  if (reason === null) return { tool, program };
  return { missing: `${tool.name} does not work here: ${reason}`, next: sandboxHint() };
}
