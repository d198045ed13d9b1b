/**
 * The files that a run is about (SPEC I8): those that came with its messages or, where none came, with what the user said
 * a moment ago. A model that can see or hear is shown them; every other is told what there is, and a Worker where it is. Of
 * texts and documents each is told what they say (documents/document-text.ts).
 */

import { constants, copyFile, mkdir, writeFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { ATTACHMENT_EXTENSIONS, type AttachedFile, isOfAnyKind } from "@mimikit/protocol/base/attachment";
import type { HistoryMessage } from "@mimikit/protocol/records/history";
import type { Message } from "@mimikit/protocol/records/inbox";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import { findAttachment } from "@mimikit/store/attachments/attachments";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { attachmentPath } from "@mimikit/store/disk/state";

/** More files than this are not told of. */
export const EVIDENCE_MAX = 20;
/** "What is in it?" is asked this soon after the file was sent, in messages of the conversation. */
export const FOLLOW_UP_MESSAGES_MAX = 6;

const COPIES_DIR = "attachments";
const NAME_CHARS_MAX = 80;

export interface AttachmentEvidence {
  /** The message that it came with. */
  messageId: string;
  file: AttachedFile;
  /** Its place for the provider of this run; null if it is no longer there. */
  path: string | null;
  /** The name of it for a model that is shown it: `picture 1`. */
  shownAs?: string;
  /** Its text, as far as it has one that can be read. */
  text?: string;
  /** How a text that is not UTF-8 was read. */
  readAs?: string;
  /** Why it has none, where it is a text or a document. */
  unread?: string;
  /** A file with the text of a document, for providers that read files. */
  textPath?: string;
}

type Source = Pick<HistoryMessage, "id" | "attachments">;

/** The files of `messages` and of what they quote; where there are none, the newest of a moment ago. Throws what the disk throws. */
export async function gatherEvidence(
  messages: readonly Message[],
  history: readonly HistoryMessage[],
  { home, fs }: { home: string; fs: FileSystem },
): Promise<AttachmentEvidence[]> {
  // Work of a trigger has no fresh request, so it is about nothing that was said a moment ago.
  if (messages.length === 0) return [];
  const quoted = history.filter(({ id }) => messages.some(({ quote }) => quote === id));
  const own = filesOf([...messages, ...quoted]);
  const recent = history.slice(-FOLLOW_UP_MESSAGES_MAX).findLast(({ attachments }) => attachments !== undefined);
  const files = own.length > 0 || recent === undefined ? own : filesOf([recent]);
  return Promise.all(
    files.slice(0, EVIDENCE_MAX).map(async ({ messageId, file }) => {
      const found = await findAttachment(fs, file.id);
      if (found === null || !(await fs.exists(attachmentPath(file.id)))) return { messageId, file, path: null };
      // A message's description of it is not trusted; its record is ours.
      return { messageId, file: { ...file, ...found }, path: join(home, attachmentPath(file.id)) };
    }),
  );
}

function filesOf(sources: readonly Source[]): { messageId: string; file: AttachedFile }[] {
  const files = sources.flatMap(({ id, attachments = [] }) => attachments.map((file) => ({ messageId: id, file })));
  return files.filter(({ file }, i) => files.findIndex((each) => each.file.id === file.id) === i);
}

/**
 * Copies what there is into the folder of a run, which is all of the state directory that a Worker may read, under names
 * that say what it is. Throws what the disk throws.
 */
export async function copyEvidence(
  evidence: readonly AttachmentEvidence[],
  runDir: string,
): Promise<AttachmentEvidence[]> {
  const dir = join(runDir, COPIES_DIR);
  if (evidence.some(({ path }) => path !== null)) await mkdir(dir, { recursive: true, mode: 0o700 });
  return Promise.all(
    evidence.map(async (each, i) => {
      if (each.path === null) return each;
      const path = join(dir, `${i + 1}-${fileName(each.file)}`);
      await copyFile(each.path, path, constants.COPYFILE_FICLONE);
      if (each.text === undefined || (each.file.type === "text/plain" && each.readAs === undefined))
        return { ...each, path };
      const textPath = `${path}.txt`;
      await writeFile(textPath, each.text, { mode: 0o600 });
      return { ...each, path, textPath };
    }),
  );
}

/** The sender's own name as far as it is one, with the ending of what the file is: programs go by it. */
function fileName({ id, name = id.slice(0, 12), type }: AttachedFile): string {
  const ending = ATTACHMENT_EXTENSIONS[type];
  const given = extname(name);
  const stem = (given === "" ? name : name.slice(0, -given.length)).replace(/[^\p{L}\p{N}_-]+/gu, "-");
  const short = beginningOf(stem.replace(/^-+|(?<!-)-+$/g, ""), NAME_CHARS_MAX);
  return `${short === "" ? id.slice(0, 12) : short}.${isOfAnyKind(type) ? endingOf(given, ending) : ending}`;
}

function endingOf(given: string, otherwise: string): string {
  return /^\.[a-z0-9]{1,8}$/i.test(given) ? given.slice(1) : otherwise;
}
