/** The truth of a condition as a tree: a mark for each part, and for each leaf what is known of it (SPEC D7). */

import type { Explanation } from "@mimikit/protocol/wire/api";
import { told } from "../i18n/language.ts";
import { momentText } from "../i18n/moments.ts";
import { plainLine, styled } from "../io/print.ts";

/** One line for each part, the whole first. `?` is what only a model can tell, and has not told yet. */
export function explanationTree(explanation: Explanation): string[] {
  return branch(explanation, "", "");
}

function branch(explanation: Explanation, head: string, indent: string): string[] {
  const { parts = [] } = explanation;
  const below = parts.flatMap((part, i) => {
    const isLast = i === parts.length - 1;
    return branch(part, `${indent}${isLast ? "└─ " : "├─ "}`, `${indent}${isLast ? "   " : "│  "}`);
  });
  return [`${styled("dim", head)}${lineOf(explanation)}`, ...below];
}

function lineOf({ type, holds, text, at, unanswered }: Explanation): string {
  const moments = unanswered === undefined || unanswered.since === at ? [at] : [unanswered.since, at];
  const shown = moments.flatMap((each) => (each === undefined ? [] : momentText(each))).join(" – ");
  const since = shown === "" ? "" : styled("dim", ` (${shown})`);
  return `${markOf(holds)} ${type}${text === undefined ? "" : `  ${plainLine(told(text))}`}${since}`;
}

function markOf(holds: boolean | null): string {
  if (holds === null) return styled("yellow", "?");
  return holds ? styled("green", "✓") : styled("red", "✗");
}
