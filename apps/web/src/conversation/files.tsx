/** Files as they are shown: those of the draft, with how far they are, and those of a message, to be looked at and saved. */
import type { AttachedFile } from "@mimikit/protocol/base/attachment";
import { useEffect, useRef, useState } from "preact/hooks";
import { bytesText, words } from "../i18n/words.ts";
import { request } from "../model/session.ts";
import { notice } from "../model/state.ts";
import { Cross, Sheet } from "../ui/icons.tsx";
import { saveBlob } from "../ui/save-blob.ts";
import { thumbnailOf } from "../ui/thumbnail.ts";
import { type DraftedFile, draftedFiles, removeFile, retryFile } from "./drafted-files.ts";

/** Pictures that are kept small in memory; beyond that they are fetched again. */
const THUMBNAILS_MAX = 200;

const thumbnails = new Map<string, Promise<string | undefined>>();

export function DraftedFiles() {
  if (draftedFiles.value.length === 0) return null;
  return (
    <ul class="files" aria-label={words.attachedFiles}>
      {draftedFiles.value.map((file) => (
        <Drafted key={file.key} file={file} />
      ))}
    </ul>
  );
}

function Drafted({ file: { key, name, bytes, thumbnail, state, file } }: { file: DraftedFile }) {
  return (
    <li class="file" data-file={state.is}>
      {thumbnail === undefined ? <Sheet /> : <img src={thumbnail} alt={name} />}
      <span class="about">
        <span class="name">{name}</span>
        {state.is === "uploading" && (
          <progress max={100} value={state.percent} aria-label={words.uploading(name)}>
            {state.percent}
          </progress>
        )}
        {state.is === "stored" && <span class="size">{bytesText(bytes)}</span>}
        {state.is === "failed" && (
          <span class="refused" role="alert">
            {state.reason}
            {file !== undefined && (
              <button type="button" class="link" onClick={() => retryFile(key)}>
                {words.tryAgain}
              </button>
            )}
          </span>
        )}
      </span>
      <button type="button" class="plain small" aria-label={words.removeFile(name)} onClick={() => removeFile(key)}>
        <Cross />
      </button>
    </li>
  );
}

/** The files of a message. */
export function SentFiles({ files }: { files: readonly AttachedFile[] }) {
  if (files.length === 0) return null;
  return (
    <ul class="files sent" aria-label={words.attachedFiles}>
      {files.map((file) => (
        <li key={file.id}>
          <Sent file={file} />
        </li>
      ))}
    </ul>
  );
}

function Sent({ file }: { file: AttachedFile }) {
  const button = useRef<HTMLButtonElement>(null);
  const [picture, setPicture] = useState<string>();
  const name = file.name ?? file.id.slice(0, 12);
  useEffect(() => {
    const element = button.current;
    if (element === null || !file.type.startsWith("image/")) return undefined;
    // A long conversation has many pictures: each is fetched when it comes into sight.
    const watch = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      watch.disconnect();
      void thumbnailFor(file.id).then(setPicture);
    });
    watch.observe(element);
    return () => watch.disconnect();
  }, [file.id, file.type]);
  return (
    <button
      ref={button}
      type="button"
      class="file"
      data-picture={picture !== undefined}
      title={words.saveFile(name)}
      onClick={() => void save(file.id, name)}
    >
      {picture === undefined ? <Sheet /> : <img src={picture} alt={name} />}
      <span class="about">
        {picture === undefined && <span class="name">{name}</span>}
        <span class="size">{bytesText(file.bytes)}</span>
      </span>
    </button>
  );
}

/** Undefined for what is gone, or cannot be drawn. */
function thumbnailFor(id: string): Promise<string | undefined> {
  const known = thumbnails.get(id);
  if (known !== undefined) return known;
  if (thumbnails.size >= THUMBNAILS_MAX) thumbnails.clear();
  const made = load(id).then((file) => (file === undefined ? undefined : thumbnailOf(file)));
  thumbnails.set(id, made);
  return made;
}

async function load(id: string): Promise<Blob | undefined> {
  const answer = await request("GET", `api/attachments/${id}`);
  return answer?.ok ? answer.blob() : undefined;
}

async function save(id: string, name: string): Promise<void> {
  const file = await load(id);
  if (file === undefined) notice.value = words.fileGone(name);
  else saveBlob(file, name);
}
