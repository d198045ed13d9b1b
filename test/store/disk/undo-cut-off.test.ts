/** Taking a change back is cut off before each of its operations on the disk, and done again: it is done once (SPEC J3). */
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Archived } from "@mimikit/protocol/records/archive";
import { UndoableChange } from "@mimikit/protocol/records/change";
import { InboxCommand, type UndoCommand } from "@mimikit/protocol/records/inbox";
import { listChanges } from "@mimikit/runtime/config/list-changes";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { createRecord, readRecord } from "@mimikit/store/disk/record";
import { archivePath, CHANGES, changePath, INBOX, inboxPath } from "@mimikit/store/disk/state";
import { readIfDocument } from "@mimikit/store/documents/document";
import { ArchiveIndex } from "@mimikit/store/state-cache/archive-index";
import { StateCache } from "@mimikit/store/state-cache/state-cache";
import { describe, expect, test } from "vitest";
import { noticeConfig } from "../../../apps/supervisor/src/execute/config-changes.ts";
import { execute } from "../../../apps/supervisor/src/execute/execute.ts";
import { noteDown } from "../../../packages/core/src/rules/note-down.ts";
import { undo } from "../../../packages/core/src/rules/undo.ts";
import { NOON, NOON_MS, snapshot } from "../../core/facts.ts";
import { temporaryState } from "../home.ts";
import { cutAt, pausedAt, wasCut } from "../power-cut.ts";

const lock = <T>(_path: string, work: () => Promise<T>) => work();

/** As a supervisor that has just begun would do it: all that the commands of inbox/ want. */
async function carryOut(fs: FileSystem): Promise<void> {
  const cache = new StateCache(fs, { token: "token", durable: true, onBadArchive: () => undefined });
  await cache.archiveIndex.load();
  await cache.refresh(NOON_MS, true);
  const commands: InboxCommand[] = [];
  for (const name of await fs.list(INBOX)) {
    const command = await readRecord(fs, InboxCommand, `${INBOX}/${name}`);
    if (command !== null) commands.push(command);
  }
  const archive = [...cache.archiveIndex.names()];
  const facts = snapshot({ inbox: commands, archive, changes: [...cache.changes.values()] });
  const context = {
    fs,
    archiveIndex: cache.archiveIndex,
    token: "token",
    nowMs: () => NOON_MS,
    lock,
    audit: () => undefined,
  };
  for (const action of [...noteDown(facts), ...undo(facts, NOON_MS)])
    await execute(action, { ...context, restart: async () => undefined });
}

async function stateOf(fs: FileSystem, id: string) {
  const cache = new StateCache(fs, { token: "token", durable: false, onBadArchive: () => undefined });
  await cache.refresh(NOON_MS, true);
  return (await listChanges({ fs, cache }, NOON_MS, 10)).find((change) => change.id === id);
}

/** Goes back on what was done, as far as tests of the next cut need it. */
async function forget(fs: FileSystem, ids: readonly string[]): Promise<void> {
  for (const id of ids) await fs.unlink(archivePath(id));
  for (const name of await fs.list(INBOX)) await fs.unlink(`${INBOX}/${name}`);
}

const undoCommand = (changeId: string): UndoCommand => ({
  kind: "undo",
  id: "undo-1",
  at: NOON,
  changeId,
  mac: "seal",
});

const commands: [string, InboxCommand & { id: string }, string, string][] = [
  [
    "of memory",
    { kind: "memory-add", id: "memory-1", at: NOON, content: "tea", longTerm: true, mac: "seal" },
    "memory.md",
    "- mine\n<!-- memory-1 --> <!-- memory-1.undo -->\n",
  ],
  [
    "of what reads otherwise in memory",
    { kind: "memory-edit", id: "entry-1", at: NOON, document: "memory.md", entry: "mine", to: "yours", mac: "seal" },
    "memory.md",
    "- mine\n<!-- entry-1 --> <!-- entry-1.undo -->\n",
  ],
  [
    "of what was forgotten",
    { kind: "memory-edit", id: "entry-1", at: NOON, document: "memory.md", entry: "mine", mac: "seal" },
    "memory.md",
    "- mine\n\n<!-- entry-1 -->\n<!-- entry-1.undo -->\n",
  ],
  [
    "of what was forgotten of the conversation",
    {
      kind: "memory-add",
      id: "memory-1",
      at: NOON,
      content: "Anna eats no fish",
      longTerm: true,
      target: "forgotten",
      mac: "seal",
    },
    "forgotten.md",
    "- [ ] mine\n<!-- memory-1 --> <!-- memory-1.undo -->\n",
  ],
  [
    "of what was ticked off",
    { kind: "backlog-edit", id: "backlog-1", at: NOON, op: "done", item: "1", mac: "seal" },
    "backlog.md",
    "- [ ] mine\n<!-- backlog-1 -->\n<!-- backlog-1.undo -->\n",
  ],
  [
    "of what was removed",
    { kind: "backlog-edit", id: "backlog-1", at: NOON, op: "remove", item: "mine", mac: "seal" },
    "backlog.md",
    "- [ ] mine\n\n<!-- backlog-1 -->\n<!-- backlog-1.undo -->\n",
  ],
];

describe("the undoing", () => {
  test.each(commands)("%s", async (_, command, path, text) => {
    const { home, fs } = temporaryState();
    writeFileSync(join(home, path), path === "memory.md" ? "- mine\n" : "- [ ] mine\n");
    await createRecord(fs, InboxCommand, inboxPath(command.id), command);
    await carryOut(fs);
    const changed = readFileSync(join(home, path), "utf8");
    for (let k = 0; ; k++) {
      await forget(fs, ["undo-1", `${command.id}.undone`]);
      writeFileSync(join(home, path), changed);
      expect(await stateOf(fs, command.id)).toMatchObject({ state: "open", by: "user" });
      await createRecord(fs, InboxCommand, inboxPath("undo-1"), undoCommand(command.id));
      const isCut = await wasCut(carryOut(cutAt(fs, k)));
      if ((await readRecord(fs, Archived, archivePath("undo-1"))) === null)
        expect(await fs.list(INBOX)).toEqual(["undo-1.json"]);
      await carryOut(fs);
      expect(readFileSync(join(home, path), "utf8")).toBe(text);
      // The words that were forgotten with it are shown again, too.
      const forgotten = (await readIfDocument(fs, "forgotten.md")) ?? "";
      expect(forgotten).not.toMatch(/^- 2026/m);
      expect(await readRecord(fs, Archived, archivePath("undo-1"))).toMatchObject({ outcome: `undone in ${path}` });
      expect(await stateOf(fs, command.id)).toMatchObject({ state: "undone" });
      if (!isCut) break;
    }
  });

  test("of settings, which is no change of anybody's", async () => {
    const { home, fs } = temporaryState();
    const config = join(home, "config.yaml");
    const notice = (disk: FileSystem) => noticeConfig({ fs: disk, lock, nowMs: () => NOON_MS, audit: () => undefined });
    for (let k = 0; ; k++) {
      for (const name of await fs.list(CHANGES)) await fs.unlink(`${CHANGES}/${name}`);
      await forget(fs, ["undo-1"]);
      await fs.unlink("config.noticed.yaml");
      writeFileSync(config, "tickMs: 100\n");
      await notice(fs);
      writeFileSync(config, "tickMs: 200\n");
      await notice(fs);
      const [name = ""] = await fs.list(CHANGES);
      const id = name.replace(".json", "");
      expect(await stateOf(fs, id)).toMatchObject({ state: "open", what: "config", title: "tickMs" });
      expect(statSync(join(home, changePath(id))).mode & 0o777).toBe(0o600);
      await createRecord(fs, InboxCommand, inboxPath("undo-1"), undoCommand(id));
      const isCut = await wasCut(carryOut(cutAt(fs, k)));
      await notice(fs);
      await carryOut(fs);
      await notice(fs);
      expect(readFileSync(config, "utf8")).toBe("tickMs: 100\n");
      expect(await readRecord(fs, Archived, archivePath("undo-1"))).toMatchObject({ outcome: "undone in config.yaml" });
      expect(await fs.list(CHANGES)).toEqual([name]);
      await fs.unlink(archivePath(`${id}.undone`));
      if (!isCut) break;
    }
  });
});

test.each(commands)(
  "a change %s that somebody else makes and takes back meanwhile is not made again",
  async (...each) => {
    const [, command, path, text] = each;
    const { home, fs } = temporaryState();
    for (let k = 0, isReached = true; isReached; k++) {
      writeFileSync(join(home, path), path === "memory.md" ? "- mine\n" : "- [ ] mine\n");
      await forget(fs, [command.id, "undo-1", `${command.id}.undone`]);
      await fs.unlink(changePath(command.id));
      await createRecord(fs, InboxCommand, inboxPath(command.id), command);
      isReached = false;
      const paused = pausedAt(fs, k, async () => {
        isReached = true;
        await carryOut(fs);
        await createRecord(fs, InboxCommand, inboxPath("undo-1"), undoCommand(command.id));
        await carryOut(fs);
      });
      await carryOut(paused);
      if (isReached) expect(readFileSync(join(home, path), "utf8")).toBe(text);
    }
  },
);

test("a change of the settings that is cut off is recorded once, and a bad file is none", async () => {
  const { home, fs } = temporaryState();
  const config = join(home, "config.yaml");
  const notice = (disk: FileSystem) => noticeConfig({ fs: disk, lock, nowMs: () => NOON_MS, audit: () => undefined });
  await notice(fs);
  writeFileSync(config, "tickMs: many\n");
  await notice(fs);
  expect(await fs.list(CHANGES)).toEqual([]);
  writeFileSync(config, "tickMs: 100\nport: 8000 # here\n");
  for (let k = 0; await wasCut(notice(cutAt(fs, k))); k++);
  const [name = "", ...others] = await fs.list(CHANGES);
  expect(others).toEqual([]);
  expect(await readRecord(fs, UndoableChange, `${CHANGES}/${name}`)).toMatchObject({
    before: "",
    title: "port, tickMs",
  });
});

test("what was changed once more stays, and the answer says what to do", async () => {
  const { home, fs } = temporaryState();
  const add: InboxCommand = {
    kind: "memory-add",
    id: "memory-1",
    at: NOON,
    content: "tea",
    longTerm: true,
    mac: "seal",
  };
  await createRecord(fs, InboxCommand, inboxPath("memory-1"), add);
  await carryOut(fs);
  writeFileSync(join(home, "memory.md"), "- green tea <!-- memory-1 -->\n");
  await createRecord(fs, InboxCommand, inboxPath("undo-1"), undoCommand("memory-1"));
  await carryOut(fs);
  const problem = "line 1 of memory.md was edited since, so it was kept: remove it there";
  expect(await readRecord(fs, Archived, archivePath("undo-1"))).toMatchObject({ outcome: `refused: ${problem}` });
  expect(readFileSync(join(home, "memory.md"), "utf8")).toBe("- green tea <!-- memory-1 -->\n");
  expect(await stateOf(fs, "memory-1")).toMatchObject({ state: "gone", problem });
  const archiveIndex = new ArchiveIndex(fs, () => undefined);
  expect(await archiveIndex.confirm("memory-1.undone")).toBe(false);
});

test("the line that was decided to be ticked off is ticked off, whatever its number is after a crash", async () => {
  const { home, fs } = temporaryState();
  const path = join(home, "backlog.md");
  const done: InboxCommand = { kind: "backlog-edit", id: "backlog-1", at: NOON, op: "done", item: "1", mac: "seal" };
  writeFileSync(path, "- [ ] mine\n");
  await createRecord(fs, InboxCommand, inboxPath("backlog-1"), done);
  for (let k = 0; (await fs.list(CHANGES)).length === 0; k++) expect(await wasCut(carryOut(cutAt(fs, k)))).toBe(true);
  expect(readFileSync(path, "utf8")).toBe("- [ ] mine\n");
  writeFileSync(path, "- [ ] another\n- [ ] mine\n");
  await carryOut(fs);
  expect(readFileSync(path, "utf8")).toBe("- [ ] another\n- [x] mine\n<!-- backlog-1 -->\n");
  expect(await stateOf(fs, "backlog-1")).toMatchObject({ state: "open", op: "done", title: "mine" });
});
