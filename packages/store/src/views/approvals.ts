/** The owner's permanent approvals. */

import { Approval } from "@mimikit/protocol/approvals/approval";
import { BadJson, parseRecord } from "@mimikit/protocol/base/json";
import type { FileSystem } from "../disk/file-system.ts";
import { APPROVALS } from "../disk/state.ts";

/** Oldest first. A record that cannot be read allows nothing, and is told to `onBad`. Throws what the disk throws. */
export async function readApprovals(
  fs: FileSystem,
  onBad: (error: BadJson) => void = () => undefined,
): Promise<Approval[]> {
  if (!(await fs.exists(APPROVALS))) return [];
  const approvals: Approval[] = [];
  for (const name of await fs.list(APPROVALS)) {
    if (!name.endsWith(".json")) continue;
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
