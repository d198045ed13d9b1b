/**
 * The part of an answer that may be shown while it arrives. A model's `<think>…</think>` at the beginning is not shown,
 * and action tags must not flash up: from a line on that begins like one, nothing is shown until it is known what it is.
 */

const THINK = "<think>";
const THINK_END = "</think>";

/** A text without the thoughts that it begins with; the last of them where it comes to no end: nothing is said then. */
export function splitThoughts(text: string): { said: string; unended?: string } {
  let rest = text.trimStart();
  while (rest.startsWith(THINK)) {
    const end = rest.indexOf(THINK_END);
    if (end < 0) return { said: "", unended: rest.slice(THINK.length).trim() };
    rest = rest.slice(end + THINK_END.length).trimStart();
  }
  return { said: rest };
}

export class ShownText {
  private readonly holdsTags: boolean;
  private stage: "beginning" | "thinking" | "speaking" | "holding" = "beginning";
  /** The text that came and was not shown yet. */
  private pending = "";
  private chars = 0;

  /** @param holdsTags whether a line that begins like a tag may be one. */
  constructor(holdsTags: boolean) {
    this.holdsTags = holdsTags;
  }

  /** Takes a piece of the answer; returns what may be shown now. White space waits for what comes after it. */
  add(piece: string): string {
    if (this.stage === "holding") return "";
    this.pending += piece;
    if (this.stage === "thinking") {
      const end = this.pending.indexOf(THINK_END);
      this.pending = this.pending.slice(end < 0 ? 1 - THINK_END.length : end + THINK_END.length);
      if (end < 0) return "";
      this.stage = "beginning";
    }
    if (this.stage === "beginning") {
      this.pending = this.pending.trimStart();
      if (THINK.startsWith(this.pending)) return "";
      const isThought = this.pending.startsWith(THINK);
      this.stage = isThought ? "thinking" : "speaking";
      if (isThought) {
        const rest = this.pending.slice(THINK.length);
        this.pending = "";
        return this.add(rest);
      }
    }
    return this.show(this.showable());
  }

  /** The part of the complete text that has not been shown yet. */
  rest(text: string): string {
    return text.slice(this.chars);
  }

  private showable(): number {
    if (!this.holdsTags) return this.pending.length;
    const isFirst = this.chars === 0;
    const tag = this.pending.search(isFirst ? /(?:^|\n)<M:/ : /\n<M:/);
    if (tag >= 0) this.stage = "holding";
    if (tag >= 0) return tag;
    const perhaps = this.pending.search(isFirst ? /(?:^|\n)<M?$/ : /\n<M?$/);
    return perhaps < 0 ? this.pending.length : perhaps;
  }

  private show(end: number): string {
    const text = this.pending.slice(0, end).trimEnd();
    this.pending = this.pending.slice(text.length);
    this.chars += text.length;
    return text;
  }
}
