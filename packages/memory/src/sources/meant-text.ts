/** A line as a model or a user gives it: with the bullet, the quotes, the source and the cut with which they were shown it. */

const BULLET = /^(?:[-*+•]|\d+[.)])\s+(?:\[[ xX]\]\s+)?|^\[[ xX]\]\s+/;
/** `[memory.md] ` before a line, as prompts show it. */
const SOURCE = /^\[([^\]\s]+\.md)\]\s+/;
/** `[history 2026-11-22] user: ` before a message, as prompts show it. */
const SAID = /^\[history [\d-]+\]\s+(?:(?:user|assistant|system):\s+)?/;
/** Where a search, or a prompt, has cut a long text. */
const CUT = /^…\s*|…\s*\[truncated\]$|(?<!\s)\s*\[… \d+ characters left out …\][\s\S]*$/g;
const QUOTES = ['""', "''", "“”", "‘’", "„“", "«»", "「」", "『』", "``"];

interface MeantText {
  text: string;
  /** The document that is named before it. */
  document?: string;
}

/** The texts that may be meant, from the line as it is to what is left without all that is shown around it. */
export function meantTexts(line: string): MeantText[] {
  const texts: MeantText[] = [{ text: line.trim() }];
  for (let last = texts[0]; last !== undefined; last = texts.at(-1)) {
    const next = withoutOne(last);
    if (next.text === last.text || next.text === "") break;
    texts.push(next);
  }
  return texts;
}

/** Was the line shown with a part left out? */
export function isShownCut(line: string): boolean {
  return line.search(CUT) >= 0;
}

/** Without the outermost of what is around it. */
function withoutOne({ text, document }: MeantText): MeantText {
  const [source, named = document] = SOURCE.exec(text) ?? [];
  const kept = named === undefined ? {} : { document: named };
  if (source !== undefined) return { text: text.slice(source.length), ...kept };
  const before = BULLET.exec(text)?.[0] ?? SAID.exec(text)?.[0] ?? "";
  if (before !== "") return { text: text.slice(before.length).trim(), ...kept };
  const whole = text.replaceAll(CUT, "").trim();
  if (whole !== text) return { text: whole, ...kept };
  const isQuoted = QUOTES.some(
    (pair) => text.length > 1 && text.startsWith(pair.charAt(0)) && text.endsWith(pair.charAt(1)),
  );
  return { text: isQuoted ? text.slice(1, -1).trim() : text, ...kept };
}
