/** Reads a skill: what to do, and the files that it names (SPEC I7). A run that has read one may do no more than it declares. */
import { SkillName, type SkillSummary } from "@mimikit/protocol/base/skill";
import { z } from "zod";
import { readSkillFile, SKILL_FILE } from "../../skills/skills.ts";
import { tool } from "../../tools/tool.ts";
import { PAGE_CHARS_MAX, pageOf } from "./read-text-file.ts";
import type { Workspace } from "./workspace.ts";

export const READ_SKILL = "read_skill";
const PATH_CHARS_MAX = 1_024;

export const readSkillTool = (workspace: Workspace, skills: readonly SkillSummary[]) =>
  tool({
    name: READ_SKILL,
    level: "read-only",
    roles: [workspace.task.role],
    input: z
      .strictObject({
        name: SkillName,
        file: z.string().min(1).max(PATH_CHARS_MAX).default(SKILL_FILE).describe("Relative to the skill's folder."),
        fromLine: z.number().int().min(1).default(1).describe("The first line is 1."),
      })
      .describe(
        `Reads what a skill of M:skills says, at most ${PAGE_CHARS_MAX} characters at once. From then on nothing above its level runs.`,
      ),
    refuse: ({ name }) =>
      skills.some((skill) => skill.name === name)
        ? null
        : `there is no skill "${name}"; there are: ${skills.map((skill) => skill.name).join(", ") || "none"}`,
    run: async ({ name, file, fromLine }, { use }) => {
      const skill = skills.find((each) => each.name === name);
      if (skill === undefined) throw new Error(`the skill "${name}" is gone`);
      const text = await readSkillFile(skill, file);
      use(skill);
      return { text: pageOf(text, fromLine) };
    },
  });
