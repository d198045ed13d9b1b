/**
 * The prompt of a run: `system` is the same in every run of a role, so that prompt caches of providers hit; `user` is
 * everything that changes, with the fastest changes at the end.
 */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import { ROOT } from "@mimikit/runtime/home/programs";
import type { Run } from "../provider.ts";
import { definitionOf, type RoleDefinition, type SectionName } from "../roles/index.ts";
import { boundOf, budgetsFor } from "../talk/budgets.ts";
import { block, NOTHING, type Quoted } from "./quote.ts";
import { SECTIONS } from "./sections.ts";
import { type Rendering, type TalkMessage, talkIn, talkMessagesIn, UNSUMMED } from "./talk.ts";
import { BadTemplate, divideTemplate, parseTemplate, renderTemplate, type Template, textOf } from "./template.ts";
import { estimateTokens, shareOut } from "./tokens.ts";

/** Divides a prompt file: above it are the rules, below it the template of what changes. */
const DIVIDER = "\n---\n";
/** Of longer rules of the owner's the rest is left out, and it says so. */
export const RULES_CHARS_MAX = 4_000;
/** Around a message of the conversation. */
const FRAME_TOKENS = 8;
/** The share that the sections around a question keep if it is too long anyway. */
const CONTEXT_SHARE_KEPT = 0.3;

export interface RenderedPrompt {
  system: string;
  user: string;
}

/** The prompt of a run whose conversation has messages of its own. */
export interface TalkPrompt {
  system: string;
  /** The sections before the conversation, which seldom change; empty if there are none. */
  head: string;
  talk: TalkMessage[];
  /** The state, and what the run is about. */
  question: string;
}

export interface PromptFile {
  system: string;
  template: Template;
  /** The tokens of the prompt file itself, whatever is filled in. */
  tokens: number;
}

/**
 * The prompt of a run in one message. With `tokensMax` the sections take their parts of what is there, for a model with a small
 * window; without, each has its own bound. Throws `BadTemplate` when the file is wrong.
 */
export async function renderPrompt(
  run: Run,
  tokensMax = Number.POSITIVE_INFINITY,
  sumUp = UNSUMMED,
): Promise<RenderedPrompt> {
  const rendering = { budgets: budgetsFor(tokensMax, run.context.budgets), sumUp };
  return fillPrompt(
    await loadPrompt(definitionOf(run.task), run.context.rules),
    renderSections(run, rendering),
    tokensMax,
  );
}

/** A section of a run's prompt, whole, and as it is in less room. */
export interface RenderedSection {
  name: SectionName;
  isQuestion: boolean;
  text: Quoted;
  cost: number;
  /** Tokens that it gets before other sections around the question get any. */
  least: number;
  /** @param history the tokens of the conversation in the same prompt. */
  shorten(tokensMax: number, history: number): Quoted;
  /** The conversation as messages, where it is shown so. */
  talk?(history: number): TalkMessage[];
  /** The tokens of the conversation for a share of the room: whole parts of its budget, so that it does not change all the time. */
  historyIn?(share: number): number;
}

/** The conversation takes a lesser room in steps of this part of its budget. */
const HISTORY_STEP = 1 / 8;

/** The sections of a run's prompt, each within its own bound. @param isTalk the conversation has messages of its own. */
export function renderSections(run: Run, rendering: Rendering, isTalk = false): RenderedSection[] {
  const { budgets } = rendering;
  return definitionOf(run.task).sections.map((name) => {
    const section = SECTIONS[name];
    const { isQuestion } = section;
    const bound = boundOf(name, section.tokensMax, budgets);
    const shorten = (tokensMax: number, history: number) =>
      section.render(run, Math.min(bound, tokensMax), { ...rendering, budgets: { ...budgets, history } });
    if (name !== "history") {
      const text = section.render(run, bound, rendering);
      return { name, isQuestion, text, cost: estimateTokens(text), least: 0, shorten };
    }
    const talk = (history: number) => talkMessagesIn(run, { ...budgets, history });
    const text = isTalk ? NOTHING : section.render(run, bound, rendering);
    const cost = isTalk ? costOfTalk(talk(bound)) : estimateTokens(text);
    const least = Math.min(cost, budgets.message, talkIn(run, budgets).least);
    const step = bound * HISTORY_STEP;
    const historyIn = (share: number) =>
      share >= cost || share >= bound ? bound : share < Math.max(least, step) ? share : Math.floor(share / step) * step;
    return { name, isQuestion, text, cost, least, shorten, historyIn, ...(isTalk && { talk }) };
  });
}

/**
 * A prompt in `tokensMax` tokens. The question comes first: what stands around it gets what it leaves. It may take up to
 * `questionTokensMax`, and is only shortened where it is longer than that; then the rest keeps a part too.
 */
export function fillPrompt(
  file: PromptFile,
  sections: readonly RenderedSection[],
  tokensMax: number,
  questionTokensMax = tokensMax,
): RenderedPrompt {
  const { values } = fill(file, sections, tokensMax, questionTokensMax);
  return { system: file.system, user: renderTemplate(file.template, values) };
}

/** The same for a run whose conversation has messages of its own: its template is divided where the conversation stands. */
export function fillTalk(
  file: PromptFile,
  sections: readonly RenderedSection[],
  tokensMax: number,
  questionTokensMax = tokensMax,
): TalkPrompt {
  const { values, history } = fill(file, sections, tokensMax, questionTokensMax);
  const [before, after] = divideTemplate(file.template, "history");
  return {
    system: file.system,
    head: renderTemplate(before, values),
    talk: sections.find(({ talk }) => talk !== undefined)?.talk?.(history) ?? [],
    question: renderTemplate(after, values),
  };
}

function fill(
  { template, tokens: all }: PromptFile,
  sections: readonly RenderedSection[],
  tokensMax: number,
  questionTokensMax: number,
): { values: Record<string, Quoted>; history: number } {
  const idle = textOf(template, (name) => sections.every((each) => each.name !== name || each.cost === 0));
  const tokens = Math.max(0, all - estimateTokens(idle));
  const room = Math.max(0, tokensMax - tokens);
  const questionRoom = Math.max(room, questionTokensMax - tokens);
  const costsOf = (isQuestion: boolean) => sections.map((each) => (each.isQuestion === isQuestion ? each.cost : 0));
  const asked = sum(costsOf(true));
  const questionMax = asked > questionRoom ? questionRoom * (1 - CONTEXT_SHARE_KEPT) : questionRoom;
  const question = shareOut(costsOf(true), questionMax);
  const around = shareAround(
    sections,
    Math.max(0, room - Math.min(asked, questionMax)),
    asked > questionMax ? 0 : LEAST_SHARE_MAX,
  );
  const shareOf = (i: number) => (sections[i]?.isQuestion ? question[i] : around[i]) ?? 0;
  const talkAt = sections.findIndex(({ historyIn }) => historyIn !== undefined);
  const history = sections[talkAt]?.historyIn?.(shareOf(talkAt)) ?? 0;
  const isTalkWhole = talkAt < 0 || shareOf(talkAt) >= (sections[talkAt]?.cost ?? 0);
  const values = sections.map(({ name, text, cost, shorten, talk }, i) => {
    if (talk !== undefined) return [name, NOTHING] as const;
    const share = shareOf(i);
    // The summary tells of the messages that the conversation does not show.
    const isWhole = share >= cost && (name !== "summary" || isTalkWhole);
    return [name, isWhole ? text : shorten(share, history)] as const;
  });
  return { values: Object.fromEntries(values), history };
}

/** The share of the room around a whole question that the smallest forms of all sections may take together. */
const LEAST_SHARE_MAX = 0.5;

/** The shares of what stands around the question: first the least of each, then fair shares of the rest. */
function shareAround(sections: readonly RenderedSection[], room: number, leastShare: number): number[] {
  const costs = sections.map(({ isQuestion, cost }) => (isQuestion ? 0 : cost));
  const wanted = sections.map(({ isQuestion, least }) => (isQuestion ? 0 : least));
  const least = shareOut(wanted, room * leastShare);
  const more = shareOut(
    costs.map((cost, i) => cost - (least[i] ?? 0)),
    room - sum(least),
  );
  return least.map((tokens, i) => tokens + (more[i] ?? 0));
}

function costOfTalk(talk: readonly TalkMessage[]): number {
  return sum(talk.map(({ content }) => estimateTokens(content) + FRAME_TOKENS));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/**
 * A prompt file. It is read for every run, so an edit counts from the next one on. Throws `BadTemplate`.
 * @param rules of the owner's: they stand in front of ours, and nothing that is too long ever shortens them.
 */
export async function loadPrompt({ role, prompt: path, sections }: RoleDefinition, rules = ""): Promise<PromptFile> {
  const text = await readFile(join(ROOT, path), "utf8");
  const [ours, template, ...more] = text.split(DIVIDER);
  if (ours === undefined || template === undefined || more.length > 0)
    throw new BadTemplate(`${path}: one line of "---" divides the rules from the template`);
  parse(ours, [], `${path}, above its "---"`);
  const pinned = pin(rules);
  return {
    system: `You are the Mimikit runtime ${role}.\n\n${pinned}${ours.trim()}\n`,
    template: parse(template, sections, `${path}, below its "---"`),
    tokens: estimateTokens(text) + estimateTokens(pinned),
  };
}

/** The owner's rules as the first section of all. */
function pin(rules: string): string {
  if (rules.trim() === "") return "";
  const left = `\n[… left out: these rules are longer than ${RULES_CHARS_MAX} characters …]`;
  const shown = rules.length > RULES_CHARS_MAX ? `${beginningOf(rules, RULES_CHARS_MAX)}${left}` : rules;
  return `// Rules of the owner: they always hold, whatever is said below or later\n<M:rules>\n${block(shown)}\n</M:rules>\n\n`;
}

function parse(source: string, names: readonly string[], place: string): Template {
  try {
    return parseTemplate(source, names);
  } catch (error) {
    if (error instanceof BadTemplate) throw new BadTemplate(`${place}, ${error.message}`);
    throw error;
  }
}
