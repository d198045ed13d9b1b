/**
 * What is on the terminal: each reply appears once, and nothing is ever written into the middle of what is being typed.
 * While a line is being typed, a reply that is being written is held back.
 */
import { clearLine, cursorTo, type Interface } from "node:readline";
import type { ChatMessage, QuestionView, ServerFrame } from "@mimikit/protocol/api";
import { OpenQuestions } from "./open-questions.ts";
import { plainLine, plainText, styled } from "./print.ts";
import { questionText } from "./question-text.ts";

const PROMPT = "› ";
const BELL = "\u0007";
const ANSWER_PROMPT = "answer › ";

export class Screen {
  /** How many answers are awaited; while there are any, the prompt appears only when somebody types. */
  waiting = 0;
  /** null in a pipe, where nobody types and nothing is prompted for. */
  private readonly terminal: Interface | null;
  /** Ids of the messages that are shown or were there before. */
  private readonly known = new Set<string>();
  private readonly titles = new Map<string, string>();
  /** The text of each turn as far as it has come, and as far as it is on the screen. */
  private readonly arrived = new Map<string, string>();
  private readonly written = new Map<string, string>();
  readonly questions = new OpenQuestions();
  /** The question that the prompt asks for. What is being typed stays what it was when its prompt was shown. */
  private prompted: QuestionView | null = null;
  private isMidLine = false;
  private isPrompting = false;
  private isClosed = false;

  constructor(terminal: Interface | null) {
    this.terminal = terminal;
    terminal?.once("close", () => {
      this.isClosed = true;
    });
    // Before the terminal shows what was typed, there must be a line of its own for it.
    if (terminal !== null) process.stdin.prependListener("keypress", () => this.makeRoom());
  }

  /** Notes a message that need not be shown. */
  know(message: ChatMessage): void {
    this.known.add(stageOf(message));
  }

  show(frame: ServerFrame): void {
    this.showMessages(frame);
    const { asked, over } = this.questions.hear(frame);
    for (const question of asked) this.line(this.textOf(question));
    for (const { question } of over) this.note(`no longer asked: ${plainLine(question)}`);
  }

  private showMessages(frame: ServerFrame): void {
    switch (frame.type) {
      case "snapshot":
        for (const { id, title } of frame.tasks) this.titles.set(id, title);
        for (const message of frame.messages) this.message(message);
        return;
      case "task":
        this.titles.set(frame.data.id, frame.data.title);
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
    this.written.delete(turn);
    this.arrived.delete(turn);
    const goesOn = soFar !== "" && message.text.startsWith(soFar);
    const rest = plainText(goesOn ? message.text.slice(soFar.length) : message.text);
    if (goesOn && this.isMidLine) {
      process.stdout.write(`${rest}\n`);
      this.isMidLine = false;
      this.prompt();
    } else if (rest !== "") this.line(rest);
  }

  note(text: string, colour: "dim" | "red" = "dim"): void {
    this.line(styled(colour, text));
  }

  /** Asks for a line, unless an answer is awaited and nothing was typed. */
  prompt(): void {
    if (this.terminal === null || this.isClosed || this.isMidLine) return;
    if (this.waiting > 0 && this.terminal.line === "" && this.questions.current === null) return;
    this.showPrompt(this.terminal);
  }

  /** What was typed has been entered. @returns the question that it answers; null for a message. */
  lineEnded(): QuestionView | null {
    const question = this.prompted;
    this.isPrompting = false;
    this.prompted = null;
    return question;
  }

  private showPrompt(terminal: Interface): void {
    if (terminal.line === "") this.prompted = this.questions.current;
    terminal.setPrompt(this.prompted === null ? PROMPT : ANSWER_PROMPT);
    this.isPrompting = true;
    terminal.prompt(true);
  }

  private textOf(question: QuestionView): string {
    const how =
      this.terminal === null
        ? `mimikit questions answer ${plainLine(question.id)} <answer>`
        : `${question.options.length > 0 ? "a number, or your own words" : "your own words"}; an empty line puts it aside`;
    return `${styled("yellow", "?")} ${questionText(question, Date.now())}\n${styled("dim", `  ${how}`)}`;
  }

  private message(message: ChatMessage): void {
    if (message.notification !== undefined) this.notify(message);
    else if (message.role !== "user") this.reply(message);
    else if (!this.known.has(stageOf(message))) {
      this.know(message);
      this.noteWay(message);
    }
  }

  /** Rings the bell, where somebody may sit at another window. */
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
    if (replaces !== undefined) this.note(`nothing heard it any more, so it is a message now: ${said}`);
    else if (meanwhile === true && toTaskId !== undefined)
      this.note(`passed on to ${plainLine(this.titles.get(toTaskId) ?? "the reply that is being written")}: ${said}`);
  }

  /** What is on the screen stays there; what the turn says from now on stands below it. */
  private beginAnew(turn: string): void {
    this.arrived.delete(turn);
    if (!this.written.delete(turn) || !this.isMidLine) return;
    process.stdout.write("\n");
    this.isMidLine = false;
  }

  private write(turn: string, text: string): void {
    const whole = (this.arrived.get(turn) ?? "") + text;
    this.arrived.set(turn, whole);
    if (this.terminal !== null && this.terminal.line !== "") return;
    this.erasePrompt();
    process.stdout.write(plainText(whole.slice((this.written.get(turn) ?? "").length)));
    this.written.set(turn, whole);
    this.isMidLine = true;
  }

  /** Puts a line above the prompt and what is typed so far. */
  private line(text: string): void {
    const wasPrompting = this.isPrompting;
    if (this.isMidLine) process.stdout.write("\n");
    else this.erasePrompt();
    this.isMidLine = false;
    process.stdout.write(`${text}\n`);
    if (wasPrompting || this.waiting === 0) this.prompt();
  }

  private makeRoom(): void {
    if (this.isClosed || this.isPrompting) return;
    if (this.isMidLine) process.stdout.write("\n");
    this.isMidLine = false;
    if (this.terminal !== null) this.showPrompt(this.terminal);
  }

  private erasePrompt(): void {
    if (!this.isPrompting) return;
    cursorTo(process.stdout, 0);
    clearLine(process.stdout, 0);
    this.isPrompting = false;
  }
}

/** What was said meanwhile is news again when it has gone on to somebody else. */
function stageOf({ id, pending, meanwhile, toTaskId = "" }: ChatMessage): string {
  return pending === true && meanwhile === true ? `${id} ${toTaskId}` : id;
}
