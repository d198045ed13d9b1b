/** Follows what a running task writes while it runs. Whole lines only: a torn last line waits for its end. */

import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { endOf } from "@mimikit/protocol/texts/whole-characters";
import { STREAM_BYTES_MAX, type StreamLine } from "@mimikit/protocol/wire/stream";
import { hasCode } from "@mimikit/store/disk/error-code";
import { parseStreamLine } from "@mimikit/store/views/shown-text";

const NEWLINE = 0x0a;
/** The text so far that a client which joins late is shown. */
const TEXT_SO_FAR_CHARS_MAX = 64_000;
/** The bytes that are read, and so sent, at once; the rest comes with the next look. */
const READ_BYTES_MAX = 131_072;

export class StreamTail {
  private readonly path: string;
  private inode = 0;
  private offset = 0;
  private torn: Buffer = Buffer.alloc(0);
  private text = "";
  private thought = "";
  private latestStep: string | undefined;

  constructor(path: string) {
    this.path = path;
  }

  /** The shown part of this run so far. */
  get soFar(): { text: string; thought: string; step: string | undefined } {
    return { text: this.text, thought: this.thought, step: this.latestStep };
  }

  /** The lines that came since the last call. A file that does not exist yet, or is no stream, has none. */
  read(): StreamLine[] {
    const bytes = this.readNew();
    const end = bytes.lastIndexOf(NEWLINE);
    if (end < 0) {
      this.torn = bytes;
      return [];
    }
    this.torn = bytes.subarray(end + 1);
    const lines = bytes.toString("utf8", 0, end).split("\n").flatMap(parseStreamLine);
    for (const line of lines) this.note(line);
    return lines;
  }

  private note(line: StreamLine): void {
    switch (line.type) {
      case "begin":
        this.forget();
        return;
      case "delta":
        this.text = endOf(this.text + line.text, TEXT_SO_FAR_CHARS_MAX);
        return;
      case "thought":
        this.thought = endOf(this.thought + line.text, TEXT_SO_FAR_CHARS_MAX);
        return;
      case "progress":
        this.latestStep = line.step;
        return;
      default:
        line satisfies never;
    }
  }

  private readNew(): Buffer {
    let file: number;
    try {
      file = openSync(this.path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    } catch (error) {
      // Nothing streams yet, or there is a link or a socket: nothing of ours to show.
      if (hasCode(error, "ENOENT", "ELOOP", "ENXIO")) return this.torn;
      throw error;
    }
    try {
      const info = fstatSync(file);
      if (!info.isFile()) return this.torn;
      if (info.ino !== this.inode || info.size < this.offset) this.startOver(info.ino);
      const wanted = Math.min(Math.min(info.size, STREAM_BYTES_MAX) - this.offset, READ_BYTES_MAX);
      if (wanted <= 0) return this.torn;
      const bytes = Buffer.alloc(wanted);
      const count = readSync(file, bytes, 0, wanted, this.offset);
      this.offset += count;
      return Buffer.concat([this.torn, bytes.subarray(0, count)]);
    } finally {
      closeSync(file);
    }
  }

  /** An attempt that was an outage took its file with it, and the next one has a new one. */
  private startOver(inode: number): void {
    this.inode = inode;
    this.offset = 0;
    this.torn = Buffer.alloc(0);
    this.forget();
  }

  private forget(): void {
    this.text = "";
    this.thought = "";
    this.latestStep = undefined;
  }
}
