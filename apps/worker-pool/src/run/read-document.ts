/** A document that people write too, as a prompt is made of it. */
import { BadJson } from "@mimikit/protocol/base/json";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { DOCUMENT_BYTES_MAX } from "@mimikit/store/documents/document";

/** The text; empty where there is no such file. Throws `BadJson`, which names it, for whatever else stands in its place. */
export async function readDocument(fs: FileSystem, path: string): Promise<string> {
  try {
    return (await fs.read(path, DOCUMENT_BYTES_MAX)) ?? "";
  } catch (error) {
    if (error instanceof BadJson) throw new BadJson(`${path}: ${error.message}`);
    throw error;
  }
}

/** As `readDocument`, for what a run can do without: empty, with the reason, where it cannot be read. */
export async function readOrReason(fs: FileSystem, path: string): Promise<{ text: string; reason?: string }> {
  try {
    return { text: await readDocument(fs, path) };
  } catch (error) {
    if (!(error instanceof BadJson)) throw error;
    return { text: "", reason: error.message };
  }
}
