/** The memory that V8 may take, which only the command line of a process can say. */
import { setFlagsFromString } from "node:v8";
import type { Config } from "../config/schema.ts";

/** Tells ecosystem.config.cjs the flags of the roles, separated by spaces; no process keeps it. */
export const V8_FLAGS_VARIABLE = "MIMIKIT_V8_FLAGS";

/** Threads of V8's own for a heap this small: four of them, its default, cost the roles 3 MB together and 0.1 s of a start. */
const V8_THREADS = 1;

/** Bounds of the command line, undone. */
const FLAGS_WITHOUT_BOUNDS = ["--max-old-space-size=0", "--max-semi-space-size=0"];

/** Before a thread is started that has bounds of its own: those of the command line would win. The process keeps its own, which it took when it started. */
export function letThreadsHaveBounds(): void {
  for (const flag of FLAGS_WITHOUT_BOUNDS) setFlagsFromString(flag);
}

export function v8Flags({ process: { heapMb, youngMb } }: Pick<Config, "process">): string {
  // It costs no time that can be measured, and a tenth less memory; what was compiled and is not run any more goes, too.
  return `--optimize-for-size --max-old-space-size=${heapMb} --max-semi-space-size=${youngMb} --v8-pool-size=${V8_THREADS}`;
}
