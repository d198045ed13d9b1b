/**
 * An index of memory that follows the files: before each search it looks which have changed, and reads only those. A file that
 * has grown at its end, as the note of a day does, is indexed from there on.
 */
import { hash } from "node:crypto";
import type { MemoryHit, MemoryIndexState } from "@mimikit/protocol/wire/api";
import { limitOf, type MemoryPlace, type MemoryQuery, wordsToFind } from "../sources/memory-query.ts";
import {
  type Days,
  daysOf,
  isAskedFor,
  listSources,
  type MemorySource,
  readSource,
  stampOf,
} from "../sources/sources.ts";
import { barFor } from "../subject/bar.ts";
import type { Subject, SubjectWord } from "../subject/subject.ts";
import { DATE_WEIGHT, YEAR_WORD } from "../text/months.ts";
import { BEGINNING, excerpt, isKnownSaid, readUnits, type Settled, type TextUnit } from "../text/units.ts";
import { Bm25 } from "./bm25.ts";

/** Units beyond are found by the scan only. */
export const INDEX_UNITS_MAX = 200_000;

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
  /** The part that stays as it is when the file grows: its end, its content, and how many of `units` come from it. */
  settled: Settled & { hash: string; units: number };
}

interface Indexed extends Pick<TextUnit, "text"> {
  /** That of its file. */
  path: string;
}

/** The facts about a file that was not read before. */
const NOTHING: Pick<File, "units" | "settled"> = { units: [], settled: { ...BEGINNING, hash: "", units: 0 } };

export class MemoryIndex {
  private readonly place: MemoryPlace;
  private readonly files = new Map<string, File>();
  private readonly units = new Map<number, Indexed>();
  private readonly words = new Bm25();
  private nextId = 0;

  constructor(place: MemoryPlace) {
    this.place = place;
  }

  /** How many units were indexed so far, also those that are gone. */
  get unitsRead(): number {
    return this.nextId;
  }

  /** Brings the index to what is on disk, and says what is in it and how long that took. Throws what the disk throws. */
  async refresh(): Promise<MemoryIndexState> {
    const startMs = performance.now();
    await this.follow();
    return { files: this.files.size, units: this.units.size, ms: Math.round(performance.now() - startMs) };
  }

  /** Finds what the files say now. Throws what the disk throws. */
  async search(query: MemoryQuery): Promise<MemoryHit[]> {
    await this.follow();
    const { subject } = query;
    const words = subject?.words.flatMap(({ forms }) => forms) ?? wordsToFind(query.query);
    if (words.length === 0) return [];
    const years = (subject?.dates ?? words).filter((word) => YEAR_WORD.test(word));
    const scored = subject === undefined ? this.words.search(words) : this.clearing(subject);
    const found = scored.flatMap(([id, score]) => {
      const unit = this.units.get(id);
      const file = this.files.get(unit?.path ?? "");
      if (unit === undefined || file === undefined || !isAskedFor(file.name, file.days, query)) return [];
      if (isKnownSaid(unit.text, query.saidFromMs)) return [];
      const { year } = file;
      return [{ id, unit, file, score: year !== null && years.includes(year) ? score + DATE_WEIGHT : score }];
    });
    found.sort((a, b) => b.score - a.score || a.file.place - b.file.place || a.id - b.id);
    const best = found[0]?.score ?? 1;
    return found.slice(0, limitOf(query)).map(({ unit, file, score }) => ({
      source: file.name,
      text: excerpt(unit.text, words),
      score: score / best,
      at: file.days.first,
    }));
  }

  /** The units that have enough of a subject. */
  private clearing(subject: Subject): [id: number, score: number][] {
    const formsOf = (words: readonly SubjectWord[]) => words.map(({ forms }) => forms);
    const { units, holders, count } = this.words.find(formsOf(subject.words), formsOf(subject.topic ?? []));
    const isCleared = barFor(subject, holders, count);
    return units.filter(({ held }) => isCleared(held, held)).map(({ id, score }) => [id, score]);
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
      else await this.read(source, stamp, place);
    }
  }

  /** @param stamp null where there is no such file any more, or it is not for us. */
  private async read(source: MemorySource, stamp: string | null, place: number): Promise<void> {
    const known = this.files.get(source.path);
    const mayRead = stamp !== null && this.place.mayRead?.(source.path, stamp) !== false;
    const read = mayRead ? await readSource(source) : null;
    if (stamp === null || read === null) {
      if (known !== undefined) this.drop(source.path, known);
      return;
    }
    const { name } = source;
    const { text, changedMs } = read;
    const before = known !== undefined && hashTo(known.settled.chars, text) === known.settled.hash ? known : NOTHING;
    this.remove(known?.units.slice(before.settled.units) ?? []);
    const { settled, kept, last } = readUnits(name, text, before.settled);
    const ids = this.add(source.path, [...kept, ...last]);
    // One that is cut at the bound is read again as a whole.
    const isWhole = ids.length === kept.length + last.length;
    const units = [...before.units.slice(0, before.settled.units), ...ids];
    this.files.set(source.path, {
      name,
      stamp,
      days: daysOf(name, changedMs),
      year: YEAR_IN_NAME.exec(name)?.[1] ?? null,
      place,
      units,
      settled: isWhole
        ? { ...settled, hash: hashTo(settled.chars, text), units: units.length - last.length }
        : NOTHING.settled,
    });
  }

  /** @returns the ids of those that there is room for. */
  private add(path: string, units: TextUnit[]): number[] {
    return units.slice(0, INDEX_UNITS_MAX - this.units.size).map((unit) => {
      const id = this.nextId++;
      this.units.set(id, { text: unit.text, path });
      this.words.add(id, unit);
      return id;
    });
  }

  private remove(units: readonly number[]): void {
    for (const id of units) {
      this.units.delete(id);
      this.words.remove(id);
    }
  }

  private drop(path: string, { units }: File): void {
    this.files.delete(path);
    this.remove(units);
  }
}

/** Of the first `chars` characters of a text. */
function hashTo(chars: number, text: string): string {
  return hash("sha256", text.slice(0, chars));
}
