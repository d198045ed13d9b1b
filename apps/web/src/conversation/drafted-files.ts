/**
 * Files that go along with the draft. Each is uploaded as soon as it is there, so that sending is a matter of a moment;
 * those that have arrived survive a reload, as the draft does.
 */

import type {
  AttachedFile,
  Attachment,
  ATTACHMENT_BYTES_MAX as AttachmentBytesMax,
  MESSAGE_ATTACHMENTS_MAX as MessageAttachmentsMax,
} from "@mimikit/protocol/base/attachment";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import type { ApiError } from "@mimikit/protocol/wire/api";
import { effect, signal } from "@preact/signals";
import { bytesText, words } from "../i18n/words.ts";
import { read } from "../model/call.ts";
import { newId } from "../model/outbox.ts";
import { secret, session } from "../model/session.ts";
import { notice } from "../model/state.ts";
import { store } from "../storage/storage.ts";
import { thumbnailOf } from "../ui/thumbnail.ts";

const DRAFT_KEY = "mimikit.draft.files";
const UPLOAD_MS_MAX = 60_000;
const NAME_CHARS_MAX = 200;

/** The protocol's limits. */
const FILES_MAX: typeof MessageAttachmentsMax = 10;
const BYTES_MAX: typeof AttachmentBytesMax = 20_971_520;

export interface DraftedFile {
  key: string;
  name: string;
  /** The type by the browser, until the gateway has looked. */
  type: string;
  bytes: number;
  thumbnail?: string;
  /** The file, while it is still here for another try. */
  file?: File;
  state:
    | { is: "uploading"; percent: number }
    | { is: "stored"; attachment: Attachment }
    | { is: "failed"; reason: string };
}

export const draftedFiles = signal<readonly DraftedFile[]>(readStored());

effect(() => {
  const stored = draftedFiles.value.flatMap(({ file: _, ...each }) => (each.state.is === "stored" ? [each] : []));
  store(DRAFT_KEY, stored.length === 0 ? undefined : JSON.stringify(stored));
});

function readStored(): DraftedFile[] {
  return JSON.parse(localStorage.getItem(DRAFT_KEY) ?? "[]") as DraftedFile[];
}

/** Takes files along and uploads them. More than a message takes are left out, and the user is told. */
export function addFiles(files: Iterable<File>): void {
  const all = [...files];
  const room = Math.max(0, FILES_MAX - draftedFiles.value.length);
  if (all.length > room) notice.value = words.tooManyFiles(FILES_MAX);
  for (const file of all.slice(0, room)) void addFile(file);
}

/** Files may be dropped anywhere on the page: what misses a target would be opened in its place. */
export function acceptDrops(): void {
  document.addEventListener("dragover", (event) => {
    if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
  });
  document.addEventListener("drop", (event) => {
    const files = event.dataTransfer?.files ?? [];
    if (files.length === 0) return;
    event.preventDefault();
    if (session.value === "paired") addFiles(files);
  });
}

async function addFile(file: File): Promise<void> {
  const key = newId();
  const name = beginningOf(file.name.trim(), NAME_CHARS_MAX) || words.unnamedFile;
  draftedFiles.value = [
    ...draftedFiles.value,
    { key, name, type: file.type, bytes: file.size, file, state: { is: "uploading", percent: 0 } },
  ];
  upload(key, file);
  if (!file.type.startsWith("image/")) return;
  const thumbnail = await thumbnailOf(file);
  if (thumbnail !== undefined) change(key, { thumbnail });
}

export function removeFile(key: string): void {
  draftedFiles.value = draftedFiles.value.filter((each) => each.key !== key);
}

/** Uploads a file again that did not arrive. */
export function retryFile(key: string): void {
  const file = draftedFiles.value.find((each) => each.key === key)?.file;
  if (file === undefined) return;
  change(key, { state: { is: "uploading", percent: 0 } });
  upload(key, file);
}

/** Have all of them arrived? */
export function areStored(files: readonly DraftedFile[]): boolean {
  return files.every(({ state }) => state.is === "stored");
}

/** The files of the message that the draft becomes, each once, in its order. */
export function filesOfDraft(): AttachedFile[] {
  const files = draftedFiles.value.flatMap(({ name, state }) =>
    state.is === "stored" ? [{ ...state.attachment, name }] : [],
  );
  return files.filter(({ id }, i) => files.findIndex((each) => each.id === id) === i);
}

function change(key: string, part: Partial<DraftedFile>): void {
  draftedFiles.value = draftedFiles.value.map((each) => (each.key === key ? { ...each, ...part } : each));
}

/** Not `fetch`, which does not tell how far it has come. */
function upload(key: string, file: File): void {
  const fail = (reason: string) => change(key, { state: { is: "failed", reason } });
  if (file.size > BYTES_MAX) {
    fail(words.fileTooLarge(bytesText(BYTES_MAX)));
    return;
  }
  const request = new XMLHttpRequest();
  request.open("POST", "api/attachments");
  request.timeout = UPLOAD_MS_MAX;
  request.setRequestHeader("Content-Type", file.type || "application/octet-stream");
  const own = secret();
  if (own !== undefined) request.setRequestHeader("X-Mimikit-Secret", own);
  request.upload.onprogress = ({ loaded, total }) => {
    if (total > 0) change(key, { state: { is: "uploading", percent: Math.floor((100 * loaded) / total) } });
  };
  request.onload = () => {
    const isJson = request.getResponseHeader("Content-Type")?.includes("json") === true;
    if (request.status === 201)
      change(key, { state: { is: "stored", attachment: read<Attachment>(request.responseText) } });
    else fail(isJson ? read<ApiError>(request.responseText).error.message : words.uploadFailed);
  };
  request.onerror = () => fail(words.uploadFailed);
  request.ontimeout = () => fail(words.uploadFailed);
  request.send(file);
}
