/** One directory of immutable records, mirrored in memory: names are compared, and only new ones are read. */
import { BadJson } from "@mimikit/protocol/base/json";
import type { FileInfo, FileSystem } from "../disk/file-system.ts";

/** A name in the directory that is none of our records, as first seen like this. */
interface Bad {
  reason: string;
  sinceMs: number;
  info: FileInfo;
}

export interface CollectionOptions<T> {
  fs: FileSystem;
  dir: string;
  /** Makes a record of a file. Throws `BadJson` when it is none. */
  decode(stem: string, text: string, info: () => Promise<FileInfo | null>): Promise<T> | T;
  /**
   * Sync the directory before anything new in it is acted upon (docs/file-protocol.md R4). Readers that only show
   * things need not.
   */
  durable: boolean;
}

const SUFFIX = ".json";

export class Collection<T> {
  readonly dir: string;
  private readonly options: CollectionOptions<T>;
  private readonly records = new Map<string, T>();
  private readonly bads = new Map<string, Bad>();
  private version: string | null = null;

  constructor(options: CollectionOptions<T>) {
    this.options = options;
    this.dir = options.dir;
  }

  /** The records by file name without its ending. */
  get entries(): ReadonlyMap<string, T> {
    return this.records;
  }

  /** Paths that hold no record of ours, and since when. */
  unreadable(): { path: string; reason: string; sinceMs: number }[] {
    return [...this.bads].map(([name, { reason, sinceMs }]) => ({ path: `${this.dir}/${name}`, reason, sinceMs }));
  }

  /**
   * Looks again. Cheap when nothing changed.
   * @param force list even if the directory looks unchanged.
   * @returns the stems that came and went, or null when there was nothing new.
   */
  async refresh(nowMs: number, force: boolean): Promise<{ added: string[]; removed: string[] } | null> {
    const { fs, dir, durable } = this.options;
    const version = await fs.version(dir);
    if (!force && version !== null && version === this.version && this.bads.size === 0) return null;
    const names = await fs.list(dir);
    const isNew = names.filter((name) => !this.records.has(stemOf(name)));
    if (durable && isNew.length > 0) await fs.syncDir(dir);
    const removed = this.forgetAllBut(new Set(names));
    const added: string[] = [];
    for (const name of isNew) if (await this.load(name, nowMs)) added.push(stemOf(name));
    this.version = version;
    return added.length + removed.length === 0 ? null : { added, removed };
  }

  private forgetAllBut(names: Set<string>): string[] {
    const removed: string[] = [];
    for (const stem of this.records.keys()) if (!names.has(stem + SUFFIX)) removed.push(stem);
    for (const stem of removed) this.records.delete(stem);
    for (const name of this.bads.keys()) if (!names.has(name)) this.bads.delete(name);
    return removed;
  }

  private async load(name: string, nowMs: number): Promise<boolean> {
    const { fs, dir, decode } = this.options;
    const path = `${dir}/${name}`;
    try {
      if (!name.endsWith(SUFFIX)) throw new BadJson(`its name does not end in ${SUFFIX}`);
      const text = await fs.read(path);
      if (text === null) return false;
      this.records.set(stemOf(name), await decode(stemOf(name), text, () => fs.info(path)));
      this.bads.delete(name);
      return true;
    } catch (error) {
      if (!(error instanceof BadJson)) throw error;
      await this.remember(name, path, error.message, nowMs);
      return false;
    }
  }

  private async remember(name: string, path: string, reason: string, nowMs: number): Promise<void> {
    const info = await this.options.fs.info(path);
    if (info === null) return;
    const before = this.bads.get(name);
    const unchanged = before !== undefined && before.info.mtimeMs === info.mtimeMs && before.info.size === info.size;
    const sinceMs = unchanged ? Math.min(before.sinceMs, nowMs) : nowMs;
    this.bads.set(name, { reason, sinceMs, info });
  }
}

function stemOf(name: string): string {
  return name.endsWith(SUFFIX) ? name.slice(0, -SUFFIX.length) : name;
}
