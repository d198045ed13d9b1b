/**
 * Child processes are found by the mark in their environment, or by a TMPDIR or a control group that implies it,
 * whatever their parent is by now (docs/file-protocol.md R6). Where the system does not show environments, the pool
 * relies on the process groups of its own children.
 */
import { isAbsolute } from "node:path";
import type { Identity } from "@mimikit/protocol/records/claim";
import { hasCode } from "@mimikit/store/disk/error-code";
import { RUNS } from "@mimikit/store/disk/state";
import { homeHash } from "../home/home.ts";
import { platform } from "../platform/this-platform.ts";
import { endProcesses, listProcesses } from "./process-table.ts";

/** The environment variable that carries the mark. */
export const MARK_VARIABLE = "MIMIKIT_RUN";

/** MCP servers and readers of documents are of no run: `pool-<pid of who started it>-<number>` is in the place of its id. */
export const POOL_MARK = "pool";

const TERM_MS = 2_000;
/** A TMPDIR that is a folder of a run's own: `<home>/runs/<id>.a<attempt>/tmp`. */
const OWN_TMPDIR = new RegExp(`^(.+)/${RUNS}/([^/]+\\.a\\d+)/[^/]+$`);

export interface MarkedProcess extends Identity {
  mark: string;
}

/** The mark of attempt `attempt` of task `id`: the value of MIMIKIT_RUN. */
export function markOf(home: string, id: string, attempt: number): string {
  return `${homeHash(home)}:${id}.a${attempt}`;
}

/**
 * The living processes with this mark, in MIMIKIT_RUN or implied by their TMPDIR or control group; or, given only `homeHash(home)`, with
 * any mark of that home. Never this process.
 */
export async function findMarked(markOrHome: string): Promise<MarkedProcess[]> {
  const found = (await listProcesses()).map(async ({ pid, startTime, bootId, environment }) => {
    const mark =
      environment.get(MARK_VARIABLE) ?? markInTmpdir(environment.get("TMPDIR")) ?? (await platform.markInGroup(pid));
    const isWanted = mark !== undefined && (mark === markOrHome || mark.startsWith(`${markOrHome}:`));
    return isWanted ? [{ pid, startTime, bootId, mark }] : [];
  });
  return (await Promise.all(found)).flat();
}

/**
 * Ends every process that `findMarked` finds: TERM, 2 s, KILL, and looks again until none is left.
 * @returns those that are still there 5 s later; empty means verified gone.
 */
export function killMarked(markOrHome: string): Promise<MarkedProcess[]> {
  return endProcesses(() => findMarked(markOrHome), TERM_MS);
}

/**
 * An agent CLI leaves some of its helpers neither the mark nor their group, but the TMPDIR that the run gave it: where
 * that is in the folder of a run, it says as much as the mark.
 */
function markInTmpdir(path = ""): string | undefined {
  const [, home, run] = OWN_TMPDIR.exec(path) ?? [];
  if (home === undefined || !isAbsolute(home)) return undefined;
  try {
    return `${homeHash(home)}:${run}`;
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "EACCES", "ELOOP")) return undefined;
    throw error;
  }
}
