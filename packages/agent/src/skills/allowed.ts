/**
 * What the owner lets skills of the workspace do. Whoever can write the workspace can bring one, so it only looks until its owner has said
 * that it may do what it says of itself; an edit of any of its files takes that back.
 */
import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { BadJson, parseRecord } from "@mimikit/protocol/base/json";
import { SkillName, type SkillSummary } from "@mimikit/protocol/base/skill";
import { replaceFile } from "@mimikit/runtime/home/replace-file";
import { hasCode } from "@mimikit/store/disk/error-code";
import { z } from "zod";

/** In the folder of the state directory's own skills: the names of those that may do more, with the hash of all of their files. */
const ALLOWED_FILE = "allowed.json";
const Allowed = z.record(SkillName, z.string().regex(/^[0-9a-f]{64}$/));
export type Allowed = z.infer<typeof Allowed>;

/** None where the file cannot be read: then all of them only look. Throws what the disk throws beside that. @param dir the state's own skills. */
export async function readAllowed(dir: string): Promise<Allowed> {
  try {
    return parseRecord(Allowed, await readFile(join(dir, ALLOWED_FILE), "utf8"));
  } catch (error) {
    if (error instanceof BadJson || hasCode(error, "ENOENT", "ENOTDIR", "EISDIR", "EACCES")) return {};
    throw error;
  }
}

/** Allows this skill what it says of itself, as it is now, or takes that back. Throws what the disk throws. */
export async function setAllowed(dir: string, name: string, hash: string | null): Promise<void> {
  const { [name]: _before, ...others } = await readAllowed(dir);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  replaceFile(
    join(dir, ALLOWED_FILE),
    `${JSON.stringify(hash === null ? others : { ...others, [name]: hash }, null, 2)}\n`,
  );
}

/** The hash of all files of a skill, with their names. Throws what the disk throws. @param files relative to its folder, in their order. */
export async function hashOfSkill({ path }: Pick<SkillSummary, "path">, files: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  for (const file of files) {
    const bytes = await readFile(join(dirname(path), file));
    hash.update(`${JSON.stringify([file, bytes.length])}\n`).update(bytes);
  }
  return hash.digest("hex");
}
