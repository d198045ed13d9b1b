/**
 * The folder of OpenClaw (~/.openclaw, earlier ~/.clawdbot and ~/.moltbot): its workspace with MEMORY.md, memory/*.md and USER.md,
 * cron/jobs.json, and agents/<agent>/sessions/*.jsonl. Its persona, its skills and its settings are not brought.
 */

import { definitionOf, problemOf } from "@mimikit/core/triggers/triggers";
import { TITLE_CHARS_MAX } from "@mimikit/protocol/base/fields";
import { describeIssues } from "@mimikit/protocol/texts/issues";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import { type TriggerDefinition, TriggerInput } from "@mimikit/protocol/triggers/trigger-order";
import { z } from "zod";
import { t, told } from "../i18n/language.ts";
import {
  type Brought,
  type BroughtMessage,
  type BroughtSchedule,
  type ImportedConversation,
  memoriesIn,
  nothing,
} from "./brought.ts";
import { type ExportFiles, readJson } from "./export-files.ts";
import { checked, momentMs } from "./lenient.ts";

const MEMORY = /(?:^|\/)(?:MEMORY|memory|USER)\.md$|(?:^|\/)memory\/[^/]+\.md$/;
const JOBS = /(?:^|\/)(?:cron\/)?jobs\.json$/;
const SESSION = /(?:^|\/)sessions\/([^/]+)\.jsonl$/;
const SKILL = /(?:^|\/)skills\/([^/]+)\/SKILL\.md$/;
const PERSONA = /(?:^|\/)(?:SOUL|IDENTITY|AGENTS|TOOLS|HEARTBEAT|BOOTSTRAP)\.md$/;
/** In the workspace of another agent, and in backups, the same names stand once more. */
const ELSEWHERE = /(?:^|\/)(?:node_modules|\.git|backups?|sandbox(?:es)?)\//;
const SKILLS_NAMED_MAX = 5;
const MARK = " (from OpenClaw)";
/** The answer of a model that has nothing to say. */
const SILENCE = /^(?:HEARTBEAT_OK|NO_REPLY)$/;

const Job = z.object({
  id: z.string(),
  name: z.string().nullish(),
  enabled: z.boolean().default(true),
  schedule: z.union([
    z.object({ kind: z.literal("cron"), expr: z.string(), tz: z.string().nullish() }),
    z.object({ kind: z.literal("every"), everyMs: z.number() }),
    z.object({ kind: z.literal("at"), at: z.string().optional(), atMs: z.number().optional() }),
  ]),
  payload: z.union([
    z.object({ kind: z.literal("systemEvent"), text: z.string() }),
    z.object({ kind: z.literal("agentTurn"), message: z.string() }),
  ]),
});
const Jobs = z.object({ jobs: z.array(z.unknown()) });
const Line = z.looseObject({ type: z.string() });
const Said = z.object({
  id: z.string().nullish(),
  timestamp: z.union([z.string(), z.number()]).nullish(),
  message: z.object({ role: z.enum(["user", "assistant"]), content: z.union([z.string(), z.array(z.unknown())]) }),
});
const Text = z.object({ type: z.literal("text"), text: z.string() });

/** @param timeZone of a cron that names none. @throws Failure where a file of it cannot be read. */
export async function readOpenClaw(files: ExportFiles, timeZone: string, nowMs: number): Promise<Brought> {
  const brought = nothing();
  const names = files.names.filter((name) => !ELSEWHERE.test(name));
  for (const name of names.filter((each) => MEMORY.test(each)))
    brought.memories.push(...memoriesIn(await files.read(name), markOf(name)));
  for (const name of names.filter((each) => JOBS.test(each)))
    for (const each of checked(Jobs, await readJson(files, name), name).jobs) {
      const schedule = scheduleOf(each, timeZone, nowMs);
      if ("reason" in schedule) brought.passedOver.push(schedule);
      else brought.schedules.push(schedule);
    }
  for (const name of names) {
    const [, id] = SESSION.exec(name) ?? [];
    if (id !== undefined) brought.conversations.push(conversationOf(id, await files.read(name)));
  }
  const skills = names.flatMap((name) => SKILL.exec(name)?.[1] ?? []);
  if (skills.length > 0)
    brought.passedOver.push({
      what: t("skills ({names})", {
        names: skills.slice(0, SKILLS_NAMED_MAX).join(", ") + (skills.length > SKILLS_NAMED_MAX ? ", …" : ""),
      }),
      reason: t("a skill is followed like a task: copy the folders of those that you trust into skills/"),
    });
  if (names.some((name) => PERSONA.test(name)))
    brought.passedOver.push({
      what: t("its persona and its rules"),
      reason: t("they would be part of every prompt: put what you want of them into agent_persona.md or rules.md"),
    });
  return brought;
}

/** A note of a day keeps its day. */
function markOf(name: string): string {
  const day = name.endsWith(".md") ? /\d{4}-\d{2}-\d{2}/.exec(name.slice(name.lastIndexOf("/") + 1))?.[0] : undefined;
  return day === undefined ? MARK : ` (from OpenClaw, ${day})`;
}

function scheduleOf(
  said: unknown,
  timeZone: string,
  nowMs: number,
): BroughtSchedule | { what: string; reason: string } {
  const read = Job.safeParse(said);
  const Named = z.object({ name: z.string() });
  const what = t('the schedule "{name}"', { name: Named.safeParse(said).data?.name ?? t("without a name") });
  if (!read.success)
    return {
      what,
      reason: t("it is not as OpenClaw writes one: {issues}", { issues: told(describeIssues(read.error)) }),
    };
  const { name, enabled, schedule, payload } = read.data;
  if (!enabled) return { what, reason: t("it is disabled there") };
  const prompt = payload.kind === "systemEvent" ? payload.text : payload.message;
  const when =
    schedule.kind === "cron"
      ? { cron: schedule.expr, timezone: schedule.tz ?? timeZone }
      : schedule.kind === "every"
        ? { interval: Math.round(schedule.everyMs / 1_000) }
        : { runAt: momentOf(schedule.atMs ?? schedule.at) };
  const title = (name ?? prompt).trim().slice(0, TITLE_CHARS_MAX).toWellFormed();
  const input = TriggerInput.safeParse({ prompt, title, target: "teller", ...when });
  if (!input.success) return { what, reason: told(describeIssues(input.error)) };
  const definition: TriggerDefinition | { problem: string } = definitionOf(input.data, timeZone);
  const problem = "problem" in definition ? definition.problem : problemOf(definition.when, nowMs);
  if (problem !== null) return { what, reason: told(problem) };
  return { title, definition: definition as TriggerDefinition };
}

/** A moment without a zone is one of UTC there. */
function momentOf(at: string | number | undefined): string | undefined {
  const ms =
    typeof at === "number" ? at : momentMs(at === undefined || /(?:Z|[+-]\d\d:?\d\d)$/i.test(at) ? at : `${at}Z`);
  return ms === undefined ? undefined : new Date(ms).toISOString();
}

/** A line that was cut off, or is of something else than a message, is none. */
function conversationOf(id: string, text: string): ImportedConversation {
  let lastMs = 0;
  let title = "";
  const messages = text.split("\n").flatMap((line, i): BroughtMessage[] => {
    const value = jsonIn(line);
    if (Line.safeParse(value).data?.type !== "message") return [];
    const said = Said.safeParse(value).data;
    if (said === undefined) return [];
    const { role, content } = said.message;
    lastMs = momentMs(typeof said.timestamp === "number" ? said.timestamp / 1_000 : said.timestamp) ?? lastMs;
    const parts =
      typeof content === "string" ? [content] : content.flatMap((part) => Text.safeParse(part).data?.text ?? []);
    const words = parts.join("\n").trim();
    if (words === "" || SILENCE.test(words)) return [];
    if (title === "") title = beginningOf(words, TITLE_CHARS_MAX).toWellFormed();
    return [{ id: said.id ?? String(i), role, text: words, atMs: lastMs }];
  });
  return { id, title, messages };
}

function jsonIn(line: string): unknown {
  try {
    return line.trim() === "" ? null : JSON.parse(line);
  } catch {
    return null;
  }
}
