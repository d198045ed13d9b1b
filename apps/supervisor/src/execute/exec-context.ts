/** The execution context of every action: the disk, the archive index, and the few steps that all of them are made of. */
import { BadJson, parseJson } from "@mimikit/protocol/base/json";
import type { AuditEvent } from "@mimikit/protocol/records/audit";
import { type Event, Message } from "@mimikit/protocol/records/inbox";
import { createSigned } from "@mimikit/store/disk/create-command";
import { directoryOf, type FileSystem } from "@mimikit/store/disk/file-system";
import { createRecord, makeDurable } from "@mimikit/store/disk/record";
import { archivePath, inboxPath } from "@mimikit/store/disk/state";
import type { DocumentLock } from "@mimikit/store/documents/document";
import type { ArchiveIndex } from "@mimikit/store/state-cache/archive-index";

export interface ExecContext {
  fs: FileSystem;
  archiveIndex: ArchiveIndex;
  token: string;
  nowMs(): number;
  lock: DocumentLock;
  audit(event: AuditEvent): void;
  /** Ends all processes, so that PM2 starts them again. */
  restart(): Promise<void>;
}

/**
 * Archives a record of this process's own, unless it is archived. One that was compacted while this process stood still just before its
 * creation counts, and the new one goes.
 * @returns false when it was there before.
 */
export async function archive<T extends { id: string }>(
  record: T,
  schema: Parameters<typeof createRecord<T>>[1],
  { fs, archiveIndex }: ExecContext,
): Promise<boolean> {
  if (await archiveIndex.confirm(record.id)) {
    // The next step relies on it, and its writer may not have got as far as the sync (docs/file-protocol.md R4).
    await archiveIndex.makeDurable();
    return false;
  }
  const path = archivePath(record.id);
  const created = await createRecord(fs, schema, path, record);
  await archiveIndex.reload();
  const isCompacted = archiveIndex.isCompacted(record.id);
  if (created && isCompacted) await fs.unlink(path);
  archiveIndex.add(record.id);
  return created && !isCompacted;
}

/** A source goes only after what became of it is durable (docs/file-protocol.md R3). */
export async function drop(path: string, { fs, archiveIndex }: ExecContext): Promise<void> {
  await archiveIndex.makeDurable();
  await fs.unlink(path);
}

/** Gives a durable record its name in the archive; the caller syncs. Returns false when there is no such record. */
export async function moveToArchive(path: string, id: string, { fs }: ExecContext): Promise<boolean> {
  return (await fs.link(path, archivePath(id))) !== "missing" || (await fs.exists(archivePath(id)));
}

/** A record of another process is relied upon only when it survives a power loss (docs/file-protocol.md R4). */
export async function isDurablyThere(path: string, fs: FileSystem): Promise<boolean> {
  try {
    const text = await fs.read(path);
    if (text === null) return false;
    parseJson(text);
  } catch (error) {
    // A power loss has torn it: it is made again.
    if (error instanceof BadJson) return false;
    throw error;
  }
  await makeDurable(fs, [path]);
  return true;
}

/** A system event for the Teller; one that was told before, or is waiting, stays as it is. */
export async function tellTeller(event: Event, { fs, archiveIndex, token, audit }: ExecContext): Promise<void> {
  if (await archiveIndex.confirm(event.id)) return;
  if (await createSigned(fs, token, event)) audit({ event: `event_${event.name}`, detail: { id: event.id } });
}

/** A message of our own making, durable when this returns; one that was there before, or was answered, stays as it is. */
export async function createMessage(message: Message, { fs, archiveIndex, audit }: ExecContext): Promise<void> {
  if (await archiveIndex.confirm(message.id)) return archiveIndex.makeDurable();
  if (await createRecord(fs, Message, inboxPath(message.id), message))
    audit({ event: "message_made", detail: { id: message.id } });
  else await fs.syncDir(directoryOf(inboxPath(message.id)));
}
