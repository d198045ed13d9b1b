/** The owner's permanent approvals. */

import { Approval } from "@mimikit/protocol/approvals/approval";
import { BadJson, parseRecord } from "@mimikit/protocol/base/json";
import type { FileSystem } from "../disk/file-system.ts";
import { APPROVALS, REVOKED_ENDING } from "../disk/state.ts";

const SUFFIX = ".json";

/** Oldest first, without those that were revoked. A record that cannot be read allows nothing, and is told to `onBad`. Throws what the disk throws. */
export async function readApprovals(
  fs: FileSystem,
  onBad: (error: BadJson) => void = () => undefined,
): Promise<Approval[]> {
  if (!(await fs.exists(APPROVALS))) return [];
  const approvals: Approval[] = [];
  const names = new Set(await fs.list(APPROVALS));
  for (const name of names) {
    if (!name.endsWith(SUFFIX) || names.has(name.slice(0, -SUFFIX.length) + REVOKED_ENDING)) continue;
    try {
      const text = await fs.read(`${APPROVALS}/${name}`);
      if (text !== null) approvals.push(parseRecord(Approval, text));
    } catch (error) {
      if (!(error instanceof BadJson)) throw error;
      onBad(error);
    }
  }
  return approvals.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.id < b.id ? -1 : 1));
}
