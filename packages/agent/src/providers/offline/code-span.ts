/**
 * A command travels from the user to the Planner to the Worker as a Markdown code span, so that all three read it with
 * the same eyes. The span of a command that holds backticks has longer fences.
 */
import { longestRun } from "@mimikit/protocol/texts/fenced-block";

const SPAN = /^(`+)(?!`)(.*?[^`])\1(?!`)/s;

/** `ls` → `` `ls` ``. The command must not be empty. */
export function codeSpan(command: string): string {
  const fence = "`".repeat(longestRun(command) + 1);
  const padding = /^[` ]|[` ]$/.test(command) ? " " : "";
  return `${fence}${padding}${command}${padding}${fence}`;
}

/** The code span that `text` begins with, or null. */
export function readCodeSpan(text: string): { command: string; length: number } | null {
  const match = SPAN.exec(text);
  const inner = match?.[2];
  if (match === null || inner === undefined || inner.trim() === "") return null;
  const isPadded = inner.startsWith(" ") && inner.endsWith(" ");
  return { command: isPadded ? inner.slice(1, -1) : inner, length: match[0].length };
}

/** `text` without its code spans: what is said, not what is quoted. */
export function withoutCode(text: string): string {
  // At odd indexes are the runs of backticks; a span ends at the next run of the same length.
  const parts = text.split(/(`+)/);
  let said = "";
  for (let i = 0; i < parts.length; i++) {
    if (i % 2 === 0) said += parts[i];
    else i = Math.max(i, parts.indexOf(parts[i] ?? "", i + 1));
  }
  return said;
}
