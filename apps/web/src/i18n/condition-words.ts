/** A condition as a sentence, so that whoever built it reads what it means. Pure. */
import { type Field, ROWS, saidOf, WEEKDAYS, type Wording } from "@mimikit/protocol/triggers/atoms";
import { type Atom, type Condition, type Weekday as Day, isAtom, partsOf } from "@mimikit/protocol/triggers/condition";
import { viewWords, type Weekday } from "./view-words.ts";
import { say, words } from "./words.ts";

const WORKDAYS = "mon,tue,wed,thu,fri";

/** The name of a day of the week. */
export function dayWord(day: Day): string {
  return viewWords.weekday(((WEEKDAYS.indexOf(day) + 1) % 7) as Weekday);
}

/** As the page says it. */
export function inLanguage(text: Wording = ""): string {
  return typeof text === "string" ? text : say(text.en, text.zh);
}

/** `build/done is there, and not (it is Saturday, Sunday)` */
export function conditionWords(condition: Condition): string {
  if (isAtom(condition)) return atomWords(condition, true);
  if (condition.type === "not") return negated(condition.condition);
  const glue = condition.type === "and" ? say(", and ", "，并且") : say(", or ", "，或者");
  return condition.conditions.map(nestedWords).join(glue);
}

/** As a part of something larger: what has several parts itself stands in brackets. */
function nestedWords(condition: Condition): string {
  const said = conditionWords(condition);
  return partsOf(condition).length > 1 ? say(`(${said})`, `（${said}）`) : said;
}

function negated(condition: Condition): string {
  if (isAtom(condition)) return atomWords(condition, false);
  const said = conditionWords(condition);
  return say(`not (${said})`, `并非（${said}）`);
}

function atomWords(atom: Atom, isSo: boolean): string {
  const said = saidOf(atom, (kind, value) => fieldWords(kind, value, spanWords));
  return ROWS[atom.type][say("en", "zh")](said)[isSo ? 0 : 1];
}

/** A leaf as it was found to be; null is what nobody can tell now. @param text the same as the gateway says it, in English. */
export function foundWords(atom: Atom, holds: boolean | null, text: string): string {
  if (words.language !== "zh") return text;
  const row = ROWS[atom.type];
  const said = saidOf(atom, (kind, value) => fieldWords(kind, value, daysWords));
  const [isSo, isNot, isUnknown = text] = row.foundZh?.(said) ?? row.zh(said);
  return holds === null ? isUnknown : holds ? isSo : isNot;
}

function fieldWords(kind: Field["kind"], value: unknown, ofDays: (days: readonly Day[]) => string): string {
  if (kind === "weekdays") return ofDays(value as Day[]);
  // What is not filled in yet.
  const text = String(value).trim() === "" ? "…" : String(value);
  return kind === "question" ? `“${text}”` : text;
}

function spanWords(days: readonly Day[]): string {
  return days.join() === WORKDAYS ? say("Monday to Friday", "周一到周五") : daysWords(days);
}

function daysWords(days: readonly Day[]): string {
  return days.map(dayWord).join(say(" or ", "、"));
}
