/**
 * The sections of prompts: the names in the prompt files, and their content in a run. Every section has a bound in
 * tokens, so that a prompt has one (SPEC F1).
 */

import { countTokens } from "@mimikit/core/memory/weigh";
import { ROLES } from "@mimikit/protocol/base/kind";
import type { Report } from "@mimikit/protocol/base/report";
import type { Message } from "@mimikit/protocol/records/inbox";
import { RESULT_SCHEMAS } from "@mimikit/protocol/records/result";
import { isTurn } from "@mimikit/protocol/records/task";
import type { Run } from "../provider.ts";
import { definitionOf, type SectionName } from "../roles/index.ts";
import { shortenAtBorders, shortenToTokens } from "../talk/shorten-message.ts";
import { clockAt, clockOf, isoIn, localTime, weekdayIn } from "./clock.ts";
import {
  checkbox,
  eventLine,
  lines,
  memoryLine,
  NOTHING,
  type Quoted,
  type QuotedFields,
  record,
  table,
} from "./quote.ts";
import { recalledLine } from "./recalled-line.ts";
import { jobLine, jobsIn, questionLine, triggerLine } from "./state-lines.ts";
import {
  BODY_BREAK,
  quotedText,
  type Rendering,
  renderHistory,
  renderSummary,
  renderText,
  shortenChars,
  tokensInBody,
} from "./talk.ts";
import { estimateTokens, shareOut, shorten, takeWithin } from "./tokens.ts";

/** In a list of tasks more than this are no help; `list_tasks` has them all. */
const TASKS_MAX = 30;
const ENDED_JOBS_MAX = 5;
const TRIGGERS_MAX = 20;
const QUESTIONS_MAX = 20;
const TITLE_CHARS = 120;
const ERROR_CHARS = 500;
const SKILL_CHARS = 300;
/**
 * Of a longer message its beginning and its end are shown, half of this each; all of it is in a file. So is what is longer
 * than its part of this where several are longer together.
 */
export const BIG_INPUT_CHARS = 8_000;

export interface PromptSection {
  /** It is what the run is about, and is never shortened for what stands around it. */
  isQuestion: boolean;
  /** At a window of 16k and below; `budgets.ts` has the bounds of larger ones. Its share is smaller where the whole prompt must be. */
  tokensMax: number;
  /** `NOTHING` where there is nothing to say. */
  render(run: Run, tokensMax: number, rendering: Rendering): Quoted;
}

type Render = PromptSection["render"];
/** A section around the question. */
const around = (tokensMax: number, render: Render): PromptSection => ({ isQuestion: false, tokensMax, render });
const question = (tokensMax: number, render: Render): PromptSection => ({ isQuestion: true, tokensMax, render });

/** The sections that a prompt may show; roles/index.ts says which of them each role gets. */
export const SECTIONS: Record<SectionName, PromptSection> = {
  persona: around(1_024, ({ context }, max) => renderText(context.persona, max)),
  profile: around(1_024, ({ context }, max) => renderText(context.profile, max)),
  summary: around(3_072, renderSummary),
  memory: around(2_048, ({ context }, max) => {
    const remembered = context.memory.map((hit) => memoryLine(hit.source, hit.text));
    return firstOf([...remembered, ...context.recalled.map((hit) => recalledLine(hit, context))], max);
  }),
  workspace: question(256, ({ workDir }) => table({ path: workDir })),
  environment: question(256, renderEnvironment),
  backlog: around(1_024, renderBacklog),
  tasks: around(2_048, renderTasks),
  triggers: around(1_024, renderTriggers),
  questions: around(1_024, renderQuestions),
  guides: around(10_240, renderGuides),
  pools: around(1_024, renderPools),
  skills: around(2_048, renderSkills),
  history: around(4_096, renderHistory),
  attachments: question(2_048, renderEvidence),
  documents: question(8_192, renderDocuments),
  results: question(16_384, ({ task }, max) => renderReports(task.turn?.results ?? [], max)),
  events: question(8_192, renderEvents),
  inputs: question(16_384, (run, max, { budgets }) =>
    renderMessages(run.task.turn?.messages ?? [], run, max, budgets.message),
  ),
  origin: question(8_192, (run, max) => renderMessages(run.context.origin, run, max)),
  texts: question(4_096, renderLongTexts),
  upstream: question(32_768, ({ task, context }, max) => {
    // The note of a plan is for the Teller alone.
    const reports = task.upstream.map(({ planNote: _, ...report }) => summarized(report, context));
    return renderReports(reports, max);
  }),
  attempt: question(8, ({ attempt }) => (attempt > 1 ? table({ attempt }) : NOTHING)),
  /** The request, as a Planner and as a Worker gets it. */
  request: question(32_768, renderTask),
  task: question(32_768, renderTask),
  finding: question(8_192, renderFinding),
  said: around(2_048, ({ task }, max) => textOf(task.improve?.change?.said, max)),
  checks: question(8_192, renderChecks),
  files: question(8_192, renderFiles),
  diff: question(32_768, renderDiff),
  failures: question(4_096, renderFailures),
  conditions: question(32_768, renderConditions),
  /** The texts to be summed up. */
  sources: question(32_768, renderSources),
};

/** The client's local time first: relative times count from the first clock that is there (SPEC F1). */
function renderEnvironment({ task, context }: Run): Quoted {
  const { client, now, zone } = context;
  const server = clockOf({ at: now });
  const user = clockAt(context);
  return table({
    ...((client !== undefined || zone !== undefined) && {
      client_now_local_iso: isoIn(user.nowMs, user.timeZone),
      client_time_zone: zone?.isSetting || client === undefined ? user.timeZone : client.timeZone,
      client_now_iso: client?.now ?? now,
    }),
    server_now_iso: isoIn(server.nowMs, server.timeZone),
    server_time_zone: server.timeZone,
    weekday: weekdayIn(user.nowMs, user.timeZone),
    ...(isTurn(task) && { version: context.version, provider: context.providers.teller }),
    ...(context.unread !== undefined && { unreadable_documents: context.unread.join("; ") }),
  });
}

/** Open items come first: old done ones may fill the rest of the list. */
function renderBacklog({ context }: Run, max: number): Quoted {
  const openFirst = context.backlog.toSorted((a, b) => Number(a.done) - Number(b.done));
  return firstOf(
    openFirst.map(({ item, done }) => checkbox(item, done)),
    max,
  );
}

function renderTasks({ task, context }: Run, max: number): Quoted {
  const jobs = jobsIn(context.tasks, isTurn(task) ? undefined : task);
  const ended = jobs.filter((job) => !job.isOpen).slice(0, ENDED_JOBS_MAX);
  const reported = new Set((task.turn?.results ?? []).map(({ id }) => id));
  const shown = [...jobs.filter((job) => job.isOpen).slice(0, TASKS_MAX), ...ended];
  return firstOf(
    shown.map((job) => jobLine(job, context, reported)),
    max,
  );
}

/** The place of a file is of use to a provider that can open it. */
function renderEvidence({ context, task }: Run, max: number): Quoted {
  const { hasWorkspace } = ROLES[task.role];
  const isRead = definitionOf(task).sections.includes("documents");
  const shown = (context.evidence ?? []).map(({ messageId, file, path, shownAs, text, readAs, unread, textPath }) =>
    record({
      of: messageId,
      name: file.name === undefined ? undefined : shortenChars(file.name, TITLE_CHARS),
      type: file.type,
      bytes: file.bytes,
      shown: shownAs ?? (isRead && text !== undefined ? `its text${readAs === undefined ? "" : `, ${readAs}`}` : "no"),
      unreadable: unread,
      gone: path === null ? "yes" : undefined,
      path: hasWorkspace && path !== null ? path : undefined,
      text_path: textPath,
    }),
  );
  return firstOf(shown, max);
}

/** The text of the files that have one. Long ones share what there is, and each is shortened in its middle. */
function renderDocuments({ context }: Run, max: number): Quoted {
  const items = (context.evidence ?? []).flatMap(({ messageId, file: { name }, text }) => {
    if (text === undefined) return [];
    const title = name === undefined ? undefined : shortenChars(name, TITLE_CHARS);
    return [{ fields: { of: messageId, name: title, chars: text.length }, body: text.trim() }];
  });
  return records(items, max);
}

function renderTriggers({ context }: Run, max: number): Quoted {
  return firstOf(
    context.triggers.slice(0, TRIGGERS_MAX).map((trigger) => triggerLine(trigger, context)),
    max,
  );
}

function renderQuestions({ context }: Run, max: number): Quoted {
  return firstOf(
    context.questions.slice(0, QUESTIONS_MAX).map((question) => questionLine(question, context)),
    max,
  );
}

/** The user's messages in this turn, in full as long as there is room. The question may stand at either end of a long paste. */
function renderMessages(messages: readonly Message[], { context }: Run, max: number, messageTokens = 0): Quoted {
  const items = messages.map(({ id, at, quote, text, isQuoting }) => ({
    fields: {
      id,
      at: localTime(at, context),
      about: quotedText(quote, context),
      full_text: context.longTexts[id],
      attached: isQuoting === true ? "words of others, not the user's" : undefined,
    },
    body: shortenInput(text, messageTokens),
  }));
  return records(items, max);
}

/** A long message is whole up to `tokensMax`, and up to 8,000 characters in any window. */
function shortenInput(text: string, tokensMax: number): string {
  if (text.length <= BIG_INPUT_CHARS) return text;
  const shortened = shortenToTokens(text, tokensMax);
  return shortened.length >= BIG_INPUT_CHARS ? shortened : shortenAtBorders(text, BIG_INPUT_CHARS);
}

/** The files with what the user said at length: this is all that a Worker sees of the conversation. */
function renderLongTexts({ context }: Run, max: number): Quoted {
  const files = context.origin.flatMap(({ id, text }) => {
    const path = context.longTexts[id];
    return path === undefined ? [] : [record({ file: path, chars: text.length })];
  });
  return firstOf(files, max);
}

/** A report as the Teller has summed it up, if it has; all of it is where it was. */
function summarized(report: Report, { summaries }: Run["context"]): Report {
  const text = summaries[report.id];
  const { artifact } = outputOf(report);
  return text === undefined ? report : { ...report, resultType: "text", result: { text, artifact } };
}

function renderReports(reports: readonly Report[], max: number): Quoted {
  const items = reports.map((report) => {
    const { id, role, title, status, resultType, result, failureReason, error, question, answer, planNote } = report;
    const { text, artifact } = outputOf(report);
    const said = [
      planNote && `Note of the plan: ${planNote}`,
      question && `Question: ${question}`,
      answer && `Answer: ${answer}`,
      error && `Error: ${error}`,
    ];
    const body = [...said, text].filter(Boolean).join("\n");
    const fields = {
      id,
      role,
      title: shortenChars(title, TITLE_CHARS),
      status,
      result_type: result === null ? undefined : resultType,
      reason: failureReason,
      full_text: artifact,
    };
    return { fields, body };
  });
  return records(items, max);
}

/** A text as it is, everything else as JSON. */
function outputOf({ resultType, result }: Report): { text: string; artifact?: string | undefined } {
  const text = RESULT_SCHEMAS.text.safeParse(result);
  if (resultType === "text" && text.success) return { ...text.data, text: text.data.text.trimEnd() };
  return { text: result === null || result === undefined ? "" : JSON.stringify(result, null, 2) };
}

/** One record for each item. The bodies share what the first lines leave, and no short one is cut for a long one. */
function records(items: readonly { fields: QuotedFields; body: string }[], max: number): Quoted {
  const heads = lines(...items.map(({ fields }) => record(fields)));
  const costs = items.map(({ body }) => estimateTokens(body.replaceAll("\n", BODY_BREAK)));
  const shares = shareOut(costs, max - estimateTokens(heads));
  return lines(
    ...items.map(({ fields, body }, i) => {
      const share = shares[i] ?? 0;
      const isWhole = (costs[i] ?? 0) <= share;
      return record(fields, isWhole ? body : shorten(body, share, tokensInBody));
    }),
  );
}

function renderEvents({ task }: Run, max: number): Quoted {
  const events = task.turn?.events ?? [];
  const costs = events.map((event) => estimateTokens(JSON.stringify(event.data)));
  const shares = shareOut(costs, max);
  return lines(
    ...events.map(({ text, name, data }, i) => {
      const share = shares[i] ?? 0;
      return eventLine(text, name, (costs[i] ?? 0) <= share ? data : shortenData(data, share));
    }),
  );
}

/** The fields share what there is; no short one is cut for a long one. */
function shortenData(data: Readonly<Record<string, unknown>>, max: number): Record<string, unknown> {
  const fields = Object.entries(data);
  const costs = fields.map((field) => estimateTokens(JSON.stringify(field)));
  const shares = shareOut(costs, max);
  return Object.fromEntries(
    fields.map(([name, value], i) => {
      const share = shares[i] ?? 0;
      if ((costs[i] ?? 0) <= share) return [name, value];
      return [name, shorten(typeof value === "string" ? value : JSON.stringify(value), share, tokensInJson)];
    }),
  );
}

/** In JSON, and in a tag, some characters are written with more. */
function tokensInJson(char: string, before: string): number {
  return countTokens(char === "<" ? "\\u003c" : JSON.stringify(char).slice(1, -1), before);
}

function renderTask({ task }: Run, max: number): Quoted {
  const { id, title, triggerId: trigger, prompt, skill } = task;
  const fields = { id, title: shortenChars(title, TITLE_CHARS), trigger, skill: skill?.name };
  return records([{ fields, body: prompt }], max);
}

function renderGuides({ context }: Run, max: number): Quoted {
  const { guides = [] } = context;
  const items = guides.map(({ file, text, cutOf }) => ({ fields: { file, cut_of_bytes: cutOf }, body: text }));
  return records(items, max);
}

function renderPools({ context }: Run, max: number): Quoted {
  const { pools = [] } = context;
  return firstOf(
    pools.map(({ name, labels, state, slots, running = 0 }) =>
      record({
        name,
        labels: labels.join(", ") || undefined,
        connected: state === "there" ? "yes" : "no",
        runs: `${running} of ${slots}`,
      }),
    ),
    max,
  );
}

/** The skill that the task names stands first, so that it is there however little room there is. */
function renderSkills({ task, context }: Run, max: number): Quoted {
  const named = context.skills.filter(({ name }) => name === task.skill?.name);
  const others = context.skills.filter(({ name }) => name !== task.skill?.name);
  return firstOf(
    [...named, ...others].map(({ name, level, path, description }) => {
      const told = shortenChars(description.replace(/\s+/g, " "), SKILL_CHARS);
      return record({ name, level, ...(ROLES[task.role].hasWorkspace && { path }) }, told);
    }),
    max,
  );
}

function renderConditions({ task }: Run, max: number): Quoted {
  return records(
    (task.evaluation ?? []).map(({ id, prompt }) => ({ fields: { id }, body: prompt })),
    max,
  );
}

/** Tasks that ended badly, newest first: what a look for something to improve begins with (SPEC J1). */
function renderFailures({ context }: Run, max: number): Quoted {
  const failed = context.tasks.filter(({ role, state }) => role === "worker" && state === "failed");
  const items = failed.slice(0, TASKS_MAX).map(({ id, title, failureReason, error, prompt }) => ({
    fields: { id, title: shortenChars(title, TITLE_CHARS), reason: failureReason },
    body: [prompt, error && `Error: ${shortenChars(error, ERROR_CHARS)}`].filter(Boolean).join("\n"),
  }));
  return records(items, max);
}

function renderFinding({ task: { improve } }: Run, max: number): Quoted {
  const found = improve?.found;
  if (found?.found !== true) return NOTHING;
  const { kind, title, why, prompt } = found;
  return records([{ fields: { kind, title: shortenChars(title, TITLE_CHARS) }, body: `${why}\n\n${prompt}` }], max);
}

function renderChecks({ task: { improve } }: Run, max: number): Quoted {
  const checks = improve?.change?.checks ?? [];
  return records(
    checks.map(({ command, ended, isPassed, output }) => ({
      fields: { command: shortenChars(command, ERROR_CHARS), passed: isPassed ? "yes" : "no", ended },
      body: output,
    })),
    max,
  );
}

function renderFiles({ task: { improve } }: Run, max: number): Quoted {
  return firstOf(
    (improve?.change?.files ?? []).map(({ path, action }) => record({ path, action })),
    max,
  );
}

/** Parts of it that cannot be shown are named: a reviewer must not pass unseen changes. */
function renderDiff({ task: { improve } }: Run, max: number): Quoted {
  const { base, commit, diff = "", artifact } = improve?.change ?? {};
  const whole = artifact === undefined ? {} : { cut: "yes", whole_diff: artifact };
  return records([{ fields: { base, commit: commit ?? undefined, ...whole }, body: diff }], max);
}

function textOf(text: string | undefined, max: number): Quoted {
  return text === undefined || text === "" ? NOTHING : records([{ fields: { from: "the Worker" }, body: text }], max);
}

function renderSources({ task }: Run, max: number): Quoted {
  return records([{ fields: { period: task.rollUp?.period }, body: task.prompt }], max);
}

/** As many lines, from the first on, as there is room for. */
function firstOf(all: readonly Quoted[], max: number): Quoted {
  return lines(...takeWithin(all, max));
}
