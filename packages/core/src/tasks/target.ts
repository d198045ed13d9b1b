/** The meaning of "now" in a steer or a stop that names no task (SPEC I5): the open turn, else the requested task whose run began last. */

import { compareTaskIds } from "@mimikit/protocol/base/id";
import { KINDS } from "@mimikit/protocol/base/kind";
import type { SteerCommand } from "@mimikit/protocol/records/inbox";
import { isTurn, type Task } from "@mimikit/protocol/records/task";
import { openDependents, openTasks, type Snapshot } from "../base/snapshot.ts";
import { isOrdered } from "../views/board.ts";

/** The open task that is meant; null if there is none, also when the named one has ended or takes no messages. */
export function targetOf(taskId: string | undefined, snapshot: Snapshot): Task | null {
  const open = openTasks(snapshot).filter(
    ({ kind }) => KINDS[kind].runner !== "nobody" && KINDS[kind].part !== "upkeep",
  );
  if (taskId !== undefined) {
    const waiting = openDependents(snapshot).map((trigger) => trigger.task);
    return [...open, ...waiting].find((task) => task.id === taskId) ?? null;
  }
  const turn = open.find((task) => isTurn(task));
  if (turn !== undefined) return turn;
  const running = open.filter(isOrdered).flatMap((task) => {
    const last = snapshot.attempts.get(task.id)?.at(-1);
    return last?.ownerAlive === true && last.failed === undefined ? [{ task, at: last.at ?? "" }] : [];
  });
  const [latest] = running.sort((a, b) => (a.at > b.at ? -1 : a.at < b.at ? 1 : compareTaskIds(b.task.id, a.task.id)));
  return latest?.task ?? null;
}

/** The same words as a message by the same way, under an id that follows from the command. */
export function messageOf({ id, at, text, via }: Pick<SteerCommand, "id" | "at" | "text" | "via">) {
  return { kind: "message" as const, id: `m-${id}`, at, text, ...(via !== undefined && { via }) };
}
