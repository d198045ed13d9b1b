/**
 * Skills are folders with a SKILL.md, as the Agent Skills standard has them: what to do, written down once for many tasks
 * (SPEC I7). Only name, description and path are in a prompt; the rest is read when it is needed. A folder that breaks a
 * bound or holds a link that leaves it is no skill, and is told with the reason; nothing of it is ever executed here.
 */

import { copyFile, lstat, mkdir, readdir, realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, relative, resolve, sep } from "node:path";
import {
  Level,
  SKILL_DESCRIPTION_CHARS_MAX,
  SKILL_WARNING_CHARS_MAX,
  SkillName,
  type SkillProblem,
  type SkillSource,
  type SkillSummary,
} from "@mimikit/protocol/base/skill";
import { describeIssues } from "@mimikit/protocol/texts/issues";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import type { Environment, HomePlace } from "@mimikit/runtime/home/home";
import { ROOT } from "@mimikit/runtime/home/programs";
import { hasCode } from "@mimikit/store/disk/error-code";
import { z } from "zod";
import { hashOfSkill, readAllowed, SKILLS_DIR, type SkillEntries } from "./allowed.ts";
import { readFrontMatter } from "./front-matter.ts";
import { readTextFile } from "./text-file.ts";

/** More are no help to a model that has to choose one. */
export const SKILLS_MAX = 64;
/** Entries of a folder of skills that are looked at. */
const ENTRIES_MAX = 256;
/** The file that makes a folder a skill. */
export const SKILL_FILE = "SKILL.md";
export const SKILL_FILE_CHARS_MAX = 65_536;
export const SKILL_FILES_MAX = 128;
export const SKILL_BYTES_MAX = 4 * 1_048_576;
/** Folders one inside the other; a file beside SKILL.md has depth 1. */
export const SKILL_DEPTH_MAX = 4;
const REASON_CHARS_MAX = 300;

/** Those that come with Mimikit. */
const SHIPPED_DIR = join(ROOT, "packages/agent/skills");

/** Where skills are looked for. A place that is not there has none. */
export type SkillPlaces = Readonly<Record<SkillSource, string>>;

export interface Skills {
  /** Sorted by name. */
  skills: SkillSummary[];
  problems: SkillProblem[];
}

/** The folder is no skill, or a file is none of a skill; the message is for people and models. */
export class BadSkill extends Error {}

/** The fields above the text of a SKILL.md. Other fields are for other programs, and have no effect here. */
const FrontMatter = z.object({
  name: SkillName,
  description: z.string().trim().min(1).max(SKILL_DESCRIPTION_CHARS_MAX),
  metadata: z.object({ level: Level.optional() }).optional(),
});

/** Name, description and level of a SKILL.md by its text, with a warning where it is not written as it should be. Throws `BadSkill`. */
export function parseSkill(text: string): Pick<SkillSummary, "name" | "description" | "level" | "warning"> {
  const { head, warning } = bodyOf(text);
  const { name, description, metadata } = head;
  const level = metadata?.level;
  return {
    name,
    description,
    ...(level !== undefined && { level }),
    ...(warning !== undefined && { warning: beginningOf(warning, SKILL_WARNING_CHARS_MAX) }),
  };
}

/** The folders of skills of an instance, and of its user. */
export function skillPlacesOf({ home, workDir }: HomePlace, env: Environment): SkillPlaces {
  return {
    home: join(home, SKILLS_DIR),
    user: userSkillsDir(env),
    workspace: join(workDir, ".mimikit", "skills"),
    shipped: SHIPPED_DIR,
  };
}

/** The folder of skills that the user keeps for all workspaces. */
export function userSkillsDir(env: Environment): string {
  return join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), ".config"), "mimikit", "skills");
}

/**
 * Every skill that can be used. The owner's skills count before those of the workspace, and those before the shipped
 * ones. Throws what the disk throws where a folder of skills cannot be listed.
 */
export async function findSkills(places: SkillPlaces): Promise<Skills> {
  const skills = new Map<string, SkillSummary>();
  const problems: SkillProblem[] = [];
  const seen = new Set<string>();
  for (const source of ["home", "user", "workspace", "shipped"] as const) {
    const root = await realPathOf(places[source]);
    // The state directory is in the workspace, unless it was put elsewhere.
    if (root === null || seen.has(root)) continue;
    seen.add(root);
    for (const { path, isLink } of await foldersIn(root)) {
      try {
        if (isLink) throw new BadSkill("it is a link: put the folder itself there");
        const skill = await readSkill(path, source);
        if (skill === null) continue;
        const earlier = skills.get(skill.name);
        if (earlier !== undefined) throw new BadSkill(`${earlier.path} has the same name and counts before it`);
        if (skills.size >= SKILLS_MAX) throw new BadSkill(`there are ${SKILLS_MAX} skills already`);
        skills.set(skill.name, source === "workspace" ? await held(skill, places) : skill);
      } catch (error) {
        // One that cannot be read is told like one that is wrong: the others are there all the same.
        if (!(error instanceof Error)) throw error;
        problems.push({ path, reason: beginningOf(error.message, REASON_CHARS_MAX) });
      }
    }
  }
  return { skills: [...skills.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), problems };
}

/**
 * A text file of a skill; `file` is relative to its folder. Of SKILL.md only the text below its front matter is the body.
 * Throws `BadSkill` where there is none, or it lies outside of the folder.
 */
export async function readSkillFile({ path }: Pick<SkillSummary, "path">, file = SKILL_FILE): Promise<string> {
  const folder = await realpath(dirname(path));
  const asked = resolve(folder, file.replaceAll("\0", ""));
  try {
    const real = asked.startsWith(folder + sep) ? await realpath(asked) : asked;
    if (!real.startsWith(folder + sep)) throw new BadSkill(`${file} is outside of the skill's folder`);
    const { text } = await readTextFile(real);
    return relative(folder, real) === SKILL_FILE ? bodyOf(text).body : text;
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "ELOOP")) throw new BadSkill(`the skill has no file ${file}`);
    throw error;
  }
}

/** The entries of a skill's folder. Throws `BadSkill`. */
export async function listSkillEntries({ path }: Pick<SkillSummary, "path">): Promise<SkillEntries> {
  const folder = await realpath(dirname(path));
  const { files, links } = await entriesIn(folder);
  const relatives = (paths: readonly string[]) => paths.map((each) => relative(folder, each));
  return { files: relatives(files), links: relatives(links) };
}

/**
 * Copies the skills that lie in the state directory to `target`, where an agent CLI can read them, and answers the index
 * with the paths that count there. Skills elsewhere can be read where they are.
 */
export async function copySkills(
  skills: readonly SkillSummary[],
  home: string,
  target: string,
): Promise<SkillSummary[]> {
  const state = await realpath(home);
  const lent: SkillSummary[] = [];
  for (const skill of skills) {
    if (!skill.path.startsWith(state + sep)) {
      lent.push(skill);
      continue;
    }
    const folder = join(target, skill.name);
    for (const file of (await listSkillEntries(skill)).files) {
      await mkdir(dirname(join(folder, file)), { recursive: true, mode: 0o700 });
      await copyFile(join(dirname(skill.path), file), join(folder, file));
    }
    lent.push({ ...skill, path: join(folder, SKILL_FILE) });
  }
  return lent;
}

/** A skill of the workspace at the level that its owner has approved. */
async function held(skill: SkillSummary, places: SkillPlaces): Promise<SkillSummary> {
  if (skill.level === "read-only") return skill;
  const allowed = (await readAllowed(places.home))[skill.name];
  if (allowed !== undefined && allowed === (await hashOfSkill(skill, await listSkillEntries(skill)))) return skill;
  return { ...skill, level: "read-only", isHeld: true };
}

/** A folder without a SKILL.md is not meant as one. */
async function readSkill(folder: string, source: SkillSource): Promise<SkillSummary | null> {
  const path = join(folder, SKILL_FILE);
  const info = await lstat(path).catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  });
  if (info === null) return null;
  if (!info.isFile()) throw new BadSkill(`${SKILL_FILE} is not a regular file`);
  await entriesIn(folder);
  const skill = parseSkill((await readTextFile(path)).text);
  if (!folder.endsWith(sep + skill.name))
    throw new BadSkill(`its name is "${skill.name}", and its folder must have the same`);
  return { ...skill, source, path };
}

function bodyOf(text: string): { head: z.infer<typeof FrontMatter>; warning?: string; body: string } {
  if (text.length > SKILL_FILE_CHARS_MAX)
    throw new BadSkill(`${SKILL_FILE} is longer than ${SKILL_FILE_CHARS_MAX} characters: put parts into other files`);
  const [, yaml = "", body = ""] =
    /^\ufeff?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)([\s\S]*)$/.exec(text) ?? [];
  if (yaml === "") throw new BadSkill(`${SKILL_FILE} does not begin with a front matter between two lines of ---`);
  const { value, ...rest } = readHead(yaml);
  const checked = FrontMatter.safeParse(value);
  if (!checked.success) {
    const problems = [describeIssues(checked.error), rest.warning].filter(Boolean).join("; ");
    throw new BadSkill(`the front matter of ${SKILL_FILE}: ${problems}`);
  }
  return { head: checked.data, ...rest, body: body.trim() };
}

function readHead(yaml: string): ReturnType<typeof readFrontMatter> {
  try {
    return readFrontMatter(yaml);
  } catch (error) {
    throw new BadSkill(`the front matter of ${SKILL_FILE} is no YAML: ${(error as Error).message}`);
  }
}

/** Every regular file and every link below `folder`. Throws `BadSkill` where a bound is broken or a link leads out. */
async function entriesIn(folder: string): Promise<SkillEntries> {
  const files: string[] = [];
  const links: string[] = [];
  let bytes = 0;
  const look = async (dir: string, depth: number): Promise<void> => {
    if (depth > SKILL_DEPTH_MAX) throw new BadSkill(`its folders are more than ${SKILL_DEPTH_MAX} deep`);
    for (const entry of await readdir(dir, { withFileTypes: true })) {
      const path = join(dir, entry.name);
      if (entry.isSymbolicLink()) {
        await assertInside(path, folder);
        links.push(path);
      } else if (entry.isDirectory()) await look(path, depth + 1);
      else if (entry.isFile()) {
        files.push(path);
        bytes += (await lstat(path)).size;
      } else throw new BadSkill(`${relative(folder, path)} is neither a file nor a folder`);
      if (files.length + links.length > SKILL_FILES_MAX)
        throw new BadSkill(`it has more than ${SKILL_FILES_MAX} files`);
      if (bytes > SKILL_BYTES_MAX) throw new BadSkill(`it has more than ${SKILL_BYTES_MAX} bytes`);
    }
  };
  await look(folder, 1);
  return { files: files.sort(), links: links.sort() };
}

async function assertInside(link: string, folder: string): Promise<void> {
  const target = await realPathOf(link);
  if (target === null || !target.startsWith(folder + sep))
    throw new BadSkill(`the link ${relative(folder, link)} leaves the folder`);
}

/** The folders and links of a folder of skills, in the order of their names. */
async function foldersIn(root: string): Promise<{ path: string; isLink: boolean }[]> {
  const entries = await readdir(root, { withFileTypes: true }).catch((error: unknown) => {
    if (hasCode(error, "ENOTDIR")) return [];
    throw error;
  });
  return entries
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .map((entry) => ({ path: join(root, entry.name), isLink: entry.isSymbolicLink() }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .slice(0, ENTRIES_MAX);
}

/** Null where there is nothing, or a link that leads nowhere. */
async function realPathOf(path: string): Promise<string | null> {
  try {
    return await realpath(path);
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "ELOOP")) return null;
    throw error;
  }
}
