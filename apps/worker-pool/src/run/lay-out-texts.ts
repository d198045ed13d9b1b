/**
 * A message of the user that is too long for a prompt is in a file, too (SPEC F1). The file is derived from the message,
 * and is made again wherever it is missing.
 */
import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { BIG_INPUT_CHARS } from "@mimikit/agent/prompt/sections";
import { ROLES, type Role } from "@mimikit/protocol/base/kind";
import type { Message } from "@mimikit/protocol/records/inbox";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { replaceView } from "@mimikit/store/disk/record";
import { longTextPath } from "@mimikit/store/disk/state";

/**
 * In the folder of a run. A Worker's shell sees nothing else of the state directory, and its changes to the files beside
 * such a one must not matter.
 */
const INPUTS = "inputs";

/**
 * Writes each long message to a file that `role` can be told of: of several, each that is longer than its part of what is
 * shown whole, where they are too long together. @returns the paths, by the ids of the messages.
 */
export async function layOutTexts(
  messages: readonly Message[],
  role: Role,
  { fs, runDir }: { fs: FileSystem; runDir: string },
): Promise<Record<string, string>> {
  const paths: Record<string, string> = {};
  const chars = messages.reduce((sum, { text }) => sum + text.length, 0);
  if (chars <= BIG_INPUT_CHARS) return paths;
  for (const { id, text } of messages) {
    if (text.length <= BIG_INPUT_CHARS / messages.length) continue;
    const sha256 = createHash("sha256").update(text).digest("hex");
    paths[id] = ROLES[role].hasWorkspace ? await copyInto(runDir, sha256, text) : await store(fs, sha256, text);
  }
  return paths;
}

async function copyInto(runDir: string, sha256: string, text: string): Promise<string> {
  const path = join(runDir, INPUTS, `${sha256}.txt`);
  await mkdir(join(runDir, INPUTS), { recursive: true, mode: 0o700 });
  await writeFile(path, text, { mode: 0o600 });
  return path;
}

/** For people, and to give the text a stable name. Its time says when it was wanted last. */
async function store(fs: FileSystem, sha256: string, text: string): Promise<string> {
  const path = longTextPath(sha256);
  await replaceView(fs, path, text);
  return path;
}
