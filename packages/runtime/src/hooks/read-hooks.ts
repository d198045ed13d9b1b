/**
 * Reads the hooks of a state directory, `hooks/*.yaml` (docs/hooks.md). A file that is not right is no hook at all, and is
 * named with its line; the others count.
 */

import { BadJson } from "@mimikit/protocol/base/json";
import { HookFile, HookName, SourceFile } from "@mimikit/protocol/records/hook";
import { issuesOf, problemWith, withPlace } from "@mimikit/protocol/texts/issues";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import { hasCode } from "@mimikit/store/disk/error-code";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { HOOKS } from "@mimikit/store/disk/state";
import { isNode, LineCounter, parseDocument } from "yaml";

export const HOOKS_MAX = 50;
export const HOOK_FILE_BYTES_MAX = 16_384;
const ALIASES_MAX = 20;
const EXTENSION = ".yaml";
const PROBLEM_CHARS_MAX = 300;

/** A hook as its file says it. */
export interface Hook extends HookFile {
  name: string;
}

/** A hook of what comes in. */
export interface HookSource extends SourceFile {
  name: string;
}

/** Why a file is no hook. */
export interface HookProblem {
  /** `hooks/notify.yaml:3`, with the line where it is known. */
  place: string;
  reason: string;
  /** The hook that it would be; null where the name is none of a hook. */
  name: string | null;
}

export interface FoundHooks {
  hooks: Hook[];
  sources: HookSource[];
  problems: HookProblem[];
}

/** Files of other names are the owner's own: scripts, for example. Throws what the disk throws; a missing directory holds none. */
export async function readHooks(fs: FileSystem): Promise<FoundHooks> {
  const found: FoundHooks = { hooks: [], sources: [], problems: [] };
  const names = await hookFiles(fs);
  for (const [at, file] of names.entries()) {
    const name = file.slice(0, -EXTENSION.length);
    const path = `${HOOKS}/${file}`;
    const refuse = (reason: string, line?: number) =>
      found.problems.push({
        place: line === undefined ? path : `${path}:${line}`,
        reason: beginningOf(reason, PROBLEM_CHARS_MAX),
        name: problemWith(HookName, name) === null ? name : null,
      });
    const wrongName = problemWith(HookName, name);
    if (wrongName !== null) refuse(wrongName);
    else if (at >= HOOKS_MAX) refuse(`there are more than ${HOOKS_MAX} hooks: remove one`);
    else {
      const text = await textOf(fs, path, refuse);
      const hook = text === null ? null : parseHook(text, refuse);
      if (hook !== null && "receive" in hook) found.sources.push({ name, ...hook });
      else if (hook !== null) found.hooks.push({ name, ...hook });
    }
  }
  return found;
}

/** A text that is another one whenever a file of a hook is another. Throws what the disk throws. */
export async function hooksStamp(fs: FileSystem): Promise<string> {
  const infos = (await hookFiles(fs)).map(async (file) => {
    const info = await fs.info(`${HOOKS}/${file}`);
    return `${file} ${info?.inode} ${info?.mtimeMs} ${info?.size}`;
  });
  return (await Promise.all(infos)).join("\n");
}

async function hookFiles(fs: FileSystem): Promise<string[]> {
  try {
    return (await fs.list(HOOKS)).filter((file) => file.endsWith(EXTENSION)).sort();
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return [];
    throw error;
  }
}

/** null where it cannot be read, which is told, or is gone by now. */
async function textOf(fs: FileSystem, path: string, refuse: (reason: string) => void): Promise<string | null> {
  try {
    return await fs.readText(path, HOOK_FILE_BYTES_MAX);
  } catch (error) {
    if (!(error instanceof BadJson)) throw error;
    refuse(error.message);
    return null;
  }
}

function parseHook(text: string, refuse: (reason: string, line?: number) => void): HookFile | SourceFile | null {
  const lines = new LineCounter();
  const lineAt = (offset: number) => lines.linePos(offset).line;
  const document = parseDocument(text, { lineCounter: lines, logLevel: "error", prettyErrors: false });
  const [broken] = document.errors;
  if (broken !== undefined) {
    refuse(broken.message, lineAt(broken.pos[0]));
    return null;
  }
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: ALIASES_MAX });
  } catch (error) {
    refuse(error instanceof Error ? error.message : String(error));
    return null;
  }
  const isSource = typeof value === "object" && value !== null && "receive" in value;
  const checked = (isSource ? SourceFile : HookFile).safeParse(value);
  if (checked.success) return checked.data;
  const [issue] = issuesOf(checked.error);
  if (issue === undefined) return null;
  refuse(withPlace(issue), lineOfNearest(issue.path));
  return null;

  /** The line of what is meant, or of the nearest thing around it that is there. */
  function lineOfNearest(place: readonly PropertyKey[]): number | undefined {
    for (let length = place.length; length > 0; length--) {
      const node = document.getIn(place.slice(0, length), true);
      if (isNode(node) && node.range) return lineAt(node.range[0]);
    }
    return undefined;
  }
}
