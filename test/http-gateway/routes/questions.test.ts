import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Archived } from "@mimikit/protocol/records/archive";
import { type AnswerCommand, Event, InboxCommand } from "@mimikit/protocol/records/inbox";
import type { Question } from "@mimikit/protocol/records/question";
import type { ChatMessage, QuestionView } from "@mimikit/protocol/wire/api";
import { createRecord } from "@mimikit/store/disk/record";
import { isSigned, sign } from "@mimikit/store/disk/sign";
import { archivePath, inboxPath, questionPath } from "@mimikit/store/disk/state";
import { expect, test } from "vitest";
import { connect } from "../client.ts";
import { type Started, startGateway } from "../gateway.ts";
import { ask, NOON, settleTurn } from "../records.ts";

async function open(gateway: Started): Promise<QuestionView[]> {
  return ((await gateway.ask("/api/questions")).json as { questions: QuestionView[] }).questions;
}

function answerTo(gateway: Started, id: string, answer: string, key?: string) {
  return gateway.post(
    `/api/questions/${id}/answer`,
    { answer },
    key === undefined ? {} : { headers: { "Idempotency-Key": key } },
  );
}

function commandIn(gateway: Started, id: string): AnswerCommand {
  return InboxCommand.parse(JSON.parse(readFileSync(join(gateway.home, inboxPath(id)), "utf8"))) as AnswerCommand;
}

/** The supervisor's two steps: it decides in archive/, then it drops the record. */
async function close(gateway: Started, question: Question, outcome: "answered" | "expired"): Promise<void> {
  const closed: Archived = { kind: "question", id: question.id, at: NOON, question, outcome, answer: null };
  await createRecord(gateway.fs, Archived, archivePath(question.id), closed);
}

test("open questions are listed, the oldest first, with what a button needs", async () => {
  const gateway = await startGateway();
  await ask(gateway.fs, "t-000002.0", { at: "2026-11-21T12:05:00.000Z", options: ["red", "blue"], default: "red" });
  await ask(gateway.fs, "t-000001.0.go-on", {
    options: ["go on", "stop"],
    purpose: { type: "go_on", failedId: "t-000001.0" },
  });
  expect(await open(gateway)).toEqual([
    {
      id: "t-000001.0.go-on",
      at: NOON,
      expiresAt: "2126-11-21T13:00:00.000Z",
      question: "question t-000001.0.go-on",
      options: ["go on", "stop"],
      isChoice: true,
      taskId: "t-000001.0",
    },
    expect.objectContaining({ id: "t-000002.0", options: ["red", "blue"], default: "red", isChoice: false }),
  ]);
  expect((await gateway.ask("/api/status")).json).toMatchObject({ counts: { questions: 2 } });
});

test("an answer is a signed command when 202 is answered, and its question is open no more", async () => {
  const gateway = await startGateway({ config: { tickMs: 60_000 } });
  await ask(gateway.fs, "t-000001.0");
  const answer = await answerTo(gateway, "t-000001.0", "  the blue one ");
  expect(answer.status).toBe(202);
  const command = commandIn(gateway, (answer.json as { id: string }).id);
  expect(command).toMatchObject({ kind: "answer", questionId: "t-000001.0", answer: "the blue one" });
  expect(isSigned(gateway.token, command)).toBe(true);
  expect(await open(gateway)).toEqual([]);
  const second = await answerTo(gateway, "t-000001.0", "no, the red one");
  expect(second).toMatchObject({
    status: 410,
    json: { error: { code: "gone", hint: expect.stringContaining("message") } },
  });
});

test("the same Idempotency-Key is the same answer, also when the question is closed by then", async () => {
  const gateway = await startGateway();
  const question = await ask(gateway.fs, "t-000001.0");
  const first = await answerTo(gateway, question.id, "yes", "key-1");
  await close(gateway, question, "answered");
  const again = await answerTo(gateway, question.id, "yes", "key-1");
  expect(again).toMatchObject({ status: 202, json: first.json });
  expect(gateway.names("inbox")).toHaveLength(1);
});

test("a question of the supervisor's own takes only its options, in whatever case they are said", async () => {
  const gateway = await startGateway();
  const purpose = { type: "go_on", failedId: "t-000001.0" } as const;
  await ask(gateway.fs, "t-000001.0.go-on", { options: ["Go on", "Stop"], purpose });
  const refused = await answerTo(gateway, "t-000001.0.go-on", "perhaps");
  expect(refused).toMatchObject({ status: 400, json: { error: { message: expect.stringContaining("Go on, Stop") } } });
  expect(gateway.names("inbox")).toEqual([]);
  const { json } = await answerTo(gateway, "t-000001.0.go-on", " go ON");
  expect(commandIn(gateway, (json as { id: string }).id).answer).toBe("Go on");
});

test("an answer to the Teller is part of the conversation at once, under one id until its turn is settled", async () => {
  const gateway = await startGateway();
  const question = await ask(gateway.fs, "t-000001.0");
  const { json } = await answerTo(gateway, question.id, "the blue one");
  const { id: commandId } = json as { id: string };
  const lines = async () => ((await gateway.ask("/api/messages")).json as { messages: ChatMessage[] }).messages;
  const line = { id: commandId, role: "user", text: "the blue one", quote: question.id };
  expect(await lines()).toMatchObject([{ ...line, pending: true }]);

  const event: Event = {
    kind: "event",
    id: `${question.id}.answered`,
    at: NOON,
    name: "question_answered",
    text: "answered",
    data: { questionId: question.id, question: question.question, answer: "the blue one", wishId: commandId },
  };
  await createRecord(gateway.fs, Event, inboxPath(event.id), { ...event, mac: sign(gateway.token, event) });
  await close(gateway, question, "answered");
  await gateway.fs.unlink(inboxPath(commandId));
  expect(await lines()).toMatchObject([{ ...line, pending: true }]);

  await settleTurn(gateway.fs, 1, [], "Blue it is.", [], [event]);
  const settled = await lines();
  expect(settled).toMatchObject([line, { role: "assistant", text: "Blue it is.", answers: [commandId] }]);
  expect(settled[0]?.pending).toBeUndefined();
});

test("an answer that decides something of the supervisor's own is no part of the conversation", async () => {
  const gateway = await startGateway();
  await ask(gateway.fs, "t-000001.0", { options: ["yes", "no"], purpose: { type: "restart" } });
  await answerTo(gateway, "t-000001.0", "yes");
  expect((await gateway.ask("/api/messages")).json).toEqual({ messages: [] });
});

test("a closed question is gone, with the hint to send a message; an unknown one was never there", async () => {
  const gateway = await startGateway();
  const question = await ask(gateway.fs, "t-000001.0");
  await close(gateway, question, "expired");
  expect(await answerTo(gateway, question.id, "yes")).toMatchObject({
    status: 410,
    json: { error: { message: "this question is closed (expired)", hint: expect.stringContaining("message") } },
  });
  await gateway.fs.unlink(questionPath(question.id));
  expect((await answerTo(gateway, question.id, "yes")).status).toBe(410);
  expect((await answerTo(gateway, "t-000009.0", "yes")).status).toBe(404);
  expect(gateway.names("inbox")).toEqual([]);
});

test("a question that is decided in archive/ is never open again, whatever of it is still there", async () => {
  const gateway = await startGateway();
  const question = await ask(gateway.fs, "t-000001.0");
  const { json } = await answerTo(gateway, question.id, "yes");
  await close(gateway, question, "answered");
  await gateway.fs.unlink(inboxPath((json as { id: string }).id));
  expect(gateway.names("questions")).toHaveLength(1);
  expect(await open(gateway)).toEqual([]);
});

test("an answer that is none is refused by its field, and nothing is written", async () => {
  const gateway = await startGateway();
  await ask(gateway.fs, "t-000001.0");
  for (const body of [{}, { answer: " " }, { answer: 7 }, { answer: "a".repeat(8_001) }, { answer: "a", more: 1 }]) {
    expect((await gateway.post("/api/questions/t-000001.0/answer", body)).status).toBe(400);
  }
  expect((await gateway.post("/api/questions/%2e%2e/answer", { answer: "a" })).status).toBe(400);
  expect(gateway.names("inbox")).toEqual([]);
});

test("the routes want a credential and their methods", async () => {
  const gateway = await startGateway();
  for (const path of ["/api/questions", "/api/questions/t-000001.0/answer"])
    expect((await gateway.ask(path, { signedIn: false })).status).toBe(401);
  expect((await gateway.ask("/api/questions", { method: "DELETE" })).headers.allow).toBe("GET, HEAD");
  expect((await gateway.ask("/api/questions/t-000001.0/answer")).headers.allow).toBe("POST");
});

test("a client sees a question open and close, and may answer it by a frame that is acknowledged", async () => {
  const gateway = await startGateway();
  await ask(gateway.fs, "t-000001.0");
  const client = await connect(gateway);
  expect((await client.next("snapshot")).questions).toMatchObject([{ id: "t-000001.0" }]);
  await ask(gateway.fs, "t-000002.0", { options: ["a", "b"] });
  expect((await client.next("question")).data).toMatchObject({ id: "t-000002.0", isOpen: true, options: ["a", "b"] });

  client.send({ type: "answer", id: "mine", questionId: "t-000002.0", answer: "a" });
  const { messageId } = await client.next("accepted", (frame) => frame.id === "mine");
  expect(commandIn(gateway, messageId)).toMatchObject({ questionId: "t-000002.0", answer: "a" });
  const closed = client.frames.find((frame) => frame.type === "question" && !frame.data.isOpen);
  if (closed === undefined) await client.next("question", (frame) => !frame.data.isOpen);
  client.send({ type: "answer", id: "mine", questionId: "t-000002.0", answer: "a" });
  expect(await client.next("accepted")).toMatchObject({ id: "mine", messageId });
  client.send({ type: "answer", id: "late", questionId: "t-000002.0", answer: "b" });
  expect(await client.next("error")).toMatchObject({ code: "gone", id: "late" });
  expect(gateway.names("inbox")).toEqual([`${messageId}.json`]);
});
