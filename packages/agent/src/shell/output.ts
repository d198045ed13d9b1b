/** The output of a command: its end in memory, as much as is allowed in a file, and its last line for those who watch. */

import { type FileHandle, open } from "node:fs/promises";
import { stripVTControlCharacters } from "node:util";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";

/** The file keeps the beginning of the output up to here, and says where it stops. */
export const OUTPUT_FILE_BYTES_MAX = 16_777_216;

const LINE_CHARS_MAX = 200;
const CUT_NOTE = `\n[mimikit: the output is longer than ${OUTPUT_FILE_BYTES_MAX} bytes; the rest was not kept]\n`;

export class Output {
  readonly path: string;
  readonly #file: FileHandle;
  readonly #tailBytesMax: number;
  #tail = Buffer.alloc(0);
  #fileBytes = 0;
  #bytes = 0;
  #isCut = false;

  private constructor(path: string, file: FileHandle, tailBytesMax: number) {
    this.path = path;
    this.#file = file;
    this.#tailBytesMax = tailBytesMax;
  }

  /**
   * Begins a new file; what an earlier run left under this name is replaced.
   * @param tailBytesMax how much of the end stays in memory, for `tail`.
   */
  static async create(path: string, tailBytesMax: number): Promise<Output> {
    return new Output(path, await open(path, "w", 0o600), tailBytesMax);
  }

  /** How much was written so far, in bytes, cut or not. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Resolves when the chunk is written, so that a flood waits for the disk instead of filling the memory. */
  async add(chunk: Buffer): Promise<void> {
    this.#bytes += chunk.length;
    const kept = Buffer.concat([this.#tail, chunk]);
    this.#tail = kept.subarray(Math.max(0, kept.length - this.#tailBytesMax));
    const room = OUTPUT_FILE_BYTES_MAX - this.#fileBytes;
    if (room > 0) await this.#file.write(chunk.subarray(0, room));
    this.#fileBytes += Math.min(room, chunk.length);
    if (chunk.length <= room || this.#isCut) return;
    this.#isCut = true;
    await this.#file.write(CUT_NOTE);
  }

  /** The end of the output as text, whole characters only and without terminal codes. */
  tail(): string {
    let start = 0;
    // A cut may fall inside a character: its other bytes begin with the bits 10.
    while (start < 3 && ((this.#tail[start] ?? 0) & 0xc0) === 0x80) start++;
    return stripVTControlCharacters(this.#tail.subarray(start).toString("utf8"))
      .replace(/\r\n/g, "\n")
      .replaceAll("\0", "");
  }

  /** The last line that holds anything, shortened. */
  lastLine(): string {
    const end = stripVTControlCharacters(this.#tail.subarray(-4 * LINE_CHARS_MAX).toString("utf8"));
    const lines = end.split(/[\r\n]+/).map((line) => line.trim());
    return beginningOf(lines.findLast((line) => line !== "") ?? "", LINE_CHARS_MAX);
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}
