/**
 * Recipes: triggers, with their words and perhaps a skill, that somebody has written down for others. What a recipe would do is
 * shown first; it reads and writes the state directory itself, so it works with everything down.
 */
import { createInterface } from "node:readline/promises";
import { momentText, whenText } from "@mimikit/core/schedule/trigger-words";
import { simulateTriggers } from "@mimikit/core/triggers/simulate";
import { triggerOf } from "@mimikit/core/triggers/triggers";
import { triggerSummary } from "@mimikit/core/views/board";
import { isAbove, Level, SkillName } from "@mimikit/protocol/base/skill";
import type { Standing } from "@mimikit/protocol/records/trigger";
import type { TriggerDefinition } from "@mimikit/protocol/triggers/trigger-order";
import { actions, command } from "../arguments/command.ts";
import { terminalZone } from "../arguments/trigger-options.ts";
import { withState } from "../instance/state.ts";
import { confirm } from "../io/confirm.ts";
import { Failure } from "../io/failure.ts";
import { currentPlace } from "../io/place.ts";
import { plainLine, plainText, printJson, printLine, printTable, styled } from "../io/print.ts";
import { addedRecipes, addRecipe, removeRecipe, standingOf } from "../recipes/added-recipes.ts";
import { type Found, findRecipe, shippedRecipes } from "../recipes/find-recipe.ts";
import { type Answers, BadRecipe, definitionIn, type Recipe } from "../recipes/recipe.ts";
import { printSimulation } from "../terminal/simulation-text.ts";

const SHOWN_DAYS = 7;
const FIRINGS_SHOWN = 5;
const DAY_MS = 86_400_000;
/** The level of a recipe from outside where nobody is asked, and `--level` allows no more. */
const LEVEL_UNASKED = "read-only";

export const recipe = command({
  usage: "recipe [action] [name]",
  summary: "ready-made triggers: list, show, add, remove",
  examples: [
    ["mimikit recipe", "those that come with Mimikit, and what was added"],
    ["mimikit recipe show disk-space", "its words, its questions and its next firings; nothing is changed"],
    ["mimikit recipe add disk-space", "asks what it needs to know, shows it, and asks whether to add it"],
    [
      "mimikit recipe add birthday --as birthday-alex --set who=Alex --set day=04-17 --yes",
      "for scripts, and once more",
    ],
    ["mimikit recipe add ./mine.yaml", "one of your own, or that somebody has sent you"],
    ["mimikit recipe add https://example.org/recipe.yaml", "one from the web, shown before anything is done"],
    ["mimikit recipe remove disk-space", "its trigger and its skill go; mimikit undo brings the trigger back"],
  ],
  epilogue:
    "A recipe makes one trigger and at most one skill. One from outside is a reminder, or its runs are held to the level of its skill.",
  options: (yargs) =>
    yargs
      .positional("action", actions("list", "show", "add", "remove"))
      .positional("name", { type: "string", describe: "the recipe; show and add take a file or an https address, too" })
      .option("set", {
        type: "string",
        array: true,
        nargs: 1,
        describe: "show, add: an answer, time=08:30; may be said more than once",
      })
      .option("as", { type: "string", describe: "add: under another name, so that the same recipe can be added twice" })
      .option("level", {
        choices: Level.options,
        describe: `add: the most that a recipe from outside may do; ${LEVEL_UNASKED} where nobody is asked`,
      })
      .option("yes", { alias: "y", type: "boolean", default: false, describe: "add: without asking" }),
  async run({ json, action, name, set, as, level, yes }) {
    if (action !== "add" && (yes || level !== undefined || as !== undefined))
      throw new Failure("usage", "--yes, --as and --level are for  mimikit recipe add");
    if (action === "list") return name === undefined ? list(json) : show(name, answersIn(set), json);
    if (name === undefined) throw new Failure("usage", `say which recipe: mimikit recipe ${action} <name>`);
    if (action === "show") return show(name, answersIn(set), json);
    if (action === "add") return add(await findRecipe(name), answersIn(set), { json, yes, level, as });
    return remove(name, json);
  },
});

function answersIn(set: readonly string[] = []): Answers {
  const pairs = set.map((each) => {
    const [, name, value] = /^([a-z][a-z0-9]*)=(.*)$/s.exec(each) ?? [];
    if (name === undefined || value === undefined) throw new Failure("usage", `--set is an answer like time=08:30`);
    return [name, value] as const;
  });
  return Object.fromEntries(pairs);
}

async function list(json: boolean): Promise<void> {
  const shipped = shippedRecipes();
  const added = await withState(async (state) =>
    [...addedRecipes(state.home).values()].map((each) => ({ ...each, isThere: standingOf(each, state) === "yes" })),
  ).catch((error: unknown) => {
    // Before the first start nothing was added.
    if (error instanceof Failure) return [];
    throw error;
  });
  const isThere = new Map(added.map((each) => [each.name, each.isThere]));
  const others = added.filter((each) => !shipped.some(({ recipe }) => recipe.name === each.name));
  const rows = [
    ...shipped.map(({ recipe: { name, about, needs } }) => ({ name, about, needs: needs ?? null })),
    ...others.map(({ name, title, from }) => ({ name, about: `${title} (${from})`, needs: null })),
  ].map((each) => ({ ...each, isAdded: isThere.get(each.name) ?? false }));
  if (json) return printJson({ recipes: rows });
  printTable(
    ["name", "added", "needs", "what for"],
    rows.map(({ name, isAdded, needs, about }) => [
      name,
      isAdded ? "yes" : "–",
      needs === null ? "–" : `a ${needs}`,
      about,
    ]),
    "there are no recipes",
  );
}

async function show(given: string, answers: Answers, json: boolean): Promise<void> {
  const found = await findRecipe(given);
  const { recipe, from } = found;
  // One that cannot be whole yet is shown with its questions.
  const missing = Object.entries(recipe.asks).filter(
    ([name, ask]) => ask.default === undefined && answers[name] === undefined,
  );
  const definition = missing.length === 0 ? defined(recipe, answers) : null;
  if (json) return printJson({ ...recipe, from, definition });
  printRecipe(found);
  if (definition !== null) printPreview(definition);
  else printLine(`say ${missing.map(([name]) => `--set ${name}=…`).join(" ")} to see when it is due`);
}

function defined(recipe: Recipe, answers: Answers): TriggerDefinition {
  try {
    return definitionIn(recipe, answers, terminalZone(), Date.now());
  } catch (error) {
    if (error instanceof BadRecipe) throw new Failure("usage", `${recipe.name}: ${error.message}`);
    throw error;
  }
}

function printRecipe({ recipe, from }: Found): void {
  const { name, about, needs, asks, skill, level } = recipe;
  printLine(`${styled("bold", name)}  ${plainLine(from)}`);
  printLine(plainText(about));
  printLine(needs === "model" ? "needs a model:  mimikit connect" : "needs no model");
  for (const [each, { question, kind, default: usual }] of Object.entries(asks))
    printLine(`asks ${each} (${kind}): ${plainLine(question)}${usual === undefined ? "" : `  [${plainLine(usual)}]`}`);
  if (skill === undefined) return;
  printLine();
  printLine(styled("bold", `its skill, which may do at most: ${level ?? "what a Worker may"}`));
  printLine(plainText(skill));
}

/** The trigger as it would be, and its next firings. Nothing is run for it. */
function printPreview(definition: TriggerDefinition): void {
  const timeZone = terminalZone();
  const trigger = trial(definition);
  printLine();
  printLine(`${styled("bold", plainLine(trigger.title))}  for the ${trigger.target}`);
  printLine(plainLine(whenText(trigger, timeZone)));
  printLine(plainText(trigger.prompt));
  printLine();
  const nowMs = Date.now();
  const next = triggerSummary(trigger).next;
  const toMs = Math.max(nowMs + SHOWN_DAYS * DAY_MS, next === null ? 0 : Date.parse(next));
  const simulation = simulateTriggers([trigger], nowMs, toMs, { timeZone, costOf: () => null });
  printSimulation({ simulation, timeZone, limit: FIRINGS_SHOWN, isBounded: true, shortId: () => "new" });
  printLine("it has not run yet, so nobody knows what it costs:  mimikit triggers simulate  tells it later");
}

/** The trigger as it would begin now. */
function trial(definition: TriggerDefinition): Standing {
  const createdAt = new Date().toISOString();
  return triggerOf("trg-new", definition, { createdAt, traceId: "trg-new", depth: 0, target: "teller" });
}

interface How {
  json: boolean;
  yes: boolean;
  level: Level | undefined;
  as: string | undefined;
}

async function add(written: Found, given: Answers, how: How): Promise<void> {
  assertHarmless(written, how);
  const found = named(written, how.as);
  const { recipe } = found;
  const answers = how.yes || how.json ? given : await asked(recipe, given);
  const definition = defined(recipe, answers);
  if (how.json && !how.yes)
    throw new Failure("usage", `--json asks nothing: say --yes, or look with  mimikit recipe show ${recipe.name}`);
  if (!how.json) {
    printRecipe(found);
    printPreview(definition);
  }
  if (!how.yes && !(await confirm(questionFor(found), `mimikit recipe add ${recipe.name} --yes`)))
    throw new Failure("failed", "nothing was added");
  const done = await addRecipe(currentPlace(), found, definition);
  if (how.json) return printJson({ ...done, name: recipe.name });
  const next = triggerSummary(trial(definition)).next;
  const when = next === null ? "" : `, next ${momentText(Date.parse(next), terminalZone())}`;
  printLine(
    `${recipe.name}: added as ${done.triggerId}${when}${done.outcome === null ? " (kept; it is taken up when Mimikit runs)" : ""}`,
  );
}

/** @throws Failure (usage) for a name that is none, or that another recipe has. */
function named(found: Found, as: string | undefined): Found {
  const { recipe } = found;
  if (as === undefined || as === recipe.name) return found;
  if (!SkillName.safeParse(as).success)
    throw new Failure("usage", "--as is a name of small letters and digits, with single hyphens between them");
  if (recipe.skill !== undefined)
    throw new Failure("usage", `${recipe.name} has a skill of its name, and is added once`);
  if (shippedRecipes().some((each) => each.recipe.name === as))
    throw new Failure("usage", `--as: a recipe that comes with Mimikit is called ${as}`);
  return { ...found, recipe: { ...recipe, name: as } };
}

/**
 * One from outside only reminds, or says at most how much it may do; where nobody is asked, no more than `--level`.
 * @throws Failure (usage).
 */
function assertHarmless({ recipe, from }: Found, { yes, level }: How): void {
  if (from === "shipped") return;
  if (shippedRecipes().some((each) => each.recipe.name === recipe.name))
    throw new Failure(
      "usage",
      `${from}: a recipe that comes with Mimikit is called ${recipe.name}: give it another name`,
    );
  if (recipe.isReminder) return;
  if (recipe.skill === undefined)
    throw new Failure(
      "usage",
      `${from} is a recipe from outside: without a skill it may only remind, with words that begin with "remind me: "`,
    );
  if (recipe.level === undefined)
    throw new Failure(
      "usage",
      `${from}: its skill does not say how much it may do: metadata, level, ${Level.options.join(", ")}`,
    );
  const accepted = level ?? (yes ? LEVEL_UNASKED : recipe.level);
  if (isAbove(recipe.level, accepted))
    throw new Failure(
      "usage",
      `${from} wants the level ${recipe.level}, more than ${accepted}: if you trust it, say  --level ${recipe.level}`,
    );
}

function questionFor({ recipe, from }: Found): string {
  if (from === "shipped") return "Add it?";
  const most = recipe.level === undefined ? "It only reminds." : `Its level is ${recipe.level}.`;
  return `It is from outside, and does what its words say. ${most} Add it?`;
}

/** Asks at the terminal for what is not answered yet; an empty line means the default. */
async function asked({ asks }: Recipe, given: Answers): Promise<Answers> {
  const open = Object.entries(asks).filter(([name]) => given[name] === undefined);
  if (open.length === 0 || !process.stdin.isTTY || !process.stderr.isTTY) return given;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answers: Record<string, string> = { ...given };
    for (const [name, { question, default: usual }] of open) {
      const hint = usual === undefined ? "" : ` [${plainLine(usual)}]`;
      const answer = (await terminal.question(`${plainLine(question)}${hint} `)).trim();
      if (answer !== "") answers[name] = answer;
    }
    return answers;
  } finally {
    terminal.close();
  }
}

async function remove(name: string, json: boolean): Promise<void> {
  const { keptSkill } = await removeRecipe(currentPlace().home, name);
  if (json) return printJson({ name, keptSkill });
  printLine(`${name}: removed`);
  if (keptSkill !== null) printLine(`its skill was edited since, so it stays: ${plainLine(keptSkill)}`);
}
