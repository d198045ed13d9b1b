/**
 * The guides of the workspace on how work is done in it: its AGENTS.md and CLAUDE.md. They are read here for every
 * provider alike, and agent CLIs are kept from reading them by themselves, so that each is shown once. They are text of
 * anyone who can write there: they give no rights.
 */
import { realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { hasCode } from "@mimikit/store/disk/error-code";
import { readTextFile } from "./text-file.ts";

/** The first stands first, and has its bytes first. */
const GUIDE_FILES = ["AGENTS.md", "CLAUDE.md"] as const;
/** Of both together; the rest is left out, and it is said. */
export const GUIDES_BYTES_MAX = 32_768;
/** A CLAUDE.md that says nothing but this means what stands beside it. */
const SAME_AS_AGENTS = "@AGENTS.md";

export interface Guide {
  file: string;
  text: string;
  /** Bytes of the whole file, where `text` is only its beginning. */
  cutOf?: number;
}

export interface Guides {
  guides: Guide[];
  /** Those that are there and do not count, and why. */
  problems: { file: string; reason: string }[];
}

/**
 * The guides of a workspace. A guide that cannot be read does not count, and is reported. @param home the state
 * directory, none of which is ever shown.
 */
export async function readGuides(workDir: string, home: string): Promise<Guides> {
  const guides: Guide[] = [];
  const problems: Guides["problems"] = [];
  const seen = new Set<string>();
  let room = GUIDES_BYTES_MAX;
  for (const file of GUIDE_FILES) {
    try {
      const text = await readInside(join(workDir, file), workDir, home);
      if (text === "" || seen.has(text) || (text === SAME_AS_AGENTS && seen.size > 0)) continue;
      seen.add(text);
      const bytes = Buffer.from(text);
      const shown = bytes.length <= room ? text : cut(bytes, room);
      if (shown !== "") guides.push({ file, text: shown, ...(shown !== text && { cutOf: bytes.length }) });
      else problems.push({ file, reason: `${GUIDES_BYTES_MAX} bytes are shown in all, and the other has them` });
      room -= Buffer.byteLength(shown);
    } catch (error) {
      if (hasCode(error, "ENOENT", "ENOTDIR")) continue;
      problems.push({ file, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  return { guides, problems };
}

/** The text of a file of the workspace, also behind a link that stays in it. */
async function readInside(path: string, workDir: string, home: string): Promise<string> {
  const [real, work, state] = await Promise.all([realpath(path), realpath(workDir), realpath(home)]);
  const isState = isWithin(real, state) && !isWithin(work, state);
  if (!isWithin(real, work) || isState) throw new Error("it is a link that leaves the workspace");
  return (await readTextFile(real)).text.trim();
}

function isWithin(path: string, directory: string): boolean {
  return path.startsWith(directory === sep ? sep : directory + sep);
}

/** Whole characters of its beginning. */
function cut(bytes: Buffer, room: number): string {
  return new TextDecoder().decode(bytes.subarray(0, room), { stream: true });
}
