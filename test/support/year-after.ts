/**
 * A year in a home of an earlier version: what it was told first is told again, day after day. The records are its own ones
 * under later ids and times, and the months that it would have compacted are compacted, so all of them are as that version wrote them.
 */
import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { keptId, noteId, turnId, turnNumber } from "@mimikit/protocol/base/id";
import { HISTORY_MESSAGES_MAX } from "@mimikit/protocol/records/history";
import { ARCHIVE, archivePath, COMPACTED, compactedPath, HISTORY_PATH, historyPath } from "@mimikit/store/disk/state";

const DAY_MS = 86_400_000;
export const YEAR_DAYS = 365;
const ROUNDS_A_DAY = 8;
/** `archiveFoldDays` of a home that does not set it. */
const COMPACTED_AFTER_DAYS = 30;

export interface Year {
  turns: number;
  records: number;
  /** Every message of it: its id and its text. */
  messages: [id: string, text: string][];
}

interface Month {
  /** By their ids. */
  records: Map<string, string>;
  /** The time of each of them. */
  atMs: number[];
  /** Of the history. */
  lines: string[];
}

interface Line {
  turn: number;
  messages: { id: string; text: string; at: string }[];
}

/**
 * @param turns the first turns of the home, which have no effects but tasks and replies.
 * @param word of their texts, which has a number of its own in each round.
 */
export function liveForAYear(home: string, fromMs: number, turns: number, word: string): Year {
  const read = (path: string) => readFileSync(join(home, path), "utf8");
  const write = (path: string, text: string) => writeFileSync(join(home, path), text, { mode: 0o600 });
  const ids = readdirSync(join(home, ARCHIVE)).flatMap((name) => /^(t-.+)\.json$/.exec(name)?.[1] ?? []);
  const before = Math.max(...ids.map(turnNumber));
  const results = ids.filter((id) => Number(id.slice(2, 8)) <= turns).map((id) => read(archivePath(id)).trim());
  const messages = results.flatMap((text) => {
    const said: { id: string }[] = JSON.parse(text).task.turn?.messages ?? [];
    return said.map(({ id }) => read(archivePath(id)).trim());
  });
  const lines = readdirSync(join(home, "history")).flatMap((name) => read(`history/${name}`).trim().split("\n"));
  const said = lines.filter((line) => (JSON.parse(line) as Line).turn <= turns);
  const startMs = Date.parse((JSON.parse(said[0] ?? "") as Line).messages[0]?.at ?? "");

  /** A record as it is in a round: its own ids, times and word. */
  const again = (text: string, round: number, toMs: number) =>
    text
      .replace(/\bt-(\d{6})/g, (_, n) => turnId(before + round * turns + Number(n)))
      .replace(/"turn":(\d+)/g, (_, n) => `"turn":${before + round * turns + Number(n)}`)
      .replace(/\bm-([0-9a-f]{32})/g, (_, hash) => `m-${digest(hash + round)}`)
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, (at) =>
        new Date(Date.parse(at) - startMs + toMs).toISOString(),
      )
      .replaceAll(word, `${word}${round}x`);

  const months = new Map<string, Month>();
  const year: Year = { turns: before, records: 0, messages: [] };
  for (let round = 0; round < YEAR_DAYS * ROUNDS_A_DAY; round++) {
    const atMs = fromMs + ((round + 0.5) / ROUNDS_A_DAY) * DAY_MS;
    const name = new Date(atMs).toISOString().slice(0, 7);
    const month: Month = months.get(name) ?? { records: new Map(), atMs: [], lines: [] };
    months.set(name, month);
    for (const record of [...messages, ...results]) {
      const text = again(record, round, atMs);
      month.records.set(JSON.parse(text).id, text);
      month.atMs.push(atMs);
    }
    for (const line of said) month.lines.push(again(line, round, atMs));
    year.turns += turns;
  }

  const nowMs = fromMs + YEAR_DAYS * DAY_MS;
  const all: Line["messages"] = [];
  mkdirSync(join(home, COMPACTED), { recursive: true, mode: 0o700 });
  for (const [name, month] of months) {
    year.records += month.records.size;
    appendFileSync(join(home, historyPath(name)), `${month.lines.join("\n")}\n`, { mode: 0o600 });
    all.push(...month.lines.flatMap((line) => (JSON.parse(line) as Line).messages));
    const [y = 0, m = 0] = name.split("-").map(Number);
    if (Date.UTC(y, m, 1) + COMPACTED_AFTER_DAYS * DAY_MS <= nowMs) {
      const header = JSON.stringify({ kind: "fold", month: name, ids: [...month.records.keys()] });
      write(compactedPath(name, 1), `${[header, ...month.records.values()].join("\n")}\n`);
      continue;
    }
    for (const [at, [id, text]] of [...month.records].entries()) {
      write(archivePath(id), `${text}\n`);
      const sec = (month.atMs[at] ?? nowMs) / 1_000;
      utimesSync(join(home, archivePath(id)), sec, sec);
    }
  }
  write(HISTORY_PATH, JSON.stringify({ throughTurn: year.turns, messages: all.slice(-HISTORY_MESSAGES_MAX) }));
  const note = {
    kind: "note",
    id: noteId(1),
    number: 1,
    at: new Date(nowMs).toISOString(),
    fromTurn: 1,
    isFlush: false,
  };
  const path = "memory/all-of-it.md";
  mkdirSync(join(home, "memory"), { recursive: true, mode: 0o700 });
  write(path, `- all of it <!-- ${note.id} -->\n`);
  for (const id of [note.id, keptId(note.id)])
    write(archivePath(id), `${JSON.stringify({ ...note, id, throughTurn: year.turns, path })}\n`);
  year.messages = all.map(({ id, text }) => [id, text]);
  return year;
}

const digest = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 32);
