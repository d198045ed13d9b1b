/** Whole outputs of the tasks before one, as far as they are longer than their reports: they go to its machine as files (docs/pools.md). */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { artifactOf } from "@mimikit/agent/shell/artifact";
import type { CarriedFile } from "@mimikit/protocol/pools/messages";
import { RESULT_SCHEMAS } from "@mimikit/protocol/records/result";
import type { Task } from "@mimikit/protocol/records/task";

export interface CarriedOutput {
  /** The task that printed it. */
  taskId: string;
  file: CarriedFile;
  path: string;
}

/** @param bytesMax of all of them together: of those that are too large the machine gets the report alone. Throws what the disk throws. */
export async function outputsBefore({ upstream }: Task, home: string, bytesMax: number): Promise<CarriedOutput[]> {
  const outputs: CarriedOutput[] = [];
  let left = bytesMax;
  for (const report of upstream) {
    const path = await artifactOf(report, home);
    if (path === null) continue;
    const { size } = await stat(path);
    const text = RESULT_SCHEMAS.text.safeParse(report.result).data?.text ?? "";
    if (size <= Buffer.byteLength(text) || size > left) continue;
    left -= size;
    const hash = createHash("sha256");
    // A file that grows meanwhile counts as it was.
    await pipeline(createReadStream(path, { end: size - 1 }), hash);
    outputs.push({ taskId: report.id, file: { id: hash.digest("hex"), bytes: size }, path });
  }
  return outputs;
}
