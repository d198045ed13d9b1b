/**
 * Files that go along with a message (SPEC I8). They are stored in the state directory itself, so that this works with
 * everything down; the message then names them by their hash.
 */

import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, resolve } from "node:path";
import {
  ATTACHMENT_EXTENSIONS,
  ATTACHMENT_NAME_CHARS_MAX,
  type AttachedFile,
  type Attachment,
  MESSAGE_ATTACHMENTS_MAX,
} from "@mimikit/protocol/base/attachment";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import { openHome } from "@mimikit/runtime/home/adoption";
import { AttachmentRefused, storeAttachment } from "@mimikit/store/attachments/attachments";
import { hasCode } from "@mimikit/store/disk/error-code";
import type { Argv } from "yargs";
import { t, told } from "../i18n/language.ts";
import { withDisk } from "../instance/state.ts";
import { Failure } from "../io/failure.ts";
import { currentPlace } from "../io/place.ts";
import type { CommonOptions } from "./command.ts";

/** Reasons why a file cannot be read, by error code. */
const UNREADABLE: Record<string, string> = {
  ENOENT: "there is no such file",
  ENOTDIR: "there is no such file",
  EACCES: "no permission to read it",
};

/** Adds `--attach`, which may be given several times. */
export function attachOption<T extends CommonOptions>(yargs: Argv<T>) {
  return yargs.option("attach", {
    type: "string",
    array: true,
    nargs: 1,
    describe: "attach a file of any kind (repeatable)",
  });
}

/** Bytes that become a file: its name is completed by their type. */
interface Loose {
  name: string;
  bytes: Uint8Array;
}

/** Stores the files at `paths`, and then the loose ones. @throws Failure that names the file, and then none of them is sent. */
export async function attachFiles(
  paths: readonly string[] = [],
  loose: readonly Loose[] = [],
): Promise<AttachedFile[]> {
  const count = paths.length + loose.length;
  if (count === 0) return [];
  if (count > MESSAGE_ATTACHMENTS_MAX)
    throw new Failure("usage", t("a message takes at most {max} files along", { max: MESSAGE_ATTACHMENTS_MAX }));
  const { home } = currentPlace();
  openHome(home, process.env);
  const files: AttachedFile[] = [];
  for (const path of paths) files.push(await attachFile(home, path));
  for (const { name, bytes } of loose) {
    const stored = await store(home, name, async function* () {
      yield bytes;
    });
    files.push({ ...stored, name: `${name}.${ATTACHMENT_EXTENSIONS[stored.type]}` });
  }
  return files;
}

/** The names of the files: the text of a message that has files and no words. */
export function namesOf(files: readonly AttachedFile[]): string {
  return files.map(({ id, name }) => name ?? id.slice(0, 12)).join(", ");
}

async function attachFile(home: string, path: string): Promise<AttachedFile> {
  // In the chat no shell has done this.
  const absolute = resolve(path.replace(/^~(?=\/)/, homedir()));
  try {
    // A pipe or a device would never end.
    if (!(await stat(absolute)).isFile()) throw new Failure("usage", t("{path}: this is not a file", { path }));
    const stored = await store(home, path, () => createReadStream(absolute));
    const name = beginningOf(basename(absolute).trim(), ATTACHMENT_NAME_CHARS_MAX);
    return { ...stored, name: name || stored.id.slice(0, 12) };
  } catch (error) {
    const reason = Object.entries(UNREADABLE).find(([code]) => hasCode(error, code))?.[1];
    if (reason !== undefined) throw new Failure("usage", `${path}: ${t(reason)}`);
    throw error;
  }
}

/** @param name what a refusal speaks of. */
async function store(home: string, name: string, read: () => AsyncIterable<Uint8Array>): Promise<Attachment> {
  try {
    return await withDisk(home, (fs) => storeAttachment(home, fs, read()));
  } catch (error) {
    if (error instanceof AttachmentRefused) throw new Failure("usage", `${name}: ${told(error.message)}`);
    throw error;
  }
}
