/** Concurrent edits of a document: the text of either editor is there afterwards (docs/file-protocol.md R5, R10). */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { ConfigChange } from "@mimikit/protocol/records/change";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { appendItem, DocumentBusy, editDocument } from "@mimikit/store/documents/document";
import { describe, expect, onTestFinished, test } from "vitest";
import { restoreConfig } from "../../../apps/supervisor/src/execute/config-changes.ts";
import { sha256 } from "../../../apps/supervisor/src/execute/notes.ts";
import { NOON, NOON_MS } from "../../core/facts.ts";
import { temporaryState } from "../home.ts";

const BEFORE = "- [ ] first\n";
const THEIRS = "- [ ] theirs\n";
const EDIT = "t-000001.0";
const noLock = <T>(_path: string, work: () => Promise<T>) => work();
const addOurs = (text: string) => appendItem(text, "- [ ] ", "ours", EDIT);

/** How people's editors save: they read the file, and put the text with one more line in its place. */
interface Editor {
  /** Begins to save. */
  begin(path: string): void;
  /** Ends it, one operation of ours later. */
  end(path: string): void;
}

const editors = {
  "by another file in its place": (): Editor => ({
    begin(path) {
      writeFileSync(`${path}.swp`, readFileSync(path, "utf8") + THEIRS);
      renameSync(`${path}.swp`, path);
    },
    end: () => undefined,
  }),
  "in its place": (): Editor => {
    let file = 0;
    let text = "";
    return {
      begin(path) {
        text = readFileSync(path, "utf8") + THEIRS;
        file = openSync(path, "w");
      },
      end() {
        writeSync(file, text);
        closeSync(file);
      },
    };
  },
  "by a line at its end": (): Editor => {
    let file = 0;
    return {
      begin(path) {
        file = openSync(path, "a");
      },
      end() {
        writeSync(file, THEIRS);
        closeSync(file);
      },
    };
  },
};

/** The disk with an editor that begins to save before operation `k` of an edit, and ends before the next. */
function editedAt(fs: FileSystem, path: string, k: number, editor: Editor): { disk: FileSystem; operations: string[] } {
  const operations: string[] = [];
  const disk = new Proxy(fs, {
    get(target, name: keyof FileSystem) {
      const operation = target[name];
      if (name === "temporary") return operation;
      return (...args: never[]) => {
        if (operations.length === k) editor.begin(path);
        if (operations.length === k + 1) editor.end(path);
        operations.push(name);
        return (operation as (...all: never[]) => unknown)(...args);
      };
    },
  });
  return { disk, operations };
}

describe("an edit while somebody saves", () => {
  for (const [style, editorOf] of Object.entries(editors))
    test(`${style}, at any of its operations, loses nothing of either`, async () => {
      const lost: string[] = [];
      for (let k = 0; ; k++) {
        const { home, fs } = temporaryState();
        const path = join(home, "backlog.md");
        writeFileSync(path, BEFORE);
        const { disk, operations } = editedAt(fs, path, k, editorOf());
        expect(await editDocument(disk, noLock, "backlog.md", { id: EDIT, write: addOurs })).toBe("made");
        if (operations.length <= k + 1) break;
        const lines = readFileSync(path, "utf8").split("\n").sort().join("\n");
        expect(lines).toContain("- [ ] ours");
        if (lines !== ["", "- [ ] first", `- [ ] ours <!-- ${EDIT} -->`, "- [ ] theirs"].join("\n"))
          lost.push(operations[k] ?? "");
        expect(await fs.list(`tmp/test-1-1`)).toEqual([]);
      }
      // The one instant that nothing sees: another file comes between the old one's second name and its replacement.
      expect(lost).toEqual(style === "by another file in its place" ? ["rename"] : []);
    });
});

describe("settings that are taken back while somebody saves them", () => {
  for (const [style, editorOf] of Object.entries(editors))
    test(`${style}, at any of the operations, keep what was saved`, async () => {
      const lost: string[] = [];
      for (let k = 0; ; k++) {
        const { home, fs } = temporaryState();
        const path = join(home, "config.yaml");
        const [before, after] = ["tickMs: 100\n", "tickMs: 200\n"];
        const change: ConfigChange = {
          ...{ kind: "change", id: "config-1", at: NOON, by: "user", title: "tickMs" },
          ...{ what: "config", op: "edit", before, after: sha256(after) },
        };
        writeFileSync(path, after);
        const editor = editorOf();
        const { disk, operations } = editedAt(fs, path, k, editor);
        const context = { fs: disk, lock: noLock, nowMs: () => NOON_MS, audit: () => undefined };
        const edited = await restoreConfig(change, async () => "open", context);
        if (operations.length <= k) break;
        if (operations.length === k + 1) editor.end(path);
        if (edited !== "made") expect(edited).toMatchObject({ problem: expect.stringContaining("was changed again") });
        if (!readFileSync(path, "utf8").includes(THEIRS)) lost.push(operations[k] ?? "");
      }
      expect(lost).toEqual(style === "by another file in its place" ? ["rename"] : []);
    });
});

/** Every few milliseconds one: no person saves like that. */
const SAVES = 150;
/** The most that the instants above may lose at such a rate; an edit that looks once and replaces then loses every other save. */
const LOST_MAX = 3;

/** A process of its own that adds a line at a time, and says when it has added all. */
function startEditor(path: string): ChildProcess {
  const program = `
    const { appendFileSync } = require("node:fs");
    (async () => {
      for (let n = 0; n < ${SAVES}; n++) {
        appendFileSync(${JSON.stringify(path)}, "- [ ] theirs " + n + "\\n");
        await new Promise((resolve) => setTimeout(resolve, 1 + (n % 4)));
      }
      console.log("done");
    })();`;
  const child = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

test("hundreds of lines that another process adds survive hundreds of our edits, none of which is lost", async () => {
  const { home, fs } = temporaryState();
  const path = join(home, "backlog.md");
  const { stdout } = startEditor(path);
  if (stdout === null) throw new Error("the editor has no output");
  let isDone = false;
  const said = once(createInterface(stdout), "line").then(() => {
    isDone = true;
  });
  let edits = 0;
  // An edit that was refused may be in the document already, and is made again in any case.
  let isRefused = false;
  while (!isDone || isRefused) {
    const id = `t-000001.${edits}`;
    try {
      await editDocument(fs, noLock, "backlog.md", {
        id,
        write: (text) => appendItem(text, "- [ ] ", `ours ${edits}`, id),
      });
      edits++;
      isRefused = false;
    } catch (error) {
      // The other is faster on a busy machine: the supervisor does the same edit again in its next tick.
      if (!(error instanceof DocumentBusy) && !String(error).includes("times while it was edited")) throw error;
      isRefused = true;
    }
  }
  await said;
  const lines = readFileSync(path, "utf8").split("\n");
  const counted = (whose: string) => lines.filter((line) => line.startsWith(`- [ ] ${whose}`)).length;
  expect(edits).toBeGreaterThan(0);
  expect(counted("ours")).toBe(edits);
  expect(counted("theirs")).toBeGreaterThanOrEqual(SAVES - LOST_MAX);
  expect(lines).toHaveLength(edits + counted("theirs") + 1);
});
