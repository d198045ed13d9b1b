/** To whom something goes follows from the ids of what it came of; nothing of it is stored. */
import type { Via } from "@mimikit/protocol/channels/via";
import { CommandOutcome } from "@mimikit/protocol/records/archive";
import { type InboxCommand, Message } from "@mimikit/protocol/records/inbox";
import { Result, reportOf } from "@mimikit/protocol/records/result";
import { openDisk } from "@mimikit/store/disk/disk";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { createRecord } from "@mimikit/store/disk/record";
import { archivePath } from "@mimikit/store/disk/state";
import { StateCache } from "@mimikit/store/state-cache/state-cache";
import { expect, test } from "vitest";
import { ConversationReader } from "../../apps/channels/src/send/conversation.ts";
import { ask, failAttempt, finish, queue, resultOf, taskOf } from "../http-gateway/records.ts";
import { temporaryHome } from "../runtime/temporary-home.ts";

const VIA: Via = { channel: "telegram", chat: "1", person: "1" };
const NOW = new Date().toISOString();

async function settle(
  fs: FileSystem,
  id: string,
  turn: { via?: Via; said?: boolean; events?: unknown[]; results?: unknown[] },
) {
  const { via, said = via !== undefined, events = [], results = [] } = turn;
  const message = Message.parse({ kind: "message", id: `m-${id}`, at: NOW, text: "hello", ...(via && { via }) });
  const task = taskOf(id, {
    role: "teller",
    kind: "turn",
    turn: { messages: said ? [message] : [], events, results },
  } as never);
  const effects = [{ type: "reply" as const, text: `reply of ${id}` }];
  await createRecord(fs, Result, archivePath(id), resultOf(task, { effects, completedAt: NOW }));
}

async function itemsOf(fs: FileSystem) {
  const cache = new StateCache(fs, { token: "none", durable: false, onBadArchive: () => {} });
  const conversation = await ConversationReader.load(cache, Date.now());
  await conversation.refresh(Date.now(), true);
  const items = await conversation.items();
  return new Map(items.map(({ id, origin, isNews }) => [id, { origin, isNews }]));
}

const event = (id: string, name: string, data: object) => ({ kind: "event", id, at: NOW, name, text: "", data });

test("what came of a message goes to where it was said: its reply, its report, its reminder and its question", async () => {
  const fs = openDisk(temporaryHome(), "test");
  await settle(fs, "t-000001", { via: VIA });
  await settle(fs, "t-000002", { results: [reportOf(resultOf(taskOf("t-000001.0.1")))] });
  const fired = { triggerId: "t-000001.1", occurrence: "1", prompt: "water" };
  await settle(fs, "t-000003", { events: [event("t-000001.1--1", "cron_trigger", fired)] });
  await ask(fs, "t-000002.0", { at: NOW });
  const items = await itemsOf(fs);
  for (const id of ["t-000001.reply", "t-000002.reply", "t-000003.reply", "t-000002.0"])
    expect(items.get(id)?.origin, id).toEqual([VIA]);
  expect(["t-000001", "t-000002", "t-000003"].map((id) => items.get(`${id}.reply`)?.isNews)).toEqual([
    false,
    true,
    true,
  ]);
});

test("a turn that waits for its model says so to where it was asked, once, while it is open", async () => {
  const fs = openDisk(temporaryHome(), "test");
  const message = Message.parse({ kind: "message", id: "m-1", at: NOW, text: "hello", via: VIA });
  const turn = await queue(
    fs,
    taskOf("t-000001", {
      role: "teller",
      kind: "turn",
      turn: { messages: [message], events: [], results: [] },
    } as never),
  );
  const until = "2026-12-24T14:05:00.000Z";
  const problem = { cause: "limit", provider: "openai", until } as const;
  for (const attempt of [1, 2])
    await failAttempt(fs, turn, attempt, { failureReason: "provider", error: "slow down", outage: true, problem });
  const open = await itemsOf(fs);
  expect([...open]).toEqual([["t-000001.outage", { origin: [VIA], isNews: false }]]);
  await finish(fs, turn, { effects: [{ type: "reply", text: "Hi." }] });
  expect((await itemsOf(fs)).has("t-000001.outage")).toBe(false);
});

test("what came of words on the page goes to nobody by itself, and is news where it answers nothing", async () => {
  const fs = openDisk(temporaryHome(), "test");
  await settle(fs, "t-000001", { said: true });
  await settle(fs, "t-000002", { results: [reportOf(resultOf(taskOf("t-000001.0")))] });
  const items = await itemsOf(fs);
  expect(items.get("t-000001.reply")).toEqual({ origin: [], isNews: false });
  expect(items.get("t-000002.reply")).toEqual({ origin: [], isNews: true });
});

test("the reply to an answer goes to where it was given, though the question came about elsewhere", async () => {
  const fs = openDisk(temporaryHome(), "test");
  const command = {
    kind: "answer",
    id: "a-1",
    at: NOW,
    questionId: "t-000001.0",
    answer: "yes",
    via: VIA,
    mac: "",
  } as InboxCommand;
  await createRecord(fs, CommandOutcome, archivePath("a-1"), {
    kind: "wish",
    id: "a-1",
    at: NOW,
    wish: command,
    outcome: "answered",
  } as never);
  await settle(fs, "t-000001", { said: true });
  const answered = { questionId: "t-000001.0", question: "?", answer: "yes", wishId: "a-1" };
  await settle(fs, "t-000002", { events: [event("t-000001.0.answered", "question_answered", answered)] });
  expect((await itemsOf(fs)).get("t-000002.reply")?.origin).toEqual([VIA]);
});
