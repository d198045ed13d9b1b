/**
 * The key of the audit log, derived from the token, and the note of a token that was made in a home in which something had been
 * logged with an earlier one (docs/audit.md#when-the-token-is-replaced).
 */
import { createHmac } from "node:crypto";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { AUDIT } from "@mimikit/store/disk/state";
import { replaceFile } from "./replace-file.ts";

const AUDIT_FILE = /^log(\.[a-z]+)?\.jsonl$/;
/** Hex digits of the name of a note: 64 bits. */
const NOTE_DIGITS = 16;

/** The key (hex) with which the lines of the audit log are authenticated. It does not show the token. */
export function auditKeyOf(token: string): string {
  return createHmac("sha256", token).update("audit log").digest("hex");
}

/** Notes durably that `token` came after lines that may be keyed with another one. Throws what the disk throws. */
export function noteLaterToken(home: string, token: string): void {
  mkdirSync(join(home, AUDIT), { recursive: true, mode: 0o700 });
  replaceFile(notePath(home, token), "");
}

/** The same, where anything was logged in this home before: call it before the token is in its place. */
export function noteTokenIfLater(home: string, token: string): void {
  if (readdirSync(home).some((name) => AUDIT_FILE.test(name)) || readdirSync(join(home, AUDIT)).length > 0)
    noteLaterToken(home, token);
}

/** Is it noted that this token came later? Only its holder can have written that. */
export function isLaterToken(home: string, token: string): boolean {
  return existsSync(notePath(home, token));
}

/** Its name follows from the token, so that two starters that each make a token do not overwrite the note of the other. */
function notePath(home: string, token: string): string {
  const proof = createHmac("sha256", auditKeyOf(token)).update("later token").digest("hex");
  return join(home, AUDIT, `later-token.${proof.slice(0, NOTE_DIGITS)}`);
}
