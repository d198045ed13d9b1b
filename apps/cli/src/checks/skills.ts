/** Is every folder of skills one, and what is wrong with those that are not? */
import { findSkills, skillPlacesOf } from "@mimikit/agent/skills/skills";
import { type Check, ok, type Patient, warn } from "./check.ts";

export async function checkSkills({ home, workDir }: Patient): Promise<Check[]> {
  const { skills, problems } = await findSkills(skillPlacesOf({ home, workDir }, process.env));
  return [
    ok(`${skills.length} can be used: ${skills.map(({ name }) => name).join(", ")}`),
    ...skills.flatMap(({ path, warning }) =>
      warning === undefined ? [] : [warn(`${path}: ${warning}`, "correct it, then: mimikit skills")],
    ),
    ...problems.map(({ path, reason }) => warn(`${path} is no skill: ${reason}`, "correct it, then: mimikit skills")),
  ];
}
