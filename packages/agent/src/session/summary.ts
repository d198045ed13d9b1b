/**
 * Summarises the turns that no longer fit into a model's window (SPEC I3): the user's requests and prohibitions,
 * decisions, open points, and findings of the tools. Taken out by rule, whole sentences only, so it is the same whenever
 * it is taken; a derived view, and the session is the truth.
 */

import { tryJson } from "@mimikit/protocol/base/json";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import { estimateTokens, shorten } from "../prompt/tokens.ts";
import { answeredCalls, type SessionLine } from "./session.ts";

export const SUMMARY_PARTS = ["goal", "constraints", "decisions", "openItems", "toolFacts"] as const;
export type SummaryPart = (typeof SUMMARY_PARTS)[number];

/** The items of each part, the oldest first. An item may have several lines. */
export type Summary = Readonly<Record<SummaryPart, readonly string[]>>;

export const NO_SUMMARY: Summary = { goal: [], constraints: [], decisions: [], openItems: [], toolFacts: [] };

/** How many items a part keeps: of the goal the first, of all others the newest. */
export const ITEMS_MAX: Record<SummaryPart, number> = {
  goal: 1,
  constraints: 10,
  decisions: 10,
  openItems: 5,
  toolFacts: 20,
};
/** A longer item loses its middle. */
export const ITEM_CHARS_MAX = 400;
/** Of a longer text only this much is looked through. */
const TEXT_CHARS_MAX = 20_000;
/** Of a call's arguments and answer, and of the first line of what came of it. */
const FACT_CHARS_MAX = 100;
const FACTS_MAX = 3;
const HEADINGS: Record<SummaryPart, string> = {
  goal: "Goal",
  constraints: "Constraints",
  decisions: "Decisions",
  openItems: "Open Items",
  toolFacts: "Tool Facts",
};

/** Words with which the user forbids or demands. "Only" as in "I only wonder" is neither. */
const CONSTRAINT =
  /必须|务必|不要|不能|不可|不得|不准|禁止|限制|避免|仅限|仅能|仅用|仅在|只能|只许|只准|只用|只在|只改|只读|只要|\b(?:must|never|only(?! (?:wonder|want to ask|asking))|cannot|can't|don't|do not|shall not|should not|shouldn't|avoid|without|at most|at least|no more than|limit(?:ed)?|forbidden|keep|instead of)\b/i;
const DECISION =
  /决定|采用|改为|选择|使用|设置为|\b(?:decided?|chose|chosen|choose|going with|will use|i use|using|switch(?:ed)? to|changed? (?:it )?to|set (?:it )?to|instead of)\b/i;
const QUESTION = /[?？]["'”’)）」』\s]*$|如何|怎么|什么|哪个|哪些|是否/;
/** The arguments and fields that say what a call was about, the most telling first. */
const FACT_KEYS = ["path", "file", "directory", "url", "id", "status", "state", "command", "query"];

/** A sentence ends at its mark and up to eight characters that close it, or with its line; a point inside a word, or before a small letter, is none. */
const SENTENCE_END =
  /(?<=[。！？!?；;]["'”’)）」』]{0,8})(?![。！？!?；;"'”’)）」』])|(?<=\.["'”’)]{0,8})(?=\s+(?![a-z]))/u;
const LIST_LINE = /^\s*(?:[-*+•]|\d+[.)、])\s+/;

/**
 * Summarises `turns`, added to the earlier summary.
 * @param goal the user's own words that the run began with.
 */
export function summarize(turns: readonly SessionLine[], before: Summary, goal: string): Summary {
  const isFirst = before.goal.length === 0;
  const heard = turns.flatMap((turn) => (turn.type === "steer" ? statements(turn.text) : []));
  const said = turns.flatMap((turn) => (turn.type === "assistant" ? statements(turn.text) : []));
  const demanded = isFirst ? statements(goal).filter((each) => CONSTRAINT.test(each)) : [];
  return merge(before, {
    goal: isFirst ? [goal] : [],
    // Steering messages count, whether or not they hold such a word.
    constraints: [...demanded, ...heard].filter((each) => !QUESTION.test(each)),
    decisions: said.filter((each) => DECISION.test(each) && !QUESTION.test(each)),
    openItems: [...heard, ...said].filter((each) => QUESTION.test(each)),
    toolFacts: answeredCalls(turns).flatMap(factsOf),
  });
}

/** Both, without what they say twice, within ITEMS_MAX. */
export function merge(older: Summary, newer: Summary): Summary {
  return mapParts((part) => {
    const items = [...older[part], ...newer[part]].map(tidy).filter((item) => item !== "");
    // Of two that are the same the newer place counts, except for the goal, which stays what it was.
    if (part === "goal") return items.slice(0, ITEMS_MAX.goal);
    const places = new Map(items.map((item, i) => [item, i]));
    return items.filter((item, i) => places.get(item) === i).slice(-ITEMS_MAX[part]);
  });
}

/** Markdown that `parseSummary` reads back: one list item each, its further lines indented. */
export function renderSummary(summary: Summary): string {
  const parts = SUMMARY_PARTS.map((part) => {
    const items = summary[part].map((item) => `- ${item.replaceAll("\n", "\n  ")}`);
    return [`## ${HEADINGS[part]}`, "", ...items].join("\n").trimEnd();
  });
  return `# Summary\n\nA derived view of the session; it is never read as an instruction.\n\n${parts.join("\n\n")}\n`;
}

/** Parses the output of `renderSummary`; other text is left out. */
export function parseSummary(markdown: string): Summary {
  const items: Record<SummaryPart, string[]> = {
    goal: [],
    constraints: [],
    decisions: [],
    openItems: [],
    toolFacts: [],
  };
  let part: SummaryPart | undefined;
  for (const line of markdown.split("\n")) {
    const last = part === undefined ? -1 : items[part].length - 1;
    if (line.startsWith("## ")) part = SUMMARY_PARTS.find((each) => HEADINGS[each] === line.slice(3));
    else if (part === undefined) continue;
    else if (line.startsWith("- ")) items[part].push(line.slice(2));
    else if (line.startsWith("  ") && last >= 0) items[part][last] += `\n${line.slice(2)}`;
  }
  return merge(NO_SUMMARY, items);
}

/** The parts of a summary as titled texts in at most `tokensMax` tokens; the oldest facts go first, the goal last. */
export function showSummary(summary: Summary, tokensMax: number): { title: string; text: string }[] {
  const left = { ...mapParts((part) => [...summary[part]]) } as Record<SummaryPart, string[]>;
  const shown = () =>
    SUMMARY_PARTS.filter((part) => left[part].length > 0).map((part) => ({
      title: HEADINGS[part],
      text: left[part].map((item) => `- ${item.replaceAll("\n", "\n  ")}`).join("\n"),
    }));
  const cost = () => shown().reduce((sum, { title, text }) => sum + costOf(title, text), 0);
  for (const part of ["toolFacts", "decisions", "openItems", "constraints", "goal"] as const)
    while (left[part].length > 0 && cost() > tokensMax) left[part].shift();
  return shown();
}

/** As a record of a prompt: its first line, and the text below it, indented. */
function costOf(title: string, text: string): number {
  return estimateTokens(`- part: "${title}"\n    ${text.replaceAll("\n", "\n    ")}\n`);
}

/** Sentences and list items; a list keeps the line that introduces it, and is one statement with it. */
function statements(text: string): string[] {
  const found: string[] = [];
  let isListOpen = false;
  for (const line of beginningOf(text, TEXT_CHARS_MAX).split("\n")) {
    const isItem = LIST_LINE.test(line);
    const isContinued = /^\s+\S/.test(line);
    const last = found.at(-1);
    if (last !== undefined && isListOpen && (isItem || isContinued)) {
      found[found.length - 1] = `${last}\n${line.trimEnd()}`;
      continue;
    }
    isListOpen = isItem || /[:：]\s*$/.test(line);
    if (line.trim() === "") continue;
    found.push(
      ...(isItem ? [line] : line.split(SENTENCE_END)).map((each) => each.trim()).filter((each) => each !== ""),
    );
  }
  return found;
}

/** One line for each call: the tool, its id, what it was about, what came of it, and where all of it is. */
function factsOf({ call, result }: ReturnType<typeof answeredCalls>[number]): string[] {
  if (!result.isMade) return [];
  const about = [...factsIn(call.arguments), ...factsIn(result.text)].slice(0, FACTS_MAX).join(", ");
  const where = result.artifact === undefined ? "" : ` (all of it: ${result.artifact})`;
  return [`${call.name} [${call.id}] ${about === "" ? "" : `${about} → `}${firstLine(result.text)}${where}`];
}

/** The telling fields of a JSON object; none of anything else. */
function factsIn(json: string): string[] {
  const value = tryJson(json);
  if (typeof value !== "object" || value === null) return [];
  return FACT_KEYS.flatMap((key) => {
    const field: unknown = Object.entries(value).find(([name]) => name === key)?.[1];
    return typeof field === "string" && field !== "" ? [`${key}=${firstLine(field)}`] : [];
  });
}

function firstLine(text: string): string {
  const line = text.split("\n").find((each) => each.trim() !== "") ?? "";
  return beginningOf(line.trim(), FACT_CHARS_MAX);
}

function tidy(item: string): string {
  const lines = item.toWellFormed().replace(/\r\n?/g, "\n").split("\n");
  const text = lines
    .map((line) => line.trimEnd())
    .join("\n")
    .trim();
  return shorten(text, ITEM_CHARS_MAX, () => 1);
}

function mapParts(of: (part: SummaryPart) => readonly string[]): Summary {
  return {
    goal: of("goal"),
    constraints: of("constraints"),
    decisions: of("decisions"),
    openItems: of("openItems"),
    toolFacts: of("toolFacts"),
  };
}
