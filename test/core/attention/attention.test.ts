/** The records that the rules are given to act upon, as records come and go. */
import { Attention, type KnownRecords } from "@mimikit/core/attention/attention";
import type { InboxCommand } from "@mimikit/protocol/records/inbox";
import { expect, test } from "vitest";
import { message, NOON, NOON_MS, recurring } from "../facts.ts";

/** Before the next occurrence is due. */
const SOON_MS = NOON_MS + 1_000;

test("a trigger is looked at again when the event that it has made is gone from inbox/, whatever became of it", () => {
  const occurrence = { id: "morning--20261122t120000z", at: NOON };
  const morning = recurring("morning", { decision: { fire: [occurrence], skip: [] } });
  const inbox = new Map<string, InboxCommand>([[occurrence.id, message(occurrence.id)]]);
  const known: KnownRecords = {
    queue: new Map(),
    dependents: new Map(),
    triggers: new Map([[morning.id, morning]]),
    attempts: new Map(),
    results: new Map(),
    inbox,
    isArchived: () => false,
  };
  const attention = new Attention();
  attention.update(known, SOON_MS);
  expect([...attention.triggers.keys()]).toEqual([]);

  inbox.delete(occurrence.id);
  attention.note(occurrence.id);
  attention.update(known, SOON_MS);
  expect([...attention.triggers.keys()]).toEqual([morning.id]);
});
