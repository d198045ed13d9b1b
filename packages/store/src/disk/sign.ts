/** Commands that carry authority prove that their sender holds the token (docs/file-protocol.md#commands). */
import { createHmac, timingSafeEqual } from "node:crypto";

/** The HMAC-SHA256 (hex) of a record without its `mac`, over its JSON with sorted keys. */
export function sign(token: string, record: Record<string, unknown>): string {
  const { mac: _, ...rest } = record;
  return createHmac("sha256", token).update(canonicalJson(rest)).digest("hex");
}

/** JSON with sorted keys: the same for the same content. */
export function canonicalJson(record: object): string {
  return JSON.stringify(record, (_key, value: unknown) =>
    value !== null && typeof value === "object" && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}

/** Was this record signed with the token? */
export function isSigned(token: string, record: Record<string, unknown>): boolean {
  const expected = Buffer.from(sign(token, record));
  const actual = Buffer.from(String(record.mac ?? ""));
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}
