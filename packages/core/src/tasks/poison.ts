/**
 * Which task took its pool down (SPEC C5). All tasks that run when a pool dies share that death. One that shared two is a suspect: it runs
 * apart from the others, one suspect at a time, and only a death of the pool while it ran alone convicts it
 * (docs/decisions/0036-poison-is-a-death-alone.md).
 */
import type { Death, Excuse } from "@mimikit/protocol/records/claim";
import { isTurn, type Task } from "@mimikit/protocol/records/task";
import type { AttemptFacts } from "../base/snapshot.ts";

/** After this many deaths that count, a task is a suspect. */
export const SUSPECT_DEATHS = 2;
/** After this many, a task of which the last was alone is poison. */
export const POISON_DEATHS = 3;

/** The tasks that may run beside a task: all; only turns, so that the user is answered meanwhile; or none. */
export type Company = "all" | "turns" | "none";

/** How a death of the pool counts for one attempt. @param isAlone it was claimed alone, and no turn was begun beside it. */
export function deathOf(excuse: Excuse | null, isAlone: boolean): Death {
  return excuse ?? (isAlone ? "alone" : "shared");
}

/** The deaths that count, oldest first: those without an excuse. */
function deathsOf(attempts: readonly AttemptFacts[]): Death[] {
  return attempts.flatMap(({ failed }) => {
    const death = failed?.death;
    return death === "alone" || death === "shared" ? [death] : [];
  });
}

/** How often the pool died while a task ran, without an excuse. */
export function countDeaths(attempts: readonly AttemptFacts[]): number {
  return deathsOf(attempts).length;
}

/** Did this task alone take its pool down, after it had shared enough deaths? */
export function isPoison(attempts: readonly AttemptFacts[]): boolean {
  const deaths = deathsOf(attempts);
  return deaths.length >= POISON_DEATHS && deaths.at(-1) === "alone";
}

/**
 * The company in which a task may run. A suspect that is work lets turns begin beside it until its pool has died with one; then it runs
 * without, so that work that always takes its pool down is convicted by its fourth death at the latest.
 */
export function companyOf(task: Task, attempts: readonly AttemptFacts[]): Company {
  const deaths = countDeaths(attempts);
  if (deaths < SUSPECT_DEATHS) return "all";
  return isTurn(task) || deaths >= POISON_DEATHS ? "none" : "turns";
}

/** A task that may begin or runs, and the company that it wants or has. */
export interface Placed {
  task: Task;
  company: Company;
}

/**
 * Those of `candidates`, in their order, that begin beside what runs, each with the company that it gets.
 * - After a death nothing runs, and suspects come first: a turn, then work. Each runs apart once: then it has ended or
 *   is convicted.
 * - A suspect turn never waits for work: if something runs, it begins beside that, and its death there proves nothing.
 * - A suspect that waits for others to end lets no more work begin, and no more turns where only turns run: so it waits
 *   for what runs now.
 */
export function place<T extends Placed>(candidates: readonly T[], running: readonly Placed[]): T[] {
  const freely = (all: readonly T[]) => all.map((each): T => ({ ...each, company: "all" }));
  const turns = candidates.filter(({ task }) => isTurn(task));
  if (running.some(({ company }) => company === "none")) return [];
  if (running.some(({ company }) => company === "turns")) return freely(turns);
  const suspects = candidates.filter(({ company }) => company !== "all");
  const turn = suspects.find(({ task }) => isTurn(task));
  if (turn !== undefined && running.length === 0) return [turn];
  const work = suspects.find(({ task }) => !isTurn(task));
  if (work === undefined) return freely(candidates);
  if (running.some(({ task }) => !isTurn(task))) return freely(turns);
  return running.length === 0 ? [work] : [];
}
