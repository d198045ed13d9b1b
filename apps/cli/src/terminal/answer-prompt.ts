/**
 * Asks for the answers to questions while a command waits: one question after the other, each answered in a line. Keys
 * typed before a question was shown never answer it.
 */
import { clearScreenDown, createInterface, cursorTo, type Interface, moveCursor } from "node:readline";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { QuestionView } from "@mimikit/protocol/wire/api";
import { TypedInput, withBreaks } from "../arguments/typed-input.ts";
import { t } from "../i18n/language.ts";
import { ask } from "../instance/write-command.ts";
import { reasonOf } from "../io/failure.ts";
import { currentPlace } from "../io/place.ts";
import { plainLine, printLine, styled } from "../io/print.ts";
import { ANSWER_PROMPT, answerMeant, promptedText } from "./question-text.ts";

/** Turns of the event loop until what a terminal holds has come: in one of them it begins to be read, in the next it is. */
const TURNS_TO_READ = 3;

/** How a prompt ended without a line: nothing is asked any more, or the user leaves. */
type End = "withdrawn" | "left";

export class AnswerPrompt {
  /** The oldest first, which is the one at the prompt. */
  private readonly open: QuestionView[] = [];
  /** null while no line can be typed. */
  private terminal: Interface | null = null;
  private endRead: (end: End) => void = () => undefined;
  private isSending = false;
  private isClosed = false;
  private isAsking = false;
  /** Settles when no question is open any more. */
  private asking: Promise<void> = Promise.resolve();
  private readonly leave = new AbortController();
  /** The question that the user left open with Ctrl-C or Ctrl-D. */
  left: QuestionView | null = null;

  /** Is there a user who sees a question and can type? */
  static isPossible(): boolean {
    return process.stdin.isTTY === true && process.stdin.readable && process.stdout.isTTY === true;
  }

  /** Aborted when the user leaves, and when the terminal fails. */
  get leaving(): AbortSignal {
    return this.leave.signal;
  }

  ask(question: QuestionView): void {
    this.open.push(question);
    if (this.isAsking || this.isClosed) return;
    this.isAsking = true;
    this.asking = this.askAll();
    // `close` throws it.
    this.asking.catch(() => this.leave.abort());
  }

  /** Asks it no longer. */
  withdraw(id: string): void {
    const at = this.open.findIndex((each) => each.id === id);
    const [question] = at < 0 ? [] : this.open.splice(at, 1);
    if (question === undefined || at > 0 || this.isSending) return;
    this.end("withdrawn");
    printLine(styled("dim", t("no longer asked: {question}", { question: plainLine(question.question) })));
  }

  /** Prints above the line that is being typed. */
  above(print: () => void): void {
    const { terminal } = this;
    const rows = terminal === null ? 0 : erase(terminal).rows;
    print();
    if (terminal === null) return;
    // The line editor believes that its cursor is so far down.
    process.stdout.write("\n".repeat(rows));
    terminal.prompt(true);
  }

  /** Leaves the terminal as it was. @throws what went wrong at it. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.end("withdrawn");
    await this.asking;
  }

  private async askAll(): Promise<void> {
    for (let asked = this.open[0]; asked !== undefined && !this.isClosed; asked = this.open[0]) {
      // Keys echoed on this row answer nothing.
      clearRow();
      printLine(promptedText(asked, Date.now(), waysToAnswer(asked)));
      while (this.isAsked(asked)) await this.askFor(asked);
    }
    this.isAsking = false;
  }

  private isAsked(question: QuestionView): boolean {
    return !this.isClosed && this.open.includes(question);
  }

  /** Sends what is typed, if it is an answer. */
  private async askFor(question: QuestionView): Promise<void> {
    const typed = await this.read(question);
    if (typed === "withdrawn") return;
    if (typed === "left") {
      process.stdout.write("\n");
      this.left = question;
      this.isClosed = true;
      this.leave.abort();
    } else if (typed.line.trim() !== "") await this.send(question, typed.line);
  }

  private async send(question: QuestionView, typed: string): Promise<void> {
    this.isSending = true;
    try {
      const answer = answerMeant(question, typed);
      const { outcome } = await ask(currentPlace().home, { kind: "answer", questionId: question.id, answer });
      const at = this.open.indexOf(question);
      if (at >= 0) this.open.splice(at, 1);
      const meant = plainLine(answer);
      printLine(
        styled(
          "dim",
          `✓ ${outcome === null ? t("{meant} (queued; it is applied when Mimikit runs)", { meant }) : meant}`,
        ),
      );
    } catch (error) {
      printLine(styled("red", reasonOf(error)));
    } finally {
      this.isSending = false;
    }
  }

  private async read(question: QuestionView): Promise<{ line: string } | End> {
    const input = new TypedInput(process.stdin, process.stdout);
    input.setRawMode(true);
    let terminal: Interface | undefined;
    try {
      await dropTyped(input);
      if (!this.isAsked(question)) return "withdrawn";
      terminal = createInterface({
        input,
        output: process.stdout,
        terminal: true,
        prompt: ANSWER_PROMPT,
        historySize: 0,
      });
      return await this.lineOf(terminal, input);
    } finally {
      this.terminal = null;
      terminal?.close();
      input.setRawMode(false);
      input.leave();
    }
  }

  private async lineOf(terminal: Interface, { pastes }: TypedInput): Promise<{ line: string } | End> {
    const { promise, resolve } = Promise.withResolvers<{ line: string } | End>();
    terminal.once("line", (line) => {
      this.terminal = null;
      resolve({ line: pastes.expanded(withBreaks(line)) });
    });
    terminal.once("SIGINT", () => this.endRead("left"));
    // Ctrl-D, or the terminal is gone.
    terminal.once("close", () => this.endRead("left"));
    terminal.on("SIGCONT", () => terminal.prompt(true));
    this.endRead = resolve;
    this.terminal = terminal;
    terminal.prompt();
    return promise;
  }

  /** Ends the line that is being typed, if one is. */
  private end(end: End): void {
    if (this.terminal !== null) erase(this.terminal);
    this.terminal = null;
    this.endRead(end);
  }
}

function waysToAnswer({ options, isChoice }: QuestionView): string {
  if (isChoice) return t("a number, y for 1 or n for {last}; Ctrl-C leaves it open", { last: options.length });
  if (options.length > 0) return t("a number, or your own words; Ctrl-C leaves it open");
  return t("your own words; Ctrl-C leaves it open");
}

/** Drops what was typed before now. */
async function dropTyped(input: TypedInput): Promise<void> {
  let hasCome = true;
  const note = () => {
    hasCome = true;
  };
  input.on("data", note);
  while (hasCome) {
    hasCome = false;
    for (let turn = 0; turn < TURNS_TO_READ; turn++) await nextTurn();
  }
  input.off("data", note);
}

/** Clears the prompt with what is typed. @returns where the cursor was in it. */
function erase(terminal: Interface): { rows: number } {
  const { rows } = terminal.getCursorPos();
  moveCursor(process.stdout, 0, -rows);
  clearRow();
  return { rows };
}

function clearRow(): void {
  cursorTo(process.stdout, 0);
  clearScreenDown(process.stdout);
}
