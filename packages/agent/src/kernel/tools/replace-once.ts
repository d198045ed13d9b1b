/** Replaces one place of a text. A line break is a line break: models write `\n` where a file of Windows has `\r\n`. */

/** How often `oldText` occurs matters to the caller: the text with its only place replaced, else "none" or "several". */
export function replaceOnce(text: string, oldText: string, newText: string): { text: string } | "none" | "several" {
  const plain = text.replaceAll("\r\n", "\n");
  const wanted = oldText.replaceAll("\r\n", "\n");
  const at = plain.indexOf(wanted);
  if (at < 0) return "none";
  if (plain.indexOf(wanted, at + 1) >= 0) return "several";
  const start = placeIn(text, at);
  const end = placeIn(text, at + wanted.length);
  const lineBreak = lineBreakAt(text, start);
  return { text: text.slice(0, start) + newText.replace(/\r?\n/g, lineBreak) + text.slice(end) };
}

/** The place in `text` that is at `index` when each `\r\n` counts as one character. */
function placeIn(text: string, index: number): number {
  let place = index;
  for (let at = text.indexOf("\r\n"); at >= 0 && at < place; at = text.indexOf("\r\n", at + 2)) place++;
  return place;
}

/** The line break that ends the line at `start`, else the one before it. */
function lineBreakAt(text: string, start: number): string {
  const next = text.indexOf("\n", start);
  const at = next >= 0 ? next : text.lastIndexOf("\n");
  return at > 0 && text[at - 1] === "\r" ? "\r\n" : "\n";
}
