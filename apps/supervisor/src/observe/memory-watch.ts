/**
 * The facts about memory for decisions: the messages since the last note, and the notes that may be summed up. Every
 * applied turn is read once, a few at a time, and the directories are listed once a minute: while nothing happens it
 * costs nothing.
 */
import { isFull, type MemoryBounds } from "@mimikit/core/base/memory-bounds";
import type { MemoryFacts, TurnSaid } from "@mimikit/core/base/snapshot";
import {
  beginningOf,
  duePeriods,
  type FailedRollUps,
  hasRoomForNote,
  isMergeable,
  isMonth,
  mayTry,
  periodPath,
  type RollUpPeriod,
  rememberedEntries,
  type SourceText,
} from "@mimikit/core/memory/roll-up";
import { weigh } from "@mimikit/core/memory/weigh";
import { messagesOf } from "@mimikit/core/views/history";
import { Forgotten } from "@mimikit/memory/forgotten/forgotten";
import { beginningOfDays } from "@mimikit/memory/forgotten/read-forgotten";
import { keptId, noteId, turnId } from "@mimikit/protocol/base/id";
import { BadJson } from "@mimikit/protocol/base/json";
import { Note } from "@mimikit/protocol/records/archive";
import { HISTORY_MESSAGES_MAX } from "@mimikit/protocol/records/history";
import { hasCode } from "@mimikit/store/disk/error-code";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { FORGOTTEN_PATH, MEMORY, MEMORY_PATH, MEMORY_SUMMARY } from "@mimikit/store/disk/state";
import { readIfDocument } from "@mimikit/store/documents/document";
import type { ArchiveIndex } from "@mimikit/store/state-cache/archive-index";
import type { StateCache } from "@mimikit/store/state-cache/state-cache";
import { readHistory } from "@mimikit/store/views/history";
import { failedTries } from "../execute/failed-tries.ts";
import { sha256 } from "../execute/notes.ts";
import { NOTES_LOOKED_BACK_MAX } from "../views/history-view.ts";

/** Turns that are read at one look: some milliseconds. */
const TURNS_PER_LOOK_MAX = 30;
/** Periods whose files are read at one look; the others have their turn at the next. */
const PERIODS_PER_LOOK_MAX = 4;
const LIST_EVERY_MS = 60_000;
/** A larger file is no note of a conversation: it stays as it is. */
const NOTE_BYTES_MAX = 1_048_576;

export interface MemoryWatchOptions {
  fs: FileSystem;
  bounds: MemoryBounds;
  nowMs(): number;
  /** Is there a model that can sum up? Without one nothing is summed up. */
  canSummarize(): boolean;
}

/** The part of the state cache that is looked at. */
export type MemoryRecords = Pick<StateCache, "queuedOf" | "results" | "archiveIndex">;

/** Before the first note. */
const NOTHING_KEPT = {
  kind: "note",
  at: new Date(0).toISOString(),
  fromTurn: 1,
  throughTurn: 0,
  path: "",
  isFlush: false,
} as const;

/** A period that could not be summed up, with its files as they were. */
interface Resting extends FailedRollUps {
  stamp: string;
}

export class MemoryWatch {
  private readonly options: MemoryWatchOptions;
  private note: MemoryFacts["note"] = null;
  private flushedAt: string | null = null;
  private said: TurnSaid[] = [];
  private readThrough = 0;
  /** The messages in the window of history.json, counted up to a turn; undefined before the first look. */
  private window: { messages: number; throughTurn: number } | undefined;
  private rollUp: MemoryFacts["rollUp"] = null;
  private listedMs: number | undefined;
  private readonly resting = new Map<string, Resting>();

  constructor(options: MemoryWatchOptions) {
    this.options = options;
  }

  /** Call after `cache.refresh()`. Throws what the disk throws. */
  async look(records: MemoryRecords): Promise<MemoryFacts> {
    const { archiveIndex } = records;
    const { fs, bounds } = this.options;
    if (this.window === undefined) {
      const { messages, throughTurn } = await readHistory(fs, archiveIndex);
      this.window = { messages: messages.length, throughTurn };
    }
    await this.followNotes(archiveIndex);
    await this.followTurns(archiveIndex, this.window);
    await this.followFiles(records);
    const { note, said, flushedAt, rollUp } = this;
    return { bounds, note, said, windowMessages: this.window.messages, flushedAt, rollUp };
  }

  private async followNotes(archiveIndex: ArchiveIndex): Promise<void> {
    const { highestNote } = archiveIndex;
    const { note: before } = this;
    if (before?.number === highestNote ? before.isKept : highestNote === 0) return;
    for (let n = Math.max(before?.number ?? 0, highestNote - NOTES_LOOKED_BACK_MAX) + 1; n <= highestNote; n++) {
      const record = Note.safeParse(await archiveIndex.read(noteId(n))).data;
      // A damaged record does not say what it kept: messages since the one before are rather kept twice than lost.
      if (record === undefined) this.note = { ...(this.note ?? NOTHING_KEPT), id: noteId(n), number: n, isKept: true };
      else this.note = { ...record, isKept: false };
      if (record?.isFlush === true) this.cutWindow(record);
    }
    if (this.note === null) return;
    const { id, fromTurn, throughTurn } = this.note;
    const isKept = this.note.isKept || (await archiveIndex.confirm(keptId(id)));
    this.note = { ...this.note, isKept };
    const kept = isKept ? throughTurn : fromTurn - 1;
    this.said = this.said.filter(({ turn }) => turn > kept);
    if (this.said[0]?.turn !== kept + 1) this.said = [];
    this.readThrough = this.said.at(-1)?.turn ?? kept;
  }

  private cutWindow({ at }: Note): void {
    this.flushedAt = at;
    if (this.window !== undefined)
      this.window.messages = Math.min(this.window.messages, this.options.bounds.windowKept);
  }

  /** Reads on until there is enough for a note. */
  private async followTurns(
    archiveIndex: ArchiveIndex,
    window: { messages: number; throughTurn: number },
  ): Promise<void> {
    const decided = this.note?.throughTurn ?? 0;
    for (let reads = 0; reads < TURNS_PER_LOOK_MAX && this.readThrough < archiveIndex.settledTurn; reads++) {
      if (this.readThrough >= decided && isFull(this.said, this.options.bounds)) return;
      const number = this.readThrough + 1;
      const turn = await archiveIndex.readResult(turnId(number));
      const messages = turn === null ? [] : messagesOf(turn);
      this.said.push({ turn: number, messages });
      this.readThrough = number;
      if (number <= window.throughTurn) continue;
      window.messages = Math.min(HISTORY_MESSAGES_MAX, window.messages + messages.length);
      window.throughTurn = number;
    }
  }

  /** Looks for the next roll-up, once a minute and whenever one has ended. */
  private async followFiles(records: MemoryRecords): Promise<void> {
    const { results, archiveIndex } = records;
    const { nowMs, canSummarize } = this.options;
    const before = this.rollUp;
    const isOpen = [...records.queuedOf("roll-up"), ...[...results.values()].map(({ task }) => task)].some(
      ({ id, kind }) => kind === "roll-up" && !archiveIndex.has(id),
    );
    const isTaken = before !== null && before.number <= (archiveIndex.highestRollUps.get(before.period) ?? 0);
    if (isOpen || isTaken) {
      this.listedMs = undefined;
      this.rollUp = null;
    }
    if (isOpen || this.note?.isKept === false) return;
    // A clock that was set back must not put off the look by the difference.
    if (this.listedMs !== undefined && Math.abs(nowMs() - this.listedMs) < LIST_EVERY_MS) return;
    this.listedMs = nowMs();
    this.rollUp = canSummarize() ? await this.findRollUp(archiveIndex) : null;
  }

  private async findRollUp(archiveIndex: ArchiveIndex): Promise<MemoryFacts["rollUp"]> {
    // A note that another supervisor has begun may not be in its file yet, and must not come back after it is summed up.
    if (await archiveIndex.confirm(noteId(archiveIndex.highestNote + 1))) return null;
    const names = { notes: await this.list(MEMORY), summaries: await this.list(MEMORY_SUMMARY) };
    const nowMs = this.options.nowMs();
    const due = duePeriods(names, nowMs);
    for (const period of this.resting.keys())
      if (!due.some((each) => each.period === period)) this.resting.delete(period);
    let reads = 0;
    for (const { period, paths } of due) {
      const stamp = await this.stampOf(paths);
      const rest = this.resting.get(period);
      if (rest?.stamp === stamp && !mayTry(rest, nowMs)) continue;
      if (++reads > PERIODS_PER_LOOK_MAX) {
        this.listedMs = undefined;
        return null;
      }
      const sources = await this.readSources({ period, paths });
      const tries = await failedTries(archiveIndex, {
        period,
        sources: sources.map(({ path, sha256 }) => ({ path, sha256 })),
      });
      const isDue = sources.some(({ path }) => path !== periodPath(period)) && mayTry(tries, nowMs);
      if (isDue) {
        const number = (archiveIndex.highestRollUps.get(period) ?? 0) + 1;
        const document = isMonth(period) ? await this.readText(MEMORY_PATH) : null;
        return { period, number, sources, ...(document !== null && { remembered: rememberedEntries(document) }) };
      }
      this.resting.set(period, { stamp, ...tries });
    }
    return null;
  }

  /** The summary that is there, then as much of the others as there is room for. A file that is no text of ours stays as it is. */
  private async readSources({ period, paths }: RollUpPeriod): Promise<SourceText[]> {
    const forgotten = new Forgotten((await readIfDocument(this.options.fs, FORGOTTEN_PATH)) ?? "");
    const sources: SourceText[] = [];
    let weight = 0;
    let notes = 0;
    for (const path of paths) {
      const all = await this.readText(path);
      if (all === null || all.trim() === "") continue;
      const isOwn = path === periodPath(period);
      if (isOwn && !isMergeable(all)) continue;
      const text = isOwn || notes > 0 ? all : beginningOf(all);
      if (!isOwn && !hasRoomForNote(weight, notes, weigh(text))) break;
      // The hash is that of the file: its forgotten sentences go with it.
      const shown = forgotten.without(text, { atMs: beginningOfDays(path) });
      sources.push({ path, sha256: sha256(text), text: shown });
      weight += weigh(text);
      if (!isOwn) notes++;
      // The rest of a note comes before the next.
      if (text !== all) break;
    }
    return sources;
  }

  /** Null also where there is no text in UTF-8: what cannot be shown as it is must not go. */
  private async readText(path: string): Promise<string | null> {
    const { fs } = this.options;
    try {
      return await fs.readText(path, NOTE_BYTES_MAX);
    } catch (error) {
      if (!(error instanceof BadJson)) throw error;
      return null;
    }
  }

  /** Changes whenever one of the files does. */
  private async stampOf(paths: readonly string[]): Promise<string> {
    const infos = await Promise.all(paths.map((path) => this.options.fs.info(path)));
    return JSON.stringify(paths.map((path, i) => [path, infos[i]]));
  }

  /** People tidy up among their notes, directories included. */
  private async list(dir: string): Promise<string[]> {
    try {
      return await this.options.fs.list(dir);
    } catch (error) {
      if (!hasCode(error, "ENOENT")) throw error;
      return [];
    }
  }
}
