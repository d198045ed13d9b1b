/** The records of what was sent: without one, something that is due is sent again. */
import { mkdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { openDisk } from "@mimikit/store/disk/disk";
import { channelSendsOf, endedSendPath } from "@mimikit/store/disk/state";
import { expect, test } from "vitest";
import { SEND_AGE_MS_MAX } from "../../apps/channels/src/send/items.ts";
import { Sends } from "../../apps/channels/src/send/sends.ts";
import { temporaryHome } from "../runtime/temporary-home.ts";

const DAY_MS = 86_400_000;
const NOW_MS = Date.parse("2026-11-27T12:00:00Z");
const idOf = (k: number) => `s-${String(k).padStart(32, "0")}`;

/** Sends that ended so many days ago, the first the latest. */
async function endedBefore(...days: number[]) {
  const home = temporaryHome();
  mkdirSync(join(home, channelSendsOf("telegram")), { recursive: true });
  const sends = await Sends.open(openDisk(home, "test"), "telegram");
  for (const [k, day] of days.entries()) {
    const id = idOf(k);
    await sends.end({ id, at: new Date(NOW_MS).toISOString(), outcome: "sent", chat: "1", of: "m-1" });
    const atSec = (NOW_MS - day * DAY_MS) / 1_000;
    utimesSync(join(home, endedSendPath("telegram", id)), atSec, atSec);
  }
  return sends;
}

test("a send that ended long before the newest is forgotten", async () => {
  const long = (4 * SEND_AGE_MS_MAX) / DAY_MS;
  const sends = await endedBefore(0, 1, long);
  await sends.prune();
  expect([0, 1, 2].map((k) => sends.isOver(idOf(k)))).toEqual([true, true, false]);
});

test("a clock that is ahead makes nothing old: the last send, however long ago, is known", async () => {
  const sends = await endedBefore(400);
  await sends.prune();
  expect(sends.isOver(idOf(0))).toBe(true);
});
