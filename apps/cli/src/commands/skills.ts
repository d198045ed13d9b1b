/** Lists the skills that Workers can follow, and shows one. Read from the disk, so it needs no running instance. */

import { hashOfSkill, setAllowed } from "@mimikit/agent/skills/allowed";
import { findSkills, listSkillEntries, readSkillFile, skillPlacesOf } from "@mimikit/agent/skills/skills";
import type { SkillProblem, SkillSummary } from "@mimikit/protocol/base/skill";
import { visibleDocument } from "@mimikit/protocol/texts/visible";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import { openHome } from "@mimikit/runtime/home/adoption";
import type { Argv } from "yargs";
import { type CommonOptions, command, commandGroup } from "../arguments/command.ts";
import { nameIn, t, told } from "../i18n/language.ts";
import { Failure } from "../io/failure.ts";
import { currentPlace } from "../io/place.ts";
import { plainLine, printJson, printLine, printTable, styled } from "../io/print.ts";

const DESCRIPTION_CHARS = 80;

const list = command({
  usage: "list",
  summary: "the skills, and the folders that failed to load",
  examples: [["mimikit skills list", "mimikit skills alone is the same"]],
  async run({ json }) {
    const found = await findSkills(skillPlacesOf(currentPlace(), process.env));
    if (json) printJson(found);
    else printSkills(found.skills, found.problems);
  },
});

const show = command({
  usage: "show <name>",
  summary: "one skill in full, with its level and its files",
  examples: [["mimikit skills show repository-review", "the text that Workers follow"]],
  options: nameArgument,
  async run({ json, name }) {
    const skill = await skillNamed(name);
    const [body, { files }] = await Promise.all([readSkillFile(skill), listSkillEntries(skill)]);
    if (json) printJson({ ...skill, files, body });
    else printSkill(skill, files, body);
  },
});

const allow = command({
  usage: "allow <name>",
  summary: "let a skill of the workspace use the level that it declares",
  examples: [["mimikit skills allow deploy", "until one of its files changes"]],
  options: nameArgument,
  run: async ({ json, name }) => decide(json, await skillNamed(name), true),
});

const disallow = command({
  usage: "disallow <name>",
  summary: "make a skill of the workspace read-only again",
  examples: [["mimikit skills disallow deploy", "reverts mimikit skills allow deploy"]],
  options: nameArgument,
  run: async ({ json, name }) => decide(json, await skillNamed(name), false),
});

export const skills = commandGroup({
  name: "skills",
  summary: "reusable instructions for Workers: list, show, allow and disallow them",
  subCommands: [list, show, allow, disallow],
  alone: list,
});

function nameArgument(yargs: Argv<CommonOptions>) {
  return yargs.positional("name", {
    type: "string",
    demandOption: true,
    describe: "the skill: mimikit skills lists them",
  });
}

/** @throws Failure if there is none. */
async function skillNamed(name: string): Promise<SkillSummary> {
  const { skills: all } = await findSkills(skillPlacesOf(currentPlace(), process.env));
  const skill = all.find((each) => each.name === name);
  if (skill === undefined) throw new Failure("failed", t('there is no skill "{name}": see  mimikit skills', { name }));
  return skill;
}

function printSkills(found: readonly SkillSummary[], problems: readonly SkillProblem[]): void {
  const rows = found.map(({ name, level, source, description, isHeld }) => [
    name,
    isHeld === true ? "read-only *" : (level ?? "–"),
    nameIn(source),
    description.length > DESCRIPTION_CHARS ? `${beginningOf(description, DESCRIPTION_CHARS)}…` : description,
  ]);
  printTable(["name", "level", "from", "what for"], rows, t("there are no skills"));
  if (found.some(({ isHeld }) => isHeld))
    printLine(styled("dim", t("* from the workspace: read-only until you allow more:  mimikit skills allow <name>")));
  for (const { path, warning } of found)
    if (warning !== undefined) printLine(styled("yellow", plainLine(`! ${path}: ${told(warning)}`)));
  for (const { path, reason } of problems) printLine(styled("yellow", plainLine(`! ${path}: ${told(reason)}`)));
}

function printSkill(skill: SkillSummary, files: readonly string[], body: string): void {
  const { name, level, source, path, description, isHeld, warning } = skill;
  printLine(styled("bold", name));
  printLine(visibleDocument(description));
  printLine();
  printLine(
    t("level  {level}{what}", {
      level: level ?? t("– (as a Worker)"),
      what: isHeld === true ? t(", until you allow more:  mimikit skills allow {name}", { name }) : "",
    }),
  );
  printLine(t("from   {source}", { source: nameIn(source) }));
  printLine(t("path   {path}", { path: plainLine(path) }));
  printLine(t("files  {files}", { files: files.map(plainLine).join(", ") }));
  if (warning !== undefined) printLine(styled("yellow", plainLine(`! ${told(warning)}`)));
  printLine();
  printLine(visibleDocument(body));
}

/** Approves a skill of the workspace as its files are now, or revokes that. */
async function decide(json: boolean, skill: SkillSummary, isAllowed: boolean): Promise<void> {
  const { name, source } = skill;
  if (source !== "workspace")
    throw new Failure("usage", t("{name} is not a skill of the workspace: it needs no approval", { name }));
  const { home } = currentPlace();
  openHome(home, process.env);
  const hash = isAllowed ? await hashOfSkill(skill, await listSkillEntries(skill)) : null;
  await setAllowed(home, name, hash);
  if (json) printJson({ name, allowed: isAllowed });
  else
    printLine(
      isAllowed
        ? t("{name} may use the level that it declares, until one of its files changes", { name })
        : t("{name} is read-only", { name }),
    );
}
