/** The messages that work is about. */
import { rootOf } from "@mimikit/protocol/base/id";
import type { Message } from "@mimikit/protocol/records/inbox";
import type { Task } from "@mimikit/protocol/records/task";
import type { StateCache } from "@mimikit/store/state-cache/state-cache";

/** The messages of the turn that the work came from, and of the one that it began with. It may not be archived yet. */
export async function originOf({ id, traceId }: Task, cache: StateCache): Promise<Message[]> {
  const turns = [...new Set([traceId, rootOf(id)])].map((turn) => cache.resultOf(turn));
  return (await Promise.all(turns)).flatMap((turn) => turn?.task.turn?.messages ?? []);
}
