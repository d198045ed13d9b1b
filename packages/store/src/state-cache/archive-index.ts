/** archive/ is the permanent memory of "has this ever happened?". Names are known from memory; a no is confirmed on disk. */

import {
  evaluationNumber,
  improvementNumber,
  keptId,
  noteNumber,
  rollUpOf,
  turnId,
  turnNumber,
} from "@mimikit/protocol/base/id";
import { ID_PATTERN } from "@mimikit/protocol/base/id-pattern";
import { BadJson, parseRecord } from "@mimikit/protocol/base/json";
import { Archived, CompactedHeader } from "@mimikit/protocol/records/archive";
import type { Result } from "@mimikit/protocol/records/result";
import type { FileSystem } from "../disk/file-system.ts";
import { shareRuns } from "../disk/share-runs.ts";
import { ARCHIVE, archivePath, COMPACTED } from "../disk/state.ts";

/** A month of compacted records is read as a whole. */
export const COMPACTED_BYTES_MAX = 64 * 1_048_576;

const COMPACTED_NAME = /^\d{4}-\d{2}(\.\d+)?\.jsonl$/;

/** Is this the name of a compacted month, or of a part of one? */
export const isCompactedName = (name: string) => COMPACTED_NAME.test(name);

/** The id of a record by its name in archive/; null for other files there. */
export function archivedId(name: string): string | null {
  const id = name.endsWith(".json") ? name.slice(0, -".json".length) : "";
  return ID_PATTERN.test(id) ? id : null;
}

/** The first line of a compacted file. Throws `BadJson`. */
export const headerOf = (line: string) => parseRecord(CompactedHeader, line, { bytes: COMPACTED_BYTES_MAX, depth: 4 });

/** The name of a record by what it says; empty where it cannot be read. A note that is there already comes once more as kept. */
function idOf(line: string, before: readonly string[]): string {
  try {
    const record = parseRecord(Archived, line);
    const isNote = "kind" in record && record.kind === "note";
    return isNote && before.includes(record.id) ? keptId(record.id) : record.id;
  } catch (error) {
    if (error instanceof BadJson) return "";
    throw error;
  }
}

export class ArchiveIndex {
  private readonly fs: FileSystem;
  private readonly onBad: (path: string, reason: string) => void;
  private readonly onAdd: (id: string) => void;
  private readonly known = new Set<string>();
  private readonly fileOf = new Map<string, string>();
  private compactedVersion: string | null = null;
  private readonly loadedFiles = new Set<string>();
  /** The compacted file that was read last: a reader of one old record often reads its neighbours. */
  private openFile: { path: string; lines: ReadonlyMap<string, string> } | undefined;
  /** The last record read: a record never changes, and several callers often ask for the newest in a row. */
  private last: { id: string; record: Archived } | undefined;
  private highestTurn = 0;
  /** The highest number of a settled batch of semantic conditions; 0 before the first. */
  highestEvaluation = 0;
  /** The highest number of an improvement of which a step is settled; 0 before the first. */
  highestImprovement = 0;
  /** The highest number of a note of the conversation; 0 before the first. */
  highestNote = 0;
  /** The highest number of a settled try to sum up a period, by the period. */
  readonly highestRollUps = new Map<string, number>();
  private followed = 0;
  /** How many names were seen on disk, where another process has put them, and how many of those are known to be durable. */
  seen = 0;
  private synced = 0;

  /** @param onAdd hears of each name when it is known from then on. */
  constructor(fs: FileSystem, onBad: (path: string, reason: string) => void, onAdd: (id: string) => void = () => {}) {
    this.fs = fs;
    this.onBad = onBad;
    this.onAdd = onAdd;
  }

  /** Notes what has been compacted since. */
  reload(): Promise<void> {
    return this.loadCompacted();
  }

  /** Reads every name. Called once, at the start. */
  async load(): Promise<void> {
    for (const name of await this.fs.list(ARCHIVE)) {
      const id = archivedId(name);
      if (id !== null) this.see(id);
    }
    await this.loadCompacted();
    this.followed = this.highestTurn;
  }

  has(id: string): boolean {
    return this.known.has(id);
  }

  /** Is it in a compacted file that is known here? */
  isCompacted(id: string): boolean {
    return this.fileOf.has(id);
  }

  names(): Iterable<string> {
    return this.known;
  }

  /** The highest number of an applied turn. */
  get settledTurn(): number {
    return this.highestTurn;
  }

  /**
   * "Not in the archive" from memory is not enough before creating, claiming or applying anything
   * (docs/file-protocol.md R4).
   */
  async confirm(id: string): Promise<boolean> {
    return this.confirmAny([id]);
  }

  /** Is one of them in the archive? As `confirm`, with one look at what is compacted for all of them. */
  async confirmAny(ids: readonly string[]): Promise<boolean> {
    if (ids.some((id) => this.known.has(id))) return true;
    // A record moves from archive/ to folded/, so it is looked for in this order.
    for (const id of ids) {
      if (!(await this.fs.exists(archivePath(id)))) continue;
      this.see(id);
      return true;
    }
    await this.loadCompacted();
    return ids.some((id) => this.known.has(id));
  }

  /** Makes sure that every name that was only seen, not made here, survives a power loss (docs/file-protocol.md R4). */
  async makeDurable(): Promise<void> {
    const { seen } = this;
    if (seen === this.synced) return;
    await this.fs.syncDir(ARCHIVE);
    this.synced = Math.max(this.synced, seen);
  }

  /** Notes a name that the caller has made durable. */
  add(id: string): void {
    if (this.known.has(id)) return;
    this.known.add(id);
    this.highestTurn = Math.max(this.highestTurn, turnNumber(id));
    this.highestEvaluation = Math.max(this.highestEvaluation, evaluationNumber(id));
    this.highestImprovement = Math.max(this.highestImprovement, improvementNumber(id));
    this.highestNote = Math.max(this.highestNote, noteNumber(id));
    const rollUp = rollUpOf(id);
    if (rollUp !== null)
      this.highestRollUps.set(rollUp.period, Math.max(this.highestRollUps.get(rollUp.period) ?? 0, rollUp.number));
    this.onAdd(id);
  }

  /** An archived record; null when there is none, or when it is damaged, which is reported. */
  async read(id: string): Promise<Archived | null> {
    if (this.last?.id === id) return this.last.record;
    const path = archivePath(id);
    try {
      const text = (await this.fs.read(path)) ?? (await this.readCompacted(id));
      if (text === null) return null;
      const record = parseRecord(Archived, text);
      this.last = { id, record };
      return record;
    } catch (error) {
      if (!(error instanceof BadJson)) throw error;
      this.onBad(path, error.message);
      return null;
    }
  }

  /** The result of an archived task or turn. */
  async readResult(id: string): Promise<Result | null> {
    const record = await this.read(id);
    return record !== null && "task" in record ? record : null;
  }

  /** Turns that were applied since the last call, in order, with everything that they consumed noted. For readers. */
  async follow(): Promise<Result[]> {
    const turns: Result[] = [];
    for (;;) {
      const id = turnId(this.followed + 1);
      // It may have been compacted since the last look, too.
      if (!(await this.confirm(id))) return turns;
      const turn = await this.readResult(id);
      this.followed++;
      if (turn === null) continue;
      const { messages = [], events = [], results = [] } = turn.task.turn ?? {};
      for (const consumed of [...messages, ...events, ...results]) this.see(consumed.id);
      for (const command of [turn.task.turn?.clear, turn.task.turn?.again])
        if (command !== undefined) this.see(command.id);
      turns.push(turn);
    }
  }

  private see(id: string): void {
    if (this.known.has(id)) return;
    this.seen++;
    this.add(id);
  }

  private async loadCompacted(): Promise<void> {
    const version = await this.fs.version(COMPACTED);
    if (version === null || version !== this.compactedVersion) await this.loadCompactedAnew();
  }

  /** A compacted file may be large: concurrent callers wait for one reading of it. */
  private readonly loadCompactedAnew = shareRuns(async () => {
    const version = await this.fs.version(COMPACTED);
    for (const name of await this.fs.list(COMPACTED))
      if (isCompactedName(name)) await this.loadCompactedFile(`${COMPACTED}/${name}`);
    this.compactedVersion = version;
  });

  private async loadCompactedFile(path: string): Promise<void> {
    if (this.loadedFiles.has(path)) return;
    const text = await this.fs.read(path, COMPACTED_BYTES_MAX);
    if (text === null) return;
    for (const id of this.idsIn(path, text)) {
      if (id === "") continue;
      this.add(id);
      this.fileOf.set(id, path);
    }
    this.loadedFiles.add(path);
  }

  private async readCompacted(id: string): Promise<string | null> {
    await this.loadCompacted();
    const path = this.fileOf.get(id);
    if (path === undefined) return null;
    if (this.openFile?.path !== path) this.openFile = { path, lines: await this.readCompactedFile(path) };
    return this.openFile.lines.get(id) ?? null;
  }

  private async readCompactedFile(path: string): Promise<Map<string, string>> {
    const text = (await this.fs.read(path, COMPACTED_BYTES_MAX)) ?? "";
    const [, ...lines] = text.split("\n");
    return new Map(this.idsIn(path, text).flatMap((id, i) => (id === "" ? [] : [[id, lines[i] ?? ""]])));
  }

  /** The ids of a compacted file by the order of its lines. Where the first line is damaged, the records themselves say theirs. */
  private idsIn(path: string, text: string): string[] {
    const end = text.indexOf("\n");
    try {
      return headerOf(text.slice(0, end < 0 ? text.length : end)).ids;
    } catch (error) {
      if (!(error instanceof BadJson)) throw error;
      if (!this.loadedFiles.has(path)) this.onBad(path, error.message);
    }
    const ids: string[] = [];
    for (const line of text.split("\n").slice(1)) ids.push(idOf(line, ids));
    return ids;
  }
}
