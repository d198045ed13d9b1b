/** The chains of the audit log, compared with each other and with the turns that the archive has. */
import { turnNumber } from "@mimikit/protocol/base/id";
import { type Verified, verifyTrail } from "@mimikit/runtime/audit/verify-audit";
import type { State } from "../instance/state.ts";

export interface VerifiedAll {
  chains: Verified[];
  /** How many turns were compared. */
  turns: number;
  /** One sentence for each turn or task of the archive that has no line and should have one. */
  missing: string[];
}

/** Throws what the disk throws. */
export async function verifyWithArchive({
  home,
  cache: { archiveIndex },
}: Pick<State, "home" | "cache">): Promise<VerifiedAll> {
  // Listed before the log is read: a turn that is applied meanwhile is in both or in the log alone.
  const names = [...archiveIndex.names()].filter((id) => turnNumber(id) > 0);
  const { chains, turnsFrom, missing } = verifyTrail(home);
  const turns = [];
  for (const id of names.filter((name) => turnNumber(name) >= turnsFrom)) {
    const turn = await archiveIndex.readResult(id);
    if (turn !== null) turns.push({ id, reports: (turn.task.turn?.results ?? []).map((report) => report.id) });
  }
  return { chains, turns: turns.length, missing: missing(turns) };
}
