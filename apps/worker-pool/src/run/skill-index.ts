/** The skills of this instance as each run finds them. A problem with one is reported once, not with every run. */
import { findSkills, type SkillPlaces } from "@mimikit/agent/skills/skills";
import type { SkillProblem, SkillSummary } from "@mimikit/protocol/base/skill";

/** More different ones are told again. */
const TOLD_MAX = 1_000;

/** @param onProblem hears of every folder that is no skill, and why. */
export function skillIndex(places: SkillPlaces, onProblem: (problem: SkillProblem) => void) {
  const told = new Set<string>();
  return async (): Promise<SkillSummary[]> => {
    const { skills, problems } = await findSkills(places);
    for (const problem of problems) {
      const key = JSON.stringify(problem);
      if (told.has(key)) continue;
      if (told.size >= TOLD_MAX) told.clear();
      told.add(key);
      onProblem(problem);
    }
    return skills;
  };
}
