/** An edit that was killed at any of its operations, while somebody saved the document, loses nothing of either when it is made again. */
import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openDisk } from "@mimikit/store/disk/disk";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { appendItem, DocumentBusy, editDocument } from "@mimikit/store/documents/document";
import { expect, test } from "vitest";
import { temporaryState } from "../home.ts";

const DOCUMENT = "memory/2026-10-20.md";
const EDIT = "t-000001.0";
const OURS = `- ours <!-- ${EDIT} -->\n`;
const noLock = <T>(_path: string, work: () => Promise<T>) => work();
const edit = (fs: FileSystem) =>
  editDocument(fs, noLock, DOCUMENT, { id: EDIT, write: (text) => appendItem(text, "- ", "ours", EDIT) });

/** Puts another file in its place, as editors do. */
function save(path: string, change: (text: string) => string): void {
  writeFileSync(`${path}.swp`, change(readFileSync(path, "utf8")));
  renameSync(`${path}.swp`, path);
}

/** A disk on which something happens before operation number `at`, and whose user is killed before number `end`. */
function diskOf(fs: FileSystem, at: number, happen: () => void, end: number) {
  const operations: string[] = [];
  const disk = new Proxy(fs, {
    get(target, name: keyof FileSystem) {
      const operation = target[name];
      if (name === "temporary") return operation;
      return (...args: never[]) => {
        if (operations.length >= end) return Promise.reject(new Error("killed"));
        if (operations.length === at) happen();
        operations.push(name);
        return (operation as (...all: never[]) => unknown)(...args);
      };
    },
  });
  return { disk, operations };
}

/** Another process makes the edit again, as often as it is told that the document is busy. */
async function editAgain(home: string): Promise<void> {
  const fs = openDisk(home, "test-2-2");
  for (let tries = 0; tries < 3; tries++) {
    try {
      await edit(fs);
      return;
    } catch (error) {
      if (!(error instanceof DocumentBusy)) throw error;
    }
  }
  throw new Error("the document stays busy");
}

const addTheirs = (text: string) => `${text}theirs\n`;
const addLater = (text: string) => `${text}later\n`;
const changeFirst = (text: string) => text.replace("first", "changed");

function noted() {
  const { home, fs } = temporaryState();
  const path = join(home, DOCUMENT);
  writeFileSync(path, "first\n");
  return { home, fs, path, lines: () => (readFileSync(path, "utf8").match(/.*\n/g) ?? []).sort() };
}

/** The number of the operation between the last look at the document and its replacement, and of one behind the latter. */
async function instantOf(fs: FileSystem): Promise<{ at: number; end: number }> {
  const { disk, operations } = diskOf(fs, -1, () => undefined, Number.POSITIVE_INFINITY);
  await edit(disk);
  return { at: operations.indexOf("link"), end: operations.indexOf("rename") + 1 };
}

for (const [what, theirs, later, expected] of [
  ["adds a line", addTheirs, null, ["first\n", OURS, "theirs\n"]],
  ["adds a line, and another program one more", addTheirs, addLater, ["first\n", "later\n", OURS, "theirs\n"]],
  ["changes a line", changeFirst, null, ["changed\n", OURS]],
] as const)
  test(`somebody ${what} at any operation of an edit that is killed at a later one: all of it is there afterwards, once`, async () => {
    const lost = new Set<string>();
    let killed = 0;
    for (let at = 0, isOver = false; !isOver; at++)
      for (let end = at + 1; ; end++) {
        const { home, fs, path, lines } = noted();
        const { disk, operations } = diskOf(fs, at, () => save(path, theirs), end);
        const made = await edit(disk).catch((error: Error) => error.message);
        isOver = operations.length <= at;
        if (isOver) break;
        if (later !== null) save(path, later);
        await editAgain(home);
        if (JSON.stringify(lines()) !== JSON.stringify([...expected].sort())) lost.add(operations[at] ?? "");
        expect(readdirSync(join(home, "memory")).sort()).toEqual(["2026-10-20.md", "summary"]);
        if (made !== "killed") break;
        killed++;
      }
    expect(killed).toBeGreaterThan(40);
    // The one instant that nothing sees: between the second name of the old file and its replacement.
    expect([...lost]).toEqual(["rename"]);
  });

test("the process that brings the line back may be killed, too, at any of its operations", async () => {
  const { at, end } = await instantOf(noted().fs);
  for (const later of [null, addLater])
    for (let again = 0, isOver = false; !isOver; again++) {
      const { home, fs, path, lines } = noted();
      await expect(edit(diskOf(fs, at, () => save(path, addTheirs), end).disk)).rejects.toThrow("killed");
      if (later !== null) save(path, later);
      const second = openDisk(home, "test-3-3");
      const said = await edit(diskOf(second, -1, () => undefined, again).disk).catch((error: Error) => error.message);
      isOver = said !== "killed";
      await editAgain(home);
      expect(lines()).toEqual(["first\n", ...(later === null ? [] : ["later\n"]), OURS, "theirs\n"].sort());
      expect(readdirSync(join(home, "memory")).sort()).toEqual(["2026-10-20.md", "summary"]);
    }
});

test("a text that cannot be told from the edit, where the document was saved once more, goes to quarantine/ and not away", async () => {
  const { at, end } = await instantOf(noted().fs);
  const { home, fs, path } = noted();
  await expect(edit(diskOf(fs, at, () => save(path, changeFirst), end).disk)).rejects.toThrow("killed");
  save(path, () => "written anew\n");
  await editAgain(home);
  expect(readFileSync(path, "utf8")).toBe(`written anew\n${OURS}`);
  const aside = readdirSync(join(home, "quarantine")).map((name) =>
    readFileSync(join(home, "quarantine", name), "utf8"),
  );
  expect(aside).toEqual(["changed\n"]);
});
