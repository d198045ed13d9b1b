import type { InboxCommand } from "@mimikit/protocol/records/inbox";
import type { Trigger } from "@mimikit/protocol/records/trigger";
import type { TriggerDefinition } from "@mimikit/protocol/triggers/trigger-order";
import { expect, test } from "vitest";
import { expectedTriggers } from "../../../packages/core/src/triggers/expected.ts";
import { triggerOf } from "../../../packages/core/src/triggers/triggers.ts";

const NOON = "2026-11-21T12:00:00.000Z";
const NOW_MS = Date.parse("2026-11-21T12:30:00.000Z");
const HOURLY: TriggerDefinition = {
  order: { prompt: "stretch" },
  when: { type: "recurring", schedule: { interval: 3_600 } },
};

function trigger(id: string, more: Partial<Trigger> = {}): Trigger {
  const maker = { createdAt: NOON, traceId: id, depth: 0, target: "teller" } as const;
  return { ...triggerOf(id, HOURLY, maker), ...more } as Trigger;
}

const put: InboxCommand = { kind: "trigger-put", id: "put-0a", at: NOON, definition: HOURLY, mac: "" };
const pause: InboxCommand = {
  kind: "trigger-patch",
  id: "patch-0b",
  at: NOON,
  triggerId: "trg-0a",
  patch: { paused: true },
  mac: "",
};
const remove: InboxCommand = { kind: "trigger-delete", id: "delete-0c", at: NOON, triggerId: "trg-0a", mac: "" };

function expected(triggers: Trigger[], commands: InboxCommand[], archived: string[] = []): Trigger[] {
  const facts = { triggers: new Map(triggers.map((each) => [each.id, each])), commands };
  return [...expectedTriggers({ ...facts, isArchived: (id) => archived.includes(id) }, NOW_MS).values()];
}

test("a trigger that is only asked for stands already, as the supervisor will make it", () => {
  expect(expected([], [put])).toEqual([trigger("trg-0a")]);
});

test("commands are granted in the order in which they were made, whatever the order of their files", () => {
  const later = { ...pause, at: "2026-11-21T12:01:00.000Z" };
  expect(expected([], [later, put])).toMatchObject([{ id: "trg-0a", paused: true, applied: ["patch-0b"] }]);
  const last = { ...remove, at: "2026-11-21T12:02:00.000Z" };
  expect(expected([], [last, later, put])).toEqual([]);
});

test("a clock that was set back lets no command overtake the one that makes its trigger", () => {
  const before = { ...pause, at: "2026-11-21T11:00:00.000Z" };
  expect(expected([], [before, put])).toMatchObject([{ id: "trg-0a", paused: true }]);
  expect(expected([], [{ ...remove, at: before.at }, put])).toEqual([]);
});

test("a command that is granted already changes nothing more", () => {
  const made = trigger("trg-0a", { version: 3, title: "as it is now" });
  expect(expected([made], [put])).toEqual([made]);
  const paused = trigger("trg-0a", { version: 2, paused: false, applied: ["patch-0b"] });
  expect(expected([paused], [pause])).toEqual([paused]);
  expect(expected([made], [pause, remove], ["patch-0b", "delete-0c"])).toEqual([made]);
});

test("what is over, or archived, does not stand, and no command brings it back", () => {
  expect(expected([trigger("trg-0a", { over: "deleted" })], [put, pause])).toEqual([]);
  expect(expected([trigger("trg-0a")], [pause], ["trg-0a"])).toEqual([]);
  expect(expected([], [put], ["trg-0a"])).toEqual([]);
});
