/**
 * Which thread of an agent CLI a task has, and what that thread has cost so far, so that a later attempt goes on with it
 * and counts only what it adds itself.
 */
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { BadJson, parseRecord } from "@mimikit/protocol/base/json";
import { Usage } from "@mimikit/protocol/base/usage";
import { replaceFile } from "@mimikit/runtime/home/replace-file";
import { hasCode } from "@mimikit/store/disk/error-code";
import { SESSIONS } from "@mimikit/store/disk/state";
import { z } from "zod";

const ThreadRecord = z.strictObject({
  threadId: z.string().min(1).max(200),
  /** The cost of all its turns together. */
  usage: Usage,
});
export type ThreadRecord = z.infer<typeof ThreadRecord>;

/** Where the record of one task and one CLI is. */
export interface ThreadPlace {
  home: string;
  taskId: string;
  cli: string;
}

const pathOf = ({ home, taskId, cli }: ThreadPlace) => join(home, SESSIONS, `${taskId}.${cli}.json`);

/** The record; null where there is none, or none that can be read: a thread is a help, and never needed. */
export async function readThread(place: ThreadPlace): Promise<ThreadRecord | null> {
  try {
    return parseRecord(ThreadRecord, await readFile(pathOf(place), "utf8"));
  } catch (error) {
    if (error instanceof BadJson || hasCode(error, "ENOENT")) return null;
    throw error;
  }
}

/** Throws what the disk throws. */
export function writeThread(place: ThreadPlace, record: ThreadRecord): void {
  replaceFile(pathOf(place), JSON.stringify(record));
}

export async function removeThread(place: ThreadPlace): Promise<void> {
  await rm(pathOf(place), { force: true });
}
