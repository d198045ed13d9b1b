/** A condition as a sentence, so that whoever built it reads what it means. Pure. */
import type { Atom, Condition, WEEKDAYS } from "@mimikit/protocol/triggers/condition";
import { viewWords, type Weekday } from "./view-words.ts";
import { words } from "./words.ts";

type Day = (typeof WEEKDAYS)[number];
type TimeParams = Extract<Atom, { type: "time" }>["params"];

const DAY_NUMBERS: Record<Day, Weekday> = { sun: 0, mon: 1, tue: 2, wed: 3, thu: 4, fri: 5, sat: 6 };
const WORKDAYS = "mon,tue,wed,thu,fri";
const isChinese = words.language === "zh";
/** What is not filled in yet. */
const or = (text: string) => (text.trim() === "" ? "…" : text);

/** The name of a day of the week. */
export function dayWord(day: Day): string {
  return viewWords.weekday(DAY_NUMBERS[day]);
}

/** `build/done is there, and not (it is Saturday, Sunday)` */
export function conditionWords(condition: Condition): string {
  switch (condition.type) {
    case "and":
    case "or":
      return joined(condition.type, condition.conditions.map(nestedWords));
    case "not":
      return negated(condition.condition);
    default:
      return atomWords(condition, true);
  }
}

/** As a part of something larger: what has several parts itself stands in brackets. */
function nestedWords(condition: Condition): string {
  const hasParts = (condition.type === "and" || condition.type === "or") && condition.conditions.length > 1;
  if (!hasParts) return conditionWords(condition);
  return isChinese ? `（${conditionWords(condition)}）` : `(${conditionWords(condition)})`;
}

function negated(condition: Condition): string {
  if (condition.type === "and" || condition.type === "or" || condition.type === "not")
    return isChinese ? `并非（${conditionWords(condition)}）` : `not (${conditionWords(condition)})`;
  return atomWords(condition, false);
}

function joined(type: "and" | "or", parts: readonly string[]): string {
  if (isChinese) return parts.join(type === "and" ? "，并且" : "，或者");
  return parts.join(type === "and" ? ", and " : ", or ");
}

function atomWords(atom: Atom, isSo: boolean): string {
  const say = (yes: string, no: string) => (isSo ? yes : no);
  switch (atom.type) {
    case "file_changed": {
      const path = or(atom.params.path);
      return isChinese ? `${path} ${say("有变化", "没有变化")}` : `${path} ${say("changes", "does not change")}`;
    }
    case "file_exists": {
      const path = or(atom.params.path);
      return isChinese ? `${path} ${say("存在", "不存在")}` : `${path} ${say("is there", "is not there")}`;
    }
    case "task_done": {
      const id = or(atom.params.taskId);
      return isChinese ? `${id} ${say("已完成", "没有完成")}` : `${id} ${say("is done", "is not done")}`;
    }
    case "task_failed": {
      const id = or(atom.params.taskId);
      return isChinese ? `${id} ${say("失败了", "没有失败")}` : `${id} ${say("has failed", "has not failed")}`;
    }
    case "llm_eval": {
      const prompt = or(atom.params.prompt);
      if (isChinese) return `模型${say("认为是", "认为不是")}：“${prompt}”`;
      return `a model says ${say("yes", "no")} to “${prompt}”`;
    }
    case "time":
      return isChinese
        ? `${say("现在是", "现在不是")}${timeWords(atom.params)}`
        : `${say("it is", "it is not")} ${timeWords(atom.params)}`;
  }
}

/** `Monday to Friday after 22:00 before 06:00 (Asia/Shanghai)` */
function timeWords({ weekdays = [], after, before, timezone }: TimeParams): string {
  const bounds = isChinese
    ? [daysWords(weekdays), after && `${after} 之后`, before && `${before} 之前`]
    : [daysWords(weekdays), after && `after ${after}`, before && `before ${before}`];
  const said = bounds.filter(Boolean).join(isChinese ? "，" : ", ");
  if (timezone === undefined) return or(said);
  return isChinese ? `${or(said)}（${timezone}）` : `${or(said)} (${timezone})`;
}

function daysWords(days: readonly Day[]): string {
  if (days.join() === WORKDAYS) return isChinese ? "周一到周五" : "Monday to Friday";
  return days.map(dayWord).join(isChinese ? "、" : " or ");
}
