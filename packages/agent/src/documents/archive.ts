/** The files in a ZIP archive, as office formats and books are. */
import { unzipSync } from "fflate";
import { decodeMarkup } from "./markup.ts";
import { UnreadableDocument } from "./unreadable.ts";

/** All that is unpacked of one file together, in bytes: a small archive may hold terabytes. */
export const UNPACKED_BYTES_MAX = 100 * 1_048_576;

/** The content of an archive, by name. */
export type Archive = ReadonlyMap<string, string>;

/**
 * Unpacks the texts of an archive whose name `isWanted`.
 * @throws UnreadableDocument where it is damaged, or too large when it is unpacked.
 */
export function openArchive(bytes: Uint8Array, isWanted: (name: string) => boolean): Archive {
  let unpacked = 0;
  try {
    const files = unzipSync(bytes, {
      filter({ name, originalSize }) {
        if (!isWanted(name)) return false;
        unpacked += originalSize;
        if (unpacked > UNPACKED_BYTES_MAX) throw new UnreadableDocument("it is too large when it is unpacked");
        return true;
      },
    });
    return new Map(Object.entries(files).map(([name, content]) => [name, decodeMarkup(content)]));
  } catch (error) {
    if (error instanceof UnreadableDocument) throw error;
    throw new UnreadableDocument("the archive is damaged");
  }
}

/** `../media/a.xml` as the file `ppt/slides/b.xml` means it. A path from the top begins with a slash. Null if it is no address. */
export function resolveIn(file: string, target: string): string | null {
  const path = URL.parse(escaped(target), `file:///${escaped(file)}`)?.pathname.slice(1);
  if (path === undefined) return null;
  try {
    return decodeURIComponent(path);
  } catch (error) {
    // Bytes that are no UTF-8.
    if (error instanceof URIError) return path;
    throw error;
  }
}

/** With `%25` for a percent sign that begins no escape. */
function escaped(address: string): string {
  return address.replace(/%(?![0-9a-f]{2})/gi, "%25");
}
