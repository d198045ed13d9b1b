/**
 * One record for each recipe that was added: `recipes/<name>.json` in the state directory. It is durable before the skill
 * and the trigger are there, and goes last: whatever a kill leaves is completed by the same command, once.
 */
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { findSkills, SKILL_FILE, skillPlacesOf } from "@mimikit/agent/skills/skills";
import { triggerIdOf } from "@mimikit/core/triggers/of-command";
import { SkillName } from "@mimikit/protocol/base/skill";
import type { TriggerDefinition } from "@mimikit/protocol/triggers/trigger-order";
import { openHome } from "@mimikit/runtime/home/adoption";
import type { HomePlace } from "@mimikit/runtime/home/home";
import { commandId } from "@mimikit/store/disk/create-command";
import { makeDurableDir, replaceView } from "@mimikit/store/disk/record";
import { RECIPES, recordIn } from "@mimikit/store/disk/state";
import { z } from "zod";
import { t } from "../i18n/language.ts";
import { assertTasksKnown, type State, withDisk, withState } from "../instance/state.ts";
import { ask, type CommandAnswer } from "../instance/write-command.ts";
import { Failure } from "../io/failure.ts";
import type { FoundRecipe } from "./find-recipe.ts";

const SKILLS = "skills";
const KEY_BYTES = 16;

const Added = z.object({
  name: SkillName,
  title: z.string(),
  from: z.string(),
  /** Of the command that makes its trigger. */
  key: z.string(),
  at: z.iso.datetime(),
  /** The SKILL.md that was written with it. */
  skill: z.string().optional(),
});
type Added = z.infer<typeof Added>;

export interface AddedRecipe extends Added {
  triggerId: string;
}

/** By name. A file that is no record is passed over: it is the owner's. */
export function addedRecipes(home: string): Map<string, AddedRecipe> {
  const dir = join(home, RECIPES);
  const names = existsSync(dir) ? readdirSync(dir).filter((name) => name.endsWith(".json")) : [];
  const records = names.flatMap((name) => {
    const added = Added.safeParse(jsonIn(join(dir, name))).data;
    return added === undefined || `${added.name}.json` !== name ? [] : [added];
  });
  return new Map(records.map((each) => [each.name, { ...each, triggerId: triggerIdOf(commandOf(each)) }]));
}

function jsonIn(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const commandOf = ({ key }: Added) => commandId("trigger-put", key);

/**
 * Makes its skill and its trigger. @returns the trigger's id and what became of the command.
 * @throws Failure where it was added before, or its skill would hide another.
 */
export async function addRecipe(
  place: HomePlace,
  { recipe, from }: FoundRecipe,
  definition: TriggerDefinition,
): Promise<CommandAnswer & { triggerId: string }> {
  const { home } = place;
  const { name, skill } = recipe;
  const earlier = addedRecipes(home).get(name);
  // One that was cut off before the command for its trigger goes on under the same key.
  const stands = earlier === undefined ? "no" : await withState(async (state) => triggersOf(earlier, state));
  if (stands === "yes")
    throw new Failure(
      "failed",
      t("{name} was added already: take it out first with  mimikit recipe remove {name}", { name }),
    );
  await assertTasksKnown(definition.when);
  if (skill !== undefined) await assertHidesNone(name, earlier, place);
  const key =
    earlier !== undefined && stands === "no" ? earlier.key : `recipe-${randomBytes(KEY_BYTES).toString("hex")}`;
  const record: Added = {
    name,
    title: definition.order.title ?? name,
    from,
    key,
    at: new Date().toISOString(),
    ...(skill !== undefined && { skill }),
  };
  openHome(home, process.env);
  await withDisk(home, async (fs) => {
    await makeDurableDir(fs, RECIPES);
    await replaceView(fs, recordPath(name), `${JSON.stringify(record)}\n`);
    if (skill === undefined) return;
    await makeDurableDir(fs, `${SKILLS}/${name}`);
    await replaceView(fs, `${SKILLS}/${name}/${SKILL_FILE}`, skill);
  });
  const asked = await ask(home, { kind: "trigger-put", definition }, key);
  return { ...asked, triggerId: triggerIdOf(asked.id) };
}

/** Takes its trigger and its skill out, and says so. A skill that was edited since stays. @throws Failure. */
export async function removeRecipe(home: string, name: string): Promise<{ keptSkill: string | null }> {
  const added = addedRecipes(home).get(name);
  if (added === undefined)
    throw new Failure("failed", t("{name} was not added:  mimikit recipe list  shows what was", { name }));
  const { triggerId } = added;
  const stands = await withState(async (state) => triggersOf(added, state));
  if (stands === "yes") await ask(home, { kind: "trigger-delete", triggerId });
  const folder = join(home, SKILLS, name);
  const isKept = added.skill !== undefined && existsSync(folder) && !isOwnSkill(join(folder, SKILL_FILE), added);
  if (added.skill !== undefined && !isKept) rmSync(folder, { recursive: true, force: true });
  rmSync(join(home, recordPath(name)), { force: true });
  return { keptSkill: isKept ? folder : null };
}

/** @throws Failure where there is a skill of that name that is not the recipe's own, as it was written. */
async function assertHidesNone(name: string, earlier: Added | undefined, place: HomePlace): Promise<void> {
  const folder = join(place.home, SKILLS, name);
  const { skills } = await findSkills(skillPlacesOf(place, process.env));
  const other = skills.find((each) => each.name === name && each.source !== "home")?.path;
  const own = existsSync(folder) && !isOwnSkill(join(folder, SKILL_FILE), earlier) ? folder : undefined;
  const hidden = other ?? own;
  if (hidden !== undefined)
    throw new Failure("failed", t("there is a skill {name} already, {hidden}: rename one of them", { name, hidden }));
}

const recordPath = (name: string) => recordIn(RECIPES, name);

/** Does its trigger stand? `over`: it did, and is deleted or undone, or its command was refused. */
export function triggersOf(added: AddedRecipe, { triggers, cache }: State): "yes" | "no" | "over" {
  if (triggers.has(added.triggerId)) return "yes";
  return cache.archiveIndex.has(added.triggerId) || cache.archiveIndex.has(commandOf(added)) ? "over" : "no";
}

function isOwnSkill(path: string, added: Added | undefined): boolean {
  const folder = join(path, "..");
  const files = readdirSync(folder);
  if (files.length === 0) return true;
  return files.length === 1 && existsSync(path) && readFileSync(path, "utf8") === added?.skill;
}
