/** A question as people read it at a terminal, and their answer as it is meant. */

import { isSame } from "@mimikit/core/tasks/question";
import type { QuestionView } from "@mimikit/protocol/wire/api";
import { t } from "../i18n/language.ts";
import { durationIn } from "../i18n/words.ts";
import { Failure } from "../io/failure.ts";
import { plainLine, screenText, styled } from "../io/print.ts";

type Asked = Pick<QuestionView, "question" | "options" | "default" | "expiresAt" | "isChoice">;

export const ANSWER_PROMPT = "answer › ";
/** Short answers to a question of the supervisor's own, whose first option is the yes and whose last is the no. */
const YES: ReadonlySet<string> = new Set(["y", "yes"]);
const NO: ReadonlySet<string> = new Set(["n", "no"]);

/** The question, its options by number, and the default if it is not answered. @param nowMs wall clock. */
export function questionText(asked: Asked, nowMs: number): string {
  const options = asked.options.map((option, i) => `  ${i + 1}  ${plainLine(option)}`);
  return [screenText(asked.question), ...options, `  (${endText(asked, nowMs)})`].join("\n");
}

/** The same above a prompt. @param how how it is answered there. */
export function promptedText(asked: Asked, nowMs: number, how: string): string {
  return `${styled("yellow", "?")} ${questionText(asked, nowMs)}\n${styled("dim", `  ${how}`)}`;
}

/** The command that answers a question elsewhere, and later. */
export function howToAnswer({ id }: Pick<QuestionView, "id">): string {
  return `mimikit questions answer ${plainLine(id)} <answer>`;
}

/** `58 min left, then EU`. */
export function endText({ expiresAt, default: answer }: Asked, nowMs: number): string {
  const leftSec = Math.max(0, (Date.parse(expiresAt) - nowMs) / 1_000);
  return t("{left} left, then {answer}", {
    left: durationIn(leftSec),
    answer: answer === undefined ? t("continues without an answer") : plainLine(answer),
  });
}

/**
 * Reads a typed answer: an option, the number of one or, for a question of the supervisor's own, `y` or `n`; other text is meant as
 * it is. `y` is the plain yes: for an approval once, and never the one that lasts.
 * @throws Failure (usage) where only an option can be the answer, and this is none.
 */
export function answerMeant({ options, isChoice }: Pick<Asked, "options" | "isChoice">, typed: string): string {
  const text = typed.trim();
  if (text === "") throw new Failure("usage", t("say the answer"));
  const numbered = /^\d+$/.test(text) ? options[Number(text) - 1] : undefined;
  const option =
    options.find((each) => isSame(each, text)) ?? numbered ?? (isChoice ? yesOrNo(options, text) : undefined);
  if (option !== undefined) return option;
  if (isChoice)
    throw new Failure("usage", t("answer with one of: {options}", { options: options.map(plainLine).join(", ") }));
  return text;
}

function yesOrNo(options: readonly string[], text: string): string | undefined {
  const said = text.toLowerCase();
  if (YES.has(said)) return options[0];
  return NO.has(said) ? options.at(-1) : undefined;
}
