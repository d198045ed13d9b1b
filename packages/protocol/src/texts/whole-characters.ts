/** Texts are cut between characters: half of a pair of UTF-16 units is no text, and strict receivers refuse all that holds one. */

/** The first `unitsMax` UTF-16 units of a text, or one less. */
export function beginningOf(text: string, unitsMax: number): string {
  return text.slice(0, boundaryIn(text, unitsMax));
}

/** The last `unitsMax` UTF-16 units of a text, or one less. */
export function endOf(text: string, unitsMax: number): string {
  const start = Math.max(0, text.length - unitsMax);
  return text.slice(isInPair(text, start) ? start + 1 : start);
}

/** `value` with U+FFFD in the place of each half of a character, in all its texts and names. */
export function wellFormed<Value>(value: Value): Value {
  return deep(value) as Value;
}

/** An escape in JSON: a backslash, a pair of halves, or a half alone. */
const ESCAPE = /\\(?:\\|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2}))/g;

/** The same for a text of JSON, in which halves of characters are written as escapes: its receiver parses it. */
export function wellFormedJson(text: string): string {
  return text.toWellFormed().replace(ESCAPE, (all, half: string | undefined) => (half === undefined ? all : "\\ufffd"));
}

function boundaryIn(text: string, at: number): number {
  return isInPair(text, at) ? at - 1 : at;
}

function isInPair(text: string, at: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(Math.max(0, at - 1), at + 1)) && at > 0;
}

function deep(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(deep);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name.toWellFormed(), deep(each)]));
}
