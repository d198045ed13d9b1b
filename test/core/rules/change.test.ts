/** Users' commands about their triggers, each once and in its turn (docs/file-protocol.md#commands; SPEC D4, D8). */

import { triggerIdOf } from "@mimikit/core/triggers/of-command";
import { definitionOf, patchOf, problemOf } from "@mimikit/core/triggers/triggers";
import type { InboxCommand } from "@mimikit/protocol/records/inbox";
import type { Trigger } from "@mimikit/protocol/records/trigger";
import type { Condition } from "@mimikit/protocol/triggers/condition";
import { TRIGGERS_MAX, type TriggerPatch, type When } from "@mimikit/protocol/triggers/trigger-order";
import { describe, expect, test } from "vitest";
import { change } from "../../../packages/core/src/rules/change.ts";
import { prune } from "../../../packages/core/src/rules/prune.ts";
import { conditional, NOON, NOON_MS, recurring, scheduled, snapshot } from "../facts.ts";

const at = (seconds: number) => new Date(NOON_MS + seconds * 1_000).toISOString();
const daily: When = { type: "recurring", schedule: { cron: "0 0 9 * * *", timezone: "UTC" } };

type Facts = Parameters<typeof snapshot>[0];
const patch = (change: TriggerPatch, more: object = {}): InboxCommand =>
  ({ kind: "trigger-patch", id: "patch-1", at: NOON, triggerId: "a", patch: change, mac: "seal", ...more }) as const;
const run = (id = "run-1", sent = NOON): InboxCommand => ({
  kind: "trigger-run",
  id,
  at: sent,
  triggerId: "a",
  mac: "seal",
});
const remove: InboxCommand = { kind: "trigger-delete", id: "delete-1", at: NOON, triggerId: "a", mac: "seal" };
const put = (when: When, id = "put-1f"): InboxCommand => ({
  kind: "trigger-put",
  id,
  at: NOON,
  definition: { order: { prompt: "water the plants" }, when },
  mac: "seal",
});

const actions = (facts: Facts, seconds = 0) => change(snapshot(facts), NOON_MS + seconds * 1_000);
const answer = (outcome: unknown) => [{ type: "answer-command", outcome }];

/** The version that a command makes of a trigger. */
function granted(trigger: Trigger, command: InboxCommand, seconds = 0): Trigger {
  const [action] = actions({ triggers: [trigger], inbox: [command] }, seconds);
  if (action?.type !== "advance" || action.trigger.type === "link") throw new Error(`it is ${JSON.stringify(action)}`);
  return action.trigger;
}

describe("a command for a trigger", () => {
  test("makes it, with the time of the command, under the digits of the command", () => {
    expect(triggerIdOf("put-1f")).toBe("trg-1f");
    expect(actions({ inbox: [put(daily)] }, 3_600)).toMatchObject([
      {
        type: "create-trigger",
        trigger: { id: "trg-1f", version: 1, target: "teller", last: NOON, missed: "latest", depth: 0 },
      },
    ]);
  });

  test("is answered when it is there, also when it is over by then", () => {
    const inbox = [put(daily)];
    expect(actions({ inbox, triggers: [recurring("trg-1f")] })).toMatchObject(answer("made: trg-1f"));
    expect(actions({ inbox, archive: ["trg-1f"] })).toMatchObject(answer("made: trg-1f"));
  });

  test("is refused where it never occurs, or there are too many", () => {
    const never: When = { type: "recurring", schedule: { cron: "0 0 9 30 2 *", timezone: "UTC" } };
    expect(actions({ inbox: [put(never)] })).toMatchObject(answer(expect.stringMatching(/^refused: .*never occurs/)));
    const triggers = Array.from({ length: TRIGGERS_MAX }, (_, i) => recurring(`trg-${i}`));
    expect(actions({ inbox: [put(daily)], triggers })).toMatchObject(answer(expect.stringMatching(/^refused: .*1000/)));
  });
});

describe("a command about a trigger", () => {
  test("is answered once the version that holds it is durable, and does nothing again", () => {
    for (const [command, outcome] of [
      [patch({ paused: true }), "changed"],
      [run(), "started"],
      [remove, "deleted"],
    ] as const) {
      const version = granted(recurring("a"), command);
      expect(version.applied).toEqual([command.id]);
      expect(actions({ triggers: [version], inbox: [command] })).toMatchObject(answer(outcome));
    }
  });

  test("waits until what was decided is done", () => {
    const decided = recurring("a", { decision: { fire: [{ id: "a--x", at: NOON }], skip: [] } });
    for (const command of [patch({ paused: true }), run(), remove]) {
      expect(actions({ triggers: [decided], inbox: [command] })).toEqual([]);
      expect(actions({ triggers: [decided], inbox: [command], archive: ["a--x"] })).toMatchObject([
        { type: "advance" },
      ]);
    }
  });

  test("is granted in the order of the commands, one at a time", () => {
    const inbox = [run("run-2", at(2)), run("run-1", at(1))];
    expect(actions({ triggers: [recurring("a")], inbox })).toMatchObject([{ trigger: { applied: ["run-1"] } }]);
  });

  test("that was granted is answered before another, which a clock that was set back lets overtake it", () => {
    const inbox = [run("run-2", at(-60)), run("run-1", at(0))];
    const triggers = [recurring("a", { applied: ["run-1"] })];
    expect(actions({ triggers, inbox })).toMatchObject([
      { type: "answer-command", command: { id: "run-1" }, outcome: "started" },
    ]);
  });

  test("waits for the one that makes its trigger, also where the clock says that it came before that", () => {
    const early = { ...run("run-1", at(-60)), triggerId: "trg-1f" } as InboxCommand;
    expect(actions({ inbox: [early, put(daily)] })).toMatchObject([{ type: "create-trigger" }]);
  });

  test("keeps the trigger that was granted it in its place until it is answered, though that is over", () => {
    const triggers = [scheduled("a", { applied: ["run-1"] })];
    const facts = { inbox: [run()], triggers };
    expect(prune(snapshot({ ...facts, archive: ["a"] }))).toEqual([]);
    const [removal] = prune(snapshot({ ...facts, archive: ["a", "run-1"] }));
    expect(removal).toMatchObject({
      removals: [
        { from: "inbox", id: "run-1" },
        { from: "triggers", id: "a" },
      ],
    });
  });

  test("is refused where there is no such trigger, or it is over", () => {
    expect(actions({ inbox: [run()] })).toMatchObject(answer("refused: there is no such trigger"));
    expect(actions({ inbox: [run()], archive: ["a"] })).toMatchObject(answer("refused: the trigger is over"));
    expect(actions({ inbox: [remove], archive: ["a"] })).toMatchObject(answer("deleted"));
  });

  test("that was granted is answered so, though the trigger is over since", () => {
    const triggers = [scheduled("a", { applied: ["run-1"], over: "spent" })];
    expect(actions({ inbox: [run()], triggers, archive: ["a"] })).toMatchObject(answer("started"));
  });

  test("to delete it ends it; to run it fires it once, and moves nothing else", () => {
    expect(granted(recurring("a"), remove)).toMatchObject({ over: "deleted", decision: { fire: [], skip: [] } });
    const before = recurring("a", { last: at(-30) });
    const { decision, version, applied, recent, ...rest } = granted(before, run("run-7c"), 5);
    expect(decision.fire).toEqual([{ id: "a--run-7c", at: at(5) }]);
    expect(before).toMatchObject(rest);
  });
});

describe("a change", () => {
  test("of the order replaces what it says, and nothing else", () => {
    const version = granted(recurring("a"), patch({ order: { prompt: "new", priority: 9 } }));
    expect(version).toMatchObject({
      version: 2,
      prompt: "new",
      priority: 9,
      title: "title of a",
      last: NOON,
      paused: false,
    });
  });

  test("that resumes a schedule skips what passed, and counts on", () => {
    const paused = recurring("a", { paused: true, missed: "all" });
    expect(granted(paused, patch({ paused: false }), 150)).toMatchObject({
      paused: false,
      last: at(120),
      decision: { fire: [], skip: [{ from: at(60), to: at(120), count: 2, reason: "it was paused" }] },
    });
  });

  test("that pauses again, or resumes what runs, decides nothing", () => {
    expect(granted(recurring("a", { paused: true }), patch({ paused: true }), 150)).toMatchObject({
      last: NOON,
      decision: { skip: [] },
    });
    expect(granted(recurring("a"), patch({ paused: false }), 150)).toMatchObject({
      last: NOON,
      decision: { skip: [] },
    });
  });

  test("that resumes a condition forgets what was known, and fires not again for what held all along", () => {
    const evidence = { baselines: { 0: "1" }, evaluations: {} };
    for (const isArmed of [true, false]) {
      const paused = conditional("a", { paused: true, isArmed, fired: 3, evidence });
      expect(granted(paused, patch({ paused: false }))).toMatchObject({
        isArmed,
        fired: 3,
        evidence: { baselines: {} },
      });
    }
  });

  test("of the schedule counts from now, and what was due of the old one is skipped", () => {
    expect(granted(recurring("a"), patch({ when: daily }), 150)).toMatchObject({
      schedule: daily.schedule,
      last: at(150),
      decision: { fire: [], skip: [{ from: at(60), to: at(120), count: 2, reason: "its schedule was changed" }] },
    });
    expect(granted(recurring("a", { paused: true }), patch({ when: daily }), 150)).toMatchObject({
      paused: true,
      last: at(150),
      decision: { skip: [{ count: 2, reason: "it was paused" }] },
    });
  });

  test("of the schedule on a clock that was set back never looks behind what is decided", () => {
    const ahead = recurring("a", { last: at(600) });
    expect(granted(ahead, patch({ when: daily }), -86_400)).toMatchObject({ last: at(600), decision: { skip: [] } });
  });

  test("of a moment that is due already skips that one", () => {
    const later: When = { type: "scheduled", runAt: at(900) };
    expect(granted(scheduled("a"), patch({ when: later }), 5)).toMatchObject({
      runAt: at(900),
      decision: { skip: [{ from: NOON, to: NOON, count: 1 }] },
    });
    expect(granted(scheduled("a", { runAt: at(60) }), patch({ when: later }), 5).decision.skip).toEqual([]);
    const same: When = { type: "scheduled", runAt: NOON, missed: "none" };
    expect(granted(scheduled("a"), patch({ when: same }), 5).decision.skip).toEqual([]);
  });

  test("of a condition begins anew, and its numbers go on", () => {
    const when: When = {
      type: "conditional",
      condition: { type: "file_exists", params: { path: "other" } },
      cooldown: 30,
    };
    const before = conditional("a", { fired: 4, firedAt: NOON, isArmed: false });
    expect(granted(before, patch({ when }))).toMatchObject({
      condition: when.condition,
      cooldownSec: 30,
      isArmed: true,
      fired: 4,
      firedAt: NOON,
    });
  });

  test("of the time says nothing of what is missed, nor one of the condition of the rest: both stay", () => {
    const schedule = { interval: 600 };
    const patience = recurring("a", { missed: "all" });
    expect(granted(patience, patch({ when: { type: "recurring", schedule } }))).toMatchObject({
      missed: "all",
      schedule,
    });
    const condition: Condition = { type: "file_exists", params: { path: "other" } };
    const resting = conditional("a", { cooldownSec: 900 });
    expect(granted(resting, patch({ when: { type: "conditional", condition } }))).toMatchObject({ cooldownSec: 900 });
  });

  test("of what is missed, or of the rest, leaves the time and what is known as they are", () => {
    const evidence = { baselines: { 0: "1" }, evaluations: {} };
    const before = conditional("a", { evidence, isArmed: false, fired: 2, firedAt: NOON });
    expect(granted(before, patch({ cooldown: 900 }), 5)).toMatchObject({
      evidence,
      isArmed: false,
      firedAt: NOON,
      cooldownSec: 900,
    });
    expect(granted(recurring("a"), patch({ missed: "none" }), 30)).toMatchObject({ missed: "none", last: NOON });
    expect(granted(scheduled("a", { runAt: at(60) }), patch({ missed: "none" }))).toMatchObject({ missed: "none" });
  });

  test("to another type, to a schedule that never occurs, or back to a moment that was skipped is refused", () => {
    const refused = (trigger: Trigger, when: When, archive: string[] = []) =>
      actions({ triggers: [trigger], inbox: [patch({ when })], archive });
    const moment: When = { type: "scheduled", runAt: at(60) };
    expect(refused(recurring("a"), moment)).toMatchObject(
      answer(expect.stringMatching(/^refused: .*cannot become scheduled/)),
    );
    const never: When = { type: "recurring", schedule: { cron: "0 0 9 31 4 *", timezone: "UTC" } };
    expect(refused(recurring("a"), never)).toMatchObject(answer(expect.stringMatching(/^refused: .*never occurs/)));
    const skipped = refused(scheduled("a"), moment, ["a--20261122t120100z-skipped"]);
    expect(skipped).toMatchObject(answer(expect.stringMatching(/^refused: .*skipped already/)));
  });
});

describe("an order as it is said", () => {
  const order = { prompt: "water the plants" };

  test("is made whole, a cron with the zone of whoever says it", () => {
    expect(definitionOf({ ...order, cron: "0 0 9 * * *" }, "Asia/Shanghai")).toMatchObject({
      order,
      when: { type: "recurring", schedule: { cron: "0 0 9 * * *", timezone: "Asia/Shanghai" } },
    });
    expect(definitionOf({ ...order, interval: 60, missed: "all" }, "UTC")).toMatchObject({
      when: { type: "recurring", schedule: { interval: 60 }, missed: "all" },
    });
  });

  test("keeps the zone of its author for each hour of a condition, so that no later zone moves it", () => {
    const condition: Condition = {
      type: "and",
      conditions: [
        { type: "time", params: { after: "22:00" } },
        { type: "not", condition: { type: "time", params: { weekdays: ["sun"] } } },
        { type: "time", params: { before: NOON } },
      ],
    };
    expect(definitionOf({ ...order, condition }, "Asia/Shanghai")).toMatchObject({
      when: {
        condition: {
          conditions: [
            { params: { after: "22:00", timezone: "Asia/Shanghai" } },
            { condition: { params: { weekdays: ["sun"], timezone: "Asia/Shanghai" } } },
            { params: { before: NOON } },
          ],
        },
      },
    });
    const own = { type: "time" as const, params: { after: "22:00", timezone: "UTC" } };
    expect(definitionOf({ ...order, condition: own }, "Asia/Shanghai")).toMatchObject({ when: { condition: own } });
  });

  test.each([
    [{}, "none"],
    [{ interval: 60, runAt: NOON }, "interval and runAt"],
    [{ type: "scheduled" as const, interval: 60 }, "recurring"],
    [{ interval: 60, cooldown: 5 }, "cooldown applies to conditions only"],
    [{ runAt: NOON, timezone: "UTC" }, "timezone applies to cron only"],
  ])("is refused as %j, in words", (said, words) => {
    expect(definitionOf({ ...order, ...said }, "UTC")).toEqual({ problem: expect.stringContaining(words) });
  });

  test("in the past is refused", () => {
    expect(problemOf({ type: "scheduled", runAt: at(-1) }, NOON_MS)).toContain("in the past");
    expect(problemOf({ type: "scheduled", runAt: at(1) }, NOON_MS)).toBeNull();
  });

  test("of a change says only what changes, also where fields are there without a value", () => {
    expect(patchOf({ paused: true, cron: undefined, missed: undefined }, "recurring", "UTC")).toEqual({
      order: {},
      paused: true,
    });
    expect(patchOf({ cooldown: 60 }, "conditional", "UTC")).toEqual({ order: {}, cooldown: 60 });
    expect(patchOf({ missed: "all" }, "scheduled", "UTC")).toEqual({ order: {}, missed: "all" });
    expect(patchOf({ cooldown: 60 }, "recurring", "UTC")).toEqual({ problem: "cooldown applies to conditions only" });
    expect(patchOf({ missed: "all" }, "conditional", "UTC")).toEqual({ problem: expect.stringContaining("schedule") });
    expect(patchOf({ timezone: "UTC" }, "recurring", "UTC")).toEqual({ problem: expect.stringContaining("cron") });
    expect(patchOf({ runAt: NOON }, "recurring", "UTC")).toEqual({ problem: expect.stringContaining("recurring") });
    expect(patchOf({ interval: 60 }, "recurring", "UTC")).toMatchObject({ when: { schedule: { interval: 60 } } });
  });
});
