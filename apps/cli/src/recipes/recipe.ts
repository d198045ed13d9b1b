/**
 * A recipe is one YAML file: words, when they are due, what it asks its owner, and perhaps a skill. All of it is data: a
 * recipe makes one trigger and at most one skill, and nothing else (docs/recipes.md).
 */

import { BadSkill, parseSkill, SKILL_FILE_CHARS_MAX } from "@mimikit/agent/skills/skills";
import { definitionOf, problemOf } from "@mimikit/core/triggers/triggers";
import { Prompt, TITLE_CHARS_MAX } from "@mimikit/protocol/base/fields";
import { type Level, SkillName } from "@mimikit/protocol/base/skill";
import { describeIssues } from "@mimikit/protocol/texts/issues";
import { type TriggerDefinition, TriggerInput } from "@mimikit/protocol/triggers/trigger-order";
import { parse as parseYaml } from "yaml";
import { z } from "zod";
import { secondsOf } from "../arguments/trigger-options.ts";
import { t, told } from "../i18n/language.ts";

export const RECIPE_BYTES_MAX = 65_536;
export const ASKS_MAX = 10;
export const ANSWER_CHARS_MAX = 200;
const ABOUT_CHARS_MAX = 500;
const QUESTION_CHARS_MAX = 200;
const YAML_ALIASES_MAX = 0;

/** The file is no recipe, or an answer does not fit; the message says what to do about it. */
export class BadRecipe extends Error {}

/** The answers that fit, by kind. `hint` completes "it is …". */
const KINDS = {
  text: { pattern: /^[^\p{Cc}`]+$/u, hint: "one line without backquotes" },
  number: { pattern: /^\d{1,6}$/, hint: "a whole number" },
  time: { pattern: /^(?:[01]\d|2[0-3]):[0-5]\d$/, hint: "a time of the day like 08:30" },
  day: { pattern: /^(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/, hint: "a day of the year, month first: 12-24" },
  // It goes into commands between single quotes, where nothing but one of these has a meaning.
  path: {
    pattern: /^(?![-~])[^\p{Cc}`'"]+$/u,
    hint: "a path of the workspace or from /, without quotes and without ~",
  },
} as const;
type Kind = keyof typeof KINDS;

const RecipeQuestion = z.strictObject({
  question: z.string().trim().min(1).max(QUESTION_CHARS_MAX),
  kind: z.enum(Object.keys(KINDS) as [Kind, ...Kind[]]).default("text"),
  default: z.union([z.string(), z.number()]).transform(String).optional(),
});
export type RecipeQuestion = z.infer<typeof RecipeQuestion>;

/** `2h` as the command line has it. */
const Duration = z.string().transform((text, context) => {
  const seconds = secondsOf(text);
  if (seconds === null) context.addIssue({ code: "custom", message: t("a length of time is like 30s, 10m, 2h or 1d") });
  return seconds ?? 0;
});

const Recipe = z.strictObject({
  name: SkillName,
  title: z.string().trim().min(1).max(TITLE_CHARS_MAX),
  about: z.string().trim().min(1).max(ABOUT_CHARS_MAX),
  /** Left out, the offline engine does it as well. */
  needs: z.literal("model").optional(),
  words: Prompt,
  trigger: z.strictObject({
    cron: z.string().optional(),
    timezone: z.string().optional(),
    every: Duration.optional(),
    when: z.unknown().optional(),
    cooldown: Duration.optional(),
    stableFor: Duration.optional(),
    missed: TriggerInput.shape.missed,
  }),
  budget: TriggerInput.shape.budget,
  skill: z.string().max(SKILL_FILE_CHARS_MAX).optional(),
  asks: z
    .record(
      z.string().regex(/^[a-z][a-z0-9]*$/, { error: () => t("must have lowercase letters and digits only") }),
      RecipeQuestion,
    )
    .refine((asks) => Object.keys(asks).length <= ASKS_MAX, {
      error: () => t("at most {max} questions", { max: ASKS_MAX }),
    })
    .default({}),
});

export type Recipe = z.infer<typeof Recipe> & {
  /** The level that its skill declares; undefined where it has no skill, or that declares none. */
  level: Level | undefined;
  /** Its words are said to the user as they are, and order nothing. */
  isReminder: boolean;
};

const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;
const REMINDER = /^remind me: [^\n]+$/;
const COMMAND_WITHOUT_QUOTES = /^[^\S\r\n\u2028\u2029]*(?:run|execute|运行|执行)\s*[:：]/im;

/** @param text of the file. @throws BadRecipe. */
export function parseRecipe(text: string): Recipe {
  const checked = Recipe.safeParse(readYaml(text));
  if (!checked.success)
    throw new BadRecipe(t("this is no recipe: {reason}", { reason: told(describeIssues(checked.error)) }));
  const recipe = checked.data;
  assertPlaceholders(recipe);
  for (const [name, { kind, default: value }] of Object.entries(recipe.asks))
    if (value !== undefined) assertFits(name, kind, value);
  return { ...recipe, level: levelOf(recipe), isReminder: REMINDER.test(recipe.words.trim()) };
}

function readYaml(text: string): unknown {
  if (Buffer.byteLength(text) > RECIPE_BYTES_MAX)
    throw new BadRecipe(t("this is no recipe: it has more than {max} bytes", { max: RECIPE_BYTES_MAX }));
  try {
    return parseYaml(text, { maxAliasCount: YAML_ALIASES_MAX, logLevel: "error" });
  } catch (error) {
    const [line = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
    throw new BadRecipe(t("this is no recipe, because it is no YAML: {line}", { line }));
  }
}

function levelOf({ name, skill }: z.infer<typeof Recipe>): Level | undefined {
  if (skill === undefined) return undefined;
  try {
    const { name: own, level } = parseSkill(skill);
    if (own !== name)
      throw new BadRecipe(t('its skill is called "{own}", and must be called "{name}" like the recipe', { own, name }));
    return level;
  } catch (error) {
    if (error instanceof BadSkill)
      throw new BadRecipe(t("its skill is none: {reason}", { reason: told(error.message) }));
    throw error;
  }
}

/**
 * Each placeholder is asked for, and each question has one. Free text stands in no command, and a command stands in
 * backquotes, so that what is typed is never a part of one.
 */
function assertPlaceholders({ title, words, trigger, asks }: z.infer<typeof Recipe>): void {
  const used = new Set<string>();
  for (const [, name = ""] of `${title}\n${words}\n${JSON.stringify(trigger)}`.matchAll(PLACEHOLDER)) {
    if (!Object.hasOwn(asks, name)) throw new BadRecipe(t("{name} is not among its asks", { name: `{{${name}}}` }));
    used.add(name);
  }
  const unused = Object.keys(asks).find((name) => !used.has(name));
  if (unused !== undefined) throw new BadRecipe(t('it asks for "{unused}" and does not use it', { unused }));
  if (words.includes("``") || COMMAND_WITHOUT_QUOTES.test(words))
    throw new BadRecipe(t("a command stands between single backquotes: run `date`"));
  for (const { text, isCode } of spansOf(words))
    for (const [, name = ""] of isCode ? text.matchAll(PLACEHOLDER) : [])
      if (asks[name]?.kind === "text")
        throw new BadRecipe(t("{name} is free text, and stands in no command", { name: `{{${name}}}` }));
}

function spansOf(words: string): { text: string; isCode: boolean }[] {
  const parts = words.split("`");
  if (parts.length % 2 === 0) throw new BadRecipe(t("a backquote in its words is not closed"));
  return parts.map((text, i) => ({ text, isCode: i % 2 === 1 }));
}

function assertFits(name: string, kind: Kind, value: string): void {
  const { pattern, hint } = KINDS[kind];
  if (value.length > ANSWER_CHARS_MAX)
    throw new BadRecipe(t('"{name}" has at most {max} characters', { name, max: ANSWER_CHARS_MAX }));
  if (!pattern.test(value)) throw new BadRecipe(t('"{name}" is {hint}', { name, hint: t(hint) }));
}

export type RecipeAnswers = Readonly<Record<string, string>>;

/**
 * The trigger that a recipe makes with these answers; its defaults stand for what is not answered.
 * @param timeZone IANA, of a cron that names none. @param nowMs from which its schedule must be due again.
 * @throws BadRecipe for an answer that does not fit or is missing, and for a time that cannot be.
 */
export function definitionIn(recipe: Recipe, given: RecipeAnswers, timeZone: string, nowMs: number): TriggerDefinition {
  const { name, title, words, trigger, budget, asks, skill, level } = recipe;
  const stranger = Object.keys(given).find((each) => !Object.hasOwn(asks, each));
  if (stranger !== undefined)
    throw new BadRecipe(
      t('it does not ask for "{stranger}"; it asks for {asks}', {
        stranger,
        asks: Object.keys(asks).join(", ") || t("nothing"),
      }),
    );
  const valueIn = (each: string): string => {
    const { kind = "text", default: usual } = asks[each] ?? {};
    const value = given[each]?.trim() ?? usual;
    if (value === undefined) throw new BadRecipe(t('say "{each}": --set {each}=…', { each }));
    assertFits(each, kind, value);
    return value;
  };
  const filled = (text: string) => text.replace(PLACEHOLDER, (_, each: string) => valueIn(each));
  const { cron, every, when, ...rest } = trigger;
  const said = {
    ...rest,
    title: filled(title),
    prompt: spansOf(words)
      .map(({ text, isCode }) =>
        isCode
          ? `\`${text.replace(PLACEHOLDER, (_, each: string) => inShell(asks[each]?.kind, valueIn(each)))}\``
          : filled(text),
      )
      .join("")
      .trim(),
    cron: cron?.replace(PLACEHOLDER, (_, each: string) => inCron(asks[each]?.kind, valueIn(each))),
    interval: every,
    condition: when === undefined ? undefined : deeply(when, filled),
    budget,
    target: skill === undefined ? ("teller" as const) : ("worker" as const),
  };
  const input = TriggerInput.safeParse(
    Object.fromEntries(Object.entries(said).filter(([, each]) => each !== undefined)),
  );
  if (!input.success)
    throw new BadRecipe(t("its trigger is none: {reason}", { reason: told(describeIssues(input.error)) }));
  const definition = definitionOf(input.data, timeZone);
  if ("problem" in definition) throw new BadRecipe(told(definition.problem));
  const problem = problemOf(definition.when, nowMs);
  if (problem !== null) throw new BadRecipe(told(problem));
  if (skill === undefined) return definition;
  return { ...definition, order: { ...definition.order, skill: { name, ...(level !== undefined && { level }) } } };
}

function inShell(kind: Kind | undefined, value: string): string {
  return kind === "path" ? `'${value}'` : value;
}

/** `08:30` is two fields of a cron, and so is `12-24`. */
function inCron(kind: Kind | undefined, value: string): string {
  const [first = "", second = ""] = value.split(/[:-]/).map((part) => String(Number(part)));
  return kind === "time" || kind === "day" ? `${second} ${first}` : value;
}

function deeply(value: unknown, filled: (text: string) => string): unknown {
  if (typeof value === "string") return filled(value);
  if (Array.isArray(value)) return value.map((each) => deeply(each, filled));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, deeply(each, filled)]));
}
