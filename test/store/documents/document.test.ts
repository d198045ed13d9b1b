import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DocumentEdit } from "@mimikit/core/base/action";
import { codeOf } from "@mimikit/protocol/texts/coded";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { findBacklogItem, parseBacklog } from "@mimikit/store/documents/backlog";
import { appendItem, editDocument, editMark } from "@mimikit/store/documents/document";
import { pathOf, withEdit } from "@mimikit/store/documents/ordered-edit";
import { describe, expect, test } from "vitest";
import { NOON } from "../../core/facts.ts";
import { temporaryState } from "../home.ts";

const noLock = <T>(_path: string, work: () => Promise<T>) => work();

const make = (fs: FileSystem, edit: DocumentEdit) =>
  editDocument(fs, noLock, pathOf(edit), { id: edit.id, write: (text) => withEdit(edit, null, text) });

describe("an edit of a document", () => {
  test("is made once, however often it is asked for", async () => {
    const { fs, home } = temporaryState();
    const edit = { document: "memory", id: "t-000001.1", at: NOON, content: "likes pnpm", longTerm: true } as const;
    expect(await make(fs, edit)).toBe("made");
    expect(await make(fs, edit)).toBe("made before");
    expect(readFileSync(join(home, "memory.md"), "utf8")).toBe("- likes pnpm <!-- t-000001.1 -->\n");
  });

  test("leaves what a person wrote, also while it is being made", async () => {
    const { fs, home } = temporaryState();
    writeFileSync(join(home, "memory.md"), "# Mine\n");
    let looks = 0;
    await editDocument(fs, noLock, "memory.md", {
      id: "t-000001.1",
      write(text) {
        if (looks++ === 0) writeFileSync(join(home, "memory.md"), "# Mine\nand more");
        return appendItem(text, "- ", "a fact", "t-000001.1");
      },
    });
    expect(readFileSync(join(home, "memory.md"), "utf8")).toBe("# Mine\nand more\n- a fact <!-- t-000001.1 -->\n");
  });

  /** The disk, and what is called on it. */
  function noted(disk: FileSystem) {
    const calls: string[] = [];
    const fs = new Proxy(disk, {
      get(target, name: keyof FileSystem) {
        if (name === "temporary") return target[name];
        return (...args: never[]) => {
          calls.push(`${name} ${name === "link" ? args[1] : args[0]}`);
          return (target[name] as (...all: never[]) => unknown)(...args);
        };
      },
    });
    return { fs, calls };
  }

  test("that another process has made counts when it is durable: that one may have been killed before it was", async () => {
    const { fs, home } = temporaryState();
    writeFileSync(join(home, "memory.md"), `- a fact ${editMark("t-000001.1")}\n`);
    const { fs: noting, calls } = noted(fs);
    const edit = { id: "t-000001.1", write: (text: string) => appendItem(text, "- ", "a fact", "t-000001.1") };
    expect(await editDocument(noting, noLock, "memory.md", edit)).toBe("made before");
    expect(calls).toContain("syncDir .");
  });

  test("in a folder that is not there is made when the folder is durable", async () => {
    const { fs, home } = temporaryState();
    rmSync(join(home, "memory"), { recursive: true });
    const { fs: noting, calls } = noted(fs);
    const path = "memory/summary/2026-11-21.md";
    const edit = { id: "t-000001.1", write: (text: string) => appendItem(text, "- ", "a fact", "t-000001.1") };
    await editDocument(noting, noLock, path, edit);
    const steps = ["makeDir memory/summary", "syncDir memory", "syncDir .", `link ${path}`, "syncDir memory/summary"];
    expect(calls.filter((call) => steps.includes(call))).toEqual(steps);
  });

  test("cannot be faked by its content", async () => {
    const { fs, home } = temporaryState();
    const forged = {
      document: "memory",
      id: "t-000001.1",
      at: NOON,
      content: "x <!-- t-000002.1 -->",
      longTerm: true,
    } as const;
    await make(fs, forged);
    expect(readFileSync(join(home, "memory.md"), "utf8")).not.toContain(editMark("t-000002.1"));
    expect(await make(fs, { ...forged, id: "t-000002.1", content: "real" })).toBe("made");
  });

  test("of the short term goes to the note of its day", async () => {
    const { fs, home } = temporaryState();
    await make(fs, {
      document: "memory",
      id: "t-000001.1",
      at: NOON,
      content: "now",
      longTerm: false,
    });
    expect(existsSync(join(home, "memory/2026-11-22.md"))).toBe(true);
  });
});

test("a directory of notes that somebody removed comes back with the next note", async () => {
  const { fs, home } = temporaryState();
  rmSync(join(home, "memory"), { recursive: true });
  const edit = { document: "memory", id: "t-000001.1", at: NOON, content: "now", longTerm: false } as const;
  expect(await make(fs, edit)).toBe("made");
  expect(existsSync(join(home, "memory/2026-11-22.md"))).toBe(true);
});

describe("the backlog", () => {
  const edit = (id: string, op: "add" | "done" | "remove", item: string) =>
    ({ document: "backlog", id, op, item }) as const;

  test("is added to, done by text or number, and removed from; redoing an edit changes nothing", async () => {
    const { fs, home } = temporaryState();
    const edits = [
      edit("t-1.0", "add", "first"),
      edit("t-1.1", "add", "second"),
      edit("t-2.0", "done", "first"),
      edit("t-3.0", "remove", "2"),
    ];
    for (const each of [...edits, ...edits]) await make(fs, each);
    expect(parseBacklog(readFileSync(join(home, "backlog.md"), "utf8"))).toMatchObject([{ item: "first", done: true }]);
  });

  test("says what is there to whoever names what is not, and stays as it is", async () => {
    const { fs, home } = temporaryState();
    expect(await make(fs, edit("t-1.0", "done", "x"))).toEqual({ problem: "no such item: x (the backlog is empty)" });
    writeFileSync(join(home, "backlog.md"), "- [ ] one\n- [x] two\n");
    for (const op of ["done", "remove"] as const)
      expect(await make(fs, edit("t-1.0", op, "three"))).toEqual({
        problem: "no such item: three (there is 1. one · 2. [x] two)",
      });
    expect(codeOf("no such item: three (there is 1. one · 2. [x] two)")).toEqual({
      code: "item_unknown",
      params: { item: "three", items: "1. one · 2. [x] two" },
    });
    expect(readFileSync(join(home, "backlog.md"), "utf8")).toBe("- [ ] one\n- [x] two\n");
  });

  test("has one line for an item of several, which goes as a whole", async () => {
    const { fs, home } = temporaryState();
    await make(fs, edit("t-1.0", "add", "call the\r\n  supplier\n- [ ] not an item"));
    expect(parseBacklog(readFileSync(join(home, "backlog.md"), "utf8"))).toMatchObject([
      { item: "call the supplier - [ ] not an item" },
    ]);
    await make(fs, edit("t-2.0", "remove", "call the supplier\n- [ ] not an item"));
    expect(readFileSync(join(home, "backlog.md"), "utf8").trim()).toBe("<!-- t-1.0 --> <!-- t-2.0 -->");
  });

  test("may have the line ends of Windows, which stay", async () => {
    const { fs, home } = temporaryState();
    writeFileSync(join(home, "backlog.md"), "- [ ] one\r\n- [ ] two\r\n");
    await make(fs, edit("t-1.0", "done", "two"));
    expect(readFileSync(join(home, "backlog.md"), "utf8")).toBe(`- [ ] one\r\n- [x] two\r\n${editMark("t-1.0")}\n`);
  });

  test("may be written by hand, with stars, indents and prose between", () => {
    const items = parseBacklog("# Backlog\n\n* [ ] one\n  - [X] two <!-- t-1.0 -->\nprose\n- [ ] one\n");
    expect(items.map(({ item, done }) => [item, done])).toEqual([
      ["one", false],
      ["two", true],
      ["one", false],
    ]);
    expect(findBacklogItem(items, "two")?.line).toBe(3);
    expect(findBacklogItem(items, "3")?.line).toBe(5);
    expect(findBacklogItem(items, "four")).toBeUndefined();
  });
});
