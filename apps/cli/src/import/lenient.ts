/** Exports change with their makers: only that is asked of them which is read. */
import { describeIssues } from "@mimikit/protocol/texts/issues";
import type { z } from "zod";
import { t, told } from "../i18n/language.ts";
import { Failure } from "../io/failure.ts";

/** The year 2200: later moments are mistakes, and numbers that follow from them would not be exact. */
const MS_MAX = Date.UTC(2200);

/** @throws Failure that names the file. */
export function checked<T>(schema: z.ZodType<T>, value: unknown, name: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new Failure(
    "failed",
    t("{name} is not what was expected: {issues}", { name, issues: told(describeIssues(result.error)) }),
  );
}

/** Seconds since 1970, or ISO 8601, in milliseconds; undefined for anything else. */
export function momentMs(said: unknown): number | undefined {
  const ms =
    typeof said === "number" ? Math.round(said * 1_000) : typeof said === "string" ? Date.parse(said) : Number.NaN;
  return Number.isFinite(ms) && ms >= 0 && ms < MS_MAX ? ms : undefined;
}
