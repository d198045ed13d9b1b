/**
 * The owner's approval of skills in the workspace. Anyone who can write to the workspace can add a skill, so such a skill is read-only
 * until the owner approves the level that it declares. The approval is for its files as they are: an edit of any of them revokes it.
 */
import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { readFile, readlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { BadJson, parseRecord } from "@mimikit/protocol/base/json";
import { SkillName, type SkillSummary } from "@mimikit/protocol/base/skill";
import { editPrivateFile } from "@mimikit/runtime/home/private-file";
import { hasCode } from "@mimikit/store/disk/error-code";
import { z } from "zod";

/** The folder of the state directory's own skills. */
export const SKILLS_DIR = "skills";
/** In it: the approved skills by name, each with the hash of its files. */
const ALLOWED_FILE = "allowed.json";
const Allowed = z.record(SkillName, z.string().regex(/^[0-9a-f]{64}$/));
export type Allowed = z.infer<typeof Allowed>;

/** Empty if the file cannot be read: then no skill is approved. Throws other errors of the disk. @param dir the folder of the state's own skills. */
export async function readAllowed(dir: string): Promise<Allowed> {
  try {
    return allowedIn(await readFile(join(dir, ALLOWED_FILE), "utf8"));
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "EISDIR", "EACCES")) return {};
    throw error;
  }
}

function allowedIn(text: string): Allowed {
  try {
    return parseRecord(Allowed, text);
  } catch (error) {
    if (error instanceof BadJson) return {};
    throw error;
  }
}

/**
 * Approves the skill with these files, or revokes the approval. Throws what the disk throws, HomeError and DocumentBusy.
 * @param hash of its files; null revokes.
 */
export async function setAllowed(home: string, name: string, hash: string | null): Promise<void> {
  mkdirSync(join(home, SKILLS_DIR), { recursive: true, mode: 0o700 });
  await editPrivateFile(home, `${SKILLS_DIR}/${ALLOWED_FILE}`, (text) => {
    const { [name]: _before, ...others } = allowedIn(text ?? "{}");
    return `${JSON.stringify(hash === null ? others : { ...others, [name]: hash }, null, 2)}\n`;
  });
}

/** The entries of a skill's folder: paths relative to it, sorted. */
export interface SkillEntries {
  files: string[];
  links: string[];
}

/** The hash of a skill's files and their names, and of what its links lead to. Throws what the disk throws. */
export async function hashOfSkill(
  { path }: Pick<SkillSummary, "path">,
  { files, links }: SkillEntries,
): Promise<string> {
  const hash = createHash("sha256");
  for (const link of links)
    hash.update(`${JSON.stringify(["link", link, await readlink(join(dirname(path), link))])}\n`);
  for (const file of files) {
    const bytes = await readFile(join(dirname(path), file));
    hash.update(`${JSON.stringify([file, bytes.length])}\n`).update(bytes);
  }
  return hash.digest("hex");
}
