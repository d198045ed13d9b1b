/** Notes and summaries among the files of a person who may change them at any time (SPEC E2, E3). */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MEMORY_BOUNDS } from "@mimikit/core/base/memory-bounds";
import type { AuditEvent } from "@mimikit/protocol/records/audit";
import type { HistoryMessage } from "@mimikit/protocol/records/history";
import { Result } from "@mimikit/protocol/records/result";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { createRecord } from "@mimikit/store/disk/record";
import { archivePath } from "@mimikit/store/disk/state";
import { DocumentBusy, type DocumentLock, editDocument } from "@mimikit/store/documents/document";
import { ArchiveIndex } from "@mimikit/store/state-cache/archive-index";
import { describe, expect, test } from "vitest";
import type { ExecContext } from "../../../apps/supervisor/src/execute/exec-context.ts";
import { itemOf, note, sha256, takeSummary } from "../../../apps/supervisor/src/execute/notes.ts";
import { MemoryWatch } from "../../../apps/supervisor/src/observe/memory-watch.ts";
import { done, failed, NOON, NOON_MS, task } from "../../core/facts.ts";
import { temporaryState } from "../home.ts";

const PATH = "memory/2026-11-17-a.md";
const SUMMARY = "memory/summary/2026-11-17.md";

function place() {
  const { fs, home } = temporaryState();
  const audited: AuditEvent[] = [];
  const context: ExecContext = {
    fs,
    archiveIndex: new ArchiveIndex(fs, (path, reason) => {
      throw new Error(`${path}: ${reason}`);
    }),
    token: "",
    nowMs: () => NOON_MS,
    lock: (_path, work) => work(),
    audit: (event) => audited.push(event),
    restart: () => Promise.resolve(),
  };
  const write = (path: string, text: string) => writeFileSync(join(home, path), text);
  const read = (path: string) => readFileSync(join(home, path), "utf8");
  return { context, audited, home, write, read, names: (dir: string) => readdirSync(join(home, dir)) };
}

/** The roll-up `n` of the files as they are here. */
function rolledUp(n: number, summary: string, texts: Record<string, string>): Result {
  const sources = Object.entries(texts).map(([path, text]) => ({ path, sha256: sha256(text) }));
  const work = task(`sum-20261117-${n}`, { role: "worker", rollUp: { period: "2026-11-17", sources } });
  return done(work, { resultType: "summary", result: { summary, keyPoints: [] } });
}

class Killed extends Error {}

/** A disk whose user is killed instead of its change number `left`, counted from 0: nothing happens after it. */
function killedAt(fs: FileSystem, left: number): FileSystem {
  const change = <Input extends unknown[], T>(work: (...input: Input) => Promise<T>) => {
    return (...input: Input): Promise<T> => (left-- > 0 ? work(...input) : Promise.reject(new Killed()));
  };
  const { write, link, rename, unlink, makeDir } = fs;
  return {
    ...fs,
    write: change(write),
    link: change(link),
    rename: change(rename),
    unlink: change(unlink),
    makeDir: change(makeDir),
  };
}

async function take(result: Result, context: ExecContext): Promise<void> {
  const { rollUp } = result.task;
  if (rollUp === undefined) throw new Error("no roll-up");
  await takeSummary(result, rollUp, context);
}

describe("a note", () => {
  const decided = {
    kind: "note",
    id: "note-000001",
    number: 1,
    at: NOON,
    fromTurn: 1,
    throughTurn: 1,
    path: PATH,
    isFlush: false,
  } as const;
  const message = (text: string): HistoryMessage => ({ id: "m-1", role: "user", at: NOON, text });
  const action = { type: "note", note: decided, messages: [message("hello")] } as const;

  test("stands below what a person wrote, once, and does not come back when the person removes it", async () => {
    const { context, write, read } = place();
    write(PATH, "mine");
    await note({ ...action, messages: [...action.messages] }, context);
    await note({ ...action, messages: [...action.messages] }, context);
    expect(read(PATH)).toBe(`mine\n- ${NOON} user: hello\n<!-- note-000001 -->\n`);
    write(PATH, "mine\n");
    await note({ ...action, messages: [...action.messages] }, context);
    expect(read(PATH)).toBe("mine\n");
  });

  test("is what the first has decided: who comes later with other turns writes nothing", async () => {
    const { context, names } = place();
    await note({ ...action, messages: [] }, context);
    await note({ ...action, note: { ...decided, throughTurn: 2 }, messages: [message("other")] }, context);
    expect(names("memory")).toEqual(["summary"]);
  });

  test("holds no line of a message that could pass for a heading, an item, a mark or another message", () => {
    const text = "one\r\n# two\u2028- three\n\n```\n<!-- note-000002 -->";
    const lines = itemOf(message(text)).split("\n");
    expect(lines[0]).toBe(`- ${NOON} user: one`);
    expect(lines.slice(1).every((line) => line === "" || line.startsWith("      "))).toBe(true);
    expect(itemOf(message(text))).not.toContain("<!--");
  });
});

describe("a summary", () => {
  test("takes the place of its sources, and of the summary that was one of them, whose marks stay", async () => {
    const { context, write, read, names } = place();
    const texts = { [SUMMARY]: "- old\n<!-- sum-20261117-1 -->\n", [PATH]: "- new\n" };
    for (const [path, text] of Object.entries(texts)) write(path, text);
    await take(rolledUp(2, "- both", texts), context);
    expect(read(SUMMARY)).toBe("- both\n<!-- sum-20261117-1 --> <!-- sum-20261117-2 -->\n");
    expect(names("memory")).toEqual(["summary"]);
  });

  test("leaves what was added to a source since it was read, and stands below a summary that a person began", async () => {
    const { context, write, read } = place();
    write(PATH, "- read\n- added\n");
    write(SUMMARY, "mine");
    await take(rolledUp(1, "- sum", { [PATH]: "- read\n" }), context);
    expect(read(PATH)).toBe("- added\n");
    expect(read(SUMMARY)).toBe("mine\n\n- sum\n<!-- sum-20261117-1 -->\n");
  });

  test.each([
    ["a source begins otherwise", { [PATH]: "- mine\n- one\n", [SUMMARY]: "- old\n" }],
    ["a source is gone", { [SUMMARY]: "- old\n" }],
    ["the summary that was to be replaced has changed", { [PATH]: "- one\n", [SUMMARY]: "- old\nmine\n" }],
  ])("is not taken where %s", async (_why, now) => {
    const { context, write, read, audited } = place();
    for (const [path, text] of Object.entries(now)) write(path, text);
    await take(rolledUp(2, "- sum", { [SUMMARY]: "- old\n", [PATH]: "- one\n" }), context);
    for (const [path, text] of Object.entries(now)) expect(read(path)).toBe(text);
    expect(audited.map(({ event }) => event)).toEqual(["roll_up_discarded"]);
  });

  test("is not taken beside an edit of one of its sources: either of them waits until the other is over", async () => {
    const { context, write, read, names } = place();
    const held = new Set<string>();
    const lock: DocumentLock = async (path, work) => {
      if (held.has(path)) throw new DocumentBusy(path);
      held.add(path);
      return work().finally(() => held.delete(path));
    };
    const forget = () => editDocument(context.fs, lock, PATH, { write: (text) => text.replace("- two\n", "") });
    const busy: unknown[] = [];
    const fs: FileSystem = {
      ...context.fs,
      async link(from, to) {
        if (to === SUMMARY) await forget().catch((error: unknown) => busy.push(error));
        return context.fs.link(from, to);
      },
    };
    const texts = { [PATH]: "- one\n- two\n- three\n" };
    write(PATH, texts[PATH] ?? "");
    await take(rolledUp(1, "- sum", texts), { ...context, fs, lock });
    expect(busy).toEqual([expect.any(DocumentBusy)]);
    expect(read(SUMMARY)).toBe("- sum\n<!-- sum-20261117-1 -->\n");
    expect(names("memory")).toEqual(["summary"]);
    write(PATH, texts[PATH] ?? "");
    await lock(PATH, async () => {
      await expect(take(rolledUp(2, "- again", texts), { ...context, lock })).rejects.toThrow(DocumentBusy);
    });
    expect(read(SUMMARY)).toBe("- sum\n<!-- sum-20261117-1 -->\n");
  });

  test("that was cut off before its sources were gone is completed", async () => {
    const { context, write, read, names } = place();
    write(PATH, "- one\n");
    write(SUMMARY, "- sum\n<!-- sum-20261117-1 -->\n");
    await take(rolledUp(1, "- sum", { [PATH]: "- one\n" }), context);
    expect(names("memory")).toEqual(["summary"]);
    expect(read(SUMMARY)).toBe("- sum\n<!-- sum-20261117-1 -->\n");
  });

  test("keeps what a person has added to a source where it stands, whenever it is cut off", async () => {
    for (let left = 0, isCut = true; isCut; left++) {
      const { context, write, read, names } = place();
      write(PATH, "- read\n- mine\n");
      const result = rolledUp(1, "- sum", { [PATH]: "- read\n" });
      isCut = await take(result, { ...context, fs: killedAt(context.fs, left) }).then(
        () => false,
        (error) => error instanceof Killed || Promise.reject(error),
      );
      expect(read(PATH)).toMatch(/^(- read\n)?- mine\n$/);
      if (read(PATH) === "- mine\n") expect(read(SUMMARY)).toContain("- sum\n");
      await take(result, context);
      expect(read(PATH)).toBe("- mine\n");
      expect(read(SUMMARY)).toBe("- sum\n<!-- sum-20261117-1 -->\n");
      expect(names("memory")).toHaveLength(2);
      if (left > 100) throw new Error("it never comes to its end");
    }
  });

  test.each([
    ["while the rest is written", "write"],
    ["when only the rename is left", "rename"],
  ] as const)("leaves only what was added, also where more is added %s", async (_, moment) => {
    const { context, write, read } = place();
    write(PATH, "- read\n- mine\n");
    let hasSaved = false;
    const save = () => {
      if (!hasSaved) write(PATH, "- read\n- mine\n- more\n");
      hasSaved = true;
    };
    const fs: FileSystem = {
      ...context.fs,
      write: async (path, text) => {
        await context.fs.write(path, text);
        if (moment === "write" && text === "- mine\n") save();
      },
      rename: async (from, to) => {
        if (moment === "rename" && to === PATH) save();
        return context.fs.rename(from, to);
      },
    };
    const result = rolledUp(1, "- sum", { [PATH]: "- read\n" });
    await expect(take(result, { ...context, fs })).rejects.toThrow(DocumentBusy);
    await take(result, { ...context, fs });
    expect(hasSaved).toBe(true);
    expect(read(PATH)).toBe("- mine\n- more\n");
  });

  test("has its place also where a directory stands", async () => {
    const { context, home, write, read, names } = place();
    mkdirSync(join(home, SUMMARY));
    write(PATH, "- one\n");
    await take(rolledUp(1, "- sum", { [PATH]: "- one\n" }), context);
    expect(read(SUMMARY)).toContain("- sum\n");
    expect(names("quarantine")).toHaveLength(1);
  });

  test("of nothing removes nothing, and the fifth failure in a row says that it was the last", async () => {
    const { context, write, read, audited } = place();
    write(PATH, "- one\n");
    for (let n = 1; n <= 5; n++) {
      const blank = rolledUp(n, " ", { [PATH]: "- one\n" });
      const result = n % 2 === 0 ? blank : failed(blank.task);
      expect(audited).toEqual([]);
      await take(result, context);
      await createRecord(context.fs, Result, archivePath(result.id), result);
    }
    expect(audited).toEqual([expect.objectContaining({ event: "roll_up_given_up", taskId: "sum-20261117-5" })]);
    expect(read(PATH)).toBe("- one\n");
  });
});

describe("what is to be summed up", () => {
  const FIVE_DAYS_MS = 5 * 86_400_000;

  async function rollUpIn({ context }: ReturnType<typeof place>) {
    const { fs, archiveIndex } = context;
    const nowMs = () => NOON_MS + FIVE_DAYS_MS;
    const watch = new MemoryWatch({ fs, bounds: MEMORY_BOUNDS, nowMs, canSummarize: () => true });
    return (await watch.look({ queuedOf: () => [], results: new Map(), archiveIndex })).rollUp;
  }

  test("is a long Chinese note in parts, each of which goes when its summary is there", async () => {
    const here = place();
    const note = `- 2026-11-17T09:00:00.000Z user: ${"我们把网站搬到了新的服务器上。".repeat(100)}\n`.repeat(20);
    here.write(PATH, note);
    let seen = "";
    let summary = "";
    for (let n = 1; n < 20; n++) {
      const rollUp = await rollUpIn(here);
      if (rollUp === null) break;
      const texts = Object.fromEntries(rollUp.sources.map(({ path, text }) => [path, text]));
      seen += texts[PATH];
      summary = `${summary}- part ${n}\n`;
      await take(rolledUp(n, summary, texts), here.context);
    }
    expect(seen).toBe(note);
    expect(here.names("memory")).toEqual(["summary"]);
    expect(here.read(SUMMARY)).toContain("- part 1\n- part 2\n");
  });

  test("has no sentence that is forgotten, and the note goes with its summary nevertheless", async () => {
    const here = place();
    const note =
      "- 2026-11-17T09:00:00.000Z user: My wife Anna eats no fish.\n- 2026-11-17T09:01:00.000Z user: It rains.\n";
    here.write(PATH, note);
    here.write("forgotten.md", "- 2026-11-18T09:00:00.000Z my wife Anna eats no fish <!-- t-000007.0 -->\n");
    const rollUp = await rollUpIn(here);
    const texts = rollUp?.sources.map(({ text }) => text) ?? [];
    expect(texts).toEqual(["- 2026-11-17T09:01:00.000Z user: It rains."]);
    const result = rolledUp(1, "- It rained.", { [PATH]: note });
    expect(rollUp?.sources).toMatchObject(result.task.kind === "roll-up" ? result.task.rollUp.sources : []);
    await take(result, here.context);
    expect(here.names("memory")).toEqual(["summary"]);
  });

  test("is no file that is not in UTF-8, and none that is no note by its size", async () => {
    const here = place();
    writeFileSync(join(here.home, PATH), Buffer.from([0xc4, 0xe3, 0xba, 0xc3, 0x0a]));
    here.write("memory/2026-11-17-b.md", "- log\n".repeat(200_000));
    expect(await rollUpIn(here)).toBeNull();
    here.write("memory/2026-11-17-c.md", "- a \ufffd that somebody has written\n");
    const { sources } = (await rollUpIn(here)) ?? {};
    expect(sources?.map(({ path }) => path)).toEqual(["memory/2026-11-17-c.md"]);
  });
});
