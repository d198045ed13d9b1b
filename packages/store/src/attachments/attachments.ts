/**
 * Files that users give along with words, each stored once under the SHA-256 of its bytes (SPEC I8). The bytes come
 * first, then the record beside them that says what they are: where there is no record, there is no attachment.
 */

import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { basename, join } from "node:path";
import {
  ATTACHMENT_BYTES_MAX,
  type AttachedFile,
  Attachment,
  AttachmentId,
  type AttachmentOrder,
} from "@mimikit/protocol/base/attachment";
import { BadJson } from "@mimikit/protocol/base/json";
import { sentence } from "@mimikit/protocol/texts/coded";
import { directoryOf, type FileSystem } from "../disk/file-system.ts";
import { readRecord, replaceView } from "../disk/record.ts";
import { ATTACHMENTS, attachmentPath, goingAttachmentPath, isLongText, recordIn } from "../disk/state.ts";

/** All of them together. */
export const STORED_BYTES_MAX = 4 * 1_073_741_824;
/** How long a stored file waits for a message that names it. */
export const UNNAMED_MS_MAX = 86_400_000;
/** How long the sum of the sizes counts: what other processes store meanwhile is not in it. */
const MEASURED_MS_MAX = 600_000;
const MEBIBYTE = 1_048_576;

/** The file is not taken, and nothing of it is kept; the message is for its sender. */
export class AttachmentRefused extends Error {
  readonly reason: "empty" | "too_large" | "full";

  constructor(reason: AttachmentRefused["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** It was old and is being removed in this moment: nothing was promised. */
export class AttachmentGoing extends Error {}

/** There is no attachment of this id. */
export class UnknownAttachment extends Error {}

/** The refusal of a file that is longer than ATTACHMENT_BYTES_MAX, in words that say the limit. */
export function tooLarge(): AttachmentRefused {
  return new AttachmentRefused("too_large", sentence("file_too_large", { max: ATTACHMENT_BYTES_MAX / MEBIBYTE }));
}

/**
 * Stores a file; it is durable when this resolves. The same bytes are the same attachment, and count as new again.
 * @param bytesMax of all stored files together.
 * @throws AttachmentRefused, and what the disk throws.
 */
export async function storeAttachment(
  home: string,
  fs: FileSystem,
  chunks: AsyncIterable<Uint8Array>,
  bytesMax = STORED_BYTES_MAX,
): Promise<Attachment> {
  const temporary = fs.temporary();
  await fs.makeDir(directoryOf(temporary));
  try {
    const attachment = await receive(join(home, temporary), chunks);
    const path = attachmentPath(attachment.id);
    const isNew = !(await fs.exists(path));
    if (isNew && (await isTooMuch(home, fs, attachment.bytes, bytesMax))) {
      const limit = Math.floor(bytesMax / MEBIBYTE);
      throw new AttachmentRefused("full", sentence("files_too_many", { max: limit }));
    }
    await nameAttachment(fs, temporary, attachment);
    const sum = sums.get(home);
    if (isNew && sum !== undefined) sum.bytes += attachment.bytes + recordOf(attachment).length;
    return attachment;
  } finally {
    await fs.unlink(temporary);
  }
}

/** Makes an attachment of the synced file `temporary`; it is durable when this resolves. Throws what the disk throws. */
export async function nameAttachment(fs: FileSystem, temporary: string, attachment: Attachment): Promise<void> {
  const path = attachmentPath(attachment.id);
  if ((await fs.link(temporary, path)) === "missing") throw new Error(`${ATTACHMENTS} or a file for it is gone`);
  await fs.syncDir(ATTACHMENTS);
  await describe(fs, attachment);
  if (await isGoing(fs, attachment.id)) throw new AttachmentGoing(`${path} is just being removed: send it again`);
}

/** The attachment of this id; null where there is none, and where its record is damaged or has lost its bytes. */
export async function findAttachment(fs: FileSystem, id: string): Promise<Attachment | null> {
  try {
    return (await fs.exists(attachmentPath(id))) ? await readRecord(fs, Attachment, recordIn(ATTACHMENTS, id)) : null;
  } catch (error) {
    if (error instanceof BadJson) return null;
    throw error;
  }
}

/** The attached files of a message, as its record names them. @throws UnknownAttachment. */
export async function findAttachments(fs: FileSystem, orders: readonly AttachmentOrder[]): Promise<AttachedFile[]> {
  const files: AttachedFile[] = [];
  for (const { id, name } of orders) {
    const found = await findAttachment(fs, id);
    if (found === null) throw new UnknownAttachment(sentence("attachment_not_uploaded", { id }));
    if (files.every((file) => file.id !== id)) files.push({ ...found, ...(name !== undefined && { name }) });
  }
  return files;
}

/**
 * The same for a message that is about to be made durable: until it is, what it names stays.
 * @throws UnknownAttachment.
 */
export async function keepAttachments(fs: FileSystem, orders: readonly AttachmentOrder[]): Promise<AttachedFile[]> {
  const files = await findAttachments(fs, orders);
  for (const { id, type, bytes } of files) {
    await describe(fs, { id, type, bytes });
    if (await isGoing(fs, id)) throw new UnknownAttachment(sentence("attachment_not_uploaded", { id }));
  }
  return files;
}

/**
 * Are the files of a message there that is durable now? Asked before it is acknowledged: a sweep that began in between does not know of
 * it. Where this throws, the files are to be uploaded again; the message is there, and may be sent again.
 * @throws UnknownAttachment.
 */
export async function assertKept(fs: FileSystem, orders: readonly Pick<AttachmentOrder, "id">[]): Promise<void> {
  for (const { id } of orders)
    if (await isGoing(fs, id)) throw new UnknownAttachment(sentence("attachment_not_uploaded", { id }));
}

/** Is it being removed, or was it just now? Asked behind `describe`: a sweep that is not seen here, in this order, sees that. */
async function isGoing(fs: FileSystem, id: string): Promise<boolean> {
  return (await fs.exists(goingAttachmentPath(id))) || !(await fs.exists(attachmentPath(id)));
}

/**
 * Removes files that were not named for UNNAMED_MS_MAX, one process at a time. The record goes first: what is half
 * removed is not there. The files of long messages go when no run has wanted them for as long: they are made again
 * wherever they are missing.
 * @param named tells the ids that a message names. It is asked only where something is old enough to go: to know, it
 * reads all that was ever said. It is asked again when what goes is marked: a message that is not known by then is not acknowledged.
 * @returns how many attachments were removed. Throws what the disk and `named` throw.
 */
export async function sweepAttachments(
  fs: FileSystem,
  named: () => Promise<ReadonlySet<string>>,
  nowMs: number,
): Promise<number> {
  const names = await fs.list(ATTACHMENTS);
  const isOld = (timeMs: number) => timeMs <= nowMs - UNNAMED_MS_MAX;
  for (const path of names.map((name) => `${ATTACHMENTS}/${name}`))
    if (isLongText(path) && isOld((await fs.info(path))?.mtimeMs ?? 0)) await fs.unlink(path);
  const due = new Map<string, string>();
  for (const id of new Set(names.map((name) => basename(name, ".json")))) {
    if (!AttachmentId.safeParse(id).success) continue;
    const { lastMs, stamp } = await look(fs, id);
    if (isOld(lastMs)) due.set(id, stamp);
  }
  // Left behind by a sweep that was killed.
  for (const name of names) if (name.endsWith(".going")) await fs.unlink(`${ATTACHMENTS}/${name}`);
  if (due.size === 0) return 0;
  const kept = await named();
  for (const id of kept) due.delete(id);
  const pathsOf = (id: string) => [recordIn(ATTACHMENTS, id), attachmentPath(id)];
  // Where only one of them is left, that one. A request from here on finds that it goes.
  for (const id of due.keys()) for (const path of pathsOf(id)) await fs.link(path, goingAttachmentPath(id));
  let removed = 0;
  // It may have been wanted again meanwhile; a clock that is wrong, and a process that is held up, make any file look old.
  const keptNow = due.size === 0 ? kept : await named();
  for (const [id, stamp] of due) {
    const isWanted = keptNow.has(id) || (await look(fs, id)).stamp !== stamp;
    for (const path of isWanted ? [] : pathsOf(id)) await fs.unlink(path);
    await fs.unlink(goingAttachmentPath(id));
    if (!isWanted) removed++;
  }
  return removed;
}

/** When an attachment was wanted last, and how its two files look: a new use writes its record again. */
async function look(fs: FileSystem, id: string): Promise<{ lastMs: number; stamp: string }> {
  const [record, bytes] = [await fs.info(recordIn(ATTACHMENTS, id)), await fs.info(attachmentPath(id))];
  const lastMs = Math.max(record?.mtimeMs ?? 0, bytes?.mtimeMs ?? 0);
  return { lastMs, stamp: `${record?.inode} ${record?.mtimeMs} ${bytes?.inode}` };
}

/** The type follows from the bytes, so this may be written again at any time; its time says when it was last wanted. */
async function describe(fs: FileSystem, attachment: Attachment): Promise<void> {
  await replaceView(fs, recordIn(ATTACHMENTS, attachment.id), recordOf(attachment));
}

const recordOf = (attachment: Attachment) => `${JSON.stringify(attachment)}\n`;

/** Writes and syncs the bytes as they come, and says what they are. */
async function receive(path: string, chunks: AsyncIterable<Uint8Array>): Promise<Attachment> {
  // With its encodings, it is loaded where a file comes.
  const { TypeSniffer } = await import("./sniff-type.ts");
  const file = await open(path, "wx", 0o600);
  const hash = createHash("sha256");
  const sniffer = new TypeSniffer();
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > ATTACHMENT_BYTES_MAX) throw tooLarge();
      hash.update(chunk);
      sniffer.add(chunk);
      await file.writeFile(chunk);
    }
    if (bytes === 0) throw new AttachmentRefused("empty", sentence("file_empty"));
    await file.sync();
    return { id: hash.digest("hex"), type: sniffer.type, bytes };
  } finally {
    await file.close();
  }
}

interface Sum {
  /** On the clock that never jumps. */
  measuredMs: number;
  bytes: number;
  sizes: ReadonlyMap<string, number>;
}

/** The sum of the stored files, by the state directory. */
const sums = new Map<string, Sum>();

/** Would the stored files with `bytes` more be over `bytesMax`? Only a yes, and an old sum, need a new one. */
async function isTooMuch(home: string, fs: FileSystem, bytes: number, bytesMax: number): Promise<boolean> {
  const sum = sums.get(home);
  const isFresh = sum !== undefined && performance.now() - sum.measuredMs < MEASURED_MS_MAX;
  if (isFresh && sum.bytes + bytes <= bytesMax) return false;
  const { bytes: stored } = await measure(home, fs);
  return stored + bytes > bytesMax;
}

/** A stored file never changes: only new names are asked for their size. */
async function measure(home: string, fs: FileSystem): Promise<Sum> {
  const known = sums.get(home)?.sizes;
  const sizes = new Map<string, number>();
  for (const name of await fs.list(ATTACHMENTS))
    sizes.set(name, known?.get(name) ?? (await fs.info(`${ATTACHMENTS}/${name}`))?.size ?? 0);
  const sum = { measuredMs: performance.now(), bytes: [...sizes.values()].reduce((all, size) => all + size, 0), sizes };
  sums.set(home, sum);
  return sum;
}
