const START = "<!--";
const END = "-->";

/** The text without its HTML comments. One that is not closed stays. Takes linear time. */
export function withoutComments(text: string): string {
  const kept: string[] = [];
  for (let from = 0; ; ) {
    const start = text.indexOf(START, from);
    const end = start < 0 ? -1 : text.indexOf(END, start + START.length);
    kept.push(text.slice(from, end < 0 ? undefined : start));
    if (end < 0) return kept.join("");
    from = end + END.length;
  }
}
