/** Lists the skills that Workers can follow, and shows one. Read from the disk, so it needs no running instance. */
import { hashOfSkill, setAllowed } from "@mimikit/agent/skills/allowed";
import { findSkills, listSkillFiles, readSkillFile, skillPlacesOf } from "@mimikit/agent/skills/skills";
import type { SkillProblem, SkillSummary } from "@mimikit/protocol/base/skill";
import { openHome } from "@mimikit/runtime/home/adoption";
import { actions, command } from "../arguments/command.ts";
import { Failure } from "../io/failure.ts";
import { currentPlace } from "../io/place.ts";
import { plainLine, plainText, printJson, printLine, printTable, styled } from "../io/print.ts";

const DESCRIPTION_CHARS = 80;

export const skills = command({
  usage: "skills [action] [name]",
  summary: "list the skills that workers can follow, show one",
  examples: [
    ["mimikit skills", "what there is, and what is wrong with the rest"],
    ["mimikit skills show repository-review", "all that it says, its level and its files"],
    [
      "mimikit skills allow deploy",
      "let a skill of the workspace use the level that it declares, until one of its files changes",
    ],
    ["mimikit skills disallow deploy", "make it read-only again"],
  ],
  options: (yargs) =>
    yargs
      .positional("action", actions("list", "show", "allow", "disallow"))
      .positional("name", { type: "string", describe: "the skill, for all but list" }),
  async run({ json, action, name }) {
    const found = await findSkills(skillPlacesOf(currentPlace(), process.env));
    if (action === "list") {
      if (json) printJson(found);
      else list(found.skills, found.problems);
      return;
    }
    if (name === undefined) throw new Failure("usage", `say which skill: mimikit skills ${action} <name>`);
    const skill = found.skills.find((each) => each.name === name);
    if (skill === undefined) throw new Failure("failed", `there is no skill "${name}": see  mimikit skills`);
    if (action !== "show") return decide(json, skill, action === "allow");
    const [body, files] = await Promise.all([readSkillFile(skill), listSkillFiles(skill)]);
    if (json) printJson({ ...skill, files, body });
    else show(skill, files, body);
  },
});

function list(found: readonly SkillSummary[], problems: readonly SkillProblem[]): void {
  const rows = found.map(({ name, level, source, description, isHeld }) => [
    name,
    isHeld === true ? "read-only *" : (level ?? "–"),
    source,
    description.length > DESCRIPTION_CHARS ? `${description.slice(0, DESCRIPTION_CHARS)}…` : description,
  ]);
  printTable(["name", "level", "from", "what for"], rows, "there are no skills");
  if (found.some(({ isHeld }) => isHeld))
    printLine(styled("dim", "* from the workspace: read-only until you allow more:  mimikit skills allow <name>"));
  for (const { path, warning } of found)
    if (warning !== undefined) printLine(styled("yellow", plainLine(`! ${path}: ${warning}`)));
  for (const { path, reason } of problems) printLine(styled("yellow", plainLine(`! ${path}: ${reason}`)));
}

function show(skill: SkillSummary, files: readonly string[], body: string): void {
  const { name, level, source, path, description, isHeld, warning } = skill;
  printLine(styled("bold", name));
  printLine(plainText(description));
  printLine();
  printLine(
    `level  ${level ?? "– (what a worker may)"}${isHeld === true ? `, until you allow more:  mimikit skills allow ${name}` : ""}`,
  );
  printLine(`from   ${source}`);
  printLine(`path   ${plainLine(path)}`);
  printLine(`files  ${files.map(plainLine).join(", ")}`);
  if (warning !== undefined) printLine(styled("yellow", plainLine(`! ${warning}`)));
  printLine();
  printLine(plainText(body));
}

/** Approves a skill of the workspace as its files are now, or revokes that. */
async function decide(json: boolean, skill: SkillSummary, isAllowed: boolean): Promise<void> {
  const { name, source } = skill;
  if (source !== "workspace")
    throw new Failure("usage", `${name} is not a skill of the workspace: it needs no approval`);
  const { home } = currentPlace();
  openHome(home, process.env);
  const hash = isAllowed ? await hashOfSkill(skill, await listSkillFiles(skill)) : null;
  await setAllowed(skillPlacesOf(currentPlace(), process.env).home, name, hash);
  if (json) printJson({ name, allowed: isAllowed });
  else
    printLine(
      isAllowed ? `${name} may use the level that it declares, until one of its files changes` : `${name} is read-only`,
    );
}
