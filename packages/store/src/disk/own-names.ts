/**
 * Names that this process itself has created or made durable: a reader that lists them waits for that sync, and need not sync their
 * directory once more (docs/file-protocol.md R4). Nothing is known here of what another process has made.
 */
import { directoryOf, type FileSystem } from "./file-system.ts";

/** Names, and whether each has become durable, once that is known. */
type OwnNames = Map<string, Promise<boolean>>;

const listed = new WeakMap<FileSystem, Map<string, OwnNames>>();

/** The names that are created here in `dir`, from now on; the caller takes out those that it has seen. */
export function ownNames(fs: FileSystem, dir: string): OwnNames {
  const dirs = listed.get(fs) ?? new Map<string, OwnNames>();
  listed.set(fs, dirs);
  const names = dirs.get(dir) ?? new Map();
  dirs.set(dir, names);
  return names;
}

/**
 * Call when `path` was created here, or is made durable. It is remembered only if that directory is listed.
 * @param durable resolves when its directory is synced, and rejects where that failed.
 */
export function noteOwnName(fs: FileSystem, path: string, durable: Promise<void>): void {
  const isDurable = durable.then(
    () => true,
    () => false,
  );
  namesBeside(fs, path)?.set(nameOf(path), isDurable);
}

const nameOf = (path: string) => path.slice(path.lastIndexOf("/") + 1);
const namesBeside = (fs: FileSystem, path: string) => listed.get(fs)?.get(directoryOf(path));
