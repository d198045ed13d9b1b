/**
 * Child processes are found by the mark in their environment, whoever their parent is by now (PROTOCOL R6). Linux only:
 * elsewhere nothing can be found, and the pool relies on the process groups of its own children.
 */
import type { Identity } from "@mimikit/protocol/claim";
import { homeHash } from "./home.ts";
import { endProcesses, listProcesses } from "./process-table.ts";

/** The environment variable that carries the mark. */
export const MARK_VARIABLE = "MIMIKIT_RUN";

const TERM_MS = 2_000;

export interface MarkedProcess extends Identity {
  mark: string;
}

/** The mark of attempt `attempt` of task `id`: the value of MIMIKIT_RUN. */
export function markOf(home: string, id: string, attempt: number): string {
  return `${homeHash(home)}:${id}.a${attempt}`;
}

/** The living processes with this mark or, given only `homeHash(home)`, with any mark of that home. Never this process. */
export async function findMarked(markOrHome: string): Promise<MarkedProcess[]> {
  return (await listProcesses()).flatMap(({ pid, startTime, bootId, environment }) => {
    const mark = environment.get(MARK_VARIABLE);
    const isWanted = mark !== undefined && (mark === markOrHome || mark.startsWith(`${markOrHome}:`));
    return isWanted ? [{ pid, startTime, bootId, mark }] : [];
  });
}

/**
 * Ends every process that `findMarked` finds: TERM, 2 s, KILL, and looks again until none is left.
 * @returns those that are still there 5 s later; empty means verified gone.
 */
export function killMarked(markOrHome: string): Promise<MarkedProcess[]> {
  return endProcesses(() => findMarked(markOrHome), TERM_MS);
}
