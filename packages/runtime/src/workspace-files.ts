/**
 * What conditions see of files (SPEC D1): for each path a text that changes whenever what is there does. Only names, times
 * and sizes are looked at, never what is inside. The state directory is not there: it changes with everything we do.
 */
import { lstat, stat } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import { hasCode } from "@mimikit/store/error-code";

export interface WorkspaceFilesOptions {
  workDir: string;
  /** The state directory. */
  home: string;
}

export class WorkspaceFiles {
  private readonly options: WorkspaceFilesOptions;

  constructor(options: WorkspaceFilesOptions) {
    this.options = options;
  }

  /** The stamps of these paths, "" where there is nothing; a path that cannot be looked at now is left out. */
  async stampsOf(paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const stamps = new Map<string, string>();
    for (const path of paths) {
      const stamp = await this.stampOf(path);
      if (stamp !== null) stamps.set(path, stamp);
    }
    return stamps;
  }

  private async stampOf(path: string): Promise<string | null> {
    const { workDir, home } = this.options;
    const absolute = isAbsolute(path) ? path : join(workDir, path);
    if (isBelow(home, absolute)) return "";
    try {
      const info = await stat(absolute);
      return `${info.mtimeMs}-${info.size}-${info.ino}`;
    } catch (error) {
      if (hasCode(error, "ENOENT") || hasCode(error, "ENOTDIR")) return (await isDangling(absolute)) ? "dangling" : "";
      return null;
    }
  }
}

function isBelow(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return way === "" || (!way.startsWith(`..${sep}`) && way !== ".." && !isAbsolute(way));
}

async function isDangling(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
