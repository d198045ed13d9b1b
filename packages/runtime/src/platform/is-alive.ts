/** Is a process still the one that it was? */
import type { Identity } from "@mimikit/protocol/records/claim";
import type { Platform } from "./platform.ts";

/** Does exactly this process still run? A process that cannot be checked counts as alive, so that nothing is taken from a living owner. */
export function isAliveOn(
  { bootId, identityOf }: Pick<Platform, "bootId" | "identityOf">,
  identity: Identity,
): boolean {
  if (identity.bootId !== "" && bootId !== "" && identity.bootId !== bootId) return false;
  let current: Identity | null;
  try {
    current = identityOf(identity.pid);
  } catch {
    // The process table cannot be read just now (EMFILE, EACCES): unknown counts as alive (docs/file-protocol.md R6).
    return true;
  }
  if (current === null) return false;
  return identity.startTime === "" || current.startTime === "" || current.startTime === identity.startTime;
}
