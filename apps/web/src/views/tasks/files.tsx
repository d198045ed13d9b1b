/** The files of a task: what it made, changed and deleted, to be opened, compared and saved; and where its whole output is. */
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import type { FileEdit, TaskFile, TaskFilesAnswer } from "@mimikit/protocol/wire/task-files";
import { useState } from "preact/hooks";
import { viewWords } from "../../i18n/view-words.ts";
import { bytesText, words } from "../../i18n/words.ts";
import { Markdown } from "../../markdown/markdown.tsx";
import { nowMs } from "../../model/clock.ts";
import { request } from "../../model/session.ts";
import { notice, tasks } from "../../model/state.ts";
import { isOpen } from "../../model/task-tree.ts";
import { useAnswer } from "../../model/use-answer.ts";
import { saveBlob } from "../../ui/save-blob.ts";
import { thumbnailOf } from "../../ui/thumbnail.ts";

/** While it runs. */
const LOOK_EVERY_MS = 5_000;
/** Of a text that are shown; the rest can be saved. */
const SHOWN_BYTES_MAX = 262_144;
/** How long a file may take, in ms. */
const FILE_MS_MAX = 600_000;
const PICTURE_PX_MAX = 1_280;

/** The shown form of a file; null if it can only be saved. */
type Shown = { text: string; isCut: boolean } | { picture: string } | null;

/** By the end of a name, where the library of colours calls the language otherwise. */
const LANGUAGES: Record<string, string> = {
  ...{ js: "javascript", mjs: "javascript", cjs: "javascript", ts: "typescript", tsx: "typescript", py: "python" },
  ...{ sh: "bash", rs: "rust", yml: "yaml", html: "xml", svg: "xml", toml: "ini", patch: "diff" },
};

export function TaskFiles({ id }: { id: string }) {
  const task = tasks.value.get(id);
  const isRunning = task !== undefined && isOpen(task.state);
  const moment = isRunning ? Math.floor(nowMs.value / LOOK_EVERY_MS) : 0;
  const version = JSON.stringify([task?.state, task?.attempts, moment]);
  const { answer } = useAnswer<TaskFilesAnswer>(`api/tasks/${encodeURIComponent(id)}/files`, version);
  if (answer === undefined || answer.files.length === 0) return null;
  return (
    <section class="task-files" aria-labelledby="task-files">
      <h4 id="task-files">{viewWords.taskFiles}</h4>
      <ul>
        {answer.files.map((file) => (
          <li key={file.path} data-path={file.path} data-change={file.change}>
            <File file={file} taskId={id} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function File({ file, taskId }: { file: TaskFile; taskId: string }) {
  const { path, change, bytes, edits } = file;
  const [shown, setShown] = useState<Shown>();
  const [isDiff, setIsDiff] = useState(false);
  const name = nameOf(path);
  const open = async () => {
    const content = await request("GET", addressOf(file, taskId), undefined, FILE_MS_MAX);
    if (content?.ok) setShown(await shownOf(content));
    else notice.value = words.fileGone(name);
  };
  return (
    <>
      <p class="task-file">
        <span class="file-action">{viewWords.fileChange[change]}</span>
        <code>{change === "output" ? name : path}</code>
        {bytes === null ? (
          change !== "deleted" && <span class="quiet">{viewWords.fileMissing}</span>
        ) : (
          <>
            <span class="quiet">{bytesText(bytes)}</span>
            <button
              type="button"
              class="link"
              aria-expanded={shown !== undefined}
              aria-label={shown === undefined ? viewWords.openFile(name) : viewWords.closeFile(name)}
              onClick={() => (shown === undefined ? void open() : setShown(undefined))}
            >
              {shown === undefined ? viewWords.open : viewWords.close}
            </button>
            <button
              type="button"
              class="link"
              aria-label={words.saveFile(name)}
              onClick={() => void save(file, taskId, name)}
            >
              {viewWords.download}
            </button>
          </>
        )}
        {edits.length > 0 && (
          <button
            type="button"
            class="link"
            aria-expanded={isDiff}
            aria-label={viewWords.compareFile(name)}
            onClick={() => setIsDiff(!isDiff)}
          >
            {viewWords.compare}
          </button>
        )}
      </p>
      {isDiff && <Markdown text={fenced(edits.map(diffOf).join("\n"), "diff")} />}
      {shown !== undefined && <Content shown={shown} name={name} />}
    </>
  );
}

function Content({ shown, name }: { shown: Shown; name: string }) {
  if (shown === null) return <p class="quiet">{viewWords.fileNotShown}</p>;
  if ("picture" in shown) return <img class="file-picture" src={shown.picture} alt={name} />;
  const end = name.slice(name.lastIndexOf(".") + 1).toLowerCase();
  return (
    <>
      <Markdown text={end === "md" ? shown.text : fenced(shown.text, LANGUAGES[end] ?? end)} />
      {shown.isCut && <p class="quiet">{viewWords.fileCut}</p>}
    </>
  );
}

/** The type of an answer, by its headers: the gateway has looked at the bytes. */
async function shownOf(content: Response): Promise<Shown> {
  const type = content.headers.get("Content-Type") ?? "";
  if (type.startsWith("text/plain")) return readStart(content, /charset=([\w-]+)/.exec(type)?.[1]);
  if (!type.startsWith("image/")) {
    await content.body?.cancel();
    return null;
  }
  const picture = await thumbnailOf(await content.blob(), PICTURE_PX_MAX);
  return picture === undefined ? null : { picture };
}

async function readStart(content: Response, charset?: string): Promise<Shown> {
  const reader = content.body?.getReader();
  const decoder = new TextDecoder(charset);
  let text = "";
  for (let bytes = 0; ; ) {
    const piece = await reader?.read();
    if (piece?.value === undefined) return { text: text + decoder.decode(), isCut: false };
    text += decoder.decode(piece.value, { stream: true });
    bytes += piece.value.length;
    if (bytes <= SHOWN_BYTES_MAX) continue;
    await reader?.cancel();
    return { text: beginningOf(text, SHOWN_BYTES_MAX), isCut: true };
  }
}

async function save(file: TaskFile, taskId: string, name: string): Promise<void> {
  const content = await request("GET", addressOf(file, taskId), undefined, FILE_MS_MAX);
  if (content?.ok) saveBlob(await content.blob(), name);
  else notice.value = words.fileGone(name);
}

function addressOf({ path, change }: TaskFile, taskId: string): string {
  return `api/files?${new URLSearchParams({ path, ...(change === "output" && { task: taskId }) })}`;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function diffOf({ before, after }: FileEdit): string {
  const marked = (text: string, mark: string) => (text === "" ? "" : text.replaceAll(/^/gm, mark));
  return [marked(before, "-"), marked(after, "+")].filter((part) => part !== "").join("\n");
}

/** As a block of code, whatever fences are in it. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((fence) => fence.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
