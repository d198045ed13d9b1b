/** The file with the whole output of an earlier task. Its path is in a result, and so may be what a model made up. */
import { realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import type { Report } from "@mimikit/protocol/base/report";
import { RESULT_SCHEMAS } from "@mimikit/protocol/records/result";
import { hasCode } from "@mimikit/store/disk/error-code";
import { RUNS } from "@mimikit/store/disk/state";

/**
 * The real path of the file that a result names as its whole text, or null where there is none any more. Of the state
 * directory only the task's own run folders count: a result cannot open another task's files, or the token.
 */
export async function artifactOf({ id, result }: Pick<Report, "id" | "result">, home: string): Promise<string | null> {
  const named = RESULT_SCHEMAS.text.safeParse(result).data?.artifact;
  if (named === undefined) return null;
  try {
    const [path, state] = await Promise.all([realpath(named), realpath(home)]);
    const isOurs = !path.startsWith(state + sep) || path.startsWith(join(state, RUNS, `${id}.a`));
    return isOurs && (await stat(path)).isFile() ? path : null;
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return null;
    throw error;
  }
}
