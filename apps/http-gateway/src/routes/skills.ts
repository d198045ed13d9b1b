/** `GET /api/skills`: what there is to follow, and what is wrong with the folders that are none (SPEC I7). */
import { findSkills } from "@mimikit/agent/skills/skills";
import { SkillList } from "@mimikit/protocol/wire/api";
import { route } from "../api/route.ts";

export const skills = route({
  method: "get",
  path: "/api/skills",
  summary: "the skills, and the folders that failed to load, with the reason ([skills](skills.md))",
  status: 200,
  answer: SkillList,
  handle: (_asked, { skillPlaces }) => findSkills(skillPlaces),
});
