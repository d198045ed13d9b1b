/** The window of the conversation, as a process keeps it. */
import { Result } from "@mimikit/protocol/records/result";
import { createRecord, replaceView } from "@mimikit/store/disk/record";
import { archivePath, HISTORY_PATH } from "@mimikit/store/disk/state";
import { StateCache } from "@mimikit/store/state-cache/state-cache";
import { HistoryWindow, readHistory } from "@mimikit/store/views/history";
import { expect, test } from "vitest";
import { done, message, turn } from "../../core/facts.ts";
import { temporaryState } from "../home.ts";

/** A state in which turns are applied, a window of it, and what is read of the disk. */
function windowOfState() {
  const { fs: disk } = temporaryState();
  const reads: string[] = [];
  const fs: typeof disk = {
    ...disk,
    read: (path, bytesMax) => {
      reads.push(path);
      return disk.read(path, bytesMax);
    },
  };
  const { archiveIndex } = new StateCache(fs, { token: "token", durable: false, onBadArchive: () => undefined });
  const settle = async (number: number) => {
    const asked = turn(`t-00000${number}`, { messages: [message(`m-${number}`)] });
    await createRecord(disk, Result, archivePath(asked.id), done(asked));
    reads.length = 0;
    await archiveIndex.follow();
  };
  const write = async (view: object) => replaceView(disk, HISTORY_PATH, JSON.stringify(view));
  const window = new HistoryWindow(fs, archiveIndex);
  const readIds = async () => (await window.read()).messages.map(({ id }) => id);
  return { fs, archiveIndex, reads, settle, write, readIds };
}

test("what was said is read once, however often it is asked for, and each new turn once", async () => {
  const { archiveIndex, fs, reads, settle, write, readIds } = windowOfState();
  await settle(1);
  await write(await readHistory(fs, archiveIndex));
  await settle(2);
  expect(await readIds()).toEqual(["m-1", "m-2"]);
  expect(reads).toEqual([archivePath("t-000002"), HISTORY_PATH]);
  await Promise.all([readIds(), readIds()]);
  expect(reads).toHaveLength(2);
  await settle(3);
  expect(await readIds()).toEqual(["m-1", "m-2", "m-3"]);
  expect(reads).toEqual([archivePath("t-000003")]);
});

test("a view that was written anew, cut or removed counts from the next reading on", async () => {
  const { archiveIndex, fs, settle, write, readIds } = windowOfState();
  for (const number of [1, 2, 3]) await settle(number);
  const whole = await readHistory(fs, archiveIndex);
  expect(await readIds()).toEqual(["m-1", "m-2", "m-3"]);
  await write({ ...whole, messages: whole.messages.slice(-1), flushed: 1 });
  expect(await readIds()).toEqual(["m-3"]);
  await settle(4);
  expect(await readIds()).toEqual(["m-3", "m-4"]);
  await fs.unlink(HISTORY_PATH);
  expect(await readIds()).toEqual(["m-1", "m-2", "m-3", "m-4"]);
});
