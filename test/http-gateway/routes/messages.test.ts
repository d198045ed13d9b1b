import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Message } from "@mimikit/protocol/records/inbox";
import type { ChatMessage } from "@mimikit/protocol/wire/api";
import { readRecord } from "@mimikit/store/disk/record";
import { archivePath, HISTORY_PATH, inboxPath } from "@mimikit/store/disk/state";
import { appendHistory } from "@mimikit/store/views/history-partitions";
import { expect, test } from "vitest";
import { type Started, startGateway, temporaryHome } from "../gateway.ts";
import { claim, failAttempt, NOON, queue, settleTurn, taskOf } from "../records.ts";

async function say(gateway: Started, text: string): Promise<string> {
  return ((await gateway.post("/api/input", { text })).json as { id: string }).id;
}

async function read(gateway: Started, query = ""): Promise<ChatMessage[]> {
  const answer = await gateway.ask(`/api/messages${query}`);
  expect(answer.status).toBe(200);
  return (answer.json as { messages: ChatMessage[] }).messages;
}

const texts = (messages: ChatMessage[]) => messages.map((message) => message.text);

test("settled turns come first, by number, each with its reply after its messages; what waits comes last", async () => {
  const gateway = await startGateway();
  const one = await say(gateway, "one");
  const two = await say(gateway, "two");
  await settleTurn(gateway.fs, 1, [one, two], "to both");
  const three = await say(gateway, "three");
  await say(gateway, "four");
  await settleTurn(gateway.fs, 2, [three], "to the third");
  const messages = await read(gateway);
  expect(texts(messages)).toEqual(["one", "two", "to both", "three", "to the third", "four"]);
  expect(messages.map((message) => message.pending ?? false)).toEqual([false, false, false, false, false, true]);
  expect(messages[2]).toMatchObject({ id: "t-000001.reply", role: "assistant", answers: [one, two] });
});

test("a message names the turn that works on it from its first attempt on, whether or not that one failed", async () => {
  const gateway = await startGateway();
  const [seen, unseen] = [await say(gateway, "seen"), await say(gateway, "not yet")];
  const message = await readRecord(gateway.fs, Message, inboxPath(seen));
  const turn = { messages: message === null ? [] : [message], events: [], results: [] };
  const task = taskOf("t-000001", { role: "teller", consumer: "supervisor", prompt: "", turn });
  await queue(gateway.fs, task);
  const turnsOf = async () => (await read(gateway)).map(({ id, toTaskId }) => [id, toTaskId]);
  expect(await turnsOf()).toEqual([
    [seen, undefined],
    [unseen, undefined],
  ]);
  await claim(gateway.fs, task);
  const begun = [
    [seen, task.id],
    [unseen, undefined],
  ];
  expect(await turnsOf()).toEqual(begun);
  await failAttempt(gateway.fs, task);
  expect(await turnsOf()).toEqual(begun);
});

test("history.json and the turns behind it make one conversation, whichever of the two is ahead", async () => {
  const home = temporaryHome();
  const first = await startGateway({ home });
  for (let n = 1; n <= 3; n++) await settleTurn(first.fs, n, [await say(first, `question ${n}`)], `answer ${n}`);
  const whole = await read(first);
  await first.close();
  for (const throughTurn of [0, 1, 3]) {
    writeFileSync(join(home, HISTORY_PATH), JSON.stringify({ throughTurn, messages: whole.slice(0, throughTurn * 2) }));
    const gateway = await startGateway({ home });
    expect(await read(gateway)).toEqual(whole);
    await gateway.close();
  }
});

test("a damaged history.json hides nothing: the turns in archive/ say the same", async () => {
  const home = temporaryHome();
  const first = await startGateway({ home });
  await settleTurn(first.fs, 1, [await say(first, "question")], "answer");
  await first.close();
  writeFileSync(join(home, HISTORY_PATH), `{"throughTurn":1,"messages":[{`);
  expect(texts(await read(await startGateway({ home })))).toEqual(["question", "answer"]);
});

test("a damaged turn in archive/ hides itself only, and is logged", async () => {
  const home = temporaryHome();
  const first = await startGateway({ home });
  await settleTurn(first.fs, 1, [await say(first, "first")], "answer 1");
  await first.close();
  writeFileSync(join(home, archivePath("t-000002")), "{");
  const gateway = await startGateway({ home });
  await settleTurn(gateway.fs, 3, [await say(gateway, "third")], "answer 3");
  expect(texts(await read(gateway))).toEqual(["first", "answer 1", "third", "answer 3"]);
  expect(gateway.logged.join("\n")).toContain("archive/t-000002.json");
});

test("a file that somebody dropped into inbox/ is a pending message", async () => {
  const gateway = await startGateway();
  writeFileSync(join(gateway.home, "inbox/anything.json"), JSON.stringify({ kind: "message", text: "dropped" }));
  expect(await read(gateway)).toMatchObject([{ text: "dropped", role: "user", pending: true }]);
});

test("a page is the messages before an id, oldest first, until there are no more", async () => {
  const home = temporaryHome();
  const messages = Array.from({ length: 120 }, (_, i) => ({
    id: `m-${String(i).padStart(3, "0")}`,
    role: "user",
    text: `text ${i}`,
    at: NOON,
  }));
  writeFileSync(join(home, HISTORY_PATH), JSON.stringify({ throughTurn: 60, messages }));
  const gateway = await startGateway({ home });
  const pages: ChatMessage[][] = [];
  for (let page = await read(gateway); page.length > 0; page = await read(gateway, `?before=${page[0]?.id}`))
    pages.unshift(page);
  expect(pages.map((page) => page.length)).toEqual([20, 50, 50]);
  expect(texts(pages.flat())).toEqual(messages.map((message) => message.text));
  expect(texts(await read(gateway, "?limit=2&before=m-100"))).toEqual(["text 98", "text 99"]);
});

test("a page is of any age: before an id, or around one, over all months and into the newest messages", async () => {
  const home = temporaryHome();
  const ids = Array.from({ length: 1_500 }, (_, i) => `m-${String(i).padStart(4, "0")}`);
  const files = [{ id: "a".repeat(64), type: "text/plain" as const, bytes: 3, name: "beds.txt" }];
  const messages = ids.map((id, i) => ({ id, role: "user" as const, text: `text ${i}`, at: NOON, attachments: files }));
  const months = ["2025-11", "2025-12", "2026-01"];
  for (const [nth, month] of months.entries()) {
    const ofMonth = messages.slice(500 * nth, 500 * (nth + 1));
    await appendHistory(
      home,
      month,
      ofMonth.map((message, i) => ({ turn: 500 * nth + i + 1, messages: [message] })),
    );
  }
  writeFileSync(join(home, HISTORY_PATH), JSON.stringify({ throughTurn: 1_500, messages: messages.slice(-800) }));
  const gateway = await startGateway({ home });
  const pages: ChatMessage[][] = [];
  let page = await read(gateway, "?limit=200");
  for (; page.length > 0; page = await read(gateway, `?limit=200&before=${page[0]?.id}`)) pages.unshift(page);
  expect(pages.flat()).toEqual(messages);
  const around = async (i: number) => (await read(gateway, `?limit=10&around=${ids[i]}`)).map(({ id }) => id);
  expect(await around(123)).toEqual(ids.slice(118, 128));
  // The window of the newest begins at 700.
  expect(await around(701)).toEqual(ids.slice(696, 706));
  expect(await around(1)).toEqual(ids.slice(0, 6));
  expect(await around(1_499)).toEqual(ids.slice(1_490));
});

test("a page of long ago shows the newest version of a reply, with the earlier ones in it, and never those alone", async () => {
  const home = temporaryHome();
  const said = (id: string, more: object = {}) => ({ id, role: "assistant" as const, text: id, at: NOON, ...more });
  const first = said("t-000001.reply");
  const second = said("t-000002.reply", { instead: first.id });
  await appendHistory(home, "2025-11", [
    { turn: 1, messages: [said("m-0"), said("m-1"), first] },
    { turn: 2, messages: [second] },
    { turn: 3, messages: [said("m-2"), said("m-3")] },
  ]);
  const gateway = await startGateway({ home });
  const newest = { ...second, versions: [first] };
  expect(await read(gateway, "?limit=1&before=m-2")).toEqual([newest]);
  expect(await read(gateway, "?limit=2&before=m-2")).toEqual([said("m-1"), newest]);
  expect(await read(gateway, "?limit=1&before=t-000002.reply")).toEqual([said("m-1")]);
});

test("either before or around", async () => {
  expect((await (await startGateway()).ask("/api/messages?before=m-1&around=m-2")).status).toBe(400);
  expect((await (await startGateway()).ask("/api/messages?around=m-unknown")).status).toBe(404);
});

test.each(["?limit=0", "?limit=201", "?limit=a", "?limit=1.5", "?limit=1&limit=2", "?before=../x", "?other=1"])(
  "%s is not a page",
  async (query) => {
    const answer = await (await startGateway()).ask(`/api/messages${query}`);
    expect(answer).toMatchObject({ status: 400, json: { error: { code: "invalid" } } });
  },
);

test("a page before an unknown message is 404, not the newest page", async () => {
  expect((await (await startGateway()).ask("/api/messages?before=m-unknown")).status).toBe(404);
});

test("a reader that looks all the time sees every message all the time, once, while turns settle around it", {
  timeout: 60_000,
}, async () => {
  const gateway = await startGateway();
  const ids: string[] = [];
  let settled = false;
  const looks: ChatMessage[][] = [];
  async function look(): Promise<void> {
    while (!settled) looks.push(await read(gateway));
  }
  const looking = Promise.all([look(), look()]);
  for (let n = 1; n <= 20; n++) {
    ids.push(await say(gateway, `question ${n}`));
    await settleTurn(gateway.fs, n, [ids.at(-1) ?? ""], `answer ${n}`);
  }
  settled = true;
  await looking;
  const final = await read(gateway);
  expect(final).toHaveLength(40);
  for (const messages of looks) {
    const seen = messages.map((message) => message.id);
    expect(seen).toEqual(final.slice(0, seen.length).map((message) => message.id));
  }
});
