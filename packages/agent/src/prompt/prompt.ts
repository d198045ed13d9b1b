/**
 * The prompt of a run: `system` is the same in every run of a role, so that prompt caches of providers hit; `user` is
 * everything that changes, with the fastest changes at the end.
 */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import { ROOT } from "@mimikit/runtime/home/programs";
import type { Run } from "../provider.ts";
import { definitionOf, type RoleDefinition } from "../roles/index.ts";
import { block, type Quoted } from "./quote.ts";
import { SECTIONS } from "./sections.ts";
import { BadTemplate, parseTemplate, renderTemplate, type Template } from "./template.ts";
import { estimateTokens, shareOut } from "./tokens.ts";

/** Divides a prompt file: above it are the rules, below it the template of what changes. */
const DIVIDER = "\n---\n";
/** Of longer rules of the owner's the rest is left out, and it says so. */
export const RULES_CHARS_MAX = 4_000;
/** The share that the sections around a question keep if it is too long anyway. */
const CONTEXT_SHARE_KEPT = 0.3;

export interface RenderedPrompt {
  system: string;
  user: string;
}

export interface PromptFile {
  system: string;
  template: Template;
  /** The tokens of the prompt file itself, whatever is filled in. */
  tokens: number;
}

/**
 * The prompt of a run. With `tokensMax` the sections take their parts of what is there, for a model with a small
 * window; without, each has its own bound. Throws `BadTemplate` when the file is wrong.
 */
export async function renderPrompt(run: Run, tokensMax = Number.POSITIVE_INFINITY): Promise<RenderedPrompt> {
  return fillPrompt(await loadPrompt(definitionOf(run.task), run.context.rules), renderSections(run), tokensMax);
}

/** A section of a run's prompt, whole, and as it is in less room. */
export interface RenderedSection {
  name: string;
  isQuestion: boolean;
  text: Quoted;
  cost: number;
  shorten(tokensMax: number): Quoted;
}

/** The sections of a run's prompt, each within its own bound. */
export function renderSections(run: Run): RenderedSection[] {
  return definitionOf(run.task).sections.map((name) => {
    const section = SECTIONS[name];
    const text = section.render(run, section.tokensMax);
    const shorten = (tokensMax: number) => section.render(run, tokensMax);
    return { name, isQuestion: section.isQuestion, text, cost: estimateTokens(text), shorten };
  });
}

/**
 * A prompt in `tokensMax` tokens. The question comes first: what stands around it gets what it leaves. It may take up to
 * `questionTokensMax`, and is only shortened where it is longer than that; then the rest keeps a part too.
 */
export function fillPrompt(
  { system, template, tokens }: PromptFile,
  sections: readonly RenderedSection[],
  tokensMax: number,
  questionTokensMax = tokensMax,
): RenderedPrompt {
  const room = Math.max(0, tokensMax - tokens);
  const questionRoom = Math.max(room, questionTokensMax - tokens);
  const costsOf = (isQuestion: boolean) => sections.map((each) => (each.isQuestion === isQuestion ? each.cost : 0));
  const asked = costsOf(true).reduce((sum, cost) => sum + cost, 0);
  const questionMax = asked > questionRoom ? questionRoom * (1 - CONTEXT_SHARE_KEPT) : questionRoom;
  const question = shareOut(costsOf(true), questionMax);
  const around = shareOut(costsOf(false), Math.max(0, room - Math.min(asked, questionMax)));
  const values = sections.map(({ name, isQuestion, text, cost, shorten }, i) => {
    const share = (isQuestion ? question[i] : around[i]) ?? 0;
    return [name, share >= cost ? text : shorten(share)] as const;
  });
  return { system, user: renderTemplate(template, Object.fromEntries(values)) };
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
