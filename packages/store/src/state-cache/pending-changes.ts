/** Names that are known to have changed, so that a read need not list whole directories: only speed, never the truth. */
import { directoryOf, type FileSystem } from "../disk/file-system.ts";
import { TEMPORARY } from "../disk/state.ts";

/** The names that changed, by directory; null where any of its names may have. */
export type ChangedNames = ReadonlyMap<string, ReadonlySet<string> | null>;

/** Changes that are waiting for a look. */
export class PendingChanges {
  private changes = new Map<string, Set<string> | null>();

  /** @param name null where it is not known. */
  note(dir: string, name: string | null): void {
    const names = this.changes.get(dir);
    if (name === null) this.changes.set(dir, null);
    else if (names === undefined) this.changes.set(dir, new Set([name]));
    else names?.add(name);
  }

  /** The changes noted since the last call. */
  take(): ChangedNames {
    const { changes } = this;
    this.changes = new Map();
    return changes;
  }
}

/** The same disk, where `hear` is told of each name that this process itself gives or takes; notifications may come later. */
export function overheard(fs: FileSystem, hear: (dir: string, name: string) => void): FileSystem {
  const tell = (path: string) => {
    const dir = directoryOf(path);
    if (!dir.startsWith(TEMPORARY)) hear(dir, path.slice(dir.length + 1));
  };
  /** Also what has failed may have been done. */
  const telling = async <T>(paths: readonly string[], work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } finally {
      for (const path of paths) tell(path);
    }
  };
  return {
    ...fs,
    link: (from, to) => telling([to], fs.link(from, to)),
    rename: (from, to) => telling([from, to], fs.rename(from, to)),
    unlink: (path) => telling([path], fs.unlink(path)),
  };
}
