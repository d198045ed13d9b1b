/**
 * macOS's sandbox-exec: the command may do what it could but for the state directory. It is no container: what the command
 * starts outlives it, and other processes are seen. Only its text is tested; it was not run yet.
 */
import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import type { SandboxTool, Walls } from "./platform.ts";

/** A part of the system; it is not in any PATH of a user. */
export const SANDBOX_EXEC = "/usr/bin/sandbox-exec";

/** Terminals of others and raw disks. */
const DEVICES_CLOSED = '(regex #"^/dev/(ttys|pty|r?disk)")';

export const sandboxExec: SandboxTool = {
  name: "sandbox-exec",
  program: SANDBOX_EXEC,
  holdsProcesses: false,
  hidesSecrets: false,
  hasOwnTmp: false,
  wrap: (program, command, walls) => [program, "-p", profileOf(walls), ...command],
};

/** The last rule that fits counts. Only a path is quoted: it is data. */
function profileOf(walls: Walls): string {
  const { state, hidden, work, passages, isReadOnly, keepsOutside, isOffline, protect, repository } = walls;
  const temporary = realpathSync(tmpdir());
  return [
    "(version 1)",
    "(allow default)",
    ...(isReadOnly || keepsOutside
      ? ["(deny file-write*)", `(allow file-write* ${below("/dev")} ${below(temporary)})`]
      : []),
    ...(isReadOnly || keepsOutside ? [`(${isReadOnly ? "deny" : "allow"} file-write* ${below(work)})`] : []),
    `(deny file-read* file-write* ${DEVICES_CLOSED})`,
    ...protect.map((path) => `(deny file-write* ${below(path)})`),
    ...(keepsOutside
      ? repository.map(({ path, isWritable }) => `(deny file-write* ${isWritable ? itself(path) : below(path)})`)
      : []),
    ...(isOffline ? ["(deny network*)"] : []),
    ...[...hidden, state].map((path) => `(deny file-read* file-write* ${below(path)})`),
    ...passages.map(({ path, isWritable }) => `(allow file-read*${isWritable ? " file-write*" : ""} ${below(path)})`),
  ].join("\n");
}

function below(path: string): string {
  return `(subpath ${quoted(path)})`;
}

/** The directory, and not what is in it. */
function itself(path: string): string {
  return `(literal ${quoted(path)})`;
}

function quoted(path: string): string {
  return `"${path.replace(/["\\]/g, "\\$&")}"`;
}
