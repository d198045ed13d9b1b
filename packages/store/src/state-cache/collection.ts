/** One directory of immutable records, cached in memory: names are compared, and only new ones are read, and files of others again. */
import type { UnreadableFile } from "@mimikit/core/base/snapshot";
import { BadJson, UnfinishedJson } from "@mimikit/protocol/base/json";
import type { FileInfo, FileSystem } from "../disk/file-system.ts";
import { ownNames } from "../disk/own-names.ts";
import { makeDurable } from "../disk/record.ts";

/** A name in the directory that is none of our records, as first seen like this. */
interface Bad {
  reason: string;
  sinceMs: number;
  info: FileInfo;
  isUnfinished: boolean;
}

export interface CollectionOptions<T> {
  fs: FileSystem;
  dir: string;
  /** Makes a record of a file. Throws `BadJson` when it is none. */
  decode(stem: string, text: string, info: () => Promise<FileInfo | null>): Promise<T> | T;
  /**
   * Must it be durable before it is seen here, because something is done about it that does not hold it (docs/file-protocol.md R4)?
   * Then its directory is synced first. Not given where nothing is.
   */
  mustLast?(record: T): boolean;
  /** Has its file, by which it is known, been written by another process? Then it stays the very file that it is, and may be another one soon. */
  isForeign?(record: T): boolean;
  /** Do other programs put files there? They may write them under temporary names first. */
  hasDrops?: boolean;
  /** Hears of each record the moment it came or went: `record` is what stands under the stem now, `before` what stood there. */
  onChange?(stem: string, record: T | undefined, before: T | undefined): void;
}

const SUFFIX = ".json";

export class Collection<T> {
  readonly dir: string;
  private readonly options: CollectionOptions<T>;
  private readonly records = new Map<string, T>();
  private readonly bads = new Map<string, Bad>();
  /** Records that this process itself has created there since the last read. */
  private readonly own: ReturnType<typeof ownNames>;
  private version: string | null = null;
  /** The stems of records that have gone since they were last taken. */
  private gone: string[] = [];

  constructor(options: CollectionOptions<T>) {
    this.options = options;
    this.dir = options.dir;
    this.own = options.mustLast !== undefined ? ownNames(options.fs, options.dir) : new Map();
  }

  /** The records by file name without its ending. */
  get entries(): ReadonlyMap<string, T> {
    return this.records;
  }

  /** Paths that hold no record of ours, and since when. */
  unreadable(): UnreadableFile[] {
    return [...this.bads].map(([name, { reason, sinceMs, info, isUnfinished }]) => ({
      path: `${this.dir}/${name}`,
      reason,
      sinceMs,
      inode: info.inode,
      ...(isUnfinished && { isUnfinished }),
    }));
  }

  /**
   * Looks again. Cheap when nothing changed.
   * @param force list even if the directory looks unchanged.
   * @returns whether anything came or went.
   */
  async refresh(nowMs: number, force: boolean): Promise<boolean> {
    const { fs, dir } = this.options;
    const version = await fs.version(dir);
    if (!force && version !== null && version === this.version && this.bads.size === 0) return false;
    const names = await fs.list(dir);
    const isNew = names.filter((name) => !name.endsWith(SUFFIX) || !this.records.has(stemOf(name)));
    const found = await this.load(isNew, nowMs);
    const isGone = names.length - isNew.length < this.records.size;
    if (isGone || this.bads.size > 0) this.forgetAllBut(new Set(names));
    const isOther = await this.readAgain(names, nowMs);
    for (const [name, record] of found) this.put(name, record);
    // They are remembered until the next look. One that was created since the listing costs a sync at most.
    this.own.clear();
    this.version = version;
    return isGone || isOther || found.length > 0;
  }

  /** Looks only at these names, as `refresh` does at all. @returns whether anything came or went. */
  async lookAt(names: Iterable<string>, nowMs: number): Promise<boolean> {
    const { fs, dir } = this.options;
    const isNew: string[] = [];
    const isKnown: string[] = [];
    let isGone = false;
    for (const name of names) {
      const record = this.records.get(stemOf(name));
      if (record === undefined || !name.endsWith(SUFFIX)) isNew.push(name);
      else if (await fs.exists(`${dir}/${name}`)) isKnown.push(name);
      else {
        this.forget(stemOf(name), record);
        isGone = true;
      }
    }
    const isOther = await this.readAgain(isKnown, nowMs);
    const found = await this.load(isNew, nowMs);
    for (const [name, record] of found) this.put(name, record);
    for (const name of names) this.own.delete(name);
    return isGone || isOther || found.length > 0;
  }

  /** The stems of the records that have gone since the last call. */
  takeGone(): string[] {
    const { gone } = this;
    this.gone = [];
    return gone;
  }

  /** Reads these files. @returns the records among them, of which those that must last are durable by then. */
  private async load(names: readonly string[], nowMs: number): Promise<[name: string, record: T][]> {
    const { fs, dir, mustLast, isForeign = () => false } = this.options;
    const found: [name: string, record: T][] = [];
    for (const name of names) {
      const record = await this.decode(name, nowMs);
      if (record !== undefined) found.push([name, record]);
    }
    const lasting = mustLast === undefined ? [] : found.filter(([, record]) => mustLast(record));
    const pathsOf = (records: typeof lasting) => records.map(([name]) => `${dir}/${name}`);
    const paths = pathsOf(lasting);
    const foreign = new Set(pathsOf(lasting.filter(([, record]) => isForeign(record))));
    if (lasting.length > 0 && !(await this.areOwn(lasting.map(([name]) => name))))
      await makeDurable(fs, paths, foreign);
    return found;
  }

  /** Reads the files of others among these records, which may have been written again. @returns is one of them another one now? */
  private async readAgain(names: readonly string[], nowMs: number): Promise<boolean> {
    const { isForeign } = this.options;
    let isOther = false;
    for (const name of isForeign === undefined ? [] : names) {
      const before = this.records.get(stemOf(name));
      if (before === undefined || !name.endsWith(SUFFIX) || isForeign?.(before) !== true) continue;
      const [now] = await this.load([name], nowMs);
      if (now !== undefined && JSON.stringify(now[1]) === JSON.stringify(before)) continue;
      this.forget(stemOf(name), before);
      if (now !== undefined) this.put(...now);
      isOther = true;
    }
    return isOther;
  }

  /** Has this process itself created all of them, and are they durable? Waits for what is under way. */
  private async areOwn(names: readonly string[]): Promise<boolean> {
    const made = names.map((name) => this.own.get(name));
    return (await Promise.all(made)).every((isDurable) => isDurable === true);
  }

  private forgetAllBut(names: Set<string>): void {
    for (const [stem, record] of this.records) {
      if (!names.has(stem + SUFFIX)) this.forget(stem, record);
    }
    for (const name of this.bads.keys()) if (!names.has(name)) this.bads.delete(name);
  }

  private forget(stem: string, record: T): void {
    this.records.delete(stem);
    this.gone.push(stem);
    this.options.onChange?.(stem, undefined, record);
  }

  private put(name: string, record: T): void {
    const stem = stemOf(name);
    this.records.set(stem, record);
    this.bads.delete(name);
    this.options.onChange?.(stem, record, undefined);
  }

  /** The record in a file; undefined where there is none, which is remembered where there is something else. */
  private async decode(name: string, nowMs: number): Promise<T | undefined> {
    const { fs, dir, decode, hasDrops } = this.options;
    const path = `${dir}/${name}`;
    try {
      if (!name.endsWith(SUFFIX))
        throw new (hasDrops === true ? UnfinishedJson : BadJson)(`its name does not end in ${SUFFIX}`);
      const text = await fs.read(path);
      return text === null ? undefined : await decode(stemOf(name), text, () => fs.info(path));
    } catch (error) {
      if (!(error instanceof BadJson)) throw error;
      await this.remember(name, path, error, nowMs);
      return undefined;
    }
  }

  private async remember(name: string, path: string, error: BadJson, nowMs: number): Promise<void> {
    const info = await this.options.fs.info(path);
    if (info === null) return;
    const before = this.bads.get(name);
    const unchanged = before !== undefined && before.info.mtimeMs === info.mtimeMs && before.info.size === info.size;
    const sinceMs = unchanged ? Math.min(before.sinceMs, nowMs) : nowMs;
    this.bads.set(name, { reason: error.message, sinceMs, info, isUnfinished: error instanceof UnfinishedJson });
  }
}

function stemOf(name: string): string {
  return name.endsWith(SUFFIX) ? name.slice(0, -SUFFIX.length) : name;
}
