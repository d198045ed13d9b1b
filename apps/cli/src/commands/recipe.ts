/**
 * Recipes: triggers written by others, with a prompt and perhaps a skill. The effect of a recipe is shown before it is added; the
 * state directory is read and written directly, so this works with everything down.
 */

import { command, commandGroup } from "../arguments/command.ts";
import { t } from "../i18n/language.ts";
import { currentPlace } from "../io/place.ts";
import { plainLine, printJson, printLine } from "../io/print.ts";
import { removeRecipe } from "../recipes/added-recipes.ts";
import { findRecipe } from "../recipes/find-recipe.ts";
import { addCommand } from "./recipe/add.ts";
import { list } from "./recipe/list.ts";
import { answersIn, defined, printPreview, printRecipe, recipeOptions } from "./recipe/recipe-text.ts";

const show = command({
  usage: "show <recipe>",
  summary: "a recipe with its prompt, its questions and its next firings; nothing changes",
  examples: [["mimikit recipe show disk-space", "by its name"]],
  options: recipeOptions,
  async run({ json, recipe: given, set }) {
    const found = await findRecipe(given);
    const answers = answersIn(set);
    const { recipe, from } = found;
    // One that cannot be whole yet is shown with its questions.
    const missing = Object.entries(recipe.asks).filter(
      ([name, ask]) => ask.default === undefined && answers[name] === undefined,
    );
    const definition = missing.length === 0 ? defined(recipe, answers) : null;
    if (json) return printJson({ ...recipe, from, definition });
    printRecipe(found);
    if (definition !== null) printPreview(definition);
    else
      printLine(
        t("add {missing} to see its firings", { missing: missing.map(([name]) => `--set ${name}=…`).join(" ") }),
      );
  },
});

const remove = command({
  usage: "remove <name>",
  summary: "remove the trigger of a recipe, and its skill; mimikit undo restores the trigger",
  examples: [["mimikit recipe remove disk-space", "a skill that was edited since stays"]],
  options: (yargs) => yargs.positional("name", { type: "string", demandOption: true, describe: "the recipe" }),
  async run({ json, name }) {
    const { keptSkill } = await removeRecipe(currentPlace().home, name);
    if (json) return printJson({ name, keptSkill });
    printLine(t("{name}: removed", { name }));
    if (keptSkill !== null)
      printLine(t("its skill was edited since, so it stays: {keptSkill}", { keptSkill: plainLine(keptSkill) }));
  },
});

export const recipe = commandGroup({
  name: "recipe",
  summary: "ready-made triggers: list, show, add, remove",
  epilogue:
    "A recipe makes one trigger and at most one skill. One from outside is a reminder, or its tasks are limited to the level of its skill.",
  subCommands: [list, show, addCommand, remove],
  alone: list,
});
