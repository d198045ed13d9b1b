/**
 * Earlier states and backups of a state directory, all with live secrets. They lie in the directory itself: no sandbox shows it, git
 * ignores it, and no backup includes them.
 */
import { lstatSync, mkdirSync, readdirSync, renameSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { hasCode } from "@mimikit/store/disk/error-code";
import { COPIES } from "@mimikit/store/disk/state";

const KINDS = { before: /^before-[\w-]+$/, state: /^state-\d+-[\w-]+\.tar\.gz$/ };

/** The path of a new copy; its directory exists. @param kind `before`: a whole state directory; `state`: a backup, as `.tar.gz`. */
export function copyPath(home: string, kind: keyof typeof KINDS, detail = ""): string {
  mkdirSync(join(home, COPIES), { recursive: true, mode: 0o700 });
  const stamp = new Date().toISOString().replace(/[:.]/g, "").toLowerCase();
  return join(home, COPIES, kind === "before" ? `before-${stamp}` : `state-${detail}-${stamp}.tar.gz`);
}

/** The backups of the state before it was migrated, oldest first. */
export function stateBackups(home: string): string[] {
  const dir = join(home, COPIES);
  return namesIn(dir)
    .filter((name) => KINDS.state.test(name))
    .map((name) => join(dir, name))
    .sort((a, b) => lstatSync(a).mtimeMs - lstatSync(b).mtimeMs);
}

/**
 * Moves in the copies that earlier versions made beside the state directory, or that a restore left there when it was killed. Anything in
 * a workspace may have been put there by a model, so `stateBackups` does not list them.
 */
export function collectCopies(home: string): void {
  const [parent, prefix] = [dirname(home), `${basename(home)}.`];
  for (const name of namesIn(parent)) {
    const rest = name.startsWith(prefix) ? name.slice(prefix.length) : "";
    if (!Object.values(KINDS).some((kind) => kind.test(rest))) continue;
    mkdirSync(join(home, COPIES), { recursive: true, mode: 0o700 });
    try {
      renameSync(join(parent, name), join(home, COPIES, `found-${rest}`));
    } catch (error) {
      // Another process was faster, or it is a mount.
      if (!hasCode(error, "ENOENT", "EXDEV", "EBUSY", "ENOTEMPTY", "EEXIST", "EACCES", "EPERM", "EROFS")) throw error;
    }
  }
}

/** The entries of a directory; none where there is no directory, or it cannot be read. */
export function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch (error) {
    if (hasCode(error, "ENOENT", "EACCES")) return [];
    throw error;
  }
}
