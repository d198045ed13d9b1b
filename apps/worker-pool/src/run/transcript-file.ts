/**
 * The words and calls of a task while it runs go to sessions/{taskId}.transcript.jsonl, for people. Lossy by design, in
 * few writes; all attempts of a task share the file, up to TRANSCRIPT_BYTES_MAX.
 */

import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { beginningOf, endOf } from "@mimikit/protocol/texts/whole-characters";
import {
  TRANSCRIPT_BYTES_MAX,
  TRANSCRIPT_TEXT_CHARS_MAX,
  type TranscriptEntry,
  type TranscriptLine,
} from "@mimikit/protocol/wire/transcript";
import { transcriptPath } from "@mimikit/store/disk/state";
import { sizeOf } from "./stream-file.ts";

export interface TranscriptFile {
  add(told: TranscriptEntry): void;
  /** Resolves when everything is written. */
  end(): Promise<void>;
}

/**
 * The file is made with the first line.
 * @param onError hears of a write that failed; the run goes on without its transcript.
 */
export function openTranscript(
  home: string,
  taskId: string,
  attempt: number,
  onError: (error: unknown) => void,
): TranscriptFile {
  const path = join(home, transcriptPath(taskId));
  let written: number | undefined;
  let writing = Promise.resolve();
  const append = async (lines: readonly TranscriptLine[]) => {
    const isFirst = written === undefined;
    written ??= sizeOf(path);
    if (written >= TRANSCRIPT_BYTES_MAX) return;
    // An attempt that was killed may have left half a line: it must not swallow the next one (docs/file-protocol.md R9).
    const separator = isFirst && written > 0 ? "\n" : "";
    const text = separator + lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    written += Buffer.byteLength(text);
    await appendFile(path, text, { mode: 0o600 });
  };
  let isBegun = false;
  return {
    add(told) {
      const at = new Date().toISOString();
      const line = { ...shortened(told), at } as TranscriptLine;
      const lines: TranscriptLine[] = isBegun ? [line] : [{ type: "begin", at, attempt }, line];
      isBegun = true;
      writing = writing.then(() => append(lines)).catch(onError);
    },
    end: () => writing,
  };
}

function shortened(told: TranscriptEntry): TranscriptEntry {
  if ("input" in told) return { ...told, input: cut(told.input) };
  return "text" in told ? { ...told, text: cut(told.text) } : told;
}

/** Its beginning and its end: what a command printed last says most. */
function cut(text: string): string {
  if (text.length <= TRANSCRIPT_TEXT_CHARS_MAX) return text;
  const half = TRANSCRIPT_TEXT_CHARS_MAX / 2;
  return `${beginningOf(text, half)}\n… (${text.length - 2 * half} characters) …\n${endOf(text, half)}`;
}
