import { triggerOf } from "@mimikit/core/triggers";
import { HistoryIndex } from "@mimikit/memory/history-index";
import { EndedTrigger } from "@mimikit/protocol/archive";
import { Question } from "@mimikit/protocol/question";
import { Result } from "@mimikit/protocol/result";
import { Trigger } from "@mimikit/protocol/trigger";
import { Mirror } from "@mimikit/store/mirror";
import { createRecord } from "@mimikit/store/record";
import { archivePath, questionPath, resultPath, triggerPath } from "@mimikit/store/state";
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
  const providers = { teller: "offline", planner: "offline", worker: "offline", reviewer: "offline" };
  return gatherContext(task("t-000001.0"), {
    home,
    workDir: home,
    fs,
    mirror,
    said: new HistoryIndex(home),
    providers,
    listSkills: async () => [],
    nowMs: () => nowMs,
  });
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
  const providers = { teller: "offline", planner: "offline", worker: "offline", reviewer: "offline" };
  const next = turn("t-000004", { messages: [message("m-c")] });
  const { history } = await gatherContext(next, {
    home,
    workDir: home,
    fs,
    mirror,
    said: new HistoryIndex(home),
    providers,
    listSkills: async () => [],
    nowMs: () => NOON_MS,
  });
  expect(history.map(({ text }) => text)).toEqual(["anew"]);
});

test("what stands to start later and what was asked is told, the newest first; what is over is not", async () => {
  const { fs, home } = temporaryState();
  const at = (minute: number) => new Date(NOON_MS + minute * 60_000).toISOString();
  const standing = (id: string, minute: number) =>
    triggerOf(
      id,
      { order: { prompt: "x".repeat(1_000) }, when: { type: "recurring", schedule: { interval: 60 } } },
      { createdAt: at(minute), traceId: id, depth: 0, target: "teller" },
    );
  const triggers = [standing("trg-1", 1), { ...standing("trg-1", 1), version: 2, paused: true }, standing("trg-2", 2)];
  const ended = standing("trg-3", 3);
  for (const each of [...triggers, ended]) await createRecord(fs, Trigger, triggerPath(each.id, each.version), each);
  const over = { kind: "trigger" as const, id: ended.id, at: at(4), outcome: "deleted" as const, trigger: ended };
  await createRecord(fs, EndedTrigger, archivePath(ended.id), over);
  const question = (id: string, minute: number) => ({
    id,
    at: at(minute),
    expiresAt: at(minute + 60),
    question: "Which?",
    options: [],
    purpose: { type: "teller" as const },
    traceId: "t-000001",
  });
  for (const each of [question("t-000001.0", 1), question("t-000001.1", 2)])
    await createRecord(fs, Question, questionPath(each.id), each);
  const mirror = new Mirror(fs, { token: "token", durable: false, onBadArchive: () => undefined });
  await mirror.ledger.load();
  await mirror.refresh(NOON_MS);
  const providers = { teller: "offline", planner: "offline", worker: "offline", reviewer: "offline" };
  const sources = { home, workDir: home, fs, mirror, said: new HistoryIndex(home), providers, listSkills: async () => [], nowMs: () => NOON_MS };
  const told = await gatherContext(turn("t-000002", { messages: [message("m-b")] }), sources);
  expect(told.triggers.map(({ id, paused, next }) => [id, paused, next])).toEqual([
    ["trg-2", false, at(3)],
    ["trg-1", true, null],
  ]);
  expect(told.questions.map(({ id }) => id)).toEqual(["t-000001.1", "t-000001.0"]);
});
