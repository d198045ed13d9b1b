/** Facts about standard input from /proc; without /proc, nothing is known of it. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { hasCode } from "@mimikit/store/disk/error-code";

const PROC = "/proc";
/** The lowest bits of the flags in fdinfo: 0 reads, 1 writes, 2 does both. */
const ACCESS_MODE = 3;

/** How far the file on standard input has been read by others; 0 where that is not known. */
export function stdinPosition(): number {
  return Number(/^pos:\s*(\d+)/m.exec(readOrNot("/proc/self/fdinfo/0"))?.[1] ?? 0);
}

/**
 * Does another command of the same pipeline hold the other end of the pipe on standard input? An ancestor
 * of this process may hold it, too, and never write: a service, a CI runner or ssh.
 */
export function hasWriterBeside(): boolean {
  const pipe = linkOrNot("/proc/self/fd/0");
  if (!pipe.startsWith("pipe:")) return false;
  const above = ancestors();
  return listOrNot(PROC).some((pid) => /^\d+$/.test(pid) && !above.has(pid) && writesTo(pid, pipe));
}

function writesTo(pid: string, pipe: string): boolean {
  return listOrNot(join(PROC, pid, "fd")).some((fd) => {
    if (linkOrNot(join(PROC, pid, "fd", fd)) !== pipe) return false;
    const flags = /^flags:\s*([0-7]+)/m.exec(readOrNot(join(PROC, pid, "fdinfo", fd)))?.[1] ?? "0";
    return (Number.parseInt(flags, 8) & ACCESS_MODE) !== 0;
  });
}

/** This process, its parent, and so on. */
function ancestors(): Set<string> {
  const found = new Set<string>();
  for (let pid = String(process.pid); pid !== "0" && pid !== "" && !found.has(pid); pid = parentOf(pid)) found.add(pid);
  return found;
}

function parentOf(pid: string): string {
  return /^PPid:\s*(\d+)/m.exec(readOrNot(join(PROC, pid, "status")))?.[1] ?? "";
}

const readOrNot = (path: string) => orElse(() => readFileSync(path, "utf8"), "");
const linkOrNot = (path: string) => orElse(() => readlinkSync(path), "");
const listOrNot = (path: string) => orElse(() => readdirSync(path), []);

/** Processes end while they are looked at, and those of others are not shown. */
function orElse<T>(look: () => T, otherwise: T): T {
  try {
    return look();
  } catch (error) {
    if (["ENOENT", "ESRCH", "EACCES", "EPERM", "ENOTDIR", "EINVAL"].some((code) => hasCode(error, code)))
      return otherwise;
    throw error;
  }
}
