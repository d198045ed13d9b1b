/**
 * A process that is held in the midst of an edit, for longer than its lock counts, while another one edits the document: both edits are
 * there afterwards, once (docs/file-protocol.md R5).
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openDisk } from "@mimikit/store/disk/disk";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { appendItem, consumeDocument, DocumentBusy, editDocument } from "@mimikit/store/documents/document";
import { expect, test } from "vitest";
import { temporaryState } from "../home.ts";
import { cutAt, wasCut } from "../power-cut.ts";

const DOCUMENT = "memory/2026-10-20.md";
const FIRST = "first\n";
const OURS = "- ours <!-- t-000001.0 -->\n";
const THEIRS = "- theirs <!-- t-000002.0 -->\n";
const noLock = <T>(_path: string, work: () => Promise<T>) => work();

/** Adds a line, as often as it is told that the document is busy. */
async function add(fs: FileSystem, what: string, id: string): Promise<void> {
  for (let tries = 0; tries < 3; tries++)
    try {
      await editDocument(fs, noLock, DOCUMENT, { id, write: (text) => appendItem(text, "- ", what, id) });
      return;
    } catch (error) {
      if (!(error instanceof DocumentBusy)) throw error;
    }
  throw new Error("the document stays busy");
}

/** The disk of a process that is held before its operation `k`, while something else is done. */
function heldAt(fs: FileSystem, k: number, meanwhile: (operation: string) => Promise<void>) {
  const operations: string[] = [];
  const disk = new Proxy(fs, {
    get(target, name: keyof FileSystem) {
      const operation = target[name];
      if (name === "temporary") return operation;
      return async (...args: never[]) => {
        operations.push(name);
        if (operations.length === k + 1) await meanwhile(name);
        return (operation as (...all: never[]) => unknown)(...args);
      };
    },
  });
  return { disk, operations };
}

function noted(text = FIRST) {
  const { home, fs } = temporaryState();
  const path = join(home, DOCUMENT);
  writeFileSync(path, text);
  const other = openDisk(home, "test-2-2");
  const lines = () => (readFileSync(path, "utf8").match(/.*\n/g) ?? []).sort();
  return { home, fs, other, path, lines, names: () => readdirSync(join(home, "memory")).sort() };
}

/** The number of the operation that puts the new document in the place of the old one. */
async function replacement(): Promise<number> {
  const { disk, operations } = heldAt(noted().fs, -1, async () => undefined);
  await add(disk, "ours", "t-000001.0");
  return operations.indexOf("rename");
}

test.each([
  ["with a text", FIRST],
  ["that is empty", ""],
])(
  "an edit of another process while one is held at any of its operations is not lost, in a document %s",
  async (_what, text) => {
    const lost: string[] = [];
    for (let k = 0; ; k++) {
      const { home, fs, other, lines, names } = noted(text);
      const { disk, operations } = heldAt(fs, k, () => add(other, "theirs", "t-000002.0"));
      await add(disk, "ours", "t-000001.0");
      if (operations.length <= k) break;
      if (lines().join("") !== [OURS, THEIRS, text].join("")) lost.push(operations[k] ?? "");
      expect(names()).toEqual(["2026-10-20.md", "summary"]);
      for (const each of readdirSync(join(home, "tmp"))) expect(readdirSync(join(home, "tmp", each))).toEqual([]);
    }
    expect(lost).toEqual([]);
  },
);

test("the other process may be killed at any of its operations while the first is held before the last of its own", async () => {
  const at = await replacement();
  const lost: number[] = [];
  for (let end = 0, isKilled = true; isKilled; end++) {
    const { home, fs, other, lines, names } = noted();
    const { disk } = heldAt(fs, at, async () => {
      isKilled = await wasCut(add(cutAt(other, end), "theirs", "t-000002.0"));
    });
    await add(disk, "ours", "t-000001.0");
    await add(openDisk(home, "test-3-3"), "theirs", "t-000002.0");
    if (lines().join("") !== [OURS, THEIRS, FIRST].join("")) lost.push(end);
    expect(names()).toEqual(["2026-10-20.md", "summary"]);
  }
  expect(lost).toEqual([]);
});

test("an edit of a document that was deleted while another one is held is not lost, and the deleted text stays away", async () => {
  const { fs, other, path, lines } = noted();
  const { disk } = heldAt(fs, await replacement(), async () => {
    rmSync(path);
    await add(other, "theirs", "t-000002.0");
  });
  await add(disk, "ours", "t-000001.0");
  expect(lines()).toEqual([OURS, THEIRS]);
});

test("a note that is summed up while an edit of it is held does not come back with that", async () => {
  const { fs, other, lines } = noted();
  const restOf = (text: string) => (text.startsWith(FIRST) ? text.slice(FIRST.length) : text);
  const { disk } = heldAt(fs, await replacement(), () =>
    consumeDocument(other, DOCUMENT, restOf, "memory/2026-10-20-sum-1.md"),
  );
  await add(disk, "ours", "t-000001.0");
  expect(lines()).toEqual([OURS]);
});
