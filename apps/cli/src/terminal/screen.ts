/**
 * The content of the terminal: each reply appears once, and nothing is ever written into the middle of a line that is
 * being typed. While a line is being typed, a reply that is being written is held back. While nothing is typed and an
 * answer is awaited, the last row says what is being done, and for how long.
 */

import { clearScreenDown, cursorTo, type Interface, moveCursor } from "node:readline";
import type { ChatMessage, QuestionView, ServerFrame, TaskState, TaskSummary } from "@mimikit/protocol/wire/api";
import { t } from "../i18n/language.ts";
import { durationIn } from "../i18n/words.ts";
import { OpenQuestions } from "../instance/open-questions.ts";
import { clipped, plainLine, plainText, styled, terminalColumns } from "../io/print.ts";
import { ANSWER_PROMPT, howToAnswer, promptedText } from "./question-text.ts";
import { TerminalMarkdown, terminalMarkdown } from "./terminal-markdown.ts";

/** How often the last row says how long it takes. */
const TELL_MS = 1_000;
/** Earlier messages that are shown when the chat begins, and how much of each. */
const EARLIER_MAX = 6;
const EARLIER_LINES_MAX = 8;
const PROMPT = "› ";
const thinking = () => t("thinking");
/** The state of a task, for those states that are worth a line at a terminal. */
const SIGNS: Partial<Record<TaskState, string>> = { running: "▸", done: "✓", failed: "✗", cancelled: "✗" };
const BELL = "\u0007";

export class Screen {
  /** How many answers are awaited; while there are any, the prompt appears only when the user types. */
  private waiting = 0;
  /** null in a pipe, without typing and prompts. */
  private readonly terminal: Interface | null;
  /** Ids of the messages that are shown or were there before. */
  private readonly known = new Set<string>();
  private readonly states = new Map<string, TaskState>();
  private readonly titles = new Map<string, string>();
  /** The text of each turn as far as it has come, and as far as it is on the screen. */
  private readonly arrived = new Map<string, string>();
  private readonly written = new Map<string, string>();
  /** How what a turn says is put out. */
  private readonly renderings = new Map<string, Pick<TerminalMarkdown, "write" | "end">>();
  readonly questions = new OpenQuestions();
  /** The question that the prompt asks for. A line that is being typed keeps the meaning that it had when its prompt was shown. */
  private prompted: QuestionView | null = null;
  private isMidLine = false;
  private isPrompting = false;
  private isClosed = false;
  /** The text of the last row: the activity, and since when. */
  private doing = "";
  private doingSinceMs = 0;
  private isTelling = false;
  private teller: NodeJS.Timeout | undefined;

  constructor(terminal: Interface | null) {
    this.terminal = terminal;
    terminal?.once("close", () => {
      this.isClosed = true;
      clearInterval(this.teller);
      if (this.isTelling) this.erase();
    });
  }

  /** Before the terminal shows what is typed, there must be a line of its own for it. */
  listen(keys: NodeJS.EventEmitter): void {
    keys.prependListener("keypress", () => this.makeRoom());
  }

  /** Shows the end of what was said before. */
  begin(earlier: readonly ChatMessage[]): void {
    for (const message of earlier) this.know(message);
    if (this.terminal === null) return;
    const last = earlier.slice(-EARLIER_MAX);
    if (earlier.length > last.length) this.note(t("…  (more: mimikit history)"));
    for (const message of last) this.line(earlierText(message));
    if (last.length > 0) this.line("");
  }

  /** One more answer is awaited. */
  await(): void {
    this.waiting++;
    if (this.waiting === 1) this.do(thinking());
  }

  /** One less. */
  awaited(): void {
    this.waiting--;
    if (this.waiting === 0) this.untell();
    this.prompt();
  }

  /** Says what has become of a task, once. */
  task({ id, title, state, failureReason }: TaskSummary): void {
    if (this.states.get(id) === state) return;
    this.states.set(id, state);
    const sign = SIGNS[state];
    const why = failureReason === undefined || state === "cancelled" ? "" : ` (${failureReason})`;
    if (this.terminal === null) this.note(`${state}: ${plainLine(title)}`);
    else if (sign !== undefined)
      this.note(`  ${sign} ${plainLine(title)}${state === "cancelled" ? t(" (cancelled)") : why}`);
    if (state === "running" && this.terminal !== null) this.do(plainLine(title));
  }

  /** Says in the last row what is being done; in a pipe, in a line. */
  do(what: string): void {
    if (what !== this.doing) this.doingSinceMs = performance.now();
    this.doing = what;
    if (this.terminal === null) {
      if (what !== thinking()) this.note(what);
      return;
    }
    this.teller ??= setInterval(() => this.tell(), TELL_MS);
    this.tell();
  }

  /** Notes a message that need not be shown. */
  know(message: ChatMessage): void {
    this.known.add(stageOf(message));
  }

  show(frame: ServerFrame): void {
    this.showMessages(frame);
    const { asked, over } = this.questions.hear(frame);
    for (const question of asked) this.line(this.textOf(question));
    if (asked.length > 0) this.prompt();
    for (const { question } of over) this.note(t("no longer asked: {question}", { question: plainLine(question) }));
  }

  private showMessages(frame: ServerFrame): void {
    switch (frame.type) {
      case "snapshot":
        for (const { id, title } of frame.tasks) this.titles.set(id, title);
        for (const message of frame.messages) this.message(message);
        return;
      case "task":
        this.titles.set(frame.data.id, frame.data.title);
        // Here it stands above the reply that reports it.
        if (this.terminal !== null && this.waiting > 0) this.task(frame.data);
        return;
      case "message":
        this.message(frame.data);
        return;
      case "begin":
        this.beginAnew(frame.taskId);
        return;
      case "delta":
        // A turn has no dot in its id; what workers write is told as progress.
        if (this.waiting > 0 && !frame.taskId.includes(".")) this.write(frame.taskId, frame.text);
        return;
    }
  }

  reply(message: ChatMessage): void {
    if (this.known.has(stageOf(message))) return;
    this.know(message);
    const turn = message.id.replace(/\.reply$/, "");
    const soFar = this.written.get(turn) ?? "";
    const goesOn = soFar !== "" && message.text.startsWith(soFar);
    const rendering = (goesOn ? this.renderings.get(turn) : undefined) ?? this.rendering();
    this.forget(turn);
    const rest = rendering.write(goesOn ? message.text.slice(soFar.length) : message.text) + rendering.end();
    if (goesOn && this.isMidLine) {
      process.stdout.write(`${rest.replace(/\n$/, "")}\n`);
      this.isMidLine = false;
      this.prompt();
    } else if (rest !== "") this.line(rest.replace(/\n$/, ""));
  }

  note(text: string, colour: "dim" | "red" = "dim"): void {
    this.line(styled(colour, text));
  }

  /** Asks for a line, unless an answer is awaited and nothing was typed. */
  prompt(): void {
    if (this.terminal === null || this.isClosed || this.isMidLine) return;
    if (this.waiting > 0 && this.terminal.line === "" && this.questions.current === null) this.tell();
    else this.showPrompt(this.terminal);
  }

  /** Lets go of what is being typed. */
  dropLine(): void {
    if (this.terminal === null) return;
    this.erase();
    this.terminal.write(null, { ctrl: true, name: "e" });
    this.terminal.write(null, { ctrl: true, name: "u" });
    this.prompt();
  }

  /** The typed line has been entered. @returns the question that it answers; null for a message. */
  lineEnded(): QuestionView | null {
    const question = this.prompted;
    this.isPrompting = false;
    this.prompted = null;
    return question;
  }

  private showPrompt(terminal: Interface): void {
    if (this.isTelling) this.erase();
    if (terminal.line === "") this.prompted = this.questions.current;
    terminal.setPrompt(this.prompted === null ? PROMPT : ANSWER_PROMPT);
    this.isPrompting = true;
    terminal.prompt(true);
  }

  private textOf(question: QuestionView): string {
    return promptedText(question, Date.now(), this.terminal === null ? howToAnswer(question) : waysToAnswer(question));
  }

  private message(message: ChatMessage): void {
    if (message.notification !== undefined) this.notify(message);
    else if (message.role !== "user") this.reply(message);
    else if (!this.known.has(stageOf(message))) {
      this.know(message);
      this.noteWay(message);
    }
  }

  /** Rings the bell, in case the user is at another window. */
  private notify(message: ChatMessage): void {
    if (this.known.has(stageOf(message))) return;
    this.know(message);
    const { text, notification: { title = "" } = {} } = message;
    if (this.terminal !== null) process.stdout.write(BELL);
    this.line(styled("yellow", `! ${title === "" ? "" : `${plainLine(title)}: `}${plainText(text)}`));
  }

  /** Says where something went that was said meanwhile. */
  private noteWay({ pending, meanwhile, replaces, toTaskId, text }: ChatMessage): void {
    if (pending !== true) return;
    const said = plainLine(text);
    if (replaces !== undefined) this.note(t("the work had ended, so it was sent as a message: {said}", { said }));
    else if (meanwhile === true && toTaskId !== undefined)
      this.note(
        t("passed on to {title}: {said}", {
          title: plainLine(
            this.titles.get(toTaskId) ??
              t("the reply that is being written, which hears it after its next step, or at its end"),
          ),
          said,
        }),
      );
  }

  /** Shown text stays on the screen; the turn's further words stand below it. */
  private beginAnew(turn: string): void {
    const wasWritten = this.written.has(turn);
    this.forget(turn);
    if (!wasWritten || !this.isMidLine) return;
    process.stdout.write("\n");
    this.isMidLine = false;
  }

  private forget(turn: string): void {
    this.arrived.delete(turn);
    this.written.delete(turn);
    this.renderings.delete(turn);
  }

  private write(turn: string, text: string): void {
    this.arrived.set(turn, (this.arrived.get(turn) ?? "") + text);
    this.catchUp();
  }

  /** Puts out what has arrived and was held back, unless the user is typing. */
  private catchUp(): void {
    if (this.terminal !== null && this.terminal.line !== "") return;
    for (const [turn, whole] of this.arrived) this.putOut(turn, whole);
  }

  private putOut(turn: string, whole: string): void {
    const rest = whole.slice((this.written.get(turn) ?? "").length);
    if (rest === "") return;
    const rendering = this.renderings.get(turn) ?? this.rendering();
    this.renderings.set(turn, rendering);
    const out = rendering.write(rest);
    this.written.set(turn, whole);
    if (out === "") return;
    this.erase();
    process.stdout.write(out);
    this.isMidLine = true;
  }

  /** In a pipe Markdown stays what it is. */
  private rendering(): Pick<TerminalMarkdown, "write" | "end"> {
    return this.terminal === null ? { write: (text: string) => text, end: () => "" } : new TerminalMarkdown();
  }

  /** Puts a line above the prompt and what is typed so far. */
  private line(text: string): void {
    const wasPrompting = this.isPrompting;
    if (this.isMidLine) process.stdout.write("\n");
    else this.erase();
    this.isMidLine = false;
    process.stdout.write(`${text}\n`);
    if (wasPrompting && this.terminal !== null) this.showPrompt(this.terminal);
    else this.prompt();
  }

  private makeRoom(): void {
    if (this.isClosed || this.isPrompting) return;
    if (this.isMidLine) process.stdout.write("\n");
    this.isMidLine = false;
    if (this.terminal !== null) this.showPrompt(this.terminal);
  }

  /** The last row, while nothing else is there. */
  private tell(): void {
    if (this.terminal === null || this.isClosed || this.waiting === 0) return;
    this.catchUp();
    if (this.isMidLine || this.isPrompting) return;
    this.erase();
    const tookSec = Math.floor((performance.now() - this.doingSinceMs) / 1_000);
    const text = `… ${this.doing}${tookSec > 0 ? `, ${durationIn(tookSec)}` : ""}  ${t("(Ctrl-C ends it)")}`;
    // A row that is full would end in the next.
    process.stdout.write(styled("dim", clipped(text, terminalColumns() - 1)));
    this.isTelling = true;
  }

  private untell(): void {
    clearInterval(this.teller);
    this.teller = undefined;
    this.doing = "";
    if (this.isTelling) this.erase();
  }

  /** Clears the prompt with what is typed, or what the last row says. */
  private erase(): void {
    if (this.isPrompting && this.terminal !== null) moveCursor(process.stdout, 0, -this.terminal.getCursorPos().rows);
    if (this.isPrompting || this.isTelling) {
      cursorTo(process.stdout, 0);
      clearScreenDown(process.stdout);
    }
    this.isPrompting = false;
    this.isTelling = false;
  }
}

function waysToAnswer({ options, isChoice }: QuestionView): string {
  if (isChoice) return t("a number, y for 1 or n for {last}; an empty line puts it aside", { last: options.length });
  if (options.length > 0) return t("a number, or your own words; an empty line puts it aside");
  return t("your own words; an empty line puts it aside");
}

/** A message from before: what was said by whom, and not all of what is long. */
function earlierText({ role, text, notification }: ChatMessage): string {
  if (role === "user") return styled("dim", `${PROMPT}${plainLine(text)}`);
  const lines = (role === "system" || notification !== undefined ? plainText(text) : terminalMarkdown(text)).split(
    "\n",
  );
  const shown = lines.slice(0, EARLIER_LINES_MAX).join("\n");
  return lines.length > EARLIER_LINES_MAX ? `${shown}\n${styled("dim", "…")}` : shown;
}

/** A steering message is news again when it has been passed on to another task. */
function stageOf({ id, pending, meanwhile, toTaskId = "" }: ChatMessage): string {
  return pending === true && meanwhile === true ? `${id} ${toTaskId}` : id;
}
