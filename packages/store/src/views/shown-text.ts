/** The shown part of a run's answer, from `streams/{taskId}.jsonl`. Lossy by design: the file may be missing or torn. */
import { BadJson, parseRecord } from "@mimikit/protocol/base/json";
import { STREAM_BYTES_MAX, StreamLine } from "@mimikit/protocol/wire/stream";
import type { FileSystem } from "../disk/file-system.ts";
import { streamPath } from "../disk/state.ts";

/** The last lines may go beyond STREAM_BYTES_MAX, which is looked at before each append. */
const SHOWN_BYTES_MAX = 4 * STREAM_BYTES_MAX;

/** The text that the last attempt has shown; empty where there is none. Throws what the disk throws. */
export async function readShown(fs: FileSystem, taskId: string): Promise<string> {
  const lines = await readAttempt(fs, taskId);
  return lines.flatMap((line) => (line.type === "delta" ? [line.text] : [])).join("");
}

/** The last step that the last attempt has shown; undefined where there is none. Throws what the disk throws. */
export async function readStep(fs: FileSystem, taskId: string): Promise<string | undefined> {
  const step = (await readAttempt(fs, taskId)).findLast((line) => line.type === "progress");
  return step?.type === "progress" ? step.step : undefined;
}

async function readAttempt(fs: FileSystem, taskId: string): Promise<StreamLine[]> {
  let text: string | null;
  try {
    text = await fs.read(streamPath(taskId), SHOWN_BYTES_MAX);
  } catch (error) {
    if (error instanceof BadJson) return [];
    throw error;
  }
  const lines = (text ?? "").split("\n").flatMap(parseStreamLine);
  return lines.slice(lines.findLastIndex((line) => line.type === "begin") + 1);
}

/** A line of a stream; none where it is torn, or none of ours. */
export function parseStreamLine(line: string): StreamLine[] {
  if (line === "") return [];
  try {
    return [parseRecord(StreamLine, line)];
  } catch (error) {
    if (error instanceof BadJson) return [];
    throw error;
  }
}
