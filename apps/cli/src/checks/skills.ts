/** Is every folder of skills one, and what is wrong with those that are not? */

import { findSkills, skillPlacesOf } from "@mimikit/agent/skills/skills";
import { t, told } from "../i18n/language.ts";
import { type DoctorCheck, type DoctorInput, ok, warn } from "./check.ts";

export async function checkSkills({ home, workDir }: DoctorInput): Promise<DoctorCheck[]> {
  const { skills, problems } = await findSkills(skillPlacesOf({ home, workDir }, process.env));
  return [
    ok(t("{count} can be used: {names}", { count: skills.length, names: skills.map(({ name }) => name).join(", ") })),
    ...skills.flatMap(({ path, warning }) =>
      warning === undefined ? [] : [warn(`${path}: ${told(warning)}`, t("correct it, then: mimikit skills"))],
    ),
    ...problems.map(({ path, reason }) =>
      warn(t("{path} is no skill: {reason}", { path, reason: told(reason) }), t("correct it, then: mimikit skills")),
    ),
  ];
}
