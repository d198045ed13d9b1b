/** The authentication code of an audit line: its last field, over all of the line before it (docs/audit.md#what-a-line-proves). */
import { createHash, createHmac } from "node:crypto";

/** Hex digits of a code: 128 bits. */
const MAC_DIGITS = 32;
const KEYED = new RegExp(`,"mac":"([0-9a-f]{${MAC_DIGITS}})"\\}$`);

/** A line without a code is of a version before 0.3; one that is `foreign` was keyed with another token, or changed. */
export type LineKey = "keyed" | "foreign" | "unkeyed";

/** @param line a JSON object with at least one field. @param key as `auditKeyOf` derives it. */
export function keyed(line: string, key: string): string {
  return `${line.slice(0, -1)},"mac":"${codeOf(line, key)}"}`;
}

/** @param key null where there is no token: no line can be `keyed` then. */
export function keyOfLine(line: string, key: string | null): LineKey {
  const match = KEYED.exec(line);
  if (match === null) return "unkeyed";
  return key !== null && codeOf(`${line.slice(0, match.index)}}`, key) === match[1] ? "keyed" : "foreign";
}

/** SHA-256 of a whole line, as the next line has it in `previousHash`. */
export function hashOf(line: string): string {
  return createHash("sha256").update(line).digest("hex");
}

function codeOf(text: string, key: string): string {
  return createHmac("sha256", key).update(text).digest("hex").slice(0, MAC_DIGITS);
}
