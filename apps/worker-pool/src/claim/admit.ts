/** Which tasks may begin now, as far as that depends on who can be reached (SPEC G4). */
import type { Asked, Circuits } from "@mimikit/agent/run/circuit";
import type { Candidate } from "@mimikit/core/tasks/dispatch";
import { KINDS } from "@mimikit/protocol/base/kind";
import { isForPool, isTurn, type Task } from "@mimikit/protocol/records/task";

/**
 * Those of `candidates`, in their order, for which a provider of their role may be asked; of a provider that is only
 * tried, one. A turn whose user has not been told of the outage begins in any case: its run tells, and asks no provider.
 * @param chainOf a task's providers with their models, in their order; none if the settings name none that can answer.
 * @param nowMs of the clock that the circuits are asked with.
 */
export function admit(
  candidates: readonly Candidate[],
  chainOf: (task: Task) => readonly Asked[],
  circuits: Circuits,
  nowMs: number,
): Candidate[] {
  const tried = new Set<string>();
  const mayAsk = (asked: Asked) => {
    if (circuits.stateAt(asked, nowMs) === "open") return false;
    const trials = circuits.trialsOf(asked, nowMs);
    if (trials.some((name) => tried.has(name))) return false;
    for (const name of trials) tried.add(name);
    return true;
  };
  return candidates.filter(({ task, outages }) => {
    // Another machine has providers of its own.
    if (KINDS[task.kind].runner === "pool" || isForPool(task)) return true;
    const isUntold = isTurn(task) && outages.length === 0;
    return chainOf(task).some(mayAsk) || isUntold;
  });
}
