/** `GET /api/skills`: what there is to follow, and what is wrong with the folders that are none (SPEC I7). */
import { findSkills, type SkillPlaces } from "@mimikit/agent/skills";
import type { SkillList } from "@mimikit/protocol/api";
import type { Request, Response } from "express";

export function skills(places: SkillPlaces) {
  return async (_request: Request, response: Response): Promise<void> => {
    const found: SkillList = await findSkills(places);
    response.json(found);
  };
}
