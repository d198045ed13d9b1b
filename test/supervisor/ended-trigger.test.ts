/** A trigger that has ended has done all that it will do, also for a supervisor that stood still meanwhile. */
import { EndedTrigger } from "@mimikit/protocol/records/archive";
import type { Recurring } from "@mimikit/protocol/records/trigger";
import { createRecord } from "@mimikit/store/disk/record";
import { ARCHIVE, archivePath, INBOX, queueOf } from "@mimikit/store/disk/state";
import { expect, test } from "vitest";
import { execute } from "../../apps/supervisor/src/execute/execute.ts";
import { stand } from "../../packages/core/src/rules/stand.ts";
import { NOON, NOON_MS, recurring, snapshot } from "../core/facts.ts";
import { temporaryState } from "../store/home.ts";
import { contextOf } from "./context.ts";

const ID = "trg-0001";
const LATER = "2026-11-22T12:01:00.000Z";

/** A version that has fired at noon, and skips what came after it; it is carried out, as the rules say. */
async function carryOutAfterEnd(target: Recurring["target"], isEnded: boolean) {
  const { fs } = temporaryState();
  const decision = {
    fire: [{ id: `${ID}--20261122t120000z`, at: NOON }],
    skip: [{ id: `${ID}--20261122t120100z-skipped`, from: LATER, to: LATER, count: 1, reason: "open" }],
  };
  const trigger = recurring(ID, { version: 2, target, decision });
  const record: EndedTrigger = { kind: "trigger", id: ID, at: NOON, outcome: "cancelled", trigger };
  if (isEnded) await createRecord(fs, EndedTrigger, archivePath(ID), record);
  const context = await contextOf(fs);
  const actions = stand(snapshot({ triggers: [trigger] }), NOON_MS);
  expect(actions.map(({ type }) => type)).toEqual(["carry-out"]);
  for (const action of actions) await execute(action, context);
  const names = async (dir: string) => (await fs.list(dir)).flatMap((name) => /^(.*)\.json$/.exec(name)?.[1] ?? []);
  return { archive: await names(ARCHIVE), queue: await names(queueOf("worker")), inbox: await names(INBOX) };
}

test("a version of a trigger is carried out: its task is queued, the Teller is told, and the skipped are recorded", async () => {
  const archive = [`${ID}--20261122t120100z-skipped`];
  const fired = [`${ID}--20261122t120000z`];
  expect(await carryOutAfterEnd("worker", false)).toEqual({ archive, queue: fired, inbox: [] });
  expect(await carryOutAfterEnd("teller", false)).toEqual({ archive, queue: [], inbox: fired });
});

test("a version that was made again after the trigger had ended does nothing", async () => {
  const nothing = { archive: [ID], queue: [], inbox: [] };
  expect(await carryOutAfterEnd("worker", true)).toEqual(nothing);
  expect(await carryOutAfterEnd("teller", true)).toEqual(nothing);
});
