/**
 * The few file operations that the protocol is made of. Production uses the disk (`disk.ts`); the crash simulation
 * uses a disk in memory that loses what was not synced. Paths are relative to the state directory, with `/`.
 */
export interface FileInfo {
  mtimeMs: number;
  size: number;
  inode: number;
  /** How many names the file has. */
  links: number;
}

export interface FileSystem {
  /**
   * The names in a directory, in no order. Throws when it cannot be read: an error is never "empty"
   * (docs/file-protocol.md R7).
   */
  list(dir: string): Promise<string[]>;
  /** A text that is different whenever the names in `dir` may have changed; null when that cannot be told. */
  version(dir: string): Promise<string | null>;
  /**
   * The whole text of a regular file; null only when it does not exist. Throws `BadJson` for anything that is not a
   * plain, readable file of at most `bytesMax` bytes (RECORD_BYTES_MAX when not given).
   */
  read(path: string, bytesMax?: number): Promise<string | null>;
  /** The same, and throws `BadJson` for what is no UTF-8, too: written again, it would be something else. */
  readText(path: string, bytesMax?: number): Promise<string | null>;
  exists(path: string): Promise<boolean>;
  /** null only when it does not exist. Does not follow links. */
  info(path: string): Promise<FileInfo | null>;
  /** Creates a new file and syncs its content (not its name), not before `mayBegin` has resolved. */
  write(path: string, text: string, mayBegin?: Promise<void>): Promise<void>;
  /** Creates a new file of which a power loss may tear the content, until `syncContent` has resolved. */
  writeUnsynced(path: string, text: string): Promise<void>;
  /** Makes the content of a file durable (not its name). A file that is gone is fine. */
  syncContent(path: string): Promise<void>;
  /** Gives the file `from` the second name `to`. Never replaces anything. */
  link(from: string, to: string): Promise<"linked" | "exists" | "missing">;
  /**
   * Replaces `to`. Only for documents, views and quarantine, never for records (docs/file-protocol.md R1).
   * @returns false when there is no `from` any more.
   */
  rename(from: string, to: string): Promise<boolean>;
  /**
   * Leaves of a regular file that is longer than `bytesMax` its beginning; another name of it keeps all. Only for quarantine, and never for
   * records. A file that is gone, or is no regular file, is fine.
   */
  shorten(path: string, bytesMax: number): Promise<void>;
  /** Makes a directory, and those above it, where they are missing. */
  makeDir(dir: string): Promise<void>;
  /** A file that is already gone is fine. */
  unlink(path: string): Promise<void>;
  /** Makes the names in `dir` durable. Concurrent calls share one sync (group commit). */
  syncDir(dir: string): Promise<void>;
  /** A fresh path in this process's own part of `tmp/`, which `write`, `link` and `rename` make where it is missing. */
  temporary(): string;
}

/** The directory part of a path: `teller/queue/t-000001.json` → `teller/queue`. */
export function directoryOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash < 0 ? "." : path.slice(0, slash);
}
