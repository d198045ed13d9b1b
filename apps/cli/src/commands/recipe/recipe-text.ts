/** A recipe as people read it before it is added: its prompt, its questions, its skill and its next firings. */

import { simulateTriggers } from "@mimikit/core/triggers/simulate";
import { triggerOf } from "@mimikit/core/triggers/triggers";
import { triggerSummary } from "@mimikit/core/views/board";
import type { Trigger } from "@mimikit/protocol/records/trigger";
import { visibleDocument } from "@mimikit/protocol/texts/visible";
import type { TriggerDefinition } from "@mimikit/protocol/triggers/trigger-order";
import type { Argv } from "yargs";
import type { CommonOptions } from "../../arguments/command.ts";
import { nameIn, t } from "../../i18n/language.ts";
import { whenIn } from "../../i18n/words.ts";
import { Failure } from "../../io/failure.ts";
import { personZoneHere } from "../../io/person-zone.ts";
import { plainLine, printLine, styled } from "../../io/print.ts";
import type { FoundRecipe } from "../../recipes/find-recipe.ts";
import { BadRecipe, definitionIn, type Recipe, type RecipeAnswers } from "../../recipes/recipe.ts";
import { printSimulation } from "../../terminal/simulation-text.ts";

const SHOWN_DAYS = 7;
const FIRINGS_SHOWN = 5;
const DAY_MS = 86_400_000;

/** A recipe of any place, and the answers to its questions. */
export function recipeOptions(yargs: Argv<CommonOptions>) {
  return yargs
    .positional("recipe", {
      type: "string",
      demandOption: true,
      describe: "its name, a file, or an https address",
    })
    .option("set", {
      type: "string",
      array: true,
      nargs: 1,
      describe: "an answer, time=08:30; several times for several answers",
    });
}

export function answersIn(set: readonly string[] = []): RecipeAnswers {
  const pairs = set.map((each) => {
    const [, name, value] = /^([a-z][a-z0-9]*)=(.*)$/s.exec(each) ?? [];
    if (name === undefined || value === undefined) throw new Failure("usage", t("--set is an answer like time=08:30"));
    return [name, value] as const;
  });
  return Object.fromEntries(pairs);
}

export function defined(recipe: Recipe, answers: RecipeAnswers): TriggerDefinition {
  try {
    return definitionIn(recipe, answers, personZoneHere(), Date.now());
  } catch (error) {
    if (error instanceof BadRecipe) throw new Failure("usage", `${recipe.name}: ${error.message}`);
    throw error;
  }
}

export function printRecipe({ recipe, from }: FoundRecipe): void {
  const { name, about, needs, asks, skill, level } = recipe;
  printLine(`${styled("bold", name)}  ${plainLine(nameIn(from))}`);
  printLine(visibleDocument(t(about)));
  printLine(needs === "model" ? t("needs a model:  mimikit connect") : t("needs no model"));
  for (const [each, { question, kind, default: usual }] of Object.entries(asks))
    printLine(
      t("asks {each} ({kind}): {question}{what}", {
        each,
        kind: nameIn(kind),
        question: plainLine(t(question)),
        what: usual === undefined ? "" : `  [${plainLine(usual)}]`,
      }),
    );
  if (skill === undefined) return;
  printLine();
  printLine(styled("bold", t("its skill, which may do at most: {level}", { level: level ?? t("as a Worker") })));
  printLine(visibleDocument(skill));
}

/** The trigger as it would be, and its next firings. Nothing is run for it. */
export function printPreview(definition: TriggerDefinition): void {
  const timeZone = personZoneHere();
  const trigger = trial(definition);
  printLine();
  printLine(`${styled("bold", plainLine(trigger.title))}  ${t("for the {target}", { target: trigger.target })}`);
  printLine(plainLine(whenIn(trigger, timeZone)));
  printLine(visibleDocument(trigger.prompt));
  printLine();
  const nowMs = Date.now();
  const next = triggerSummary(trigger).next;
  const toMs = Math.max(nowMs + SHOWN_DAYS * DAY_MS, next === null ? 0 : Date.parse(next));
  const simulation = simulateTriggers([trigger], nowMs, toMs, { timeZone, costOf: () => null });
  printSimulation({ simulation, timeZone, limit: FIRINGS_SHOWN, isBounded: true, shortId: () => t("new") });
  printLine(t("its cost is unknown until it has run:  mimikit triggers simulate  shows it then"));
}

/** The trigger as it would begin now. */
export function trial(definition: TriggerDefinition): Trigger {
  const createdAt = new Date().toISOString();
  return triggerOf("trg-new", definition, { createdAt, traceId: "trg-new", depth: 0, target: "teller" });
}
