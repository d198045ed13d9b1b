/** The conditions of triggers in Chinese, one line each; `conditionText` has the English. */
import { CHINESE_WORDS } from "@mimikit/protocol/texts/chinese-table";
import { saidOf } from "@mimikit/protocol/triggers/atoms";
import { rows } from "@mimikit/protocol/triggers/chinese-atoms";
import { type Condition, isAtom, partsOf } from "@mimikit/protocol/triggers/condition";

const { weekday: DAYS = {} } = CHINESE_WORDS;

export function conditionInChinese(condition: Condition): string {
  if (condition.type === "not") return `并非（${conditionInChinese(condition.condition)}）`;
  if (!isAtom(condition))
    return condition.conditions.map(partInChinese).join(condition.type === "and" ? "，并且" : "，或者");
  const said = saidOf(condition, (kind, value) => {
    if (kind === "question") return `“${String(value)}”`;
    return Array.isArray(value) ? value.map((each) => DAYS[String(each)] ?? String(each)).join("、") : String(value);
  });
  return rows[condition.type].said(said)[0];
}

function partInChinese(part: Condition): string {
  return partsOf(part).length > 1 ? `（${conditionInChinese(part)}）` : conditionInChinese(part);
}
