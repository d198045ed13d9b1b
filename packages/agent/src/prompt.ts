/**
 * What a model reads in a run: `system` is the same in every run of a role, so that prompt caches of providers hit;
 * `user` is everything that changes, what changes last at the end.
 */
import { readFile } from "node:fs/promises";
import type { Role } from "@mimikit/protocol/role";
import type { Task } from "@mimikit/protocol/task";
import type { Run } from "./provider.ts";
import type { Quoted } from "./quote.ts";
import { type PromptName, SECTIONS } from "./sections.ts";
import { BadTemplate, parseTemplate, renderTemplate, type Template } from "./template.ts";
import { estimateTokens, shareOut } from "./tokens.ts";

/** Divides a prompt file: above it are the rules, below it the template of what changes. */
const DIVIDER = "\n---\n";
/** What the sections around a question keep where it is too long anyway. */
const CONTEXT_SHARE_KEPT = 0.3;

/** Where each prompt is, and whose it is. */
const FILES: Record<PromptName, { role: Role; path: string }> = {
  teller: { role: "teller", path: "prompts/agents/teller.md" },
  planner: { role: "planner", path: "prompts/agents/planner.md" },
  worker: { role: "worker", path: "prompts/agents/worker.md" },
  reviewer: { role: "reviewer", path: "prompts/agents/reviewer.md" },
  "self-improve": { role: "worker", path: "prompts/agents/self-improve.md" },
  "llm-eval-batch": { role: "worker", path: "prompts/tasks/llm-eval-batch.md" },
};

/** The prompt of a task: that of its role, or of a kind of task that needs one of its own. */
export function promptNameOf({ role, evaluation, improve }: Pick<Task, "role" | "evaluation" | "improve">): PromptName {
  if (improve?.step === "look") return "self-improve";
  return evaluation === undefined ? role : "llm-eval-batch";
}

export interface Prompt {
  system: string;
  user: string;
}

export interface PromptFile {
  system: string;
  template: Template;
  /** What the file itself takes of a prompt, whatever is filled in. */
  tokens: number;
}

/**
 * The prompt of a run. With `tokensMax` the sections take their parts of what is there, for a model with a small
 * window; without, each has its own bound. Throws `BadTemplate` when the file is wrong.
 */
export async function renderPrompt(run: Run, tokensMax = Number.POSITIVE_INFINITY): Promise<Prompt> {
  return fillPrompt(await loadPrompt(promptNameOf(run.task)), renderSections(run), tokensMax);
}

/** A section of a run's prompt, whole, and as it is in less room. */
export interface RenderedSection {
  name: string;
  isQuestion: boolean;
  text: Quoted;
  cost: number;
  shorten(tokensMax: number): Quoted;
}

/** What a run has to say in its prompt, each section within its own bound. */
export function renderSections(run: Run): RenderedSection[] {
  return Object.entries(SECTIONS[promptNameOf(run.task)]).map(([name, section]) => {
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
): Prompt {
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

/** A prompt file. It is read for every run, so an edit counts from the next one on. Throws `BadTemplate`. */
export async function loadPrompt(name: PromptName): Promise<PromptFile> {
  const { role, path } = FILES[name];
  const text = await readFile(new URL(`../../../${path}`, import.meta.url), "utf8");
  const [rules, template, ...more] = text.split(DIVIDER);
  if (rules === undefined || template === undefined || more.length > 0)
    throw new BadTemplate(`${path}: one line of "---" divides the rules from the template`);
  parse(rules, [], `${path}, above its "---"`);
  return {
    system: `You are the Mimikit runtime ${role}.\n\n${rules.trim()}\n`,
    template: parse(template, Object.keys(SECTIONS[name]), `${path}, below its "---"`),
    tokens: estimateTokens(text),
  };
}

function parse(source: string, names: readonly string[], place: string): Template {
  try {
    return parseTemplate(source, names);
  } catch (error) {
    if (error instanceof BadTemplate) throw new BadTemplate(`${place}, ${error.message}`);
    throw error;
  }
}
