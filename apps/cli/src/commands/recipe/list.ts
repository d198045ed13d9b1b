/** `mimikit recipe list` */

import { command } from "../../arguments/command.ts";
import { t } from "../../i18n/language.ts";
import { withState } from "../../instance/state.ts";
import { Failure } from "../../io/failure.ts";
import { printJson, printTable } from "../../io/print.ts";
import { addedRecipes, triggersOf } from "../../recipes/added-recipes.ts";
import { shippedRecipes } from "../../recipes/find-recipe.ts";

export const list = command({
  usage: "list",
  summary: "the recipes that come with Mimikit, and those that were added",
  examples: [["mimikit recipe list", "mimikit recipe alone is the same"]],
  async run({ json }) {
    const shipped = shippedRecipes();
    const added = await withState(async (state) =>
      [...addedRecipes(state.home).values()].map((each) => ({ ...each, isThere: triggersOf(each, state) === "yes" })),
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
        isAdded ? t("yes") : "–",
        needs === null ? "–" : needs === "model" ? t("a model") : needs,
        t(about),
      ]),
      t("there are no recipes"),
    );
  },
});
