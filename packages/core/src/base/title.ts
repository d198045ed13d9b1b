/** A title for a task without one. */
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";

const TITLE_FROM_PROMPT_CHARS = 80;

/** The first line of a prompt, short enough for a list. */
export function titleOf(prompt: string): string {
  const line = prompt.trim().split("\n", 1)[0] ?? "";
  const short = line.length > TITLE_FROM_PROMPT_CHARS ? `${beginningOf(line, TITLE_FROM_PROMPT_CHARS - 1)}…` : line;
  return short || "task";
}
