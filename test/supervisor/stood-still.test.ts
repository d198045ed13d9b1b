/** A supervisor that stands still just before it creates a record, while another one goes on, does nothing a second time. */
import { undoneId } from "@mimikit/protocol/base/id";
import { CommandOutcome, Undone } from "@mimikit/protocol/records/archive";
import { Result } from "@mimikit/protocol/records/result";
import { TriggerRecord } from "@mimikit/protocol/records/trigger";
import { createRecord, replaceView } from "@mimikit/store/disk/record";
import { archivePath, queueOf, TRIGGERS, triggerPath } from "@mimikit/store/disk/state";
import type { DocumentLock } from "@mimikit/store/documents/document";
import { ArchiveIndex } from "@mimikit/store/state-cache/archive-index";
import { expect, test } from "vitest";
import { archive } from "../../apps/supervisor/src/execute/exec-context.ts";
import { sha256 } from "../../apps/supervisor/src/execute/notes.ts";
import { queueTask, wake } from "../../apps/supervisor/src/execute/tasks.ts";
import { advance, createTrigger } from "../../apps/supervisor/src/execute/triggers.ts";
import { undo } from "../../apps/supervisor/src/execute/undo.ts";
import { compactArchive } from "../../apps/supervisor/src/upkeep/compact-archive.ts";
import { done, NOON, NOON_MS, recurring, task, turn } from "../core/facts.ts";
import { temporaryState } from "../store/home.ts";
import { contextOf } from "./context.ts";
import { interruptedDisk } from "./interrupted-disk.ts";

const MONTHS_MS = 90 * 86_400_000;

async function standingStill() {
  const { fs: disk } = temporaryState();
  const { fs, once } = interruptedDisk(disk);
  const events: string[] = [];
  const context = await contextOf(fs, ({ event }) => void events.push(event));
  return { disk, once, events, context };
}

const BEGINNERS = [
  ["turn", turn("t-000001", {}), wake],
  ["task", task("t-000001.0.0"), queueTask],
] as const;

test.each(BEGINNERS)(
  "a %s that has run meanwhile is known to have ended: nothing waits for it",
  async (_what, of, begin) => {
    const { disk, once, events, context } = await standingStill();
    const path = `${queueOf(of.role)}/${of.id}.json`;
    once(
      (call) => call.startsWith("link ") && call.endsWith(path),
      () => createRecord(disk, Result, archivePath(of.id), done(of)),
    );
    await begin(of, context);
    expect(await disk.exists(path)).toBe(true);
    // So the record is removed by the next tick (docs/file-protocol.md R3).
    expect(context.archiveIndex.has(of.id)).toBe(true);
    expect(events).toEqual([]);
  },
);

test.each([
  ["a first version", createTrigger, 1],
  ["a later one", advance, 2],
] as const)(
  "%s of a trigger that was made, followed and removed meanwhile is not made again",
  async (_what, create, version) => {
    const { disk, once, events, context } = await standingStill();
    const followed = recurring("trg-0001", { version: version + 1 });
    once(
      (call) => call.startsWith("link ") && call.endsWith(triggerPath("trg-0001", version)),
      () => createRecord(disk, TriggerRecord, triggerPath("trg-0001", version + 1), followed),
    );
    await create(recurring("trg-0001", { version }), context);
    expect(await disk.list(TRIGGERS)).toEqual([`trg-0001.v${version + 1}.json`]);
    expect(events).toEqual([]);
  },
);

test("settings that were taken back meanwhile, and set again by hand, stay as they are", async () => {
  const { disk, context } = await standingStill();
  const [before, after] = ["tickMs: 100\n", "tickMs: 200\n"];
  const change = {
    ...{ kind: "change" as const, id: "config-1", at: NOON, by: "user" as const, title: "tickMs" },
    ...{ what: "config" as const, op: "edit" as const, before, after: sha256(after) },
  };
  const command = { kind: "undo", id: "undo-1", at: NOON, changeId: change.id, mac: "mac" } as const;
  const undone = {
    kind: "undone" as const,
    id: undoneId(change.id),
    at: NOON,
    changeId: change.id,
    wishId: command.id,
  };
  await replaceView(disk, "config.yaml", after);
  const lock: DocumentLock = async (_path, work) => {
    await createRecord(disk, Undone, archivePath(undone.id), { ...undone, outcome: "undone in config.yaml" });
    return work();
  };
  await undo({ type: "undo", command, change }, { ...context, lock });
  expect(await disk.read("config.yaml")).toBe(after);
});

test("the outcome of a command that was archived and compacted meanwhile is the one that counts", async () => {
  const { disk, once, context } = await standingStill();
  const wish = { kind: "stop", id: "x-1", at: NOON, mac: "mac" } as const;
  const record = { kind: "wish" as const, id: "x-1", at: NOON, wish, outcome: "stopped" };
  once(
    (call) => call.startsWith("link ") && call.endsWith(archivePath("x-1")),
    async () => {
      await createRecord(disk, CommandOutcome, archivePath("x-1"), record);
      const other = new ArchiveIndex(disk, () => undefined);
      await other.load();
      expect(await compactArchive(disk, other, NOON_MS + MONTHS_MS, 1)).toBe(1);
    },
  );
  expect(await archive({ ...record, outcome: "stopped again" }, CommandOutcome, context)).toBe(false);
  expect(await disk.exists(archivePath("x-1"))).toBe(false);
  expect(await context.archiveIndex.read("x-1")).toMatchObject({ outcome: "stopped" });
});
