/** A condition as a sentence, so that its author reads its meaning. Pure. */
import { type ConditionField, ROWS, saidOf, WEEKDAYS } from "@mimikit/protocol/triggers/atoms";
import { type Atom, type Condition, type Weekday as Day, isAtom, partsOf } from "@mimikit/protocol/triggers/condition";
import { clockText } from "./base/format.ts";
import { language } from "./base/language.ts";
import { sentences } from "./cron-words.ts";
import { viewWords, type WeekdayIndex } from "./view-words.ts";

// Only who reads Chinese waits for it.
const chinese = language === "zh" ? await import("@mimikit/protocol/triggers/chinese-atoms") : undefined;

/** A bound may be a moment, too. */
const CLOCK = /^(\d\d):(\d\d)$/;
const WORKDAYS = "mon,tue,wed,thu,fri";

/** The name of a day of the week. */
export function dayWord(day: Day): string {
  return viewWords.weekday(((WEEKDAYS.indexOf(day) + 1) % 7) as WeekdayIndex);
}

/** @param text what the table of conditions says, in English */
export function inLanguage(text = ""): string {
  return chinese?.wordings[text] ?? text;
}

/** `build/done is there, and not (it is Saturday, Sunday)` */
export function conditionWords(condition: Condition): string {
  if (isAtom(condition)) return atomWords(condition, true);
  if (condition.type === "not") return negated(condition.condition);
  const glue = condition.type === "and" ? sentences.all : sentences.any;
  return condition.conditions.map(nestedWords).join(glue);
}

/** As a part of something larger: what has several parts itself stands in brackets. */
function nestedWords(condition: Condition): string {
  const said = conditionWords(condition);
  return partsOf(condition).length > 1 ? sentences.inBrackets(said) : said;
}

function negated(condition: Condition): string {
  if (isAtom(condition)) return atomWords(condition, false);
  const said = conditionWords(condition);
  return sentences.not(said);
}

function atomWords(atom: Atom, isSo: boolean): string {
  const said = saidOf(atom, (kind, value) => fieldWords(kind, value, spanWords));
  const sentence = chinese?.rows[atom.type].said(said) ?? ROWS[atom.type].en(said);
  return sentence[isSo ? 0 : 1];
}

/**
 * A leaf as it was found to be; null if it is unknown now.
 * @param text the same as the gateway says it, in English. @param unanswered how often models were asked in vain.
 */
export function foundWords(atom: Atom, holds: boolean | null, text: string, unanswered?: number): string {
  if (chinese === undefined) return text;
  if (unanswered !== undefined && atom.type === "llm_eval") return chinese.unanswered(atom.params.prompt, unanswered);
  const row = chinese.rows[atom.type];
  const said = saidOf(atom, (kind, value) => fieldWords(kind, value, daysWords));
  const [isSo, isNot, isUnknown = text] = row.found?.(said) ?? row.said(said);
  return holds === null ? isUnknown : holds ? isSo : isNot;
}

function fieldWords(kind: ConditionField["kind"], value: unknown, ofDays: (days: readonly Day[]) => string): string {
  if (kind === "weekdays") return ofDays(value as Day[]);
  // A field that is not filled in yet.
  const text = String(value).trim() === "" ? "…" : String(value);
  const [, hour, minute] = (kind === "bound" && CLOCK.exec(text)) || [];
  if (hour !== undefined) return clockText(Number(hour), Number(minute));
  return kind === "question" ? `“${text}”` : text;
}

function spanWords(days: readonly Day[]): string {
  return days.join() === WORKDAYS ? sentences.workdays : daysWords(days);
}

function daysWords(days: readonly Day[]): string {
  return days.map(dayWord).join(sentences.anyDay);
}
