/**
 * Says why a value does not fit its schema, in sentences of the table that say what to write instead. Schemas have them from
 * here on: each issue of zod that has no words of its own gets them when this module is loaded.
 */

import { z } from "zod";
import { sentence } from "./coded.ts";
import { beginningOf } from "./whole-characters.ts";

/** Issues that one line tells; the first ones are enough to go on. */
const ISSUES_TOLD_MAX = 5;
const TOLD_CHARS_MAX = 500;

type RawIssue = z.core.$ZodRawIssue;
type Issue = z.core.$ZodIssue;

z.config({ localeError: sentenceOf });

/** The kinds of values, as a sentence names them. */
const KINDS: Record<string, string> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a table of names and values",
  record: "a table of names and values",
};
/** The same of a value that is there. */
const RECEIVED: Record<string, string> = { object: "a table" };
const UNITS: Record<string, readonly [one: string, many: string]> = {
  string: ["character", "characters"],
  array: ["item", "items"],
  map: ["entry", "entries"],
};
const FORMATS: Record<string, string> = {
  datetime: "a moment like 2026-12-01T09:00:00Z",
  date: "a day like 2026-12-01",
  time: "a time like 09:00:00",
  url: "an address like https://example.org",
};

function sentenceOf(issue: RawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return ofType(KINDS[issue.expected] ?? issue.expected, issue.input);
    case "invalid_value": {
      const [first, ...others] = issue.values.map(shown);
      if (others.length > 0) return sentence("field_not_option", { options: [first, ...others].join(", ") });
      return sentence("field_not_value", { expected: first ?? "" });
    }
    case "too_big": {
      const max = String(issue.maximum);
      const unit = unitOf(issue.origin, Number(max));
      return unit === undefined ? sentence("field_too_big", { max }) : sentence("field_too_long", { max, unit });
    }
    case "too_small": {
      const min = String(issue.minimum);
      const unit = unitOf(issue.origin, Number(min));
      if (unit !== undefined) return min === "1" ? sentence("field_blank") : sentence("field_too_short", { min, unit });
      return sentence(issue.inclusive === false ? "field_not_above" : "field_too_small", { min });
    }
    case "invalid_format":
      if (issue.format === "regex") return sentence("field_pattern", { pattern: issue.pattern ?? "" });
      return sentence("field_format", { format: FORMATS[issue.format] ?? issue.format });
    case "not_multiple_of":
      return sentence("field_multiple", { divisor: String(issue.divisor) });
    case "unrecognized_keys":
      return sentence("field_unknown");
    case "invalid_key":
      return sentence("field_name", { detail: issue.issues[0]?.message ?? sentence("field_wrong") });
    case "invalid_union":
      if (!Array.isArray(issue.options)) return sentence("field_wrong");
      return sentence("field_not_kind", { options: issue.options.map(shown).join(", ") });
    default:
      return sentence("field_wrong");
  }
}

/** A text is not quoted: it may be a key. */
function ofType(expected: string, value: unknown): string {
  if (value === undefined) return sentence("field_missing", { expected });
  if (value === null) return sentence("field_empty", { expected });
  if (typeof value === "number" && !Number.isFinite(value)) return sentence("field_no_number");
  if (typeof value === "number" && expected === KINDS.int) return sentence("field_not_whole", { value });
  const kind = Array.isArray(value) ? "array" : typeof value;
  const received = typeof value === "boolean" ? String(value) : (RECEIVED[kind] ?? KINDS[kind] ?? kind);
  return sentence("field_not_of_type", { expected, received });
}

/** A word stands as it is typed; one that could be mistaken for something else is in quotation marks. */
function shown(value: unknown): string {
  return typeof value === "string" && /^[\w@./*-]+$/.test(value) ? value : (JSON.stringify(value) ?? String(value));
}

function unitOf(origin: string, count: number): string | undefined {
  return UNITS[origin]?.[count === 1 ? 0 : 1];
}

/**
 * The issues of a value, each at its place: that of an unknown field is its name. None of several forms fits: the issues are
 * those of the form that the value is nearest to.
 */
export function issuesOf(error: z.ZodError): readonly Issue[] {
  return error.issues.flatMap(within);
}

function within(issue: Issue): readonly Issue[] {
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => ({ ...issue, keys: [key], path: [...issue.path, key] }));
  // A union with words of its own says more than one of its forms.
  if (issue.code !== "invalid_union" || issue.message !== sentence("field_wrong")) return [issue];
  const forms = issue.errors.map((issues) => issues.flatMap(within));
  const depth = (issues: readonly Issue[]) => Math.max(0, ...issues.map(({ path }) => path.length));
  const [nearest = []] = forms.filter((issues) => depth(issues) > 0).sort((a, b) => a.length - b.length);
  return nearest.length === 0 ? [issue] : nearest.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
}

/** One line for people: `client.now: must be written as a moment …; text: is missing: it must be text`. @param at the place of the value. */
export function describeIssues(error: z.ZodError, at: readonly string[] = []): string {
  return inOneLine(issuesOf(error).map((issue) => ({ ...issue, path: [...at, ...issue.path] })));
}

/** The issues, each behind its place. */
export function inOneLine(issues: readonly Pick<Issue, "path" | "message">[]): string {
  return beginningOf(issues.slice(0, ISSUES_TOLD_MAX).map(withPlace).join("; "), TOLD_CHARS_MAX);
}

/** The issue behind its place; the value as a whole has none. */
export function withPlace({ path, message }: Pick<Issue, "path" | "message">): string {
  return path.length === 0 ? message : sentence("of_field", { field: path.join(".") || '""', problem: message });
}

/** Why a value is none of a schema, in a sentence; null where it is one. */
export function problemWith(schema: z.ZodType, value: unknown): string | null {
  const { error } = schema.safeParse(value);
  return error === undefined ? null : (issuesOf(error)[0]?.message ?? null);
}
