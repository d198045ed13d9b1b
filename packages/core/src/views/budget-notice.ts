/** Notices of the code about a budget that is used up: how much, what waits, until when, and how to continue (SPEC N2). */
import { amount, type Ceiling, share, usedUp } from "../base/budget.ts";
import { localTime } from "../schedule/schedule.ts";
import { isChinese } from "./notices.ts";

/** The work that a used-up budget holds back. */
export interface HeldBackWork {
  /** How many tasks wait to begin. */
  tasks: number;
  /** The titles of what has ended and is not reported yet. */
  reports: readonly string[];
  /** Titles of work that is open, whose language people understand. */
  titles: readonly string[];
}

/** In the language of the work there is; in both where there is none. @param timeZone of the server. */
export function budgetNotice(ceiling: Ceiling, heldBack: HeldBackWork, timeZone: string): string {
  const titles = [...heldBack.titles, ...heldBack.reports];
  if (titles.length === 0)
    return `${inEnglish(ceiling, heldBack, timeZone)}\n\n${inChinese(ceiling, heldBack, timeZone)}`;
  return (isChinese(...titles) ? inChinese : inEnglish)(ceiling, heldBack, timeZone);
}

function inEnglish(ceiling: Ceiling, { tasks, reports }: HeldBackWork, timeZone: string): string {
  const { scope, period } = ceiling;
  const { measure, until } = wordsOf(ceiling, timeZone);
  const waiting = [
    ...(tasks > 0 ? [tasks === 1 ? "1 task" : `${tasks} tasks`] : []),
    ...(reports.length > 0 ? [reports.length === 1 ? "1 report" : `${reports.length} reports`] : []),
  ];
  const isOne = tasks + reports.length === 1;
  const held = waiting.length === 0 ? "New work waits" : `${waiting.join(" and ")} ${isOne ? "waits" : "wait"}`;
  const hint = reports.length > 0 ? ", and will report then" : "";
  return `The budget of the ${scope} (${period}) is used up: ${share(measure, ceiling.spent, ceiling.limit)}. ${held} until ${until} (${timeZone}). I still answer your messages${hint}. To continue the work now, raise \`budget.${scope}\` in config.yaml.`;
}

function inChinese(ceiling: Ceiling, { tasks, reports }: HeldBackWork, timeZone: string): string {
  const { scope, period } = ceiling;
  const { measure, until } = wordsOf(ceiling, timeZone);
  const waiting = [
    ...(tasks > 0 ? [`${tasks} 个任务`] : []),
    ...(reports.length > 0 ? [`${reports.length} 份报告`] : []),
  ];
  const held = waiting.length === 0 ? "新的工作" : waiting.join("和");
  const hint = reports.length > 0 ? "，并会同时报告已结束的工作" : "";
  return `${scope === "day" ? "今天" : "本月"}（${period}）的预算已用完：上限 ${amount(measure, ceiling.limit)}，已用 ${amount(measure, ceiling.spent)}。${held}将等到 ${until}（${timeZone}）。你发来的消息我仍会回复${hint}。要现在继续，请在 config.yaml 中调高 \`budget.${scope}\`。`;
}

function wordsOf({ limit, spent, resumesAt }: Ceiling, timeZone: string) {
  const measure = usedUp(limit, spent) ?? "tokens";
  const { date, hhmm } = localTime(Date.parse(resumesAt), timeZone);
  return { measure, until: `${date} ${hhmm}` };
}
