/**
 * Decides how much of an answer is shown while it streams. Thoughts at the beginning are left out, and text that may be a
 * call is held back until the answer is complete.
 */
import { marksOutsideCode } from "../conclusion/outside-code.ts";

/**
 * The marks of thoughts that a server leaves in the text: DeepSeek and Qwen; several small models; Magistral; Seed; Kimi;
 * gpt-oss. An empty `close` is a frame around speech.
 */
const THOUGHT_MARKS = [
  { open: "<think>", close: "</think>" },
  { open: "<thinking>", close: "</thinking>" },
  { open: "<thought>", close: "</thought>" },
  { open: "[THINK]", close: "[/THINK]" },
  { open: "<seed:think>", close: "</seed:think>" },
  { open: "◁think▷", close: "◁/think▷" },
  { open: "<|channel|>analysis<|message|>", close: "<|end|>" },
  { open: "<|start|>assistant", close: "" },
  { open: "<|channel|>final<|message|>", close: "" },
  { open: "<|channel|>commentary<|message|>", close: "" },
] as const;
const THOUGHT_MARK = /<\/?(?:think(?:ing)?|thought|seed:think)>|\[\/?THINK\]|◁\/?think▷/g;
/** Tokens of chat templates that a server leaves at the end of the text. */
const END_TOKENS = [
  "<|return|>",
  "<|call|>",
  "<|end|>",
  "<|im_end|>",
  "<|eot_id|>",
  "<|eom_id|>",
  "<|start|>assistant",
] as const;
const CLOSE_CHARS_MAX = Math.max(...THOUGHT_MARKS.map(({ close }) => close.length));
/** Searches of one streamed answer for a closing mark without an opening one. */
const STRAY_SEARCHES_MAX = 16;

/**
 * Splits off the thoughts at the beginning of `text`. `unended` is a thought without an end; nothing is said then. If the
 * model's chat template contains the opening mark, the text has only the closing one.
 */
export function splitThoughts(text: string): { said: string; unended?: string } {
  let rest = text.trimStart();
  for (;;) {
    const mark = THOUGHT_MARKS.find(({ open }) => rest.startsWith(open));
    const end = mark === undefined ? strayEnd(rest) : endOf(mark, rest);
    if (end < 0 && mark !== undefined) return { said: "", unended: rest.slice(mark.open.length).trim() };
    if (end < 0) return { said: withoutEndTokens(rest) };
    rest = rest.slice(end).trimStart();
  }
}

/** `text` without template tokens at its end. */
export function withoutEndTokens(text: string): string {
  for (let rest = text; ; ) {
    const trimmed = rest.trimEnd();
    const token = END_TOKENS.find((each) => trimmed.endsWith(each));
    if (token === undefined) return rest;
    rest = trimmed.slice(0, -token.length);
  }
}

/** The index after the closing mark, or -1. */
function endOf({ open, close }: (typeof THOUGHT_MARKS)[number], text: string): number {
  const at = text.indexOf(close, open.length);
  return at < 0 ? -1 : at + close.length;
}

/** The index after the first closing mark without an opening one, or -1. Marks in code, quotations and prose do not count. */
function strayEnd(text: string): number {
  const open = new Set<string>();
  for (const { at, mark, last, isGlued } of marksOutsideCode(text, THOUGHT_MARK)) {
    const opening = mark.replace("/", "");
    if (opening === mark) open.add(mark);
    else if (!open.delete(opening) && (last === "" || (isGlued && /[\p{L}\p{N}.!?。！？…]/u.test(last))))
      return at + mark.length;
  }
  return -1;
}

/** The beginning of a message that may be nothing but a call in JSON, and a text that may become one. */
const BARE_CALL = /^(?:```[a-z_]{0,12}\s*)?(?:\[\s*)?\{/;
const PERHAPS_BARE_CALL = /^(?:`{0,2}|```[a-z_]{0,12}\s*)(?:\[\s*)?$/;

/** The text to show after a piece. `isWithdrawn`: everything shown before it was a thought. */
export interface Shown {
  text: string;
  isWithdrawn: boolean;
}

export class ShownText {
  private readonly callMarks: readonly string[];
  private stage: "beginning" | "thinking" | "speaking" | "holding" = "beginning";
  /** The closing mark of the current thought. */
  private close = "";
  /** The text that came and was not shown yet. */
  private pending = "";
  /** Everything after the thoughts. */
  private spoken = "";
  private searches = 0;
  private chars = 0;

  /** @param callMarks the beginnings of calls in the text; empty if there are none. */
  constructor(callMarks: readonly string[]) {
    this.callMarks = callMarks;
  }

  /** Takes a piece of the answer. White space waits for what comes after it. */
  add(piece: string): Shown {
    const shownBefore = this.chars;
    this.pending += piece;
    const isSpeaking = this.stage === "speaking" || this.stage === "holding";
    if (isSpeaking) this.spoken += piece;
    const isWithdrawn = isSpeaking && this.leaveThought(piece.length) && shownBefore > 0;
    return { text: this.advance(), isWithdrawn };
  }

  /** The part of the complete text that has not been shown yet. */
  rest(text: string): string {
    return text.slice(this.chars);
  }

  private advance(): string {
    for (;;) {
      if (this.stage === "thinking") {
        const end = this.pending.indexOf(this.close);
        this.pending = this.pending.slice(end < 0 ? 1 - this.close.length : end + this.close.length);
        if (end < 0) return "";
        this.stage = "beginning";
      }
      if (this.stage !== "beginning") return this.stage === "holding" ? "" : this.show(this.showable());
      this.pending = this.pending.trimStart();
      if (THOUGHT_MARKS.some(({ open }) => open.startsWith(this.pending))) return "";
      const mark = THOUGHT_MARKS.find(({ open }) => this.pending.startsWith(open));
      if (mark !== undefined) {
        this.stage = "thinking";
        this.close = mark.close;
        this.pending = this.pending.slice(mark.open.length);
      } else {
        this.stage = "speaking";
        this.spoken = this.pending;
        this.leaveThought(this.pending.length);
      }
    }
  }

  /** Starts over after a thought that looked like speech. @param length of the newest piece. */
  private leaveThought(length: number): boolean {
    const from = Math.max(0, this.spoken.length - length - CLOSE_CHARS_MAX);
    if (!THOUGHT_MARKS.some(({ close }) => close !== "" && this.spoken.includes(close, from))) return false;
    if (this.searches++ >= STRAY_SEARCHES_MAX) return false;
    const end = strayEnd(this.spoken);
    if (end < 0) return false;
    this.pending = this.spoken.slice(end);
    this.stage = "beginning";
    this.chars = 0;
    return true;
  }

  private showable(): number {
    const { pending } = this;
    const mayCall = this.callMarks.length > 0;
    const marks = [...this.callMarks, ...END_TOKENS];
    const isBare = mayCall && this.chars === 0 && BARE_CALL.test(pending);
    const places = marks.map((mark) => pending.indexOf(mark)).filter((at) => at >= 0);
    if (isBare || places.length > 0) {
      this.stage = "holding";
      return isBare ? 0 : Math.min(...places);
    }
    if (mayCall && this.chars === 0 && PERHAPS_BARE_CALL.test(pending)) return 0;
    const longest = Math.min(pending.length, Math.max(...marks.map(({ length }) => length)) - 1);
    for (let length = longest; length > 0; length--)
      if (marks.some((mark) => mark.startsWith(pending.slice(-length)))) return pending.length - length;
    return pending.length;
  }

  private show(end: number): string {
    const text = this.pending.slice(0, end).trimEnd();
    this.pending = this.pending.slice(text.length);
    this.chars += text.length;
    return text;
  }
}
