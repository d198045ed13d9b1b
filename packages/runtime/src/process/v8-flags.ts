/** The memory that V8 may take, which only the command line of a process can say. */
import type { Config } from "../config/schema.ts";

/** Tells ecosystem.config.cjs the flags of the roles, separated by spaces; no process keeps it. */
export const V8_FLAGS_VARIABLE = "MIMIKIT_V8_FLAGS";

/** Threads of V8's own for a heap this small: four of them, its default, cost the roles 3 MB together and 0.1 s of a start. */
const V8_THREADS = 1;

export function v8Flags({ process: { heapMb, youngMb } }: Pick<Config, "process">): string {
  // It costs no time that can be measured, and a tenth less memory; what was compiled and is not run any more goes, too.
  return `--optimize-for-size --max-old-space-size=${heapMb} --max-semi-space-size=${youngMb} --v8-pool-size=${V8_THREADS}`;
}
