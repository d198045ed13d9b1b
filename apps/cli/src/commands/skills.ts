/** Lists the skills that Workers can follow, and shows one. Read from the disk, so it needs no running instance. */
import { findSkills, listSkillFiles, readSkillFile, skillPlacesOf } from "@mimikit/agent/skills/skills";
import type { SkillProblem, SkillSummary } from "@mimikit/protocol/base/skill";
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
  ],
  options: (yargs) =>
    yargs
      .positional("action", actions("list", "show"))
      .positional("name", { type: "string", describe: "the skill, for show" }),
  async run({ json, action, name }) {
    const found = await findSkills(skillPlacesOf(currentPlace(), process.env));
    if (action === "list") {
      if (json) printJson(found);
      else list(found.skills, found.problems);
      return;
    }
    if (name === undefined) throw new Failure("usage", "say which skill: mimikit skills show <name>");
    const skill = found.skills.find((each) => each.name === name);
    if (skill === undefined) throw new Failure("failed", `there is no skill "${name}": see  mimikit skills`);
    const [body, files] = await Promise.all([readSkillFile(skill), listSkillFiles(skill)]);
    if (json) printJson({ ...skill, files, body });
    else show(skill, files, body);
  },
});

function list(found: readonly SkillSummary[], problems: readonly SkillProblem[]): void {
  const rows = found.map(({ name, level, source, description }) => [
    name,
    level ?? "–",
    source,
    description.length > DESCRIPTION_CHARS ? `${description.slice(0, DESCRIPTION_CHARS)}…` : description,
  ]);
  printTable(["name", "level", "from", "what for"], rows, "there are no skills");
  for (const { path, reason } of problems) printLine(styled("yellow", plainLine(`! ${path}: ${reason}`)));
}

function show(skill: SkillSummary, files: readonly string[], body: string): void {
  const { name, level, source, path, description } = skill;
  printLine(styled("bold", name));
  printLine(plainText(description));
  printLine();
  printLine(`level  ${level ?? "– (what a worker may)"}`);
  printLine(`from   ${source}`);
  printLine(`path   ${plainLine(path)}`);
  printLine(`files  ${files.map(plainLine).join(", ")}`);
  printLine();
  printLine(plainText(body));
}
