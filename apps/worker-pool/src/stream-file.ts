/** What a run shows before its result goes to streams/{taskId}.jsonl, in few and small writes. Lossy by design. */
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { STREAM_BYTES_MAX, type StreamLine } from "@mimikit/protocol/stream";
import { streamPath } from "@mimikit/store/state";

/** At most 20 appends a second. */
const FLUSH_EVERY_MS = 50;

export interface StreamFile {
  write(line: StreamLine): void;
  /** Resolves when everything is written. */
  end(): Promise<void>;
}

/** @param onError hears of a write that failed; the run goes on without its stream. */
export function openStream(home: string, taskId: string, onError: (error: unknown) => void): StreamFile {
  const path = join(home, streamPath(taskId));
  let pending: StreamLine[] = [];
  let written = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  function flush(): void {
    timer = undefined;
    const text = pending.map((line) => `${JSON.stringify(line)}\n`).join("");
    pending = [];
    written += text.length;
    writing = writing.then(() => appendFile(path, text, { mode: 0o600 })).catch(onError);
  }

  return {
    write(line) {
      if (written >= STREAM_BYTES_MAX) return;
      const last = pending.at(-1);
      if (last?.type === "delta" && line.type === "delta") last.text += line.text;
      else pending.push({ ...line });
      timer ??= setTimeout(flush, FLUSH_EVERY_MS);
    },
    async end() {
      if (timer !== undefined) {
        clearTimeout(timer);
        flush();
      }
      await writing;
    },
  };
}
