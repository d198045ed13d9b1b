/** The page's view while no provider can be reached, and afterwards. */

import { Message } from "@mimikit/protocol/records/inbox";
import type { Task } from "@mimikit/protocol/records/task";
import type { ChatMessage, Status, TaskDetail } from "@mimikit/protocol/wire/api";
import { readRecord } from "@mimikit/store/disk/record";
import { inboxPath } from "@mimikit/store/disk/state";
import { expect, test } from "vitest";
import { type Started, startGateway, temporaryHome } from "./gateway.ts";
import { archive, failAttempt, finish, NOON, queue, taskOf } from "./records.ts";

const ERROR = "the model endpoint cannot be reached: ECONNREFUSED";
const PROBLEM = { cause: "down", provider: "openai", host: "127.0.0.1:1" } as const;
const AWAY = { failureReason: "provider", error: ERROR, outage: true, problem: PROBLEM } as const;

async function say(gateway: Started, text: string): Promise<string> {
  return ((await gateway.post("/api/input", { text })).json as { id: string }).id;
}

async function read(gateway: Started): Promise<ChatMessage[]> {
  return ((await gateway.ask("/api/messages")).json as { messages: ChatMessage[] }).messages;
}

async function openTurn(gateway: Started, text: string): Promise<Task> {
  const message = await readRecord(gateway.fs, Message, inboxPath(await say(gateway, text)));
  if (message === null) throw new Error("the message is not in inbox/");
  const turn = { messages: [message], events: [], results: [] };
  return queue(gateway.fs, taskOf("t-000001", { role: "teller", consumer: "supervisor", prompt: "", turn }));
}

const problemsOf = async (gateway: Started) => ((await gateway.ask("/api/status")).json as Status).problems;

test("the notice is there while the turn is open, and in the same place and words when it is settled, also for a new gateway", async () => {
  const home = temporaryHome();
  const gateway = await startGateway({ home });
  const turn = await openTurn(gateway, "hello");
  const since = new Date().toISOString();
  for (const attempt of [1, 2]) await failAttempt(gateway.fs, turn, attempt, { ...AWAY, at: since });
  await say(gateway, "are you there?");
  const during = await read(gateway);
  expect(during.map(({ role, text }) => (role === "system" ? role : text))).toEqual([
    "hello",
    "system",
    "are you there?",
  ]);
  const { pending, ...notice } = during[1] ?? {};
  const text = expect.stringContaining(ERROR);
  expect(notice).toMatchObject({ id: "t-000001.outage", at: since, text, problem: { ...PROBLEM, since } });
  expect(pending).toBe(true);
  expect(await problemsOf(gateway)).toContain(`no provider of the teller has been reachable since ${since}: ${ERROR}`);

  const result = await finish(gateway.fs, turn, {
    outage: { since, error: ERROR, problem: PROBLEM },
    effects: [{ type: "reply", text: "Hi." }],
  });
  expect(await read(gateway)).toEqual(during);
  expect((await problemsOf(gateway)).filter((problem) => problem.includes("reachable since"))).toEqual([]);
  await archive(gateway.fs, result);
  for (const each of [gateway, await startGateway({ home })]) {
    const after = await read(each);
    expect(after.map(({ role, text }) => (role === "system" ? role : text))).toEqual([
      "hello",
      "system",
      "Hi.",
      "are you there?",
    ]);
    expect(after[1]).toEqual(notice);
  }
});

test("a rate limit is told with its end: in the notice, the list, the timeline and the status", async () => {
  const gateway = await startGateway();
  const until = "2026-12-24T14:05:00.000Z";
  const limit = { ...AWAY, error: "slow down", problem: { ...PROBLEM, cause: "limit", until } } as const;
  await failAttempt(gateway.fs, await openTurn(gateway, "hello"), 1, { ...limit, at: new Date().toISOString() });
  const notice = (await read(gateway)).find(({ role }) => role === "system");
  expect(notice?.text).toMatch(/^I cannot answer before 2026-12-24 14:05 UTC: .*has reached its rate limit/);
  const work = await queue(gateway.fs, taskOf("t-000001.0.0"));
  await failAttempt(gateway.fs, work, 1, limit);
  const { timeline, state, limitedUntil } = (await gateway.ask(`/api/tasks/${work.id}`)).json as TaskDetail;
  expect([state, limitedUntil]).toEqual(["queued", until]);
  expect(timeline).toContainEqual({
    at: NOON,
    event: `attempt 1 waits for the rate limit until ${until}: slow down`,
  });
  expect(await problemsOf(gateway)).toContain(
    `the model of the worker has reached its rate limit, until ${until}: slow down`,
  );
});

test("a failure that is no outage is not told before its end", async () => {
  const gateway = await startGateway();
  await failAttempt(gateway.fs, await openTurn(gateway, "hello"));
  expect((await read(gateway)).map(({ role }) => role)).toEqual(["user"]);
});

test("work that reaches nobody says so in its timeline and in the status", async () => {
  const gateway = await startGateway();
  const work = await queue(gateway.fs, taskOf("t-000001.0.0"));
  await failAttempt(gateway.fs, work, 1, AWAY);
  const { timeline, state } = (await gateway.ask(`/api/tasks/${work.id}`)).json as TaskDetail;
  expect(state).toBe("queued");
  expect(timeline).toContainEqual({ at: NOON, event: `attempt 1 reached no provider: ${ERROR}` });
  expect(await problemsOf(gateway)).toContainEqual(expect.stringContaining("no provider of the worker"));
});
