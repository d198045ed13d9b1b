/**
 * Where the user writes. A draft survives a reload; Enter sends it, and Shift+Enter, or Enter on a touch screen, starts a
 * new line. While something runs it can be told what is written here, or be ended; a slash opens the list of commands.
 * Files come along by the button, by paste and by drop.
 */
import { isLongerThan } from "@mimikit/protocol/wire/count-characters";
import { readLine } from "@mimikit/protocol/wire/slash-command";
import { effect, signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { numberText, words } from "../i18n/words.ts";
import { clear, sendMessage, stop } from "../model/connection.ts";
import { TEXT_CHARS_MAX } from "../model/outbox.ts";
import { isTouched } from "../model/screen.ts";
import { busy, replying } from "../model/state.ts";
import { store } from "../storage/storage.ts";
import { ArrowUp, Bend, Clip, Clock, Cross, Square } from "../ui/icons.tsx";
import { lazily } from "../ui/lazily.tsx";
import { answerAnew, changing, lastReply } from "./anew/second-thoughts.ts";
import { AnswererSwitch, nextAnswerer, takeAnswerer } from "./answerer-switch.tsx";
import { COMMANDS_ID, CommandList, choices, closeList, move, openList, optionId, selected } from "./commands.tsx";
import { addFiles, areStored, draftedFiles, filesOfDraft } from "./drafted-files.ts";
import { QuoteLine } from "./quote-line.tsx";
import { dropQuoted, quoted } from "./quoted.ts";

const DraftedFiles = lazily(async () => (await import("./files.tsx")).DraftedFiles);

const DRAFT_KEY = "mimikit.draft";
const HEIGHT_PX_MAX = 240;
/** Of a longer text a prompt shows the beginning and the end; of a file the model is shown more. */
const PASTE_CHARS_MAX = 8_000;
const FIELD_ID = "message";
const PICKER_ID = "files";

const draft = signal(localStorage.getItem(DRAFT_KEY) ?? "");
/** The problem with the draft that was to be sent; gone with the next change of it. */
const mistake = signal<string | undefined>(undefined);

effect(() => {
  store(DRAFT_KEY, draft.value === "" ? undefined : draft.value);
});

function changeDraft(text: string): void {
  draft.value = text;
  mistake.value = undefined;
  openList();
}

/** Puts `text` into the message field, for the user to change or send. */
export function writeDraft(text: string): void {
  changeDraft(text);
  document.getElementById(FIELD_ID)?.focus();
}

/** Opens the browser's own dialog for files. */
function pickFiles(): void {
  document.getElementById(PICKER_ID)?.click();
}

/** Files sent without a word are named in the message. */
function wordsOf(text: string): string {
  return text.trim() === "" ? draftedFiles.value.map(({ name }) => name).join(", ") : text;
}

/** Does what the draft says; what it does not understand stays, with the reason. */
function submit(text: string): void {
  const line = readLine(text);
  mistake.value = line.kind === "mistake" ? words.mistake(line.mistake, line.name) : undefined;
  switch (line.kind) {
    case "mistake":
      return;
    case "help":
      writeDraft("/");
      return;
    case "message":
      if (changing.value !== undefined) {
        // The draft stays where it is until the change is accepted.
        void sendChange(changing.value, line.text);
        return;
      }
      if (!sendWithAll(line.text)) return;
      break;
    case "next":
      if (!sendWithAll(line.text, line.kind)) return;
      break;
    case "steer":
      if (!sendMessage(line.text, { mode: line.kind })) return;
      break;
    case "attach":
      pickFiles();
      break;
    case "stop":
      // Work is cancelled where it has a name.
      if (busy.value && !replying.value) {
        mistake.value = words.nothingToStop;
        return;
      }
      stop();
      break;
    case "retry":
      if (lastReply.value !== undefined) void answerAnew(lastReply.value.id, takeAnswerer());
      else {
        mistake.value = words.nothingToRetry;
        return;
      }
      break;
    case "clear":
      clear();
      break;
  }
  draft.value = "";
}

/** Sends words with all that goes along. @returns false where it could not be kept: then all of it is still in the draft. */
function sendWithAll(text: string, mode?: "next"): boolean {
  const along = { files: filesOfDraft(), quote: quoted.value, answerBy: nextAnswerer.value };
  if (!sendMessage(text, mode === undefined ? along : { ...along, mode })) return false;
  draftedFiles.value = [];
  quoted.value = undefined;
  nextAnswerer.value = undefined;
  return true;
}

async function sendChange(id: string, text: string): Promise<void> {
  if (!(await answerAnew(id, takeAnswerer(), text))) return;
  changing.value = undefined;
  draft.value = "";
}

/** Says a draft that is a message to what runs now; a draft that is a command does what it says. */
function steer(text: string): void {
  const line = readLine(text);
  if (line.kind !== "message") submit(text);
  else if (sendMessage(line.text, { mode: "steer" })) draft.value = "";
}

/** Sends a draft that is a message for a turn of its own; a draft that is a command does what it says. */
function sendNext(text: string): void {
  const line = readLine(text);
  submit(line.kind === "message" ? `/next ${line.text}` : text);
}

/** Completes the draft with a command, or does it where nothing can follow. */
function choose(name: string, takes: "text" | "nothing"): void {
  if (name === "attach") {
    pickFiles();
    draft.value = "";
  } else if (takes === "text") writeDraft(`/${name} `);
  else submit(`/${name}`);
}

/** The pasted files. A long text counts as one, because a prompt would leave out its middle. */
function filesIn(clipboard: DataTransfer | null): File[] {
  const files = [...(clipboard?.files ?? [])];
  const text = clipboard?.getData("text/plain") ?? "";
  if (files.length > 0 || text.length <= PASTE_CHARS_MAX || changing.value !== undefined) return files;
  return [new File([text], words.pastedName, { type: "text/plain" })];
}

export function Composer() {
  const field = useRef<HTMLTextAreaElement>(null);
  const text = draft.value;
  const files = draftedFiles.value;
  const tooLong = isLongerThan(text, TEXT_CHARS_MAX);
  const ready = (text.trim() !== "" || files.length > 0) && !tooLong && areStored(files);
  // A steering message has words, and nothing else.
  const canSteer = ready && files.length === 0 && quoted.value === undefined;
  const list = choices(text);
  const isBusy = busy.value;
  const isReplying = replying.value;

  useEffect(() => {
    // On a touch screen, focus would open the keyboard over half of the page.
    if (matchMedia("(hover: hover)").matches) field.current?.focus();
  }, []);
  useLayoutEffect(() => {
    const element = field.current;
    if (!element) return;
    element.style.height = "auto";
    element.style.height = `${Math.min(element.scrollHeight, HEIGHT_PX_MAX)}px`;
  }, [text]);

  const onKeyDown = (event: KeyboardEvent) => {
    // Enter also ends a composition (Chinese, Japanese…), and Escape gives it up: those belong to the input method.
    if (event.isComposing) return;
    const chosen = list[selected.value];
    if (chosen && isChoice(event)) choose(chosen.name, chosen.takes);
    else if (chosen && event.key === "ArrowDown") move(1, list.length);
    else if (chosen && event.key === "ArrowUp") move(-1, list.length);
    else if (chosen && event.key === "Escape") closeList(text);
    else if (event.key === "Escape" && quoted.value !== undefined && text === "") dropQuoted();
    else if (event.key === "Escape" && isReplying && text === "") stop();
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      // With a quote it could only be queued, which is not what these keys are for. A command goes its own way.
      if (isBusy && quoted.value !== undefined && !text.startsWith("/")) mistake.value = words.steerNoQuote;
      else if (canSteer && isBusy) steer(text);
      else if (ready) submit(wordsOf(text));
    } else if (event.key === "Enter" && !event.shiftKey && !isTouched.value) {
      if (ready) submit(wordsOf(text));
    } else return;
    event.preventDefault();
  };

  return (
    <>
      <form
        class="composer"
        onSubmit={(event) => {
          event.preventDefault();
          if (ready) submit(wordsOf(text));
          field.current?.focus();
        }}
      >
        <CommandList list={list} onChoose={choose} />
        <Quoted />
        <Changing />
        {files.length > 0 && <DraftedFiles />}
        <div class="box">
          <input
            id={PICKER_ID}
            type="file"
            class="unseen"
            multiple
            tabIndex={-1}
            aria-hidden="true"
            onChange={(event) => {
              addFiles(event.currentTarget.files ?? []);
              event.currentTarget.value = "";
              field.current?.focus();
            }}
          />
          <label class="unseen" for={FIELD_ID}>
            {words.message}
          </label>
          <textarea
            id={FIELD_ID}
            ref={field}
            rows={1}
            placeholder={words.placeholder}
            value={text}
            aria-invalid={tooLong || mistake.value !== undefined}
            aria-describedby="composer-hint"
            aria-autocomplete="list"
            aria-controls={list.length > 0 ? COMMANDS_ID : undefined}
            aria-activedescendant={list.length > 0 ? optionId(selected.value) : undefined}
            onKeyDown={onKeyDown}
            onPaste={(event) => {
              const pasted = filesIn(event.clipboardData);
              if (pasted.length === 0) return;
              event.preventDefault();
              addFiles(pasted);
            }}
            onInput={(event) => {
              changeDraft(event.currentTarget.value);
            }}
          />
          <button type="button" class="round" aria-label={words.attach} title={words.attachTitle} onClick={pickFiles}>
            <Clip />
          </button>
          <button
            type="submit"
            class="round send"
            disabled={!ready}
            title={isBusy ? words.queueTitle : words.sendTitle}
            aria-label={isBusy ? undefined : words.send}
          >
            <ArrowUp />
            {isBusy && words.queue}
          </button>
        </div>
        {isBusy && (
          <div class="busy-row">
            {isReplying && (
              <button type="button" class="pill" title={words.stopTitle} onClick={stop}>
                <Square />
                {words.stop}
              </button>
            )}
            <button
              type="button"
              class="pill"
              disabled={!canSteer}
              title={quoted.value === undefined ? words.steerTitle : words.steerNoQuote}
              onClick={() => {
                steer(text);
                field.current?.focus();
              }}
            >
              <Bend />
              {words.steer}
            </button>
            <button
              type="button"
              class="pill"
              disabled={!ready}
              title={words.nextTitle}
              onClick={() => {
                sendNext(wordsOf(text));
                field.current?.focus();
              }}
            >
              <Clock />
              {words.ownTurn}
            </button>
          </div>
        )}
        <Hint tooLong={tooLong} />
      </form>
      <AnswererSwitch />
    </>
  );
}

/** That the draft takes the place of the last message, and a way to leave that as it was. */
function Changing() {
  if (changing.value === undefined) return null;
  return (
    <div class="quoting">
      <span class="hint">{words.changing}</span>
      <button
        type="button"
        class="plain small"
        aria-label={words.dropChange}
        title={words.dropChange}
        onClick={() => {
          changing.value = undefined;
          writeDraft("");
        }}
      >
        <Cross />
      </button>
    </div>
  );
}

/** The quoted message of the draft, with a way to drop it. */
function Quoted() {
  if (quoted.value === undefined) return null;
  return (
    <div class="quoting">
      <QuoteLine id={quoted.value} />
      <button
        type="button"
        class="plain small"
        aria-label={words.dropQuote}
        title={words.dropQuote}
        onClick={() => {
          dropQuoted();
          document.getElementById(FIELD_ID)?.focus();
        }}
      >
        <Cross />
      </button>
    </div>
  );
}

/** Tab and Enter take what is selected in the list. */
function isChoice(event: KeyboardEvent): boolean {
  return (event.key === "Enter" || event.key === "Tab") && !event.shiftKey && !event.ctrlKey && !event.metaKey;
}

function Hint({ tooLong }: { tooLong: boolean }) {
  const hint = [busy.value ? words.busyHint : words.composerHint, replying.value && words.stopHint];
  const problem = tooLong ? words.tooLong(numberText(TEXT_CHARS_MAX)) : mistake.value;
  return (
    <p
      id="composer-hint"
      class="hint"
      data-problem={problem !== undefined}
      role={problem === undefined ? undefined : "alert"}
    >
      {problem ?? hint.filter(Boolean).join(" · ")}
    </p>
  );
}
