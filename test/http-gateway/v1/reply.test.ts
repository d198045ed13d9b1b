/** The reply to one message is found in the conversation, however it came to be. */
import type { ChatMessage } from "@mimikit/protocol/wire/api";
import { expect, test } from "vitest";
import { courseOf } from "../../../apps/http-gateway/src/v1/reply.ts";

const AT = "2026-11-25T12:00:00.000Z";
const usage = { inputTokens: 5, cachedTokens: 1, outputTokens: 2, costUsd: 0 };
const said = (id: string, role: ChatMessage["role"], text: string, more: Partial<ChatMessage> = {}): ChatMessage => ({
  id,
  role,
  text,
  at: AT,
  ...more,
});

test("a message that waits has no reply, and says which turn has taken it up and why it can reach nobody", () => {
  const waits = said("m-1", "user", "hi", { pending: true });
  expect(courseOf("m-1", [waits])).toEqual({ state: "waiting", turn: undefined, outage: undefined });
  const taken = { ...waits, toTaskId: "t-000002" };
  const notice = said("t-000002.outage", "system", "I cannot reach the model", { pending: true });
  expect(courseOf("m-1", [taken, notice])).toMatchObject({ turn: "t-000002", outage: notice.text });
});

test("a reply is what its turn has said, with what it asks, and nothing of another turn", () => {
  const messages = [
    said("m-1", "user", "hi"),
    said("t-000002.outage", "system", "was away"),
    said("t-000002.reply", "assistant", "Hello.", { usage }),
    said("t-000002.1", "assistant", "Which region?"),
    said("t-000003.reply", "assistant", "Later."),
  ];
  const course = courseOf("m-1", messages);
  expect(course).toEqual({ state: "answered", reply: { at: AT, text: "Hello.\n\nWhich region?", usage } });
});

test("a turn that only asks is answered by its question", () => {
  const course = courseOf("m-1", [said("m-1", "user", "hi"), said("t-000002.0", "assistant", "Which?")]);
  expect(course).toMatchObject({ state: "answered", reply: { text: "Which?" } });
});

test("a message that was edited since is answered by the newest reply", () => {
  const edited = { ...said("m-2", "user", "hi, again"), versions: [said("m-1", "user", "hi")] };
  const course = courseOf("m-1", [edited, said("t-000003.reply", "assistant", "Better.")]);
  expect(course).toMatchObject({ state: "answered", reply: { text: "Better." } });
});

test("a message that is not there is unknown", () => {
  expect(courseOf("m-9", [said("m-1", "user", "hi")])).toEqual({ state: "unknown" });
});
