/**
 * An index of memory that follows the files: before each search it looks which have changed, and reads only those. What is
 * new waits in a tail beside the main index, what is gone is hidden, and when both are many the main index is built anew.
 */
import { lstatSync } from "node:fs";
import type { MemoryHit, MemoryIndexState } from "@mimikit/protocol/wire/api";
import { limitOf, type MemoryPlace, type MemoryQuery, wordsToFind } from "../sources/memory-query.ts";
import { type Days, daysOf, isAskedFor, isNoSource, listSources, readSource, type Source } from "../sources/sources.ts";
import { DATE_WEIGHT, YEAR_WORD } from "../text/months.ts";
import { excerpt, type Unit, unitsOf } from "../text/units.ts";
import { Bm25 } from "./bm25.ts";

/** What lies beyond is found by the scan only. */
export const INDEX_UNITS_MAX = 200_000;
/** This part of the main index may be in the tail or hidden before it is built anew: a small one is, at each change. */
const LOOSE_PART_MAX = 0.1;

const YEAR_IN_NAME = /(?:^|\/)(\d{4})-\d{2}[^/]*$/;

interface File {
  name: string;
  /** Changes whenever the file does. */
  stamp: string;
  days: Days;
  /** That of the date in its name; null where it has none. */
  year: string | null;
  /** Its place among the sources: of two units that fit equally well, the one of the earlier source comes first. */
  place: number;
  units: number[];
}

interface Indexed extends Unit {
  file: File;
}

export class MemoryIndex {
  private readonly place: MemoryPlace;
  private readonly files = new Map<string, File>();
  private readonly units = new Map<number, Indexed>();
  private main = new Bm25([]);
  /** How many units `main` was built of; those that are gone are not in `units` any more. */
  private mainSize = 0;
  private readonly tail = new Set<number>();
  private nextId = 0;

  constructor(place: MemoryPlace) {
    this.place = place;
  }

  /** Brings the index to what is on disk, and says what is in it and how long that took. Throws what the disk throws. */
  async refresh(): Promise<MemoryIndexState> {
    const startMs = performance.now();
    await this.follow();
    return { files: this.files.size, units: this.units.size, ms: Math.round(performance.now() - startMs) };
  }

  /** Finds what the files say now. The same words find the same units, whichever of them are in the tail. */
  async search(query: MemoryQuery): Promise<MemoryHit[]> {
    await this.follow();
    const words = wordsToFind(query.query);
    if (words.length === 0) return [];
    const years = words.filter((word) => YEAR_WORD.test(word));
    const found = [...this.main.search(words), ...this.searchTail(words)].flatMap(([id, score]) => {
      const unit = this.units.get(id);
      if (unit === undefined || !isAskedFor(unit.file.name, unit.file.days, query)) return [];
      const { year } = unit.file;
      return [{ id, unit, score: year !== null && years.includes(year) ? score + DATE_WEIGHT : score }];
    });
    found.sort((a, b) => b.score - a.score || a.unit.file.place - b.unit.file.place || a.id - b.id);
    const best = found[0]?.score ?? 1;
    return found.slice(0, limitOf(query)).map(({ unit, score }) => ({
      source: unit.file.name,
      text: excerpt(unit.text, words),
      score: score / best,
      at: unit.file.days.first,
    }));
  }

  private searchTail(words: string[]): [id: number, score: number][] {
    return [...this.tail]
      .map((id): [number, number] => [id, this.scoreInTail(id, words)])
      .filter(([, score]) => score > 0);
  }

  private scoreInTail(id: number, words: string[]): number {
    const unit = this.units.get(id);
    return unit === undefined ? 0 : this.main.scoreOf(unit, words);
  }

  /** Brings the index to what is on disk. */
  private async follow(): Promise<void> {
    const sources = await listSources(this.place);
    const named = new Set(sources.map(({ path }) => path));
    for (const [path, file] of this.files) if (!named.has(path)) this.drop(path, file);
    for (const [place, source] of sources.entries()) {
      // The stamp is older than the text that is read after it: a change in between is seen the next time.
      const stamp = stampOf(source.path);
      const known = this.files.get(source.path);
      if (known !== undefined && known.stamp === stamp) known.place = place;
      else await this.takeAnew(source, stamp, place);
    }
    const hidden = this.mainSize - (this.units.size - this.tail.size);
    if (this.tail.size + hidden > this.mainSize * LOOSE_PART_MAX) this.rebuild();
  }

  /** @param stamp null where there is no such file any more, or it is not for us. */
  private async takeAnew(source: Source, stamp: string | null, place: number): Promise<void> {
    const known = this.files.get(source.path);
    if (known !== undefined) this.drop(source.path, known);
    const read = stamp === null ? null : await readSource(source);
    if (stamp === null || read === null) return;
    const { name } = source;
    const year = YEAR_IN_NAME.exec(name)?.[1] ?? null;
    const file: File = { name, stamp, days: daysOf(name, read.changedMs), year, place, units: [] };
    this.files.set(source.path, file);
    this.take(file, unitsOf(source.name, read.text));
  }

  private take(file: File, units: Unit[]): void {
    for (const unit of units.slice(0, INDEX_UNITS_MAX - this.units.size)) {
      const id = this.nextId++;
      file.units.push(id);
      this.units.set(id, { ...unit, file });
      this.tail.add(id);
    }
  }

  private drop(path: string, { units }: File): void {
    this.files.delete(path);
    for (const id of units) {
      this.units.delete(id);
      this.tail.delete(id);
    }
  }

  private rebuild(): void {
    this.main = new Bm25(this.units);
    this.mainSize = this.units.size;
    this.tail.clear();
  }
}

/** Null where there is no such file, or it is not for us. */
function stampOf(path: string): string | null {
  try {
    const info = lstatSync(path, { throwIfNoEntry: false });
    return info === undefined ? null : `${info.ino} ${info.size} ${info.mtimeMs} ${info.ctimeMs}`;
  } catch (error) {
    if (isNoSource(error)) return null;
    throw error;
  }
}
