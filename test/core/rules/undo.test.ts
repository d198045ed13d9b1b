/** A change is undone once, and only as far as nobody has changed it since (SPEC J3). */
import type { Action } from "@mimikit/core/base/action";
import { alterationOf, changedBack, creationOf, deletionOf } from "@mimikit/core/triggers/take-back-trigger";
import type { TriggerEdit, UndoableChange } from "@mimikit/protocol/records/change";
import { InboxCommand, type UndoCommand } from "@mimikit/protocol/records/inbox";
import type { Trigger } from "@mimikit/protocol/records/trigger";
import { expect, test } from "vitest";
import { cancel } from "../../../packages/core/src/rules/cancel.ts";
import { change } from "../../../packages/core/src/rules/change.ts";
import { settle } from "../../../packages/core/src/rules/settle.ts";
import { undo } from "../../../packages/core/src/rules/undo.ts";
import { conditional, done, NOON, NOON_MS, recurring, scheduled, snapshot, turn } from "../facts.ts";

const command = (changeId: string, id = "undo-1"): UndoCommand => ({
  kind: "undo",
  id,
  at: NOON,
  changeId,
  mac: "seal",
});
const origin = { id: "put-1f", at: NOON, by: "user" } as const;
const tea: UndoableChange = {
  ...{ kind: "change", id: "memory-1", at: NOON, by: "user", title: "tea" },
  ...{ what: "memory", op: "add", document: "memory.md", text: "- tea <!-- memory-1 -->" },
};
const answer = (outcome: unknown) => [{ type: "answer-command", outcome }];

function took(facts: Parameters<typeof snapshot>[0], seconds = 0): Action[] {
  return undo(snapshot(facts), NOON_MS + seconds * 1_000);
}

/** The version that taking `given` back makes of `trigger`. */
function back(trigger: Trigger, given: TriggerEdit, seconds = 0): Trigger {
  const [action] = took({ inbox: [command(given.id)], changes: [given], triggers: [trigger] }, seconds);
  if (action?.type !== "advance" || action.trigger.type === "link") throw new Error(`it is ${JSON.stringify(action)}`);
  return action.trigger;
}

test("an edit of a document is handed to those who can make another", () => {
  const facts = { inbox: [command("memory-1")], changes: [tea], archive: ["memory-1"] };
  expect(took(facts)).toMatchObject([{ type: "undo", change: tea }]);
});

test("an edit that is decided and not made yet is waited for: it would be made after it was not found", () => {
  expect(took({ inbox: [command("memory-1")], changes: [tea] })).toEqual([]);
  const ofTurn = { inbox: [command("t-000001.2")], changes: [{ ...tea, id: "t-000001.2" }] };
  expect(took(ofTurn)).toEqual([]);
  expect(took({ ...ofTurn, archive: ["t-000001"] })).toMatchObject([{ type: "undo" }]);
});

test("a trigger that is decided on and not made yet is waited for: it would be made after it was not found", () => {
  const creation = creationOf(recurring("trg-1f"), origin);
  const definition = { order: { prompt: "tea" }, when: { type: "recurring", schedule: { interval: 60 } } };
  const put = InboxCommand.parse({ kind: "trigger-put", id: origin.id, at: NOON, definition, mac: "seal" });
  const facts = { inbox: [put, command(origin.id)], changes: [creation] };
  expect(took(facts)).toEqual([]);
  expect(took({ ...facts, archive: [origin.id] })).toMatchObject(answer("refused: there is no trigger trg-1f"));
  const ofTurn = {
    inbox: [command("t-000001.2")],
    changes: [{ ...creation, id: "t-000001.2" }],
    results: [done(turn("t-000001", {}))],
  };
  expect(took(ofTurn)).toEqual([]);
  expect(took({ ...ofTurn, archive: ["t-000001"] })).toMatchObject(
    answer(expect.stringMatching(/^refused: there is no/)),
  );
});

test("two commands for one change are one after the other, and the second is told that it is done", () => {
  const inbox = [command("memory-1", "undo-2"), command("memory-1", "undo-1")];
  expect(took({ inbox, changes: [tea], archive: ["memory-1"] })).toMatchObject([{ command: { id: "undo-1" } }]);
  const archive = ["memory-1", "undo-1", "memory-1.undone"];
  expect(took({ inbox, changes: [tea], archive })).toMatchObject([
    { type: "conclude-undo", command: { id: "undo-2" }, outcome: "it was undone before" },
  ]);
});

test("whoever asks while the trigger is being taken back waits, however early the other's clock is", () => {
  const creation = creationOf(recurring("trg-1f"), origin);
  const over = recurring("trg-1f", { over: "deleted", applied: ["undo-2"] });
  const early = { ...command("put-1f", "undo-1"), at: new Date(NOON_MS - 1).toISOString() };
  const facts = { inbox: [early, command("put-1f", "undo-2")], changes: [creation], triggers: [over] };
  expect(took(facts)).toMatchObject([{ type: "conclude-undo", command: { id: "undo-2" } }]);
});

test("a trigger whose change has a name that is too long for another trigger is not made anew", () => {
  const deletion = deletionOf(recurring("trg-1f"), { ...origin, id: `c-${"f".repeat(91)}` });
  expect(took({ inbox: [command(deletion.id)], changes: [deletion], archive: ["trg-1f"] })).toMatchObject(
    answer(expect.stringMatching(/^refused: the name of the change is too long/)),
  );
});

test("a change that nobody knows is refused", () => {
  expect(took({ inbox: [command("memory-9")] })).toMatchObject(
    answer("refused: there is no change memory-9: see  mimikit undo  for those that are known"),
  );
});

test("a trigger that was made is deleted, and that is said when it is durable", () => {
  const made = recurring("trg-1f");
  const creation = creationOf(made, origin);
  const next = back(made, creation);
  expect(next).toMatchObject({ version: 2, over: "deleted", applied: ["undo-1"] });
  const facts = { inbox: [command("put-1f")], changes: [creation] };
  const conclusion = [{ type: "conclude-undo", outcome: "undone: deleted trg-1f" }];
  expect(took({ ...facts, triggers: [next] })).toMatchObject(conclusion);
  expect(took({ ...facts, triggers: [next], archive: ["trg-1f"] })).toMatchObject(conclusion);
  expect(took({ ...facts, archive: ["trg-1f"] })).toMatchObject(answer("refused: the trigger trg-1f is over"));
  expect(took(facts)).toMatchObject(answer("refused: there is no trigger trg-1f"));
});

test("what a trigger has decided is done before it is taken back", () => {
  const fired = recurring("trg-1f", { decision: { fire: [{ id: "trg-1f--x", at: NOON }], skip: [] } });
  const facts = { inbox: [command("put-1f")], changes: [creationOf(fired, origin)], triggers: [fired] };
  expect(took(facts)).toEqual([]);
  expect(took({ ...facts, archive: ["trg-1f--x"] })).toMatchObject([{ type: "advance" }]);
});

test("a trigger that was changed is as it was, in what was changed and nothing else", () => {
  const old = recurring("trg-1f", { title: "old", timeoutSec: null });
  const fresh = recurring("trg-1f", { title: "new", timeoutSec: 9, budget: { tokens: 5 }, schedule: { interval: 90 } });
  const alteration = alterationOf(old, fresh, origin);
  if (alteration === undefined) throw new Error("nothing is different");
  const later = { ...fresh, version: 7, priority: 9 };
  const next = back(later, alteration, 30);
  expect(next).toMatchObject({ version: 8, title: "old", timeoutSec: null, priority: 9, schedule: { interval: 60 } });
  expect(next).not.toHaveProperty("budget");
  // A schedule that comes back counts from now.
  expect(next).toMatchObject({ last: new Date(NOON_MS + 30_000).toISOString() });
  const facts = { inbox: [command("put-1f")], changes: [alteration] };
  expect(took({ ...facts, triggers: [next] })).toMatchObject([{ type: "conclude-undo" }]);
  const contested = { ...later, title: "newer" };
  expect(took({ ...facts, triggers: [contested] })).toMatchObject(
    answer("refused: its title changed again since: set it with  mimikit triggers change trg-1f"),
  );
  expect(alterationOf(old, { ...old, version: 2, last: NOON }, origin)).toBeUndefined();
});

test("a condition, its rest and for how long it must hold come back, and what was paused goes on", () => {
  const old = conditional("trg-1f", { cooldownSec: 60 });
  const condition = { type: "file_exists", params: { path: "other" } } as const;
  const held = { stableSec: 300, heldSince: NOON };
  const fresh = conditional("trg-1f", { condition, cooldownSec: 90, ...held, paused: true, fired: 3 });
  const alteration = alterationOf(old, fresh, origin);
  if (alteration?.op !== "change") throw new Error("nothing is different");
  const back = changedBack(fresh, alteration, NOON_MS);
  expect(JSON.parse(JSON.stringify(back))).not.toHaveProperty("stableSec");
  expect(JSON.parse(JSON.stringify(back))).not.toHaveProperty("heldSince");
  expect(back).toMatchObject({
    condition: old.condition,
    cooldownSec: 60,
    paused: false,
    fired: 3,
  });
});

test("a moment that has passed meanwhile does not come back", () => {
  const old = scheduled("trg-1f", { runAt: NOON });
  const alteration = alterationOf(old, scheduled("trg-1f", { runAt: "2027-01-01T00:00:00Z" }), origin);
  if (alteration === undefined) throw new Error("nothing is different");
  const facts = { inbox: [command("put-1f")], triggers: [scheduled("trg-1f", { runAt: "2027-01-01T00:00:00Z" })] };
  const refusal = answer(expect.stringMatching(/^refused: its moment .* has passed/));
  expect(took({ ...facts, changes: [alteration] }, 1)).toMatchObject(refusal);
  const deletion = deletionOf(old, origin);
  expect(took({ inbox: facts.inbox, changes: [deletion], archive: ["trg-1f"] }, 1)).toMatchObject(refusal);
});

test("a trigger that was deleted is made anew, once, under a name that follows from the change", () => {
  const gone = conditional("trg-1f", { over: "deleted", fired: 4, isArmed: false, firedAt: NOON, version: 9 });
  const deletion = deletionOf(gone, { ...origin, id: "delete-2e" });
  const facts = { inbox: [command("delete-2e")], changes: [deletion] };
  const [action] = took({ ...facts, archive: ["trg-1f"] });
  if (action?.type !== "create-trigger") throw new Error(`it is ${JSON.stringify(action)}`);
  expect(action.trigger).toMatchObject({ id: "trg-delete-2e", version: 1, fired: 0, isArmed: true, createdAt: NOON });
  expect(action.trigger).not.toHaveProperty("over");
  expect(action.trigger).not.toHaveProperty("firedAt");
  const conclusion = [{ type: "conclude-undo", outcome: "undone: the trigger is trg-delete-2e now" }];
  expect(took({ ...facts, archive: ["trg-1f"], triggers: [action.trigger] })).toMatchObject(conclusion);
  expect(took({ ...facts, archive: ["trg-1f", "trg-delete-2e"] })).toMatchObject(conclusion);
  const { over: _, ...stood } = gone;
  expect(took({ ...facts, triggers: [stood] })).toMatchObject(answer("refused: the trigger trg-1f still exists"));
});

test("changes of a trigger from before it was deleted are taken back where it came back, however often it did", () => {
  const made = recurring("trg-1f", { title: "old" });
  const renamed = { ...made, title: "new" };
  const creation = creationOf(made, { ...origin, id: "put-1f" });
  const alteration = alterationOf(made, renamed, { ...origin, id: "patch-2e" });
  if (alteration === undefined) throw new Error("nothing is different");
  const first = deletionOf(renamed, { ...origin, id: "delete-3d" });
  const again = deletionOf({ ...renamed, id: "trg-delete-3d" }, { ...origin, id: "delete-4c" });
  const changes = [creation, alteration, first, again];
  const archive = ["trg-1f", "trg-delete-3d"];
  const now = { ...renamed, id: "trg-delete-4c" };

  const facts = { inbox: [command("patch-2e")], changes, archive };
  const [action] = took({ ...facts, triggers: [now] });
  if (action?.type !== "advance" || action.trigger.type === "link") throw new Error(`it is ${JSON.stringify(action)}`);
  expect(action.trigger).toMatchObject({ id: now.id, title: "old", applied: ["undo-1"] });
  expect(took({ ...facts, triggers: [action.trigger] })).toMatchObject([
    { type: "conclude-undo", outcome: `undone: ${now.id} is as it was` },
  ]);
  const uncreated = { ...facts, inbox: [command("put-1f")] };
  expect(took({ ...uncreated, triggers: [now] })).toMatchObject([
    { type: "advance", trigger: { id: now.id, over: "deleted" } },
  ]);
  // Another that somebody else deletes meanwhile is no matter of theirs.
  const other = deletionOf(recurring("trg-9a"), { ...origin, id: "delete-5b" });
  expect(took({ ...uncreated, changes: [...changes, other], triggers: [recurring("trg-delete-5b")] })).toMatchObject(
    answer("refused: the trigger trg-delete-3d is over"),
  );
  expect(took({ ...facts, archive: [...archive, now.id] })).toMatchObject(
    answer(`refused: the trigger ${now.id} is over`),
  );
  expect(took({ ...facts, changes: [alteration, first], archive: ["trg-1f"] })).toMatchObject(
    answer("refused: the trigger trg-1f was deleted: undo that first"),
  );
});

test("a trigger that was deleted twice at once comes back once", () => {
  const made = recurring("trg-1f");
  const changes = ["delete-3d", "t-000005.0"].map((id) => deletionOf(made, { ...origin, id }));
  const back = recurring("trg-delete-3d");
  const facts = { inbox: [command("t-000005.0")], changes, archive: ["trg-1f"] };
  expect(took({ ...facts, triggers: [back] })).toMatchObject(answer("refused: the trigger trg-delete-3d still exists"));
});

test("whatever is done to a trigger comes with what takes it back", () => {
  const trigger = recurring("trg-1f");
  const patch = { kind: "trigger-patch", id: "patch-1", triggerId: "trg-1f", patch: { paused: true } } as const;
  const remove = { kind: "trigger-delete", id: "delete-1", triggerId: "trg-1f" } as const;
  const sealed = { at: NOON, mac: "seal" };
  const changed = (inbox: Parameters<typeof snapshot>[0]["inbox"]) =>
    change(snapshot({ inbox: inbox ?? [], triggers: [trigger] }), NOON_MS);
  expect(changed([{ ...patch, ...sealed }])).toMatchObject([
    { change: { id: "patch-1", op: "change", before: { paused: false }, after: { paused: true } } },
  ]);
  expect(changed([{ ...remove, ...sealed }])).toMatchObject([{ change: { id: "delete-1", op: "delete", trigger } }]);
  const schedule = {
    type: "schedule",
    order: { prompt: "go" },
    when: { type: "recurring", schedule: { interval: 60 } },
  };
  const effects = [schedule, { type: "cancel_task", id: "trg-1f" }] as ReturnType<typeof done>["effects"];
  const results = [done(turn("t-000001", {}), { effects })];
  expect(settle(snapshot({ results, triggers: [trigger] }), NOON_MS)).toMatchObject([
    {
      settlement: {
        changes: [
          { id: "t-000001.0", by: "teller", op: "create", triggerId: "t-000001.0" },
          { id: "t-000001.1", by: "teller", op: "delete", trigger },
        ],
      },
    },
  ]);
  const cancelCommand = { kind: "cancel", id: "c-1", at: NOON, taskId: "trg-1f" } as const;
  expect(cancel(snapshot({ inbox: [cancelCommand], triggers: [trigger] }), NOON_MS)).toMatchObject([
    { type: "cancel", change: { id: "c-1", by: "user", op: "delete", trigger } },
  ]);
});
