/**
 * Do the records of a home keep the promises of the protocol (docs/file-protocol.md#invariants)? Reads all of them and
 * changes nothing. While Mimikit runs, what is seen is not of one instant: only what is found twice is told.
 */

import { isDeepStrictEqual } from "node:util";
import { editedId } from "@mimikit/core/tasks/answer-anew";
import { isPermitted } from "@mimikit/core/tasks/permissions";
import { messagesOf } from "@mimikit/core/views/history";
import { ancestorsOf, cancelMark, childId, turnNumber } from "@mimikit/protocol/base/id";
import type { Result } from "@mimikit/protocol/records/result";
import { isOwnerAlive } from "@mimikit/runtime/process/identity";
import { ArchiveIndex } from "@mimikit/store/state-cache/archive-index";
import { readHistoryView } from "@mimikit/store/views/history";
import { t, told } from "../i18n/language.ts";
import type { State } from "../instance/state.ts";
import { verifyWithArchive } from "./verify-with-archive.ts";

export interface Examined {
  /** Settled turns, and other results. */
  turns: number;
  results: number;
  /** One sentence for each promise that is not kept. */
  violations: string[];
  /** Those of them that are about records which do not fit together: neither damaged records nor the audit log. */
  broken: string[];
  /** Those of them that the audit log does not keep: they say nothing against the records. */
  ofAudit: string[];
}

/** Looks once. Throws what the disk throws. */
export async function examine(state: State): Promise<Examined> {
  const { home, fs, cache } = state;
  const broken: string[] = [];
  const violate = (what: string) => void broken.push(what);
  const damaged: string[] = [];
  const noteDamaged = (path: string, reason: string) =>
    void damaged.push(t("{path} cannot be read: {reason}", { path, reason: told(reason) }));
  // I8: what is read here is read again, and not taken from what the state cache knows.
  const archiveIndex = new ArchiveIndex(fs, noteDamaged);
  await archiveIndex.load();
  for (const { path, reason } of cache.unreadable()) noteDamaged(path, reason);

  const results: Result[] = [];
  const messages: string[] = [];
  for (const id of archiveIndex.names()) {
    const record = await archiveIndex.read(id);
    if (record === null) continue;
    if ("task" in record) results.push(record);
    else if (record.kind === "message") messages.push(record.id);
  }
  const turns = results.filter(({ id }) => turnNumber(id) > 0).sort((a, b) => turnNumber(a.id) - turnNumber(b.id));

  // I1, I4, I5: what a turn took up, no other turn took up, except to answer it again.
  const takenBy = new Map<string, string>();
  const turnsById = new Map(turns.map((turn) => [turn.id, turn]));
  const answeredAgain = new Set<string>();
  for (const turn of turns) {
    const { messages: said = [], again } = turn.task.turn ?? {};
    if (again !== undefined) {
      if (!isSameAgain(turn, turnsById.get(again.turnId)))
        violate(t("{turn} answers something else than {other} did", { turn: turn.id, other: again.turnId }));
      if (answeredAgain.has(again.turnId)) violate(t("{turn} was answered again twice", { turn: again.turnId }));
      answeredAgain.add(again.turnId);
    }
    for (const id of takenUpBy(turn)) {
      const other = takenBy.get(id);
      if (other !== undefined) violate(t("{id} was taken up by {other} and by {turn}", { id, other, turn: turn.id }));
      takenBy.set(id, turn.id);
      if (!archiveIndex.has(id)) violate(t("{turn} took up {id}, which is not in the archive", { turn: turn.id, id }));
    }
    const replies = turn.effects.filter(({ type }) => type === "reply").length;
    if (replies > 1) violate(t("{turn} has {replies} replies", { turn: turn.id, replies }));
    if (replies === 0 && said.length > 0) violate(t("{turn} was asked, and has no reply", { turn: turn.id }));
  }
  const open = new Set(
    [...cache.queue.values(), ...[...cache.results.values()].map(({ task }) => task)].flatMap(
      ({ turn }) => turn?.messages.map(({ id }) => id) ?? [],
    ),
  );
  for (const id of messages)
    if (!takenBy.has(id) && !open.has(id)) violate(t("the message {id} is in the archive and in no turn", { id }));

  // I3: what a result ordered is there, in some state.
  const isKnown = (id: string) =>
    archiveIndex.has(id) || cache.queue.has(id) || cache.results.has(id) || cache.dependents.has(id);
  const isCancelled = (id: string) => [id, ...ancestorsOf(id)].some((each) => archiveIndex.has(cancelMark(each)));
  for (const result of results) {
    const isBinding = result.status === "done" || turnNumber(result.id) > 0;
    for (const [k, effect] of result.effects.entries()) {
      const id = childId(result.id, k);
      const isOrder = effect.type === "delegate" && isPermitted(result.task.role, effect);
      if (isBinding && isOrder && !isKnown(id) && !isCancelled(id))
        violate(t("{id} was requested by {result}, but is nowhere", { id, result: result.id }));
    }
  }

  // I6: one living execution of a task.
  for (const [id, attempts] of cache.attempts) {
    const living = attempts.filter(
      ({ claim, failed }) => claim !== undefined && failed === undefined && isOwnerAlive(home, claim.owner),
    ).length;
    if (living > 1) violate(t("{id} is run {living} times at once", { id, living }));
  }

  // I10: the view of the conversation has the turns in their order.
  const shown = (await readHistoryView(fs))?.messages.map(({ id }) => id) ?? [];
  for (const [at, id] of shown.entries())
    if (shown.indexOf(id) < at) violate(t("{id} stands twice in history.json", { id }));
  const order = new Map(turns.flatMap(messagesOf).map(({ id }, at) => [id, at]));
  const places = shown.flatMap((id) => order.get(id) ?? []);
  if (places.some((place, at) => at > 0 && place < (places[at - 1] ?? 0))) violate(t("history.json is not in order"));

  const { chains, missing } = await verifyWithArchive(state);
  const ofAudit = [...chains.flatMap(({ problems }) => problems), ...missing];
  const violations = [...new Set(damaged), ...broken, ...ofAudit];
  return { turns: turns.length, results: results.length - turns.length, violations, broken, ofAudit };
}

/** The ids that a turn is the first to take up. A turn that answers an earlier one again takes up the command, and a reworded message. */
function takenUpBy({ task }: Result): string[] {
  const { messages = [], events = [], results = [], clear, again } = task.turn ?? {};
  const ids = [...messages, ...events, ...results, clear ?? []].flat().map(({ id }) => id);
  if (again === undefined) return ids;
  return [again.id, ...ids.filter((id) => id === editedId(again))];
}

/** Does a turn answer what the earlier one answered, with its last message reworded where the command says so? */
function isSameAgain({ task: { turn } }: Result, earlier: Result | undefined): boolean {
  if (turn?.again === undefined || earlier?.task.turn === undefined) return false;
  const idsOf = (said: readonly { id: string }[]) => said.map(({ id }) => id);
  const before = idsOf(earlier.task.turn.messages);
  const said = turn.again.edit === undefined ? before : [...before.slice(0, -1), editedId(turn.again)];
  return isDeepStrictEqual(
    [said, idsOf(earlier.task.turn.events), idsOf(earlier.task.turn.results)],
    [idsOf(turn.messages), idsOf(turn.events), idsOf(turn.results)],
  );
}

/** Looks, and looks again at what is not as it should be: what is still there then was not just on its way. */
export async function findViolations(look: <T>(work: (state: State) => Promise<T>) => Promise<T>): Promise<Examined> {
  const first = await look(examine);
  if (first.violations.length === 0) return first;
  const second = await look(examine);
  const before = new Set(first.violations);
  const isLasting = (violation: string) => before.has(violation);
  return { ...second, violations: second.violations.filter(isLasting), broken: second.broken.filter(isLasting) };
}
