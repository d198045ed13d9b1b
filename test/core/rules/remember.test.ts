/** When what was said goes into memory, under which name, and when old notes become summaries (SPEC E2, E3). */
import { MEMORY_BOUNDS } from "@mimikit/core/base/memory-bounds";
import type { MemoryFacts, TurnSaid } from "@mimikit/core/base/snapshot";
import { decide } from "@mimikit/core/decide";
import {
  beginningOf,
  DAY_SUMMARY_AFTER_DAYS,
  duePeriods,
  hasRoomForNote,
  isMergeable,
  lengthRead,
  MONTH_SUMMARY_AFTER_DAYS,
  mayTry,
  ROLL_UP_BACKOFF_SEC,
  ROLL_UP_CHARS_MAX,
  ROLL_UP_TRIES_MAX,
  rememberedEntries,
  sourcesPrompt,
  summaryIn,
} from "@mimikit/core/memory/roll-up";
import { weigh } from "@mimikit/core/memory/weigh";
import { MemoryDocument } from "@mimikit/protocol/base/fields";
import type { Note } from "@mimikit/protocol/records/archive";
import type { HistoryMessage } from "@mimikit/protocol/records/history";
import type { InboxCommand } from "@mimikit/protocol/records/inbox";
import { ROLL_UP_SOURCES_MAX, Task } from "@mimikit/protocol/records/task";
import { describe, expect, test } from "vitest";
import { remember, slugOf } from "../../../packages/core/src/rules/remember.ts";
import { isSettledAtOnce, settle } from "../../../packages/core/src/rules/settle.ts";
import { reportableResults } from "../../../packages/core/src/rules/wake.ts";
import { done, failed, NOON, NOON_MS, snapshot, task } from "../facts.ts";

const SIX_HOURS_MS = 21_600_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

function said(turn: number, ...messages: Partial<HistoryMessage>[]): TurnSaid {
  return {
    turn,
    messages: messages.map((each, i) => ({ id: `m-${turn}-${i}`, role: "user", text: "hello", at: NOON, ...each })),
  };
}

const note = (number: number, throughTurn: number, more: Partial<Note & { isKept: boolean }> = {}) => ({
  kind: "note" as const,
  id: `note-00000${number}`,
  number,
  at: NOON,
  fromTurn: 1,
  throughTurn,
  path: "memory/2026-11-22-hello.md",
  isFlush: false,
  isKept: true,
  ...more,
});

/** The decisions with these turns; the last of them is the last applied one. */
function decided(memory: Partial<MemoryFacts>, nowMs = NOON_MS, settledTurn = memory.said?.at(-1)?.turn ?? 0) {
  return remember(snapshot({ memory, settledTurn }), nowMs);
}

/** The first note that is decided on. */
function noted(...args: Parameters<typeof decided>) {
  const [action] = decided(...args);
  return action?.type === "note" ? action : null;
}

describe("a note", () => {
  test("is made of nothing, of little, and of what is young not yet", () => {
    expect(decided({})).toEqual([]);
    expect(decided({ said: [said(1)] }, NOON_MS + 9 * SIX_HOURS_MS)).toEqual([]);
    expect(decided({ said: [said(1, {}, {})] }, NOON_MS + SIX_HOURS_MS - 1)).toEqual([]);
  });

  test("is made of everything when the oldest message was said six hours ago", () => {
    const turns = [said(1, { text: "Deploy the site!" }), said(2), said(3, { at: "2026-11-22T17:59:59.000Z" })];
    expect(decided({ said: turns }, NOON_MS + SIX_HOURS_MS)).toEqual([
      {
        type: "note",
        note: {
          kind: "note",
          id: "note-000001",
          number: 1,
          at: "2026-11-22T18:00:00.000Z",
          fromTurn: 1,
          throughTurn: 3,
          path: "memory/2026-11-22-deploy-the-site.md",
          isFlush: false,
        },
        messages: turns.flatMap(({ messages }) => messages),
      },
    ]);
  });

  test("a clock that was set back does not put it off", () => {
    expect(noted({ said: [said(1, {})] }, NOON_MS - SIX_HOURS_MS)?.note.throughTurn).toBe(1);
  });

  test("a conversation that begins after a quiet night is not cut after its first line", () => {
    const last = note(1, 4, { at: "2026-11-22T00:00:00.000Z" });
    expect(decided({ note: last, said: [said(5, {})] }, NOON_MS + 1_000)).toEqual([]);
  });

  test("ends with the turn that passes a hundred messages, and the next begins after it", () => {
    const turns = Array.from({ length: 60 }, (_, i) => said(i + 1, {}, { role: "assistant" }));
    expect(noted({ said: turns.slice(0, 50) })).toBeNull();
    expect(noted({ said: turns })?.note).toMatchObject({ number: 1, fromTurn: 1, throughTurn: 51 });
    expect(noted({ said: turns })?.messages).toHaveLength(102);
    const rest = { note: note(1, 51), said: turns.slice(51) };
    expect(noted(rest, NOON_MS + SIX_HOURS_MS)?.note).toMatchObject({ number: 2, fromTurn: 52, throughTurn: 60 });
  });

  test("ends with the turn that passes 16,000 characters, however few messages", () => {
    const half = { text: "x".repeat(MEMORY_BOUNDS.noteChars / 2) };
    expect(noted({ said: [said(1, half), said(2, half)] })).toBeNull();
    expect(noted({ said: [said(1, half), said(2, half), said(3, {}), said(4, {})] })?.note.throughTurn).toBe(3);
  });

  test("of turns in which nobody said anything comes to its end, too", () => {
    const silent = Array.from({ length: MEMORY_BOUNDS.noteTurns }, (_, i) => said(i + 1));
    expect(noted({ said: silent })).toMatchObject({ note: { throughTurn: MEMORY_BOUNDS.noteTurns }, messages: [] });
  });

  test("that is old waits until all that belongs to it has been read", () => {
    expect(decided({ said: [said(1, {})] }, NOON_MS + SIX_HOURS_MS, 2)).toEqual([]);
  });

  test("that was decided is completed before another is decided, whatever there is", () => {
    const turns = Array.from({ length: 80 }, (_, i) => said(i + 1, {}, {}));
    const last = note(1, 3, { isKept: false });
    const { isKept: _, ...record } = last;
    expect(decided({ note: last, said: turns })).toEqual([
      { type: "note", note: record, messages: turns.slice(0, 3).flatMap(({ messages }) => messages) },
    ]);
    expect(decided({ note: last, said: turns.slice(0, 2) }, NOON_MS, 80)).toEqual([]);
  });

  test("is named after the day of its first message and the user's first words", () => {
    const at = "2026-11-20T23:59:59.999Z";
    const pathOf = (...turns: TurnSaid[]) => noted({ said: turns }, NOON_MS + SIX_HOURS_MS)?.note.path;
    expect(pathOf(said(1, { at, role: "system", text: "Nobody." }), said(2, { text: "Déjà vu?" }))).toBe(
      "memory/2026-11-20-deja-vu.md",
    );
    expect(pathOf(said(1, { text: "你好" }))).toBe("memory/2026-11-22-你好.md");
    expect(pathOf(said(1, { text: "？！" }))).toBe("memory/2026-11-22-mem-1.md");
    expect(pathOf(said(1, { role: "assistant", text: "Hello" }))).toBe("memory/2026-11-22-mem-1.md");
  });

  test("no words of a user's lead anywhere else than into memory/", () => {
    expect(slugOf("../../etc/passwd")).toBe("etc-passwd");
    expect(slugOf("CON\0\n<!-- note-000001 --> $(rm -rf /)")).toBe("con-note-000001-rm-rf");
    expect(slugOf("a".repeat(99))).toBe("a".repeat(32));
    expect(slugOf(`${"word ".repeat(7)}`)).toBe("word-word-word-word-word-word");
    expect(slugOf("—！")).toBe("");
  });

  test("words of any script name a note, as many as fit: a wide character takes two places", () => {
    expect(slugOf("做 A 和 B")).toBe("做-a-和-b");
    expect(slugOf("提醒我下周三Review代码")).toBe("提醒我下周三-review-代码");
    expect(slugOf("明".repeat(40))).toBe("明".repeat(16));
    expect(slugOf("Ärger über Café, Ångström")).toBe("arger-uber-cafe-angstrom");
    expect(slugOf("Привет, мир")).toBe("привет-мир");
    for (const text of ["做 A 和 B", "한국어 메모", "ガギグ", "हिन्दी"])
      expect(MemoryDocument.safeParse(`memory/2026-11-22-${slugOf(text)}.md`).success).toBe(true);
  });
});

describe("the window", () => {
  const full = { windowMessages: 800, said: [said(7, {})], note: note(1, 6) };

  test("is cut when it is full, with a note of all that is not in memory yet, in the notes of the day", () => {
    expect(noted(full)).toMatchObject({
      note: { isFlush: true, number: 2, fromTurn: 7, throughTurn: 7, path: "memory/2026-11-22.md" },
      messages: [{ id: "m-7-0" }],
    });
    expect(noted({ ...full, windowMessages: 799 })).toBeNull();
  });

  test("is cut also where everything is in memory already", () => {
    expect(noted({ ...full, said: [] }, NOON_MS, 6)).toMatchObject({
      note: { isFlush: true, fromTurn: 7, throughTurn: 6 },
      messages: [],
    });
  });

  test("is cut at most once an hour", () => {
    const flushedAt = NOON;
    expect(noted({ ...full, flushedAt }, NOON_MS + HOUR_MS - 1)).toBeNull();
    expect(noted({ ...full, flushedAt }, NOON_MS + HOUR_MS)?.note.isFlush).toBe(true);
    expect(noted({ ...full, flushedAt }, NOON_MS - HOUR_MS)?.note.isFlush).toBe(true);
  });
});

describe("the periods that are due", () => {
  const due = (notes: string[], summaries: string[], nowMs = NOON_MS) => duePeriods({ notes, summaries }, nowMs);

  test("are days from the fifth day after them on, with all of their files", () => {
    expect(DAY_SUMMARY_AFTER_DAYS).toBe(5);
    const notes = ["2026-11-17.md", "2026-11-18-new.md", "2026-11-17-b.md", "2026-11-17-a.md"];
    expect(due(notes, [])).toEqual([
      {
        period: "2026-11-17",
        paths: ["memory/2026-11-17-a.md", "memory/2026-11-17-b.md", "memory/2026-11-17.md"],
      },
    ]);
  });

  test("are months ninety days after their last day, each after its days", () => {
    expect(MONTH_SUMMARY_AFTER_DAYS).toBe(90);
    const summaries = ["2026-07-31.md", "2026-08-01.md", "2026-07-02.md"];
    const notes = ["2026-07-09-late.md", "2026-08-02.md"];
    const end = Date.parse("2026-10-29T00:00:00.000Z");
    const days = ["2026-07-09", "2026-08-02"];
    expect(due(notes, summaries, end).map(({ period }) => period)).toEqual(days);
    expect(due(notes, summaries, end + 2 * DAY_MS)).toEqual([
      { period: "2026-07-09", paths: ["memory/2026-07-09-late.md"] },
      { period: "2026-07", paths: ["memory/summary/2026-07-02.md", "memory/summary/2026-07-31.md"] },
      { period: "2026-08-02", paths: ["memory/2026-08-02.md"] },
    ]);
  });

  test("begin with the summary that is there, so that what comes late is merged into it", () => {
    expect(due(["2026-11-01-late.md"], ["2026-11-01.md"])[0]?.paths).toEqual([
      "memory/summary/2026-11-01.md",
      "memory/2026-11-01-late.md",
    ]);
    expect(due([], ["2026-01.md", "2026-01-05.md"])[0]?.paths).toEqual([
      "memory/summary/2026-01.md",
      "memory/summary/2026-01-05.md",
    ]);
    expect(due([], ["2026-01.md", "2026-11-01.md"])).toEqual([]);
  });

  test("leave alone what has no day in its name", () => {
    expect(due(["ideas.md", "2026.md", "2026-01.md", "2026-01-011.md", "2026-01-01.txt", "summary"], [])).toEqual([]);
  });
});

describe("what of memory.md goes with a month", () => {
  const remembered = ["likes tea", "likes green tea", "lives in Kiel", "lives in Jena"];
  const month = { period: "2026-06", sources: [{ path: "memory/summary/2026-06-01.md", sha256: "aa" }], remembered };
  const rollUpTask = task("sum-202606-1", { role: "worker", consumer: "supervisor", rollUp: month });
  const goes = (...dropped: { drop: string; keep: string }[]) => {
    const result = done(rollUpTask, { resultType: "summary", result: { summary: "x", keyPoints: [], dropped } });
    return settle(snapshot({ results: [result] }), NOON_MS).flatMap((action) =>
      action.type === "settle" ? action.settlement.edits : [],
    );
  };

  test("is what another line stands for, once each", () => {
    expect(
      goes(
        { drop: "likes tea", keep: "likes green tea" },
        { drop: "likes tea", keep: "likes green tea" },
        { drop: "lives in Kiel", keep: "lives in Jena" },
      ),
    ).toEqual([
      { document: "entry", id: "sum-202606-1.0", path: "memory.md", entry: "likes tea", to: undefined },
      { document: "entry", id: "sum-202606-1.1", path: "memory.md", entry: "lives in Kiel", to: undefined },
    ]);
  });

  test("is never what nothing stands for: two lines that name each other leave one, and strange ones leave all", () => {
    const [first, ...others] = goes(
      { drop: "likes tea", keep: "likes green tea" },
      { drop: "likes green tea", keep: "likes tea" },
      { drop: "lives in Jena", keep: "likes tea" },
      { drop: "lives in Jena", keep: "lives in Jena" },
      { drop: "lives in Jena", keep: "lives in Bonn" },
      { drop: "lives in Bonn", keep: "lives in Jena" },
    );
    expect(first).toMatchObject({ entry: "likes tea" });
    expect(others).toEqual([]);
  });

  test("was shown as its entries, the newest that there is room for, without headings", () => {
    expect(rememberedEntries("# Likes\n\n- tea <!-- t-000001.0 -->\n- milk\n")).toEqual(["tea", "milk"]);
    const long = Array.from({ length: 40 }, (_, i) => `${i} ${"x".repeat(600)}`);
    const shown = rememberedEntries(long.map((text) => `- ${text}\n`).join(""));
    expect(shown).toEqual(long.slice(-shown.length));
    expect(shown.join("").length).toBeLessThanOrEqual(12_000);
    expect(shown.length).toBeGreaterThan(15);
  });
});

describe("a roll-up", () => {
  const sources = [
    { path: "memory/2026-11-17-a.md", sha256: "aa", text: "- one\n" },
    { path: "memory/2026-11-17-b.md", sha256: "bb", text: "- two\n" },
  ];
  const rollUp = { period: "2026-11-17", number: 3, sources };

  test("is a task of the supervisor's own, with the texts in its prompt and the lowest priority of all", () => {
    const [action] = decided({ rollUp });
    expect(action).toEqual({
      type: "roll-up",
      task: {
        kind: "roll-up",
        id: "sum-20261117-3",
        role: "worker",
        type: "oneshot",
        title: "summary of 2026-11-17",
        prompt: "# memory/2026-11-17-a.md\n\n- one\n\n# memory/2026-11-17-b.md\n\n- two\n",
        priority: 0,
        timeoutSec: null,
        createdAt: NOON,
        traceId: "sum-20261117-3",
        upstream: [],
        onInterrupt: "rerun",
        consumer: "supervisor",
        rollUp: {
          period: "2026-11-17",
          sources: [
            { path: "memory/2026-11-17-a.md", sha256: "aa" },
            { path: "memory/2026-11-17-b.md", sha256: "bb" },
          ],
        },
      },
    });
  });

  test("waits for every note that is to be made, and while a budget is used up", () => {
    const old = { rollUp, said: [said(1, {})] };
    expect(decided(old, NOON_MS + SIX_HOURS_MS).map(({ type }) => type)).toEqual(["note"]);
    expect(decided({ rollUp }, NOON_MS, 1)).toEqual([]);
    const spent = { tokens: 1, costUsd: 0 };
    const ceiling = { scope: "day", period: "2026-11-22", limit: {}, spent, reserved: spent, resumesAt: NOON } as const;
    expect(remember(snapshot({ memory: { rollUp }, ceiling }), NOON_MS)).toEqual([]);
    expect(decide(snapshot({ memory: { rollUp } }), NOON_MS).map(({ type }) => type)).toEqual(["roll-up"]);
  });

  test("takes as many notes as there is room for, and one at least", () => {
    expect(hasRoomForNote(0, 0, 9 * ROLL_UP_CHARS_MAX)).toBe(true);
    expect(hasRoomForNote(ROLL_UP_CHARS_MAX - 5, 1, 5)).toBe(true);
    expect(hasRoomForNote(ROLL_UP_CHARS_MAX - 5, 1, 6)).toBe(false);
    expect(hasRoomForNote(0, ROLL_UP_SOURCES_MAX - 1, 1)).toBe(false);
    expect(isMergeable("x".repeat(ROLL_UP_CHARS_MAX / 2 + 1))).toBe(false);
    expect(isMergeable("很".repeat(ROLL_UP_CHARS_MAX / 5))).toBe(false);
  });

  test("takes of a note in any script what a model reads as a whole, and leaves what follows to the next", () => {
    const latin = `- ${"word ".repeat(99)}\n`;
    const chinese = `- ${"很好".repeat(200)}\n      ${"还有".repeat(50)}\n\n      ${"最后".repeat(50)}\n`;
    for (const item of [latin, chinese]) {
      const note = item.repeat(200);
      const read = beginningOf(note);
      expect(note.startsWith(read)).toBe(true);
      expect(read.length % item.length).toBe(0);
      expect(weigh(read)).toBeLessThanOrEqual(ROLL_UP_CHARS_MAX);
      expect(weigh(read + item)).toBeGreaterThan(ROLL_UP_CHARS_MAX);
      expect(beginningOf(item)).toBe(item);
      expect(sourcesPrompt([{ path: "memory/2026-11-17.md", sha256: "aa", text: read }])).not.toContain("left out");
    }
    expect(beginningOf(`- one\n      ${"more\n      ".repeat(5_000)}`).length).toBeGreaterThan(20_000);
  });

  test("takes a line without end as a whole: there is no other way on", () => {
    const line = `\n\n${"很".repeat(100_000)}\n`;
    expect(beginningOf(`${line}- next\n`)).toBe(line);
    let seen = "";
    const isRead = (each: string) => {
      seen += each;
      return seen === line;
    };
    expect(lengthRead(`${line}- next\n`, isRead)).toBe(line.length);
  });

  test("does not look for what was read in all of a long file", () => {
    let lines = 0;
    const isRead = () => {
      lines++;
      return false;
    };
    expect(lengthRead("- a line\n".repeat(1_000_000), isRead)).toBe(0);
    expect(lines).toBeLessThan(ROLL_UP_CHARS_MAX);
  });

  test("is a valid task however long its sources are, and shows the head and the tail of each", () => {
    const long = sources.map((source) => ({ ...source, text: `head ${"很".repeat(1_000_000)} tail` }));
    const [action] = decided({ rollUp: { ...rollUp, sources: long } });
    const { prompt } = Task.parse(action?.type === "roll-up" ? action.task : null);
    expect(weigh(prompt)).toBeLessThan(2 * ROLL_UP_CHARS_MAX + 100);
    expect(prompt).toContain("# memory/2026-11-17-b.md\n\nhead 很");
    expect(prompt).toContain("很 tail\n");
    expect(sourcesPrompt(sources)).not.toContain("left out");
  });

  test("that failed is tried again after longer and longer waits, and five times at most", () => {
    expect(mayTry({ count: 0 }, NOON_MS)).toBe(true);
    expect(ROLL_UP_BACKOFF_SEC.map((sec) => sec / 60)).toEqual([10, 30, 120, 360, 720]);
    for (const [i, sec] of ROLL_UP_BACKOFF_SEC.slice(0, -1).entries()) {
      expect(mayTry({ count: i + 1, lastAt: NOON }, NOON_MS + sec * 1_000 - 1)).toBe(false);
      expect(mayTry({ count: i + 1, lastAt: NOON }, NOON_MS + sec * 1_000)).toBe(true);
    }
    expect(mayTry({ count: ROLL_UP_TRIES_MAX, lastAt: NOON }, NOON_MS + 99 * DAY_MS)).toBe(false);
  });

  const work = task("sum-20261117-3", {
    role: "worker",
    consumer: "supervisor",
    rollUp: { period: "2026-11-17", sources: [{ path: "memory/2026-11-17.md", sha256: "aa" }] },
  });
  const summed = (summary: string) => done(work, { resultType: "summary", result: { summary, keyPoints: [] } });

  test("settles itself, whatever came of it, and nobody is told", () => {
    for (const result of [summed("ok"), failed(work)]) {
      expect(isSettledAtOnce(result)).toBe(true);
      const facts = snapshot({ results: [result], queue: [work] });
      expect(reportableResults(facts)).toEqual([]);
      expect(settle(facts, NOON_MS)).toMatchObject([{ type: "settle", settlement: { result, tasks: [], edits: [] } }]);
    }
  });

  test("settles only when the last note is in its file: it would be written again when the file is gone", () => {
    const results = [summed("ok")];
    expect(settle(snapshot({ results, memory: { note: note(1, 3, { isKept: false }) } }), NOON_MS)).toEqual([]);
    expect(settle(snapshot({ results, memory: { note: note(1, 3) } }), NOON_MS)).toHaveLength(1);
  });

  test("settles only when no command about a note is open: an edit that was made would not be found again", () => {
    const results = [summed("ok")];
    const command = { at: NOON, mac: "aa" };
    const line = { op: "add" as const, text: "- [12:00Z] buy milk" };
    const changed = (id: string, document: string) =>
      ({ kind: "change", id, at: NOON, by: "user", title: "buy milk", what: "memory", document, ...line }) as const;
    const changes = [changed("memory-1", "memory/2026-11-17.md"), changed("memory-2", "memory.md")];
    const undone = (changeId: string) => ({ kind: "undo", id: "undo-1", changeId, ...command }) as const;
    const edited = (document: string) =>
      ({ kind: "memory-edit", id: "entry-1", document, entry: "buy", ...command }) as const;
    const settled = (command: InboxCommand, archive: string[] = []) =>
      settle(snapshot({ results, changes, inbox: [command], archive }), NOON_MS);
    for (const command of [undone("memory-1"), edited("memory/2026-11-17.md")]) {
      expect(settled(command)).toEqual([]);
      expect(settled(command, [command.id])).toHaveLength(1);
    }
    for (const command of [undone("memory-2"), edited("memory.md")]) expect(settled(command)).toHaveLength(1);
  });

  test("of nothing but blanks has failed", () => {
    expect(summaryIn(summed(" - ok\n"))).toBe("- ok");
    expect(summaryIn(summed(" \n "))).toBeNull();
    expect(summaryIn(failed(work))).toBeNull();
    expect(summaryIn(done(work))).toBeNull();
  });
});
