/** The words for people if a model does not answer: what is wrong, plainly, and what helps. */
import { failureNotice, goOnWords, outageNotice } from "@mimikit/core/views/notices";
import { commandFor } from "@mimikit/core/views/problem-words";
import { Cause, type ProviderProblem } from "@mimikit/protocol/base/cause";
import { FailureReason } from "@mimikit/protocol/base/failure";
import type { TurnInput } from "@mimikit/protocol/records/task";
import { describe, expect, test } from "vitest";
import { message, NOON } from "../facts.ts";

const asked = (text: string, timeZone?: string): TurnInput => {
  const client = timeZone === undefined ? {} : { client: { timeZone, now: NOON } };
  return { messages: [{ ...message("m-1", text), ...client }], events: [], results: [] };
};
const problem = (cause: Cause, more: Partial<ProviderProblem> = {}): ProviderProblem => ({
  cause,
  provider: "openai",
  model: "gpt-9",
  host: "api.test:8443",
  ...more,
});
const ERROR = "api.test:8443 says HTTP 499: Nope";

describe.each(Cause.options)("a reply that failed for its model (%s)", (cause) => {
  test.each([
    [
      "hello",
      /^Sorry, I could not finish this reply: .* \(api\.test:8443 says HTTP 499: Nope\)\. .*`mimikit .*`.*Try again/,
    ],
    ["你好", /^抱歉，我没能完成这次回复：.*（api\.test:8443 says HTTP 499: Nope）。.*`mimikit .*`.*重试/],
  ])("says in words what is wrong and what helps: %s", (text, words) => {
    const told = failureNotice(asked(text), "provider", ERROR, problem(cause));
    expect(told).toMatch(words);
    expect(told).toContain(commandFor(problem(cause)).split(" ").slice(0, 2).join(" "));
    if (cause !== "program") expect(told).toContain("api.test:8443");
  });
});

test("an unknown model is told with the names that are there", () => {
  const names = ["gpt-5", "gpt-5-mini"];
  expect(failureNotice(asked("hello"), "provider", ERROR, problem("model", { names }))).toContain(
    'has no model "gpt-9" (api.test:8443 says HTTP 499: Nope). It has: gpt-5, gpt-5-mini. Choose one: `mimikit connect openai`',
  );
});

test("who is signed in to is not only asked for a key", () => {
  const told = failureNotice(asked("hello"), "provider", "codex: 401", { cause: "key", provider: "codex" });
  expect(told).toContain("codex is not signed in, or its key is not accepted");
  expect(told).toContain("`mimikit connect codex`");
});

test.each(FailureReason.options)("the code of a failure is no word for people: %s", (reason) => {
  for (const text of ["hello", "你好"]) {
    const told = failureNotice(asked(text), reason, "");
    if (/_/.test(reason)) expect(told).not.toContain(reason);
    expect(told).not.toMatch(new RegExp(`[（(]${reason}`));
  }
  const report = {
    id: "t-1",
    title: "it",
    role: "worker",
    status: "failed",
    resultType: "text",
    result: null,
  } as const;
  expect(goOnWords({ ...report, failureReason: reason }, ["next"]).question).not.toMatch(/[a-z]_[a-z]/);
  expect(goOnWords({ ...report, failureReason: reason, error: "exit code 1" }, ["next"]).question).toContain(
    '"it" failed (exit code 1).',
  );
});

describe("an outage", () => {
  const outage = { since: NOON, error: "ECONNREFUSED", problem: problem("down") };

  test("says who, where and since when, on the clock of the user, and that the message waits", () => {
    expect(outageNotice(asked("hello", "Asia/Shanghai"), outage)).toBe(
      'I cannot answer at the moment: the model "gpt-9" of openai cannot be reached at api.test:8443 since 2026-11-22 20:00 Asia/Shanghai (ECONNREFUSED). ' +
        "Your message is saved; I will answer as soon as this is resolved. Is it running? Another model can be chosen: `mimikit connect`, or Settings on the page.",
    );
    expect(outageNotice(asked("你好"), outage)).toMatch(
      /^现在无法回答：从 2026-11-22 12:00 UTC 起，联系不上openai 的模型「gpt-9」（api\.test:8443）（ECONNREFUSED）。你的消息在等待，恢复后会自动回答。/,
    );
  });

  test("whose end is known says until when, and that the message is answered then", () => {
    const until = "2026-11-22T14:05:00.000Z";
    const limit = { since: NOON, error: "HTTP 429: slow down", problem: problem("limit", { until }) };
    expect(outageNotice(asked("hello", "Asia/Shanghai"), limit)).toBe(
      'I cannot answer before 2026-11-22 22:05 Asia/Shanghai: the model "gpt-9" of openai at api.test:8443 has reached its rate limit (HTTP 429: slow down). ' +
        "Your message is saved; I will answer it then. Another model can answer sooner: `mimikit connect`, or Settings on the page.",
    );
    expect(outageNotice(asked("你好"), limit)).toMatch(
      /^2026-11-22 14:05 UTC 之前无法回答：openai 的模型「gpt-9」（api\.test:8443）已达到使用上限（HTTP 429: slow down）。你的消息已保存，届时会自动回答。/,
    );
  });

  test("of somebody whose clock nobody knows is told in UTC", () => {
    expect(outageNotice(asked("hello", "Mars/Olympus"), outage)).toContain("since 2026-11-22 12:00 UTC");
  });
});
