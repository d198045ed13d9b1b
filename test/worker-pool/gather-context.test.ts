import { Result } from "@mimikit/protocol/result";
import { Mirror } from "@mimikit/store/mirror";
import { createRecord } from "@mimikit/store/record";
import { archivePath, resultPath } from "@mimikit/store/state";
import { expect, test } from "vitest";
import { gatherContext } from "../../apps/worker-pool/src/gather-context.ts";
import { done, message, NOON, NOON_MS, task, turn } from "../core/facts.ts";
import { temporaryState } from "../store/home.ts";

const HOUR_MS = 3_600_000;
const client = { timeZone: "Asia/Shanghai", now: "2026-11-22T20:00:00+08:00" };
const asked = turn("t-000001", { messages: [{ ...message("m-a", "tomorrow at nine"), client }] });

async function gather(path: string, nowMs: number) {
  const { fs, home } = temporaryState();
  await createRecord(fs, Result, path, done(asked, { effects: [{ type: "reply", text: "On it." }] }));
  const mirror = new Mirror(fs, { token: "token", durable: false, onBadArchive: () => undefined });
  await mirror.ledger.load();
  await mirror.refresh(nowMs);
  const providers = { teller: "offline", planner: "offline", worker: "offline" };
  return gatherContext(task("t-000001.0"), { home, workDir: home, fs, mirror, providers, nowMs: () => nowMs });
}

test.each([
  ["is settled", archivePath(asked.id)],
  ["is not settled yet", resultPath("teller", asked.id)],
])("a plan is told the user's own words, and the user's clock, when its turn %s", async (_, path) => {
  const context = await gather(path, NOON_MS);
  expect(context).toMatchObject({ now: NOON, origin: [{ id: "m-a", text: "tomorrow at nine" }], client });
});

test("work that runs long after its message has the place of the user's clock, and the time of now", async () => {
  const { client: later } = await gather(archivePath(asked.id), NOON_MS + 30 * HOUR_MS);
  expect(later).toEqual({ timeZone: "Asia/Shanghai", now: "2026-11-24T02:00:00+08:00" });
});

test("a conversation that began anew is all that a run is told", async () => {
  const { fs, home } = temporaryState();
  const clear = { kind: "clear" as const, id: "clear-1", at: NOON, mac: "seal" };
  const turns = [asked, turn("t-000002", { clear }), turn("t-000003", { messages: [message("m-b", "anew")] })];
  for (const each of turns) await createRecord(fs, Result, archivePath(each.id), done(each));
  const mirror = new Mirror(fs, { token: "token", durable: false, onBadArchive: () => undefined });
  await mirror.ledger.load();
  const providers = { teller: "offline", planner: "offline", worker: "offline" };
  const next = turn("t-000004", { messages: [message("m-c")] });
  const { history } = await gatherContext(next, { home, workDir: home, fs, mirror, providers, nowMs: () => NOON_MS });
  expect(history.map(({ text }) => text)).toEqual(["anew"]);
});
