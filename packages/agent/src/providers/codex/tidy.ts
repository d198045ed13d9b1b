/**
 * codex puts empty directories where its sandbox hides what a Worker must not make itself, and leaves them there when it
 * is stopped: an empty `.git` in the workspace, and in each temporary directory (measured on 0.169.0).
 */
import { rmdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "@mimikit/store/error-code";

const NAMES = [".git", ".agents", ".codex", ".aws"];

/** Removes those that are empty and not older than `sinceMs` from `dirs`. Throws what the disk throws. */
export async function tidy(dirs: readonly string[], sinceMs: number): Promise<void> {
  for (const path of dirs.flatMap((dir) => NAMES.map((name) => join(dir, name)))) {
    try {
      if ((await stat(path)).mtimeMs >= sinceMs) await rmdir(path);
    } catch (error) {
      // Not there, a file, somebody's real one, or somebody else's.
      if (!hasCode(error, "ENOENT", "ENOTDIR", "ENOTEMPTY", "EEXIST", "EACCES", "EPERM")) throw error;
    }
  }
}
