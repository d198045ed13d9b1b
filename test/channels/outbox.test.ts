/** Items that wait for their vendor: when one is given up, and when it is only not due any more. */
import type { PairedPerson } from "@mimikit/protocol/channels/records";
import { Question } from "@mimikit/protocol/records/question";
import { createLog } from "@mimikit/runtime/audit/log";
import { openDisk } from "@mimikit/store/disk/disk";
import { expect, test } from "vitest";
import type { Sent } from "../../apps/channels/src/contract/channel.ts";
import { itemOfQuestion, SEND_AGE_MS_MAX } from "../../apps/channels/src/send/items.ts";
import { Outbox } from "../../apps/channels/src/send/outbox.ts";
import { Sends } from "../../apps/channels/src/send/sends.ts";
import { auditOf } from "../conformance/channel-suite.ts";
import { temporaryHome } from "../runtime/temporary-home.ts";

const AT = "2026-11-27T12:00:00.000Z";
const PERSON: PairedPerson = {
  id: `p-${"0".repeat(32)}`,
  channel: "telegram",
  chat: "1",
  person: "1",
  name: "Ada",
  at: AT,
  code: "0".repeat(64),
};
const QUESTION = Question.parse({
  id: "t-000001.0",
  at: AT,
  expiresAt: "2026-12-27T12:00:00.000Z",
  question: "Shall I?",
  options: [],
  purpose: { type: "teller" },
  traceId: "t-000001",
});
const ITEM = itemOfQuestion(QUESTION, []);

/** An outbox whose vendor takes nothing, once it has tried to send the question. */
async function waitingOutbox() {
  const home = temporaryHome();
  const clock = { nowMs: Date.parse(AT) };
  const sends = await Sends.open(openDisk(home, "test"), "telegram");
  let told = () => {};
  const tried = new Promise<void>((resolve) => {
    told = resolve;
  });
  const outbox = new Outbox({
    kind: { name: "telegram", hasTitles: false, textUnitsMax: 4_096, unsure: "mark" },
    channel: {
      about: async () => "@garden_bot",
      send: async (): Promise<Sent> => ({ outcome: "waits", reason: "busy", afterMs: 3_600_000 }),
    },
    sends,
    log: createLog(home, "channels", "error"),
    nowMs: () => clock.nowMs,
    onOutcome: () => told(),
  });
  outbox.note([ITEM], [PERSON], true);
  await tried;
  return { outbox, clock, givenUp: () => auditOf(home).filter((event) => event === "channel_gave_up") };
}

test("a question that was answered elsewhere before it could be sent is not given up", async () => {
  const { outbox, givenUp } = await waitingOutbox();
  outbox.note([], [PERSON], true);
  expect(givenUp()).toEqual([]);
  expect(outbox.waiting).toBe(0);
  await outbox.close();
});

test("what waits for nobody any more is not given up", async () => {
  const { outbox, givenUp } = await waitingOutbox();
  outbox.note([ITEM], [], true);
  outbox.note([ITEM], [PERSON], false);
  expect(givenUp()).toEqual([]);
  await outbox.close();
});

test("what could not be sent for a day is given up, once", async () => {
  const { outbox, clock, givenUp } = await waitingOutbox();
  clock.nowMs += SEND_AGE_MS_MAX + 1;
  outbox.note([ITEM], [PERSON], true);
  outbox.note([], [PERSON], true);
  expect(givenUp()).toHaveLength(1);
  await outbox.close();
});
