/** Taking a change back is cut off before each of its operations on the disk, and done again: it is done once (SPEC J3). */
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Archived } from "@mimikit/protocol/records/archive";
import { Change } from "@mimikit/protocol/records/change";
import { type UndoWish, Wish } from "@mimikit/protocol/records/inbox";
import { listChanges } from "@mimikit/runtime/config/list-changes";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { createRecord, readRecord } from "@mimikit/store/disk/record";
import { archivePath, CHANGES, changePath, INBOX, inboxPath } from "@mimikit/store/disk/state";
import { Ledger } from "@mimikit/store/mirror/ledger";
import { Mirror } from "@mimikit/store/mirror/mirror";
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
  const mirror = new Mirror(fs, { token: "token", durable: true, onBadArchive: () => undefined });
  await mirror.ledger.load();
  await mirror.refresh(NOON_MS, true);
  const wishes: Wish[] = [];
  for (const name of await fs.list(INBOX)) {
    const wish = await readRecord(fs, Wish, `${INBOX}/${name}`);
    if (wish !== null) wishes.push(wish);
  }
  const archive = [...mirror.ledger.names()];
  const facts = snapshot({ inbox: wishes, archive, changes: [...mirror.changes.values()] });
  const hands = { fs, ledger: mirror.ledger, token: "token", nowMs: () => NOON_MS, lock, audit: () => undefined };
  for (const action of [...noteDown(facts), ...undo(facts, NOON_MS)])
    await execute(action, { ...hands, restart: async () => undefined });
}

async function stateOf(fs: FileSystem, id: string) {
  const mirror = new Mirror(fs, { token: "token", durable: false, onBadArchive: () => undefined });
  await mirror.refresh(NOON_MS, true);
  return (await listChanges({ fs, mirror }, NOON_MS, 10)).find((change) => change.id === id);
}

/** Goes back on what was done, as far as tests of the next cut need it. */
async function forget(fs: FileSystem, ids: readonly string[]): Promise<void> {
  for (const id of ids) await fs.unlink(archivePath(id));
  for (const name of await fs.list(INBOX)) await fs.unlink(`${INBOX}/${name}`);
}

const undoWish = (changeId: string): UndoWish => ({ kind: "undo", id: "undo-1", at: NOON, changeId, mac: "seal" });

const wishes: [string, Wish & { id: string }, string, string][] = [
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
  test.each(wishes)("%s", async (_, wish, path, text) => {
    const { home, fs } = temporaryState();
    writeFileSync(join(home, path), path === "memory.md" ? "- mine\n" : "- [ ] mine\n");
    await createRecord(fs, Wish, inboxPath(wish.id), wish);
    await carryOut(fs);
    const changed = readFileSync(join(home, path), "utf8");
    for (let k = 0; ; k++) {
      await forget(fs, ["undo-1", `${wish.id}.undone`]);
      writeFileSync(join(home, path), changed);
      expect(await stateOf(fs, wish.id)).toMatchObject({ state: "open", by: "user" });
      await createRecord(fs, Wish, inboxPath("undo-1"), undoWish(wish.id));
      const isCut = await wasCut(carryOut(cutAt(fs, k)));
      if ((await readRecord(fs, Archived, archivePath("undo-1"))) === null)
        expect(await fs.list(INBOX)).toEqual(["undo-1.json"]);
      await carryOut(fs);
      expect(readFileSync(join(home, path), "utf8")).toBe(text);
      expect(await readRecord(fs, Archived, archivePath("undo-1"))).toMatchObject({ outcome: `undone in ${path}` });
      expect(await stateOf(fs, wish.id)).toMatchObject({ state: "undone" });
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
      await createRecord(fs, Wish, inboxPath("undo-1"), undoWish(id));
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

test.each(wishes)(
  "a change %s that somebody else makes and takes back meanwhile is not made again",
  async (...each) => {
    const [, wish, path, text] = each;
    const { home, fs } = temporaryState();
    for (let k = 0, isReached = true; isReached; k++) {
      writeFileSync(join(home, path), path === "memory.md" ? "- mine\n" : "- [ ] mine\n");
      await forget(fs, [wish.id, "undo-1", `${wish.id}.undone`]);
      await fs.unlink(changePath(wish.id));
      await createRecord(fs, Wish, inboxPath(wish.id), wish);
      isReached = false;
      const paused = pausedAt(fs, k, async () => {
        isReached = true;
        await carryOut(fs);
        await createRecord(fs, Wish, inboxPath("undo-1"), undoWish(wish.id));
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
  expect(await readRecord(fs, Change, `${CHANGES}/${name}`)).toMatchObject({ before: "", title: "port, tickMs" });
});

test("what was changed once more stays, and the answer says what to do", async () => {
  const { home, fs } = temporaryState();
  const add: Wish = { kind: "memory-add", id: "memory-1", at: NOON, content: "tea", longTerm: true, mac: "seal" };
  await createRecord(fs, Wish, inboxPath("memory-1"), add);
  await carryOut(fs);
  writeFileSync(join(home, "memory.md"), "- green tea <!-- memory-1 -->\n");
  await createRecord(fs, Wish, inboxPath("undo-1"), undoWish("memory-1"));
  await carryOut(fs);
  const problem = "line 1 of memory.md was edited since, so it was kept: remove it there";
  expect(await readRecord(fs, Archived, archivePath("undo-1"))).toMatchObject({ outcome: `refused: ${problem}` });
  expect(readFileSync(join(home, "memory.md"), "utf8")).toBe("- green tea <!-- memory-1 -->\n");
  expect(await stateOf(fs, "memory-1")).toMatchObject({ state: "gone", problem });
  const ledger = new Ledger(fs, () => undefined);
  expect(await ledger.confirm("memory-1.undone")).toBe(false);
});

test("the line that was decided to be ticked off is ticked off, whatever its number is after a crash", async () => {
  const { home, fs } = temporaryState();
  const path = join(home, "backlog.md");
  const done: Wish = { kind: "backlog-edit", id: "backlog-1", at: NOON, op: "done", item: "1", mac: "seal" };
  writeFileSync(path, "- [ ] mine\n");
  await createRecord(fs, Wish, inboxPath("backlog-1"), done);
  for (let k = 0; (await fs.list(CHANGES)).length === 0; k++) expect(await wasCut(carryOut(cutAt(fs, k)))).toBe(true);
  expect(readFileSync(path, "utf8")).toBe("- [ ] mine\n");
  writeFileSync(path, "- [ ] another\n- [ ] mine\n");
  await carryOut(fs);
  expect(readFileSync(path, "utf8")).toBe("- [ ] another\n- [x] mine\n<!-- backlog-1 -->\n");
  expect(await stateOf(fs, "backlog-1")).toMatchObject({ state: "open", op: "done", title: "mine" });
});
