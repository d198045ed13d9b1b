/** A longer line is no heading: it would be repeated before each unit that follows it. */
const HEADING_CHARS_MAX = 1_000;
const HEADING = /^(#{1,6})\s(.*)$/s;
const CLOSING = /(?<![\s#])[\s#]+$/;

/** A line as a heading of Markdown; null where it is none. The title is without the marks that may close it. */
export function headingOf(line: string): { level: number; title: string } | null {
  const [, marks, rest = ""] = line.length > HEADING_CHARS_MAX ? [] : (HEADING.exec(line) ?? []);
  return marks === undefined ? null : { level: marks.length, title: rest.trimStart().replace(CLOSING, "") };
}
