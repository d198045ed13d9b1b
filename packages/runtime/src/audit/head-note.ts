/**
 * The head of a chain, noted beside it by the role that writes the chain: with its first line after a start, and at a clean stop. A
 * chain that ends before its note was cut off, also when no other process was left to witness its last lines.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BadJson, parseRecord } from "@mimikit/protocol/base/json";
import { hasCode } from "@mimikit/store/disk/error-code";
import { AUDIT } from "@mimikit/store/disk/state";
import { z } from "zod";
import { replaceFile } from "../home/replace-file.ts";
import type { ProcessRole } from "../process/role-record.ts";
import { keyed, keyOfLine } from "./keyed-line.ts";

/** A line of a chain, by its number and the SHA-256 of it. */
export const Head = z.object({ seq: z.number().int().positive(), hash: z.string() });
export type Head = z.infer<typeof Head>;

const notePath = (home: string, actor: ProcessRole) => join(home, AUDIT, `${actor}.head.json`);

/** The lines up to the head must be durable. Throws what the disk throws. */
export function writeHead(home: string, actor: ProcessRole, key: string, { seq, hash }: Head): void {
  replaceFile(notePath(home, actor), keyed(JSON.stringify({ actor, seq, hash }), key));
}

/** null where there is none, or none that was written with this key. Throws what the disk throws. */
export function readHead(home: string, actor: ProcessRole, key: string | null): Head | null {
  try {
    const text = readFileSync(notePath(home, actor), "utf8");
    const note = parseRecord(Head.extend({ actor: z.string() }), text);
    return keyOfLine(text, key) === "keyed" && note.actor === actor ? { seq: note.seq, hash: note.hash } : null;
  } catch (error) {
    if (error instanceof BadJson || hasCode(error, "ENOENT", "ENOTDIR", "EISDIR")) return null;
    throw error;
  }
}
