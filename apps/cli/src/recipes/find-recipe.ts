/** Where recipes come from: those in the repository, a file, or an address. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "@mimikit/runtime/home/programs";
import { t } from "../i18n/language.ts";
import { Failure, reasonOf } from "../io/failure.ts";
import { parseRecipe, RECIPE_BYTES_MAX, type Recipe } from "./recipe.ts";

const SHIPPED_DIR = join(ROOT, "prompts/recipes");
const ENDING = ".yaml";

export interface FoundRecipe {
  recipe: Recipe;
  text: string;
  /** `shipped`, or the file or the address as it was named: then it is a stranger's until its owner has looked. */
  from: string;
}

/** Those that come with Mimikit, by name. */
export function shippedRecipes(): FoundRecipe[] {
  return readdirSync(SHIPPED_DIR)
    .filter((name) => name.endsWith(ENDING))
    .sort()
    .map((name) => found("shipped", readFileSync(join(SHIPPED_DIR, name), "utf8")));
}

/** @param given a name, a file or an address. @throws Failure where there is none, or it is none. */
export async function findRecipe(given: string): Promise<FoundRecipe> {
  if (/^[a-z]+:\/\//i.test(given)) {
    const { readUrl } = await import("./read-url.ts");
    return found(given, await readUrl(given, RECIPE_BYTES_MAX));
  }
  const shipped = shippedRecipes().find(({ recipe }) => recipe.name === given);
  if (shipped !== undefined) return shipped;
  if (!existsSync(given))
    throw new Failure(
      "failed",
      t("there is no recipe {given}, and no such file:  mimikit recipe list  names them", { given }),
    );
  const { size } = statSync(given);
  if (size > RECIPE_BYTES_MAX)
    throw new Failure(
      "usage",
      t("{given} has {size} bytes: a recipe has at most {max}", { given, size, max: RECIPE_BYTES_MAX }),
    );
  return found(given, readFileSync(given, "utf8"));
}

function found(from: string, text: string): FoundRecipe {
  try {
    return { from, text, recipe: parseRecipe(text) };
  } catch (error) {
    throw new Failure("usage", from === "shipped" ? reasonOf(error) : `${from}: ${reasonOf(error)}`);
  }
}
