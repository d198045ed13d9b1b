/** Documents in the state directory that prompts are made of, and that cannot be read: a pipe, a directory, a link, or too long. */
import { BadJson } from "@mimikit/protocol/base/json";
import type { FileSystem } from "../disk/file-system.ts";
import { BACKLOG_PATH, FORGOTTEN_PATH, MEMORY_PATH, PERSONA_PATH, PROFILE_PATH, RULES_PATH } from "../disk/state.ts";
import { DOCUMENT_BYTES_MAX } from "./document.ts";

const DOCUMENTS = [RULES_PATH, PERSONA_PATH, PROFILE_PATH, MEMORY_PATH, BACKLOG_PATH, FORGOTTEN_PATH] as const;

export interface UnreadableDocument {
  path: string;
  reason: string;
  /** Without the rules of the owner no task runs; runs go on without any other document. */
  stopsTasks: boolean;
}

/** Throws what the disk throws. */
export async function unreadableDocuments(fs: FileSystem): Promise<UnreadableDocument[]> {
  const found: UnreadableDocument[] = [];
  for (const path of DOCUMENTS) {
    try {
      await fs.read(path, DOCUMENT_BYTES_MAX);
    } catch (error) {
      if (!(error instanceof BadJson)) throw error;
      found.push({ path, reason: error.message, stopsTasks: path === RULES_PATH });
    }
  }
  return found;
}
