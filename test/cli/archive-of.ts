/** An archive as a backup is one. */
import { buffer } from "node:stream/consumers";
import { pack } from "tar-stream";
import { addFile } from "../../apps/cli/src/backup/tar.ts";

/** @param files what is in each, by its name; a list where a name comes twice. */
export async function archiveOf(
  files: Record<string, string> | readonly (readonly [string, string])[],
): Promise<Buffer> {
  const archive = pack();
  const whole = buffer(archive);
  for (const [path, content] of Array.isArray(files) ? files : Object.entries(files)) {
    const bytes = Buffer.from(content);
    await addFile(archive, { path, size: bytes.length, mtimeMs: 0 }, [bytes]);
  }
  archive.finalize();
  return whole;
}
