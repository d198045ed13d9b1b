/** A conversation in the terminal: replies appear as they are written, and work that goes on is reported when it ends. */
import { randomBytes } from "node:crypto";
import { clearLine, createInterface, cursorTo } from "node:readline";
import type { ChatMessage, ServerFrame } from "@mimikit/protocol/api";
import { awaitAnswer } from "../await-answer.ts";
import { connect } from "../client.ts";
import { command } from "../command.ts";
import { Failure, reasonOf } from "../failure.ts";
import { follow } from "../live.ts";
import { plainLine, plainText, styled } from "../print.ts";

const PROMPT = "› ";
const KEY_BYTES = 16;
/** How many earlier messages the arrow keys bring back. */
const HISTORY_MAX = 100;

export const chat = command({
  usage: "chat",
  summary: "talk with Mimikit in the terminal",
  examples: [
    ["mimikit chat", "Ctrl-C stops waiting, Ctrl-D leaves; what was asked goes on"],
    ["echo status | mimikit chat", "each line of the pipe is a message"],
  ],
  async run({ json }) {
    if (json) throw new Failure("usage", "chat is for people: programs use  mimikit ask --json");
    await converse();
  },
});

async function converse(): Promise<void> {
  const earlier = await connect().messages();
  const screen = new Screen();
  for (const message of earlier) screen.known.add(message.id);
  const said = earlier.flatMap((message) => (message.role === "user" ? [plainLine(message.text)] : []));
  const terminal = createInterface({
    input: process.stdin,
    output: process.stdout,
    terminal: process.stdin.isTTY === true && process.stdout.isTTY === true,
    prompt: process.stdin.isTTY ? PROMPT : "",
    history: said.slice(-HISTORY_MAX).reverse(),
    historySize: HISTORY_MAX,
  });
  const connection = follow((frame) => screen.show(frame));
  let waiting: AbortController | undefined;
  let leaving = false;
  let isOpen = true;
  terminal.on("close", () => {
    isOpen = false;
  });
  terminal.on("SIGINT", () => {
    if (waiting !== undefined) {
      waiting.abort();
      leaving = false;
    } else if (leaving) {
      terminal.close();
    } else {
      leaving = true;
      screen.note("Ctrl-C once more, or Ctrl-D, leaves");
    }
  });
  screen.redrawPrompt = () => {
    if (isOpen) terminal.prompt(true);
  };
  terminal.prompt();
  try {
    // The iterator keeps the lines that come while an answer is awaited; they are sent one after another.
    for await (const line of terminal) {
      leaving = false;
      if (line.trim() !== "") {
        waiting = new AbortController();
        screen.isWaiting = true;
        await converseOnce(line, screen, waiting.signal);
        screen.isWaiting = false;
        waiting = undefined;
      }
      screen.redrawPrompt();
    }
  } finally {
    terminal.close();
    connection.close();
  }
  if (process.stdin.isTTY) process.stdout.write("\n");
}

async function converseOnce(text: string, screen: Screen, signal: AbortSignal): Promise<void> {
  try {
    const listener = {
      onReply: (reply: ChatMessage) => screen.reply(reply),
      onTask: (task: { title: string; state: string }) => screen.note(`${task.state}: ${plainLine(task.title)}`),
      onProgress: (_taskId: string, step: string) => screen.note(plainLine(step)),
      // What is being written comes over the screen's own connection.
      onDelta: () => undefined,
    };
    const { state } = await awaitAnswer(text, randomBytes(KEY_BYTES).toString("hex"), listener, signal);
    if (state !== "complete") screen.note("it goes on; the answer appears here when it is ready");
  } catch (error) {
    // One message that failed does not end the conversation.
    screen.note(reasonOf(error), "red");
  }
}

/** What is on the terminal, so that each reply appears once and never in the middle of what is being typed. */
class Screen {
  /** Ids of the messages that are shown or were there before. */
  readonly known = new Set<string>();
  isWaiting = false;
  redrawPrompt: () => void = () => undefined;
  private readonly written = new Map<string, string>();
  private isMidLine = false;

  show(frame: ServerFrame): void {
    if (frame.type === "snapshot") for (const message of frame.messages) this.reply(message);
    else if (frame.type === "message") this.reply(frame.data);
    // A turn has no dot in its id; what workers write is told as progress.
    else if (frame.type === "delta" && this.isWaiting && !frame.taskId.includes("."))
      this.write(frame.taskId, frame.text);
  }

  reply(message: ChatMessage): void {
    if (message.role === "user" || this.known.has(message.id)) return;
    this.known.add(message.id);
    const turn = message.id.replace(/\.reply$/, "");
    const soFar = this.written.get(turn) ?? "";
    this.written.delete(turn);
    if (soFar !== "" && message.text.startsWith(soFar)) {
      process.stdout.write(`${plainText(message.text.slice(soFar.length))}\n`);
      this.isMidLine = false;
      if (!this.isWaiting) this.redrawPrompt();
    } else {
      this.line(plainText(message.text));
    }
  }

  note(text: string, colour: "dim" | "red" = "dim"): void {
    this.line(styled(colour, text));
  }

  private write(turn: string, text: string): void {
    this.written.set(turn, (this.written.get(turn) ?? "") + text);
    process.stdout.write(plainText(text));
    this.isMidLine = true;
  }

  /** Puts a line above the prompt and what is typed so far. */
  private line(text: string): void {
    if (this.isMidLine) process.stdout.write("\n");
    else if (!this.isWaiting && process.stdout.isTTY) {
      cursorTo(process.stdout, 0);
      clearLine(process.stdout, 0);
    }
    this.isMidLine = false;
    process.stdout.write(`${text}\n`);
    if (!this.isWaiting) this.redrawPrompt();
  }
}
