/**
 * What a model reads in a run: `system` is the same in every run of a role, so that prompt caches of providers hit;
 * `user` is everything that changes, what changes last at the end.
 */
import { readFile } from "node:fs/promises";
import type { Role } from "@mimikit/protocol/role";
import type { Run } from "./provider.ts";
import { SECTIONS } from "./sections.ts";
import { BadTemplate, parseTemplate, renderTemplate, type Template } from "./template.ts";
import { estimateTokens } from "./tokens.ts";

/** Divides a prompt file: above it are the rules, below it the template of what changes. */
const DIVIDER = "\n---\n";

export interface Prompt {
  system: string;
  user: string;
}

interface PromptFile {
  system: string;
  template: Template;
  /** What the file itself takes of a prompt, whatever is filled in. */
  tokens: number;
}

/**
 * The prompt of a run. With `tokensMax` the sections take their parts of what is there, for a model with a small
 * window; without, each has its own bound. Throws `BadTemplate` when the role's file is wrong.
 */
export async function renderPrompt(run: Run, tokensMax = Number.POSITIVE_INFINITY): Promise<Prompt> {
  const { system, template, tokens } = await loadPrompt(run.task.role);
  const sections = Object.entries(SECTIONS[run.task.role]);
  const wanted = sections.reduce((sum, [, section]) => sum + section.tokensMax, 0);
  const scale = Math.min(1, Math.max(0, tokensMax - tokens) / wanted);
  const values = sections.map(([name, { render, tokensMax }]) => [name, render(run, tokensMax * scale)] as const);
  return { system, user: renderTemplate(template, Object.fromEntries(values)) };
}

/** The prompt file of `role`. It is read for every run, so an edit counts from the next one on. Throws `BadTemplate`. */
export async function loadPrompt(role: Role): Promise<PromptFile> {
  const name = `prompts/agents/${role}.md`;
  const text = await readFile(new URL(`../../../${name}`, import.meta.url), "utf8");
  const [rules, template, ...more] = text.split(DIVIDER);
  if (rules === undefined || template === undefined || more.length > 0)
    throw new BadTemplate(`${name}: one line of "---" divides the rules from the template`);
  parse(rules, [], `${name}, above its "---"`);
  return {
    system: `You are the Mimikit runtime ${role}.\n\n${rules.trim()}\n`,
    template: parse(template, Object.keys(SECTIONS[role]), `${name}, below its "---"`),
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
