/** A command to write something down is cut off before each of its operations on the disk, and done again: it is done once. */
import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Action, NoteCommand } from "@mimikit/core/base/action";
import { RECORD_BYTES_MAX } from "@mimikit/protocol/base/json";
import { Archived } from "@mimikit/protocol/records/archive";
import { InboxCommand } from "@mimikit/protocol/records/inbox";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { createRecord, readRecord } from "@mimikit/store/disk/record";
import { archivePath, CHANGES, INBOX, inboxPath } from "@mimikit/store/disk/state";
import { DocumentBusy } from "@mimikit/store/documents/document";
import { ArchiveIndex } from "@mimikit/store/state-cache/archive-index";
import { expect, test } from "vitest";
import type { ExecContext } from "../../../apps/supervisor/src/execute/exec-context.ts";
import { execute } from "../../../apps/supervisor/src/execute/execute.ts";
import { noteDown } from "../../../packages/core/src/rules/note-down.ts";
import { NOON, NOON_MS, snapshot } from "../../core/facts.ts";
import { temporaryState } from "../home.ts";
import { cutAt, wasCut } from "../power-cut.ts";

function actionOf(command: NoteCommand): Action {
  const [action] = noteDown(snapshot({ inbox: [command] }));
  if (action === undefined) throw new Error("nothing is to be done");
  return action;
}

function contextOf(archiveIndex: ArchiveIndex, fs: FileSystem): ExecContext {
  const lock = <T>(_path: string, work: () => Promise<T>) => work();
  const common = { fs, archiveIndex, token: "token", nowMs: () => Date.parse(NOON), lock };
  return { ...common, audit: () => undefined, restart: async () => undefined };
}

/** As a supervisor that has just begun would do it. */
async function carryOut(command: NoteCommand, fs: FileSystem): Promise<void> {
  const archiveIndex = new ArchiveIndex(fs, () => undefined);
  await archiveIndex.load();
  await execute(actionOf(command), contextOf(archiveIndex, fs));
}

const commands: [string, NoteCommand, string, string][] = [
  [
    "memory",
    { kind: "memory-add", id: "memory-1", at: NOON, content: "tea", longTerm: true, mac: "seal" },
    "- mine\n- tea <!-- memory-1 -->\n",
    "added to memory.md",
  ],
  [
    "memory, an entry of which reads otherwise",
    { kind: "memory-edit", id: "entry-1", at: NOON, document: "memory.md", entry: "mine", to: "yours", mac: "seal" },
    "- yours <!-- entry-1 -->\n",
    "changed in memory.md",
  ],
  [
    "memory, an entry of which is to go",
    { kind: "memory-edit", id: "entry-1", at: NOON, document: "memory.md", entry: "mine", mac: "seal" },
    "\n<!-- entry-1 -->\n",
    "forgotten in memory.md",
  ],
  [
    "memory without that entry",
    { kind: "memory-edit", id: "entry-1", at: NOON, document: "memory.md", entry: "theirs", mac: "seal" },
    "- mine\n",
    "refused: it has been changed in memory.md since",
  ],
  [
    "the backlog",
    { kind: "backlog-edit", id: "backlog-1", at: NOON, op: "done", item: "1", mac: "seal" },
    "- [x] mine\n<!-- backlog-1 -->\n",
    "done",
  ],
  [
    "a backlog without that item",
    { kind: "backlog-edit", id: "backlog-1", at: NOON, op: "remove", item: "yours", mac: "seal" },
    "- [ ] mine\n",
    "refused: no such item: yours (there is 1. mine)",
  ],
];

test.each(commands)("in %s", async (_, command, text, outcome) => {
  const { home, fs } = temporaryState();
  for (let k = 0; ; k++) {
    await fs.unlink(archivePath(command.id));
    writeFileSync(join(home, "memory.md"), "- mine\n");
    writeFileSync(join(home, "backlog.md"), "- [ ] mine\n");
    await createRecord(fs, InboxCommand, inboxPath(command.id), command);
    const isCut = await wasCut(carryOut(command, cutAt(fs, k)));
    // Until it is answered, the command stays.
    const isAnswered = (await readRecord(fs, Archived, archivePath(command.id))) !== null;
    if (!isAnswered) expect(await fs.list(INBOX)).toEqual([`${command.id}.json`]);
    await carryOut(command, fs);
    const path = command.kind === "backlog-edit" ? "backlog.md" : "memory.md";
    expect(readFileSync(join(home, path), "utf8")).toBe(text);
    expect(await readRecord(fs, Archived, archivePath(command.id))).toMatchObject({ outcome });
    expect(await fs.list(INBOX)).toEqual([]);
    if (!isCut) break;
  }
});

test("a document that is no text in UTF-8 is kept as it is, and one that is being saved is waited for", async () => {
  const { home, fs } = temporaryState();
  const path = join(home, "memory.md");
  const command = commands[0]?.[1] as NoteCommand;
  // 中文, as an editor on Windows may save it.
  const theirs = Buffer.from([0x2d, 0x20, 0xd6, 0xd0, 0xce, 0xc4, 0x0a]);
  await createRecord(fs, InboxCommand, inboxPath(command.id), command);
  writeFileSync(path, theirs);
  utimesSync(path, NOON_MS / 1_000, NOON_MS / 1_000);
  await expect(carryOut(command, fs)).rejects.toThrow(DocumentBusy);
  expect(readFileSync(path)).toEqual(theirs);
  utimesSync(path, NOON_MS / 1_000 - 2, NOON_MS / 1_000 - 2);
  await carryOut(command, fs);
  expect(readFileSync(path, "utf8")).toBe("- tea <!-- memory-1 -->\n");
  const [aside = "", ...others] = readdirSync(join(home, "quarantine"));
  expect(others).toEqual([]);
  expect(readFileSync(join(home, "quarantine", aside))).toEqual(theirs);
});

test("an item that is ticked off while somebody saves another above it is ticked off after a kill, too, and not the other", async () => {
  const { home, fs } = temporaryState();
  const path = join(home, "backlog.md");
  const command: NoteCommand = { kind: "backlog-edit", id: "backlog-1", at: NOON, op: "done", item: "1", mac: "seal" };
  writeFileSync(path, "- [ ] mine\n");
  await createRecord(fs, InboxCommand, inboxPath(command.id), command);
  const killed = new Error("killed");
  const savedOver: FileSystem = {
    ...fs,
    link(from, to) {
      if (from === "backlog.md") writeFileSync(path, "- [ ] theirs\n- [ ] mine\n");
      return fs.link(from, to);
    },
    async rename(from, to) {
      await fs.rename(from, to);
      throw killed;
    },
  };
  await expect(carryOut(command, savedOver)).rejects.toBe(killed);
  await expect(carryOut(command, fs)).rejects.toThrow(DocumentBusy);
  await carryOut(command, fs);
  expect(readFileSync(path, "utf8")).toBe("- [ ] theirs\n- [x] mine\n<!-- backlog-1 -->\n");
  expect(await readRecord(fs, Archived, archivePath(command.id))).toMatchObject({ outcome: "done" });
});

test("an item beside a line that no record has room for is taken out all the same", async () => {
  const { home, fs } = temporaryState();
  const path = join(home, "backlog.md");
  const command: NoteCommand = {
    kind: "backlog-edit",
    id: "backlog-1",
    at: NOON,
    op: "remove",
    item: "mine",
    mac: "seal",
  };
  const picture = `![](data:image/png;base64,${"A".repeat(RECORD_BYTES_MAX)})\n`;
  writeFileSync(path, `- [ ] mine\n${picture}`);
  await createRecord(fs, InboxCommand, inboxPath(command.id), command);
  await carryOut(command, fs);
  expect(readFileSync(path, "utf8") === `${picture}<!-- backlog-1 -->\n`).toBe(true);
  expect(await readRecord(fs, Archived, archivePath(command.id))).toMatchObject({ outcome: "removed" });
  expect(await fs.list(CHANGES)).toEqual([]);
});

test("what was noted for the day is not noted again by whoever comes late, when the note has become a summary", async () => {
  const { home, fs } = temporaryState();
  const note = join(home, "memory/2026-11-22.md");
  const command: NoteCommand = {
    kind: "memory-add",
    id: "memory-1",
    at: NOON,
    content: "tea",
    longTerm: false,
    mac: "seal",
  };
  await createRecord(fs, InboxCommand, inboxPath(command.id), command);
  const late = contextOf(new ArchiveIndex(fs, () => undefined), fs);
  await carryOut(command, fs);
  expect(readFileSync(note, "utf8")).toBe("- tea <!-- memory-1 -->\n");
  rmSync(note);
  await execute(actionOf(command), late);
  expect(existsSync(note)).toBe(false);
});
