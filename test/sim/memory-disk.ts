/**
 * A disk in memory that forgets what a real one may forget: on a power loss any of the names that changed in a directory
 * since its last sync may be what they were at some point before, and content that was not synced is torn. Content of which a
 * sync has failed is never durable, as on Linux, whose kernel then takes it for written.
 */
import { BadJson, RECORD_BYTES_MAX } from "@mimikit/protocol/base/json";
import { directoryOf, type FileInfo } from "@mimikit/store/disk/file-system";
import { DIRECTORIES } from "@mimikit/store/disk/state";
import { below, type Random } from "./random.ts";

interface Inode {
  number: number;
  text: string;
  synced: boolean;
  /** Characters at the beginning that a power loss leaves whole, where the rest was appended since. */
  kept?: number;
  mtimeMs: number;
  /** Set where a sync has failed: those that have been told of it, to which every later sync seems to go well. */
  failedFor?: Set<unknown>;
}

interface Directory {
  names: Map<string, Inode>;
  /** Each name's value before each change since the last sync, oldest first. */
  unsynced: [name: string, before: Inode | undefined][];
  version: number;
}

function enoent(path: string): Error {
  return Object.assign(new Error(`ENOENT: ${path}`), { code: "ENOENT" });
}

export class MemoryDisk {
  private readonly directories = new Map<string, Directory>();
  private readonly births = new Map<string, number>();
  /** Hears of each name that comes or goes. */
  onChange: (dir: string, name: string) => void = () => undefined;
  private inodes = 0;
  private changes = 0;
  private made = 0;
  /** Directories that were made since the last sync of the one that they are in, where a power loss takes such. */
  private readonly unsyncedDirs = new Set<string>();
  /** May a power loss take directories that were made, with all that is in them? */
  losesDirectories = false;

  constructor() {
    for (const dir of [".", ...DIRECTORIES]) this.makeDirectory(dir);
  }

  makeDirectory(dir: string): void {
    // No other directory of this name had this version: `change` counts up.
    if (!this.directories.has(dir))
      this.directories.set(dir, { names: new Map(), unsynced: [], version: -this.made++ });
  }

  /** Makes a directory, and those above it, each durable with the next sync of the one that it is in. */
  makeUnsyncedDirectory(dir: string): void {
    if (dir !== ".") this.makeUnsyncedDirectory(directoryOf(dir));
    if (this.losesDirectories && !this.directories.has(dir)) this.unsyncedDirs.add(dir);
    this.makeDirectory(dir);
  }

  /** Is there such a directory? It may have been tidied away. */
  hasDirectory(dir: string): boolean {
    return this.directories.has(dir);
  }

  /** Removes a directory if it is empty, as `rmdir` does. @returns whether it did. */
  removeDirectory(dir: string): boolean {
    const isEmpty =
      this.names(dir).length === 0 && ![...this.directories.keys()].some((each) => directoryOf(each) === dir);
    return isEmpty && this.directories.delete(dir);
  }

  /** None where there is no such directory. */
  names(dir: string): string[] {
    return [...(this.directories.get(dir)?.names.keys() ?? [])];
  }

  /** Those that are not hidden: editors show no others, and whoever looks for notes does not look there. */
  visibleNames(dir: string): string[] {
    return this.names(dir).filter((name) => !name.startsWith("."));
  }

  version(dir: string): string {
    return String(this.directory(dir).version);
  }

  read(path: string, bytesMax = RECORD_BYTES_MAX): string | null {
    const inode = this.inode(path);
    if (inode !== undefined && inode.text.length > bytesMax) throw new BadJson(`longer than ${bytesMax} bytes`);
    return inode?.text ?? null;
  }

  info(path: string): FileInfo | null {
    const inode = this.inode(path);
    return inode === undefined
      ? null
      : { mtimeMs: inode.mtimeMs, size: inode.text.length, inode: inode.number, links: 1 };
  }

  /**
   * Is a document between two operations on names, after which another file takes its place whatever is there? It has a
   * hidden name beside it then, or the one that is to come back has a name in tmp/ as well.
   */
  isBeingReplaced(path: string): boolean {
    const dir = directoryOf(path);
    const hidden = this.names(dir).filter((name) => name.startsWith(".replaced-"));
    const numbers = new Set(hidden.map((name) => this.inode(`${dir}/${name}`)?.number));
    const temporary = [...this.directories].filter(([each]) => each.startsWith("tmp/"));
    const isToComeBack = temporary.some(([, { names }]) =>
      [...names.values()].some(({ number }) => numbers.has(number)),
    );
    return isToComeBack || numbers.has(this.inode(path)?.number);
  }

  /** When this name came, as a number that grows with every change; 0 when it is not there. */
  bornAt(path: string): number {
    return this.inode(path) === undefined ? 0 : (this.births.get(path) ?? 0);
  }

  create(path: string, text: string, mtimeMs: number): void {
    this.change(path, { number: ++this.inodes, text, synced: false, mtimeMs });
  }

  /** Adds to the end of a file, which is made where it is missing. Nothing of that is durable. */
  append(path: string, text: string, mtimeMs: number): void {
    const inode = this.inode(path);
    if (inode === undefined) {
      this.create(path, text, mtimeMs);
      return;
    }
    if (inode.synced) inode.kept = inode.text.length;
    Object.assign(inode, { text: inode.text + text, synced: false, mtimeMs });
  }

  syncContent(path: string): void {
    const inode = this.inode(path);
    if (inode !== undefined && inode.failedFor === undefined) inode.synced = true;
  }

  /**
   * A sync by `reader` fails: what has not been durable by then never is. Each that asks hears of it once.
   * @param isNow also where no sync of this content has failed before.
   * @returns whether it is told so now.
   */
  failSync(path: string, reader: unknown, isNow: boolean): boolean {
    const inode = this.inode(path);
    if (inode === undefined || inode.synced || (inode.failedFor === undefined && !isNow)) return false;
    inode.failedFor ??= new Set();
    if (inode.failedFor.has(reader)) return false;
    inode.failedFor.add(reader);
    return true;
  }

  syncDir(dir: string): void {
    this.directory(dir).unsynced.length = 0;
    for (const each of this.unsyncedDirs) if (directoryOf(each) === dir) this.unsyncedDirs.delete(each);
  }

  link(from: string, to: string): "linked" | "exists" | "missing" {
    const inode = this.inode(from);
    if (this.inode(to) !== undefined) return "exists";
    if (inode === undefined) return "missing";
    this.change(to, inode);
    return "linked";
  }

  rename(from: string, to: string): boolean {
    const inode = this.inode(from);
    if (inode === undefined) return false;
    this.change(to, inode);
    this.change(from, undefined);
    return true;
  }

  unlink(path: string): void {
    if (this.inode(path) !== undefined) this.change(path, undefined);
  }

  losePower(random: Random): void {
    for (const dir of this.unsyncedDirs) if (random() < 0.5) this.directories.delete(dir);
    this.unsyncedDirs.clear();
    for (const directory of this.directories.values()) {
      const states = new Map<string, (Inode | undefined)[]>();
      for (const [name, before] of directory.unsynced) states.set(name, [...(states.get(name) ?? []), before]);
      for (const [name, earlier] of states) {
        const at = below(random, earlier.length + 1);
        if (at === earlier.length) continue;
        const before = earlier[at];
        if (before === undefined) directory.names.delete(name);
        else directory.names.set(name, before);
      }
      directory.unsynced.length = 0;
      directory.version++;
    }
    for (const { names } of this.directories.values()) {
      for (const inode of names.values()) {
        const { kept = 0 } = inode;
        if (!inode.synced) inode.text = inode.text.slice(0, kept + below(random, inode.text.length - kept + 1));
        inode.synced = true;
        delete inode.failedFor;
      }
    }
  }

  private inode(path: string): Inode | undefined {
    return this.directories.get(directoryOf(path))?.names.get(baseOf(path));
  }

  private change(path: string, inode: Inode | undefined): void {
    const directory = this.directory(directoryOf(path));
    const name = baseOf(path);
    directory.unsynced.push([name, directory.names.get(name)]);
    if (inode === undefined) directory.names.delete(name);
    else directory.names.set(name, inode);
    directory.version++;
    this.births.set(path, ++this.changes);
    this.onChange(directoryOf(path), name);
  }

  private directory(dir: string): Directory {
    const directory = this.directories.get(dir);
    if (directory === undefined) throw enoent(dir);
    return directory;
  }
}

function baseOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
