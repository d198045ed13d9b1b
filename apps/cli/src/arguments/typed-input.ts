/**
 * Prepares terminal input for the line editor: a paste stays one message, however many lines it has.
 * A sign stands for each line break until the line is sent; Alt-Enter types one.
 */
import { Transform, type TransformCallback } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { MESSAGE_CHARS_MAX } from "@mimikit/protocol/base/fields";
import { plainText } from "../io/print.ts";

const PASTE_BEGIN = "\u001b[200~";
/** So much of it is the beginning of no key that there is. */
const KEYS_APART = "\u001b[2".length;
const PASTE_END = "\u001b[201~";
/** Terminals are asked to mark what is pasted, and no longer to. */
const MARK_PASTES = "\u001b[?2004h";
const LEAVE_PASTES = "\u001b[?2004l";
/** Ctrl-C and Ctrl-D, sent alone. */
const LEAVING_KEYS: ReadonlySet<string> = new Set(["\u0003", "\u0004"]);
/** Stands for a line break in a line. */
const BREAK = "␤";

/** The text that a line stands for. */
export function withBreaks(line: string): string {
  return line.replaceAll(BREAK, "\n");
}

export class TypedInput extends Transform {
  private readonly terminal: NodeJS.ReadStream;
  private readonly screen: NodeJS.WriteStream;
  private readonly decoder = new StringDecoder("utf8");
  private readonly pastes = new Pastes();

  constructor(terminal: NodeJS.ReadStream, screen: NodeJS.WriteStream) {
    super();
    this.terminal = terminal;
    this.screen = screen;
    terminal.pipe(this);
    screen.write(MARK_PASTES);
  }

  /** The line editor asks for single keys. */
  setRawMode(isRaw: boolean): this {
    this.terminal.setRawMode(isRaw);
    return this;
  }

  /** Lets go of the terminal, as it was before. */
  leave(): void {
    this.terminal.unpipe(this);
    this.terminal.pause();
    this.screen.write(LEAVE_PASTES);
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const typed = this.pastes.typedOf(this.decoder.write(chunk));
    if (typed === "") done();
    else done(null, typed);
  }
}

/** Finds what is pasted in what a terminal sends, wherever that is cut. */
export class Pastes {
  private isPasted = false;
  /** How many more characters of the paste are taken: a longer message could not be sent. */
  private room = MESSAGE_CHARS_MAX;
  /** The end of what has come that may be the beginning of a mark. */
  private held = "";

  /** @returns the keys that were typed: of what was pasted, its text on one line. */
  typedOf(sent: string): string {
    let out = "";
    // The end of a paste may have been lost. Input past the bound still counts as pasted, except a leaving key on its own.
    if (this.isPasted && this.room === 0 && LEAVING_KEYS.has(sent)) {
      this.isPasted = false;
      this.held = "";
    }
    let rest = this.held + sent;
    for (;;) {
      const mark = this.isPasted ? PASTE_END : PASTE_BEGIN;
      const at = rest.indexOf(mark);
      if (at < 0) break;
      out += this.asTyped(rest.slice(0, at));
      rest = rest.slice(at + mark.length);
      this.isPasted = !this.isPasted;
      this.room = MESSAGE_CHARS_MAX;
    }
    const held = this.isPasted ? heldPaste(rest) : heldKeys(rest);
    this.held = rest.slice(rest.length - held);
    return out + this.asTyped(rest.slice(0, rest.length - held));
  }

  private asTyped(text: string): string {
    if (!this.isPasted) return text.replaceAll("\u001b\r", BREAK).replaceAll("\u001b\n", BREAK);
    const taken = [...asOneLine(text)].slice(0, this.room);
    this.room -= taken.length;
    return taken.join("");
  }
}

/** Nothing of what is pasted is a key: it may come from anywhere. */
function asOneLine(text: string): string {
  return plainText(text.replace(/\r\n?/g, "\n")).replaceAll("\n", BREAK);
}

/** How much of the end may begin the mark, or a line break that goes on. */
function heldPaste(text: string): number {
  for (let length = Math.min(PASTE_END.length - 1, text.length); length > 0; length--)
    if (text.endsWith(PASTE_END.slice(0, length))) return length;
  return text.endsWith("\r") ? 1 : 0;
}

/** Escape alone is a key; what a terminal sends for other keys comes whole, and does not begin like this. */
function heldKeys(text: string): number {
  for (let length = PASTE_BEGIN.length - 1; length >= KEYS_APART; length--)
    if (text.endsWith(PASTE_BEGIN.slice(0, length))) return length;
  return 0;
}
