/** Reads a stream of JSON lines as it comes. Other output in between is ignored. */
import { BadJson, parseJson } from "@mimikit/protocol/base/json";

/** Lines of 1.2 MB occur: the output of a command is cut at 1 MB by the CLI, and escaped. */
export const LINE_BYTES_MAX = 4 * 1_048_576;
const LIMITS = { bytes: LINE_BYTES_MAX, depth: 64 };
const LINE_FEED = 0x0a;

export class JsonLines {
  /** Lines that should have been JSON and cannot be read, or are too long for memory: what they said is not known. */
  unreadable = 0;
  #pieces: Buffer[] = [];
  #bytes = 0;

  /** Yields the values of the lines that end in `chunk`. */
  *add(chunk: Buffer): Generator<unknown> {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      this.#keep(chunk.subarray(start, end));
      yield* this.#parse();
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
  }

  /** Yields the value of a last line that nothing ended. */
  *end(): Generator<unknown> {
    yield* this.#parse();
  }

  #keep(piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.#bytes > LINE_BYTES_MAX) this.#pieces = [];
    else if (piece.length > 0) this.#pieces.push(piece);
  }

  *#parse(): Generator<unknown> {
    const isTooLong = this.#bytes > LINE_BYTES_MAX;
    const text = Buffer.concat(this.#pieces).toString("utf8").trim();
    this.#pieces = [];
    this.#bytes = 0;
    if (!text.startsWith("{") && !isTooLong) return;
    try {
      if (isTooLong) throw new BadJson("too long");
      yield parseJson(text, LIMITS);
    } catch (error) {
      if (!(error instanceof BadJson)) throw error;
      this.unreadable++;
    }
  }
}
