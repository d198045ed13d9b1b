/**
 * Prepares terminal input for the line editor: a paste stays one message, however many lines it has.
 * A sign stands for each line break until the line is sent; Alt-Enter types one.
 */
import { Transform, type TransformCallback } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { ATTACHMENT_BYTES_MAX } from "@mimikit/protocol/base/attachment";
import { t } from "../i18n/language.ts";
import { screenText } from "../io/print.ts";
import { QUOTED_CHARS_MAX } from "./text-argument.ts";

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
/** Stands for a tab in a line, where a tab itself would complete it. */
const TAB = "␉";
/** A longer paste is collapsed. */
const SHOWN_CHARS_MAX = 1_000;
const SHOWN_LINES_MAX = 10;
/** One more than a file may have bytes: a longer paste is refused, and not cut. */
const PASTE_CHARS_MAX = ATTACHMENT_BYTES_MAX + 1;
/** The rest of a paste comes within this time, or its end was lost. */
const PASTE_SILENCE_MS = 1_000;

/** The text that the signs in a line stand for. */
export function withBreaks(line: string): string {
  return line.replaceAll(BREAK, "\n").replaceAll(TAB, "\t");
}

export class TypedInput extends Transform {
  private readonly terminal: NodeJS.ReadStream;
  private readonly screen: NodeJS.WriteStream;
  private readonly decoder = new StringDecoder("utf8");
  readonly pastes = new Pastes();
  private silence: NodeJS.Timeout | undefined;

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
    clearTimeout(this.silence);
    this.terminal.unpipe(this);
    this.terminal.pause();
    this.screen.write(LEAVE_PASTES);
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const typed = this.pastes.typedOf(this.decoder.write(chunk));
    clearTimeout(this.silence);
    if (this.pastes.isUnderWay) this.silence = setTimeout(() => this.push(this.pastes.loseEnd()), PASTE_SILENCE_MS);
    if (typed === "") done();
    else done(null, typed);
  }
}

/** A long paste stands in the line as a few words, and is sent whole. */
interface CollapsedPaste {
  /** These stand for it. */
  words: string;
  text: string;
}

export interface TypedText {
  text: string;
  /** Pastes that are too long for a message, named in the text with their endings. */
  files: { name: string; bytes: Buffer }[];
}

/** Finds what is pasted in what a terminal sends, wherever that is cut. */
export class Pastes {
  private isPasted = false;
  private isEndLost = false;
  /** The paste that has begun, as far as it has come. */
  private pasted = "";
  /** Collapsed pastes, oldest first. */
  private readonly collapsed: CollapsedPaste[] = [];
  /** The end of what has come that may be the beginning of a mark. */
  private held = "";

  /** Is a paste under way of which nothing is shown yet? */
  get isUnderWay(): boolean {
    return this.pasted !== "";
  }

  /** @returns the keys that were typed: of what was pasted, its text on one line, or the words that stand for it. */
  typedOf(sent: string): string {
    let out = "";
    // Input after a silence still counts as pasted, except a leaving key on its own.
    if (this.isPasted && this.isEndLost && LEAVING_KEYS.has(sent)) {
      this.isPasted = false;
      this.held = "";
    }
    let rest = this.held + sent;
    for (;;) {
      const mark = this.isPasted ? PASTE_END : PASTE_BEGIN;
      const at = rest.indexOf(mark);
      if (at < 0) break;
      out += this.take(rest.slice(0, at));
      if (this.isPasted) out += this.endPaste();
      this.isEndLost = false;
      rest = rest.slice(at + mark.length);
      this.isPasted = !this.isPasted;
    }
    const held = this.isPasted ? heldPaste(rest) : heldKeys(rest);
    this.held = rest.slice(rest.length - held);
    return out + this.take(rest.slice(0, rest.length - held));
  }

  /** The end of a paste does not come. @returns what is typed of it so far; the rest is pasted as well. */
  loseEnd(): string {
    this.isEndLost = true;
    return this.endPaste();
  }

  private endPaste(): string {
    const text = this.pasted.replace(/\r\n?/g, "\n");
    this.pasted = "";
    if (!isLong(text)) return asOneLine(text);
    const words = wordsFor(this.collapsed.length + 1, text);
    this.collapsed.push({ words, text });
    return words;
  }

  /** The text with each collapsed paste in the place of its words. */
  expanded(text: string): string {
    return this.replaced(text, (paste) => paste.text);
  }

  /** The same where files may go along: a paste that would make the text too long is one. */
  message(text: string): TypedText {
    const whole = this.expanded(text);
    if (whole.length <= QUOTED_CHARS_MAX) return { text: whole, files: [] };
    const files = new Map<string, Buffer>();
    const said = this.replaced(text, (paste) => {
      const name = `paste-${this.collapsed.indexOf(paste) + 1}`;
      files.set(name, Buffer.from(paste.text));
      return `[${name}.txt]`;
    });
    return { text: said, files: [...files].map(([name, bytes]) => ({ name, bytes })) };
  }

  /** Nothing in a paste is taken for the words of another. */
  private replaced(text: string, by: (paste: CollapsedPaste) => string): string {
    let parts: (string | CollapsedPaste)[] = [text];
    for (const paste of this.collapsed)
      parts = parts.flatMap((part) =>
        typeof part === "string"
          ? part.split(paste.words).flatMap((piece, i) => (i === 0 ? [piece] : [paste, piece]))
          : [part],
      );
    return parts.map((part) => (typeof part === "string" ? part : by(part))).join("");
  }

  /** Does the line stand for more than it says? Once this chat is over, nobody knows for what. */
  isCollapsed(line: string): boolean {
    return this.collapsed.some(({ words }) => line.includes(words));
  }

  private take(text: string): string {
    if (!this.isPasted) return text.replaceAll("\u001b\r", BREAK).replaceAll("\u001b\n", BREAK);
    this.pasted += text.slice(0, PASTE_CHARS_MAX - this.pasted.length);
    return "";
  }
}

function isLong(text: string): boolean {
  return text.length > SHOWN_CHARS_MAX || text.split("\n", SHOWN_LINES_MAX + 1).length > SHOWN_LINES_MAX;
}

function wordsFor(number: number, text: string): string {
  const counts = { number, lines: text.replace(/\n$/, "").split("\n").length, characters: text.length };
  return t("[paste {number}: {lines} lines, {characters} characters]", counts);
}

/** Nothing of what is pasted is a key: it may come from anywhere. */
function asOneLine(text: string): string {
  const signs = text.replaceAll("\n", BREAK).replaceAll("\t", TAB);
  return screenText(signs);
}

/** How much of the end may begin the mark. */
function heldPaste(text: string): number {
  for (let length = Math.min(PASTE_END.length - 1, text.length); length > 0; length--)
    if (text.endsWith(PASTE_END.slice(0, length))) return length;
  return 0;
}

/** Escape alone is a key; what a terminal sends for other keys comes whole, and does not begin like this. */
function heldKeys(text: string): number {
  for (let length = PASTE_BEGIN.length - 1; length >= KEYS_APART; length--)
    if (text.endsWith(PASTE_BEGIN.slice(0, length))) return length;
  return 0;
}
