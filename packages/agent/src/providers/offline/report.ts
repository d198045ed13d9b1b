/** The outcome of the tasks, as the user reads it: every title, how it ended, its output, and possible next steps. */

import type { Report } from "@mimikit/protocol/base/report";
import { RESULT_SCHEMAS, ResultType } from "@mimikit/protocol/records/result";
import { fencedBlock } from "@mimikit/protocol/texts/fenced-block";
import { beginningOf, endOf } from "@mimikit/protocol/texts/whole-characters";
import { parseMessage } from "./parse.ts";
import { languageOf, WORDS, type Words } from "./words.ts";

/** Of one output this many characters are shown, fewer where there are many tasks; the rest is in its file. */
const OUTPUT_CHARS_MAX = 8_000;
const OUTPUTS_CHARS_MAX = 120_000;

/** One text for the results of a turn, in the language in which the work was asked for. `reports` must not be empty. */
export function describeResults(reports: readonly Report[]): string {
  const words = WORDS[languageOf(reports.map((report) => report.title).join("\n"))];
  const done = reports.filter((report) => report.status === "done").length;
  const failed = reports.filter(({ status, failureReason }) => status === "failed" && failureReason !== "cancelled");
  const headline = done === reports.length ? words.allDone(done) : words.someDone(done, failed.length, reports.length);
  const notes = reports.flatMap(({ planNote }) => (planNote === undefined ? [] : [words.planNote(planNote)]));
  const charsMax = Math.min(OUTPUT_CHARS_MAX, Math.floor(OUTPUTS_CHARS_MAX / reports.length));
  return [headline, ...notes, ...reports.map((report) => describe(report, charsMax))].join("\n\n");
}

function describe(report: Report, charsMax: number): string {
  const words = WORDS[languageOf(report.title)];
  const parts = [words.titled(report.title, stateOf(report, words))];
  const output = describeOutput(report, charsMax, words);
  if (output !== null) parts.push(output);
  const next = report.status === "failed" ? nextStep(report, words) : null;
  if (next !== null) parts.push(next);
  return parts.join("\n\n");
}

function stateOf({ status, error = "", failureReason, question = "" }: Report, words: Words): string {
  if (status === "done") return words.done;
  if (status === "needs_input") return words.asks(question);
  return failureReason === "cancelled" ? words.cancelled(error) : words.failed(error);
}

function nextStep({ title, failureReason }: Report, words: Words): string | null {
  if (failureReason === "cancelled") return null;
  if (failureReason === "timeout") return words.nextTimeout;
  // A title is an order in the words of parse.ts unless it was cut, and only an order can be sent again.
  const [intent] = parseMessage(title, { nowMs: 0, timeZone: "UTC" });
  return words.nextError(intent?.kind === "run" && !title.includes("…") ? title : null);
}

/** null: there is nothing to show. */
function describeOutput({ status, resultType, result }: Report, charsMax: number, words: Words): string | null {
  const type = ResultType.safeParse(resultType).data;
  if (type === "text") {
    const { data } = RESULT_SCHEMAS.text.safeParse(result);
    if (data === undefined) return null;
    if (data.text.trim() === "") return status === "done" ? words.noOutput : null;
    const path = data.artifact ?? null;
    if (data.text.length <= charsMax) return fencedBlock(data.text);
    return `${fencedBlock(endOf(data.text, charsMax))}\n\n${words.tail(path)}`;
  }
  const lines = type === undefined ? [] : linesOf(type, result);
  return lines.length === 0 ? null : beginningOf(lines.map((line) => `- ${line}`).join("\n"), charsMax);
}

function linesOf(type: ResultType, result: unknown): string[] {
  if (type === "code_change") {
    const { data } = RESULT_SCHEMAS.code_change.safeParse(result);
    return data?.files.map(({ path, action, summary }) => `\`${path}\` (${action}): ${summary}`) ?? [];
  }
  if (type === "analysis") {
    const { data } = RESULT_SCHEMAS.analysis.safeParse(result);
    return data === undefined ? [] : [...data.findings, ...(data.recommendations ?? []), ...(data.references ?? [])];
  }
  if (type === "summary") {
    const { data } = RESULT_SCHEMAS.summary.safeParse(result);
    return data === undefined ? [] : [data.summary, ...data.keyPoints];
  }
  return [];
}
