/**
 * A disk in memory that forgets what a real one may forget: on a power loss any of the names that changed in a directory
 * since its last sync may be what they were at some point before, and content that was not synced is torn.
 */
import { BadJson, RECORD_BYTES_MAX } from "@mimikit/protocol/base/json";
import { directoryOf, type FileInfo } from "@mimikit/store/disk/file-system";
import { DIRECTORIES } from "@mimikit/store/disk/state";
import { below, type Random } from "./random.ts";

interface Inode {
  number: number;
  text: string;
  synced: boolean;
  mtimeMs: number;
}

interface Directory {
  names: Map<string, Inode>;
  /** What each name was before each change since the last sync, oldest first. */
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

  constructor() {
    for (const dir of [".", ...DIRECTORIES]) this.makeDirectory(dir);
  }

  makeDirectory(dir: string): void {
    if (!this.directories.has(dir)) this.directories.set(dir, { names: new Map(), unsynced: [], version: 0 });
  }

  names(dir: string): string[] {
    return [...this.directory(dir).names.keys()];
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
   * Has the file of this name, or one that was there before it, a name in tmp/ as well? So it is while a document is
   * replaced: what is to take its place is newer.
   */
  isBeingReplaced(path: string): boolean {
    const current = this.inode(path);
    if (current === undefined) return false;
    return [...this.directories].some(
      ([dir, { names }]) =>
        dir.startsWith("tmp/") &&
        [...names.values()].some(({ number, text }) => number <= current.number && !text.startsWith("{")),
    );
  }

  /** When this name came, as a number that grows with every change; 0 when it is not there. */
  bornAt(path: string): number {
    return this.inode(path) === undefined ? 0 : (this.births.get(path) ?? 0);
  }

  create(path: string, text: string, mtimeMs: number): void {
    this.change(path, { number: ++this.inodes, text, synced: false, mtimeMs });
  }

  syncContent(path: string): void {
    const inode = this.inode(path);
    if (inode !== undefined) inode.synced = true;
  }

  syncDir(dir: string): void {
    this.directory(dir).unsynced.length = 0;
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
        if (!inode.synced) inode.text = inode.text.slice(0, below(random, inode.text.length + 1));
        inode.synced = true;
      }
    }
  }

  private inode(path: string): Inode | undefined {
    return this.directory(directoryOf(path)).names.get(baseOf(path));
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
