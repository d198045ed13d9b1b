/** A skill as others see it: its name, what it is for, and what may be done while it is used (SPEC I7). */
import { z } from "zod";
import { sentence } from "../texts/coded.ts";

/**
 * Permission levels, lowest first (SPEC I7). A role has the levels that its work needs, a skill may say that it needs
 * less, and the Tool Bus refuses a tool above them, whatever else allows it.
 */
export const LEVELS = ["read-only", "local-write", "message-send", "process-control", "ui-control"] as const;
export const Level = z.enum(LEVELS);
export type Level = z.infer<typeof Level>;

/** May a call of `level` do more than `other` allows? */
export function isAbove(level: Level, other: Level): boolean {
  return LEVELS.indexOf(level) > LEVELS.indexOf(other);
}

export const SKILL_NAME_CHARS_MAX = 64;
export const SKILL_DESCRIPTION_CHARS_MAX = 1_024;
export const SKILL_WARNING_CHARS_MAX = 300;

/** As the Agent Skills standard has it: words of lowercase letters and digits with single hyphens between them. */
export const SkillName = z
  .string()
  .max(SKILL_NAME_CHARS_MAX)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, sentence("wrong_skill_name"));

/** A skill as a task names it: with the level that it had when it was named. Without one it allows what its user may. */
export const SkillRef = z.object({ name: SkillName, level: Level.optional() });
export type SkillRef = z.infer<typeof SkillRef>;

/** Where a skill was found, the first that counts first: a name that comes again is passed over. */
export const SkillSource = z.enum(["home", "user", "workspace", "shipped"]);
export type SkillSource = z.infer<typeof SkillSource>;

/** A line of the index: all of a skill that is in a prompt before it is read. */
export const SkillSummary = SkillRef.extend({
  description: z.string().min(1).max(SKILL_DESCRIPTION_CHARS_MAX),
  source: SkillSource,
  /** Its SKILL.md. */
  path: z.string(),
  /** Read-only because it is in the workspace and its owner has not approved its level (`mimikit skills allow`). */
  isHeld: z.literal(true).optional(),
  /** Its SKILL.md is not written as it should be, and is used all the same: how, and what to do, for people. */
  warning: z.string().max(SKILL_WARNING_CHARS_MAX).optional(),
});
export type SkillSummary = z.infer<typeof SkillSummary>;

/** A folder among the skills that is not one, and the reason. */
export const SkillProblem = z.object({ path: z.string(), reason: z.string() });
export type SkillProblem = z.infer<typeof SkillProblem>;
