/** Puts a state directory that was unpacked from a backup in order, so that damaged records cost nothing but themselves. */
import { mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "@mimikit/runtime/home/replace-file";
import { isSigned, sign } from "@mimikit/store/disk/sign";
import { ARCHIVE, INBOX, QUARANTINE } from "@mimikit/store/disk/state";
import type { Damaged } from "./find-damaged.ts";

/** A damaged record, and where it is now. */
export interface LeftOut extends Damaged {
  /** Its path in quarantine/; null for a record of the archive, whose name says that it happened: it stays where it is. */
  aside: string | null;
}

/** Moves damaged records to quarantine/, as the supervisor would. */
export function putDamagedAside(home: string, damaged: readonly Damaged[]): LeftOut[] {
  return damaged.map(({ path, reason }) => {
    if (path.startsWith(`${ARCHIVE}/`)) return { path, reason, aside: null };
    const aside = `${QUARANTINE}/${Date.now()}-${path.replaceAll("/", "-")}`;
    mkdirSync(join(home, QUARANTINE), { recursive: true, mode: 0o700 });
    renameSync(join(home, path), join(home, aside));
    return { path, reason, aside };
  });
}

/**
 * Signs the commands in inbox/ with the token of this home, so that what was said at the moment of the backup is carried out. Their
 * signatures were verified when the backup was made; a message needs none.
 * @param unsigned paths of those that had no valid signature then.
 */
export function signAgain(home: string, token: string, unsigned: ReadonlySet<string>): void {
  for (const name of readdirSync(join(home, INBOX))) {
    const path = `${INBOX}/${name}`;
    if (unsigned.has(path)) continue;
    const record = jsonIn(readFileSync(join(home, path), "utf8"));
    if (typeof record?.mac !== "string" || record.kind === "message" || isSigned(token, record)) continue;
    replaceFile(join(home, path), `${JSON.stringify({ ...record, mac: sign(token, record) })}\n`);
  }
}

function jsonIn(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
