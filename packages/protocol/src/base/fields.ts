/** Fields that orders, effects, tasks and settings have in common. */
import { z } from "zod";
import { sentence } from "../texts/coded.ts";

export const MESSAGE_CHARS_MAX = 64_000;
export const PROMPT_CHARS_MAX = 100_000;
export const TITLE_CHARS_MAX = 200;
export const TIMEOUT_SEC_MAX = 86_400;
/** Characters of what a plan says beside its tasks. */
export const PLAN_NOTE_CHARS_MAX = 4_000;
/** Characters of the name by which a plan speaks of one of its tasks. */
export const TASK_NAME_CHARS_MAX = 64;

export const Priority = z.number().int().min(0).max(10);
export const TimeoutSec = z.number().int().min(1).max(TIMEOUT_SEC_MAX);
export const Title = z.string().min(1).max(TITLE_CHARS_MAX);
export const PlanNote = z.string().min(1).max(PLAN_NOTE_CHARS_MAX);
export const TaskName = z.string().trim().min(1).max(TASK_NAME_CHARS_MAX);
export const Prompt = z.string().min(1).max(PROMPT_CHARS_MAX);

/** A setting that is a whole number: its bounds, its default and what it is for. */
export const whole = (min: number, max: number, standard: number, what: string) =>
  z.number().int().min(min).max(max).default(standard).describe(what);

/** The treatment of a task after a crash (SPEC C5): run it again, end it as interrupted, or let the user decide. */
export const OnInterrupt = z.enum(["rerun", "fail", "ask"]);
export type OnInterrupt = z.infer<typeof OnInterrupt>;

/** The name of another machine that works for this home, or a label that several have (docs/pools.md). */
export const PoolName = z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/, sentence("pool_name"));

const MEMORY_DOCUMENT =
  /^(memory|forgotten|agent_persona|user_profile|memory\/(summary\/)?[\p{L}\p{M}\p{N}_.-]+)\.md$/u;
/** The documents of memory that are edited entry by entry; `rules.md` is the owner's alone. */
export const MemoryDocument = z.string().refine((name) => MEMORY_DOCUMENT.test(name), sentence("memory_document"));
