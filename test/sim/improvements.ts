/** Self-improvement in a simulated run: its steps say anything that they may say, and what came of each is looked at in the end. */

import { improvementId, improvementNumber } from "@mimikit/protocol/base/id";
import type { Archived } from "@mimikit/protocol/records/archive";
import {
  type CommittedChange,
  type Finding,
  type Landing,
  type Review,
  stepId,
} from "@mimikit/protocol/records/improvement";
import type { Result, ResultType } from "@mimikit/protocol/records/result";
import type { ImproveTask } from "@mimikit/protocol/records/task";
import { changePath } from "@mimikit/store/disk/state";
import type { MemoryDisk } from "./memory-disk.ts";
import type { Random } from "./random.ts";

/** How long it is quiet before a look, in seconds: a run is short. */
export const IDLE_SEC = 20;

/** Invents the result of a step. */
export function inventStep({ improve, id }: ImproveTask, random: Random): { resultType: ResultType; result: unknown } {
  const { number, step, review } = improve;
  const isSo = random() < 0.9;
  switch (step) {
    case "look": {
      const found = {
        found: true,
        kind: "docs",
        title: `gap ${number}`,
        prompt: `mend ${number}`,
        why: "seen",
      } as const;
      return { resultType: "finding", result: (isSo ? found : { found: false }) satisfies Finding };
    }
    case "work": {
      const commit = isSo ? `commit of ${id}` : null;
      const change = { base: "base", commit, files: [], diff: "", checks: [], said: "done" } satisfies CommittedChange;
      return { resultType: "change", result: change };
    }
    case "review":
      return { resultType: "review", result: { pass: isSo, reasons: ["read"] } satisfies Review };
    case "land": {
      const outcome = review?.pass !== true ? "removed" : random() < 0.5 ? "branch" : "merged";
      const landing = { outcome, branch: `self-improve/${improvementId(number)}`, commit: "c" } satisfies Landing;
      return { resultType: "landing", result: landing };
    }
    case "undo":
      return { resultType: "unmerging", result: { outcome: isSo ? "undone" : "refused", commit: null, note: "tried" } };
  }
}

/** Each step that was to follow has ended, one improvement after the other, and the user was told of what has landed. */
export function checkImprovements(
  archive: ReadonlyMap<string, Archived>,
  disk: MemoryDisk,
  consumed: ReadonlyMap<string, number>,
  isCancelled: (id: string) => boolean,
  violate: (what: string) => void,
): void {
  const steps = [...archive.values()].filter((record): record is Result => "task" in record && isStep(record));
  const numbers = steps.map(({ id }) => improvementNumber(id));
  for (let n = 1; n <= Math.max(0, ...numbers); n++)
    if (!archive.has(improvementId(n))) violate(`the improvement ${n} was never begun`);
  for (const { id, task, status, result } of steps) {
    if (status !== "done" || isCancelled(id) || task.improve === undefined) continue;
    const { number, step } = task.improve;
    const said = result as { found?: boolean; commit?: string | null; outcome?: string };
    const following = {
      look: said.found && "work",
      work: said.commit && "review",
      review: "land",
      land: null,
    } as const;
    const next = step === "undo" ? null : following[step];
    if (next && !archive.has(stepId(number, next))) violate(`${id} has ended, and ${stepId(number, next)} is nowhere`);
    if (step !== "land") continue;
    const isTold = consumed.has(`${id}.report`);
    if (isTold !== (said.outcome !== "removed"))
      violate(`${id} is ${said.outcome}, and the user was ${isTold ? "" : "not "}told`);
    if (said.outcome === "merged" && disk.info(changePath(improvementId(number))) === null)
      violate(`${id} was merged and cannot be taken back`);
  }
}

function isStep({ id, task }: Result): boolean {
  return improvementNumber(id) > 0 && task.improve?.step !== "undo";
}

/** Of two steps of different improvements one must have ended. */
export function isOtherImprovement(id: string, other: string): boolean {
  const [a, b] = [improvementNumber(id), improvementNumber(other)];
  return a > 0 && b > 0 && a !== b && !other.includes("-undo-") && !id.includes("-undo-");
}
