/** `mimikit recipe add` */
import { createInterface } from "node:readline/promises";
import { momentText } from "@mimikit/core/schedule/trigger-words";
import { triggerSummary } from "@mimikit/core/views/board";
import { isAbove, Level, SkillName } from "@mimikit/protocol/base/skill";
import { command } from "../../arguments/command.ts";
import { t } from "../../i18n/language.ts";
import { confirm } from "../../io/confirm.ts";
import { Failure } from "../../io/failure.ts";
import { personZoneHere } from "../../io/person-zone.ts";
import { currentPlace } from "../../io/place.ts";
import { plainLine, printJson, printLine } from "../../io/print.ts";
import { addRecipe } from "../../recipes/added-recipes.ts";
import { type FoundRecipe, findRecipe, shippedRecipes } from "../../recipes/find-recipe.ts";
import type { Recipe, RecipeAnswers } from "../../recipes/recipe.ts";
import { answersIn, defined, printPreview, printRecipe, recipeOptions, trial } from "./recipe-text.ts";

/** The level of a recipe from outside if nobody is asked, and `--level` allows no more. */
const LEVEL_UNASKED = "read-only";

export const addCommand = command({
  usage: "add <recipe>",
  summary: "add the trigger of a recipe, and its skill, after showing them",
  examples: [
    ["mimikit recipe add disk-space", "asks its questions, shows the trigger, and asks for your consent"],
    ["mimikit recipe add birthday --as birthday-alex --set who=Alex --set day=04-17 --yes", "for scripts"],
    ["mimikit recipe add ./mine.yaml", "a file"],
    ["mimikit recipe add https://example.org/recipe.yaml", "from the web"],
  ],
  options: (yargs) =>
    recipeOptions(yargs)
      .option("as", { type: "string", describe: "another name, so that the same recipe can be added twice" })
      .option("level", {
        choices: Level.options,
        describe: t("the most that a recipe from outside may do; {level} with --yes", { level: LEVEL_UNASKED }),
      })
      .option("yes", { alias: "y", type: "boolean", default: false, describe: "add it without asking" }),
  run: async ({ json, recipe, set, as, level, yes }) =>
    add(await findRecipe(recipe), answersIn(set), { json, yes, level, as }),
});

interface How {
  json: boolean;
  yes: boolean;
  level: Level | undefined;
  as: string | undefined;
}

async function add(written: FoundRecipe, given: RecipeAnswers, how: How): Promise<void> {
  assertHarmless(written, how);
  const found = named(written, how.as);
  const { recipe } = found;
  const answers = how.yes || how.json ? given : await asked(recipe, given);
  const definition = defined(recipe, answers);
  if (how.json && !how.yes)
    throw new Failure(
      "usage",
      t("--json asks nothing: add --yes, or look first with  mimikit recipe show {name}", { name: recipe.name }),
    );
  if (!how.json) {
    printRecipe(found);
    printPreview(definition);
  }
  if (!how.yes && !(await confirm(questionFor(found), `mimikit recipe add ${recipe.name} --yes`)))
    throw new Failure("failed", t("nothing was added"));
  const done = await addRecipe(currentPlace(), found, definition);
  if (how.json) return printJson({ ...done, name: recipe.name });
  const next = triggerSummary(trial(definition)).next;
  const when = next === null ? "" : t(", next {moment}", { moment: momentText(Date.parse(next), personZoneHere()) });
  printLine(
    t("{name}: added as {triggerId}{when}{what}", {
      name: recipe.name,
      triggerId: done.triggerId,
      when,
      what: done.outcome === null ? t(" (queued; it is applied when Mimikit runs)") : "",
    }),
  );
}

/** @throws Failure (usage) for a name that is not valid, or that another recipe has. */
function named(found: FoundRecipe, as: string | undefined): FoundRecipe {
  const { recipe } = found;
  if (as === undefined || as === recipe.name) return found;
  if (!SkillName.safeParse(as).success)
    throw new Failure(
      "usage",
      t("--as must be a name of lowercase letters and digits, with single hyphens between them"),
    );
  if (recipe.skill !== undefined)
    throw new Failure(
      "usage",
      t("{name} has a skill, so it can be added only once: leave --as out", { name: recipe.name }),
    );
  if (shippedRecipes().some((each) => each.recipe.name === as))
    throw new Failure("usage", t("--as: a recipe that comes with Mimikit is called {as}", { as }));
  return { ...found, recipe: { ...recipe, name: as } };
}

/**
 * One from outside only reminds, or says at most how much it may do; where nobody is asked, no more than `--level`.
 * @throws Failure (usage).
 */
function assertHarmless({ recipe, from }: FoundRecipe, { yes, level }: How): void {
  if (from === "shipped") return;
  if (shippedRecipes().some((each) => each.recipe.name === recipe.name))
    throw new Failure(
      "usage",
      t("{from}: a recipe that comes with Mimikit is called {name}: give it another name", { from, name: recipe.name }),
    );
  if (recipe.isReminder) return;
  if (recipe.skill === undefined)
    throw new Failure(
      "usage",
      t(
        '{from} is a recipe from outside: without a skill it may only remind, with words that begin with "remind me: "',
        { from },
      ),
    );
  if (recipe.level === undefined)
    throw new Failure(
      "usage",
      t("{from}: its skill does not say how much it may do: metadata, level, {options}", {
        from,
        options: Level.options.join(", "),
      }),
    );
  const accepted = level ?? (yes ? LEVEL_UNASKED : recipe.level);
  if (isAbove(recipe.level, accepted))
    throw new Failure(
      "usage",
      t("{from} wants the level {level}, more than {accepted}: if you trust it, add  --level {level}", {
        from,
        level: recipe.level,
        accepted,
      }),
    );
}

function questionFor({ recipe, from }: FoundRecipe): string {
  if (from === "shipped") return t("Add it?");
  const most = recipe.level === undefined ? t("It only reminds.") : t("Its level is {level}.", { level: recipe.level });
  return t("It is from outside, and follows its own instructions. {most} Add it?", { most });
}

/** Asks at the terminal for what is not answered yet; an empty line means the default. */
async function asked({ asks }: Recipe, given: RecipeAnswers): Promise<RecipeAnswers> {
  const open = Object.entries(asks).filter(([name]) => given[name] === undefined);
  if (open.length === 0 || !process.stdin.isTTY || !process.stderr.isTTY) return given;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answers: Record<string, string> = { ...given };
    for (const [name, { question, default: usual }] of open) {
      const hint = usual === undefined ? "" : ` [${plainLine(usual)}]`;
      const answer = (await terminal.question(`${plainLine(t(question))}${hint} `)).trim();
      if (answer !== "") answers[name] = answer;
    }
    return answers;
  } finally {
    terminal.close();
  }
}
