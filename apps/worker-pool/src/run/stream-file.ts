/**
 * The shown part of a run before its result goes to streams/{taskId}.jsonl, in few and small writes. Lossy by design.
 * All attempts of a task share the file; each begins with a line that undoes what the earlier ones have shown.
 */
import { statSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { STREAM_BYTES_MAX, type StreamLine } from "@mimikit/protocol/wire/stream";
import { streamPath } from "@mimikit/store/disk/state";

/** At most 20 appends a second. */
const FLUSH_EVERY_MS = 50;

export interface StreamFile {
  write(line: StreamLine): void;
  /** Resolves when everything is written. */
  end(): Promise<void>;
}

/**
 * Throws what the disk throws.
 * @param onError hears of a write that failed; the run goes on without its stream.
 */
export function openStream(home: string, taskId: string, onError: (error: unknown) => void): StreamFile {
  const path = join(home, streamPath(taskId));
  let written = sizeOf(path);
  // An attempt that was killed may have left half a line: it must not swallow the next one (docs/file-protocol.md R9).
  let separator = written > 0 ? "\n" : "";
  let pending: StreamLine[] = [{ type: "begin" }];
  let timer: NodeJS.Timeout | undefined = setTimeout(flush, FLUSH_EVERY_MS);
  let writing = Promise.resolve();

  function flush(): void {
    timer = undefined;
    if (written >= STREAM_BYTES_MAX) return;
    const text = separator + pending.map((line) => `${JSON.stringify(line)}\n`).join("");
    separator = "";
    pending = [];
    written += Buffer.byteLength(text);
    writing = writing.then(() => appendFile(path, text, { mode: 0o600 })).catch(onError);
  }

  return {
    write(line) {
      if (written >= STREAM_BYTES_MAX) return;
      const last = pending.at(-1);
      if (last !== undefined && "text" in last && "text" in line && last.type === line.type) last.text += line.text;
      else pending.push({ ...line });
      timer ??= setTimeout(flush, FLUSH_EVERY_MS);
    },
    async end() {
      clearTimeout(timer);
      if (pending.some((line) => line.type !== "begin")) flush();
      await writing;
    },
  };
}

/** Bytes of a file; 0 where there is none. Throws what the disk throws. */
export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
