/** Fields that orders, effects, tasks and settings have in common. */
import { z } from "zod";

export const MESSAGE_CHARS_MAX = 64_000;
export const PROMPT_CHARS_MAX = 100_000;
export const TITLE_CHARS_MAX = 200;
export const TIMEOUT_SEC_MAX = 86_400;

export const Priority = z.number().int().min(0).max(10);
export const TimeoutSec = z.number().int().min(1).max(TIMEOUT_SEC_MAX);
export const Title = z.string().min(1).max(TITLE_CHARS_MAX);
export const Prompt = z.string().min(1).max(PROMPT_CHARS_MAX);

/** A setting that is a whole number: its bounds, its default and what it is for. */
export const whole = (min: number, max: number, standard: number, what: string) =>
  z.number().int().min(min).max(max).default(standard).describe(what);

/** What a crash in mid-run means (SPEC C5): run it again, end it as interrupted, or let the user decide. */
export const OnInterrupt = z.enum(["rerun", "fail", "ask"]);
export type OnInterrupt = z.infer<typeof OnInterrupt>;

/** The documents of memory that are edited entry by entry; `rules.md` is the owner's alone. */
export const MemoryDocument = z.string().regex(/^(memory|agent_persona|user_profile|memory\/(summary\/)?[\w.-]+)\.md$/);
