/** The files of memory: those of a kind, and the text of one. */
import type { MemoryFiles, MemoryStatus, MemoryText } from "@mimikit/protocol/wire/api";
import { useSignal } from "@preact/signals";
import { memoryWords, viewWords } from "../../i18n/view-words.ts";
import { bytesText, momentText, numberText, words } from "../../i18n/words.ts";
import { Markdown } from "../../markdown/markdown.tsx";
import { nowMs } from "../../model/clock.ts";
import { addressOf } from "../../model/place.ts";
import { useAnswer } from "../../model/use-answer.ts";
import { lazily } from "../../ui/lazily.tsx";

const MemoryEntries = lazily(async () => (await import("./memory-entries.tsx")).MemoryEntries);

/** The files in the state directory; the documents of the workspace are edited there. */
const EDITABLE = /^(memory|agent_persona|user_profile|memory\/.+)\.md$/;

/** Of one kind; those of notes and of summaries are the newest. */
const FILES_SHOWN_MAX = 200;
const SUMMARIES = "memory/summary/";
/** Marks that edits leave in a document to recognise themselves are not for readers. */
const MARKS = /(?<![ \t])[ \t]*<!-- \S+ -->/g;

type Kind = MemoryStatus["sources"][number];

/** A file leads to its text; a folder opens. */
export function SourceRow({ kind: { source, files, bytes } }: { kind: Kind }) {
  const isOpen = useSignal(false);
  const size = (
    <span class="size">
      {source.endsWith("/") ? `${viewWords.files(files)} · ${bytesText(bytes)}` : bytesText(bytes)}
    </span>
  );
  const about = <span class="quiet">{viewWords.memorySources[source]}</span>;
  if (!source.endsWith("/"))
    return (
      <p class="source">
        <FileLink name={source} /> {about} {size}
      </p>
    );
  return (
    <details
      onToggle={(event) => {
        isOpen.value = event.currentTarget.open;
      }}
    >
      <summary class="source">
        <code>{source}</code> {about} {size}
      </summary>
      {isOpen.value && <FilesOf source={source} version={`${files} ${bytes}`} />}
    </details>
  );
}

function FilesOf({ source, version }: { source: string; version: string }) {
  const { answer } = useAnswer<MemoryFiles>("api/memory/files", version);
  if (answer === undefined) return <p class="quiet">{words.looking}</p>;
  const isOfIt = (name: string) => name.startsWith(source) && (source === SUMMARIES || !name.startsWith(SUMMARIES));
  const files = answer.files.filter(({ name }) => isOfIt(name));
  const older = files.length - FILES_SHOWN_MAX;
  return (
    <>
      <ul class="source-files">
        {files.slice(0, FILES_SHOWN_MAX).map(({ name, bytes }) => (
          <li key={name} class="source">
            <FileLink name={name} /> <span class="size">{bytesText(bytes)}</span>
          </li>
        ))}
      </ul>
      {older > 0 && <p class="quiet">{viewWords.olderFiles(numberText(older))}</p>}
    </>
  );
}

function FileLink({ name }: { name: string }) {
  return (
    <a href={addressOf("memory", name)}>
      <code>{name}</code>
    </a>
  );
}

/**
 * The text of a file, as the Markdown that it is, or entry by entry, to be changed.
 * @param sought how the entry begins that is meant: it is pointed out.
 */
export function MemoryReader({ name, sought }: { name: string; sought: string | undefined }) {
  const isEdited = useSignal(sought !== undefined && EDITABLE.test(name));
  const version = useSignal(0);
  const path = `api/memory/file?${new URLSearchParams({ name })}`;
  const { answer, isLooking } = useAnswer<MemoryText>(path, version.value);
  const text = answer?.text.replaceAll(MARKS, "").trim();
  return (
    <article class="kept" data-file={name} aria-busy={isLooking}>
      <p>
        <a href={addressOf("memory")}>← {viewWords.backToMemory}</a>
      </p>
      <div>
        <h3>
          <code>{name}</code>
        </h3>
        {answer !== undefined && (
          <p class="quiet">
            {bytesText(answer.bytes)} · {viewWords.changed(momentText(answer.changedAt, nowMs.value))}{" "}
            {EDITABLE.test(name) && text !== "" && (
              <button
                type="button"
                class="link"
                aria-pressed={isEdited.value}
                onClick={() => {
                  isEdited.value = !isEdited.value;
                }}
              >
                {isEdited.value ? memoryWords.editDone : memoryWords.edit}
              </button>
            )}
          </p>
        )}
      </div>
      {answer === undefined && <p class="quiet">{isLooking ? words.looking : viewWords.memoryGone}</p>}
      {text === "" && <p class="quiet">{viewWords.memoryNothingIn}</p>}
      {answer !== undefined && isEdited.value && (
        <MemoryEntries name={name} text={answer.text} path={path} sought={sought} onChanged={() => version.value++} />
      )}
      {text !== undefined && text !== "" && !isEdited.value && <Markdown text={text} />}
    </article>
  );
}
