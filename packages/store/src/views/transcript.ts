/** The words and calls of a task while it ran, for people; readable with every process down, too. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { tryJson } from "@mimikit/protocol/base/json";
import { TRANSCRIPT_BYTES_MAX, type TranscriptAnswer, TranscriptLine } from "@mimikit/protocol/wire/transcript";
import { hasCode } from "../disk/error-code.ts";
import { transcriptPath } from "../disk/state.ts";

/** Of one answer. */
const LINES_MAX = 2_000;

/** The lines after the first `after`; none where nothing was said, or it was long ago. Throws what the disk throws. */
export async function readTranscript(home: string, taskId: string, after: number): Promise<TranscriptAnswer> {
  const text = await textOf(join(home, transcriptPath(taskId)));
  // The last piece is empty, or a line that is still being written.
  const all = text.split("\n").slice(0, -1);
  const asked = all.slice(after, after + LINES_MAX);
  const lines = asked.flatMap((line) => TranscriptLine.safeParse(tryJson(line)).data ?? []);
  return { lines, next: after + asked.length, isCut: Buffer.byteLength(text) >= TRANSCRIPT_BYTES_MAX };
}

/** All that is kept of it. Throws what the disk throws. */
export async function readWholeTranscript(home: string, taskId: string): Promise<TranscriptLine[]> {
  const lines: TranscriptLine[] = [];
  for (let after = 0; ; ) {
    const answer = await readTranscript(home, taskId, after);
    if (answer.next === after) return lines;
    lines.push(...answer.lines);
    after = answer.next;
  }
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return "";
    throw error;
  }
}
