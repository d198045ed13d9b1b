/**
 * The kernel's trace of a run, one JSON line each, in the run's own folder: every answer of the model, and every time it
 * had to help itself. The calls are in the audit log, the texts in the session.
 */
import { appendFile } from "node:fs/promises";
import { join } from "node:path";

export const TRACE_FILE = "kernel.jsonl";
/** Lines that a run may write. The limits of a run keep it far below. */
const LINES_MAX = 1_000;

export type TraceLine =
  | { event: "answer"; round: number; calls: number; isTruncated: boolean; inputTokens: number; outputTokens: number }
  | {
      event: "retry";
      reason: "404_fallback" | "overflow" | "media_refused" | "unavailable" | "correction";
      retry: number;
      detail?: string;
    }
  /** The attempt goes on with the session of an earlier one. */
  | { event: "resumed"; turns: number; badLines: number; callsMade: number }
  | { event: "summarized"; turns: number };

export class Trace {
  private readonly path: string;
  private lines = 0;

  constructor(runDir: string) {
    this.path = join(runDir, TRACE_FILE);
  }

  /** Throws what the disk throws. */
  async note(line: TraceLine): Promise<void> {
    if (this.lines++ >= LINES_MAX) return;
    await appendFile(this.path, `${JSON.stringify({ at: new Date().toISOString(), ...line })}\n`, { mode: 0o600 });
  }
}
