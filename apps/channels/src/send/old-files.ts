/** Finds the records that are no longer needed. */
import type { FileSystem } from "@mimikit/store/disk/file-system";

/**
 * The names in `dir` of what was written more than `keptMs` before the newest there. A clock that is ahead makes nothing old by that.
 */
export async function oldFilesIn(fs: FileSystem, dir: string, keptMs: number): Promise<string[]> {
  const mtimes = new Map<string, number>();
  for (const name of await fs.list(dir)) {
    const info = await fs.info(`${dir}/${name}`);
    if (info !== null) mtimes.set(name, info.mtimeMs);
  }
  let newestMs = Number.NEGATIVE_INFINITY;
  for (const mtimeMs of mtimes.values()) newestMs = Math.max(newestMs, mtimeMs);
  return [...mtimes].flatMap(([name, mtimeMs]) => (newestMs - mtimeMs > keptMs ? name : []));
}
