/** Questions to the user: asked once, closed once, and what follows from that (SPEC C5, C7, C8, G3). */

import type { AttemptFacts } from "@mimikit/core/base/snapshot";
import { decide } from "@mimikit/core/decide";
import { dispatch } from "@mimikit/core/tasks/dispatch";
import { messagesOf } from "@mimikit/core/views/history";
import { cancelMark } from "@mimikit/protocol/base/id";
import { byRole } from "@mimikit/protocol/base/kind";
import { type AnswerCommand, Event, type Message } from "@mimikit/protocol/records/inbox";
import { type ClosedQuestion, type Purpose, QUESTIONS_MAX, type Question } from "@mimikit/protocol/records/question";
import { reportOf } from "@mimikit/protocol/records/result";
import type { Condition } from "@mimikit/protocol/triggers/condition";
import { describe, expect, test } from "vitest";
import { settlementOf } from "../../../packages/core/src/rules/settle.ts";
import { dependentOn, done, failed, message, NOON, NOON_MS, snapshot, task, turn } from "../facts.ts";

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 86_400_000;

const question = (more: Partial<Question> = {}): Question => ({
  id: "t-000001.1",
  at: NOON,
  expiresAt: "2026-11-22T13:00:00.000Z",
  question: "Which port?",
  options: ["80", "8080"],
  purpose: { type: "teller" },
  traceId: "t-000001",
  ...more,
});
const own = (purpose: Purpose, more: Partial<Question> = {}) =>
  question({ purpose, options: ["yes", "no"], default: "no", ...more });
const answer = (more: Partial<AnswerCommand> = {}): AnswerCommand => ({
  kind: "answer",
  id: "a-1",
  at: NOON,
  questionId: "t-000001.1",
  answer: "80",
  mac: "seal",
  ...more,
});
const closed = (of: Question, more: Partial<ClosedQuestion> = {}): ClosedQuestion => ({
  kind: "question",
  id: of.id,
  at: NOON,
  question: of,
  outcome: "answered",
  answer: "80",
  wishId: "a-1",
  ...more,
});
const at = (nowMs: number, facts: Parameters<typeof snapshot>[0]) => decide(snapshot(facts), nowMs);
const now = (facts: Parameters<typeof snapshot>[0]) => at(NOON_MS, facts);
/** A question of which the archive holds how it was closed. */
const archived = (record: ClosedQuestion) => ({ closed: { [record.id]: record }, archive: [record.id] });

describe("a question", () => {
  test("stays open while nobody answers and its time is not over", () => {
    expect(at(NOON_MS + HOUR_MS - 1, { questions: [question()] })).toEqual([]);
  });

  test("is closed by its first answer, and nothing else follows before that is durable", () => {
    const later = answer({ id: "a-0", at: "2026-11-22T12:00:01.000Z", answer: "8080" });
    const actions = now({ questions: [question()], inbox: [later, answer()] });
    expect(actions).toEqual([{ type: "close-question", closed: closed(question()) }]);
  });

  test("whose time is over takes its default, or none", () => {
    const [first] = at(NOON_MS + HOUR_MS, { questions: [question({ default: "8080" })] });
    expect(first).toMatchObject({ type: "close-question", closed: { outcome: "expired", answer: "8080" } });
    const [second] = at(NOON_MS + HOUR_MS, { questions: [question()] });
    expect(second).toMatchObject({ closed: { outcome: "expired", answer: null } });
  });

  test("whose answer is here is answered, though its time ran out before anybody looked", () => {
    const [action] = at(NOON_MS + YEAR_MS, { questions: [question()], inbox: [answer()] });
    expect(action).toMatchObject({ closed: { outcome: "answered", wishId: "a-1" } });
  });

  test("stays open over a clock that is set back a little, and does not wait a year for one that is set back a year", () => {
    expect(at(NOON_MS - 300_000, { questions: [question()] })).toEqual([]);
    expect(at(NOON_MS - YEAR_MS, { questions: [question()] })).toMatchObject([{ closed: { outcome: "expired" } }]);
  });

  test("is cancelled with the turn or the task that it is of, and nobody is told", () => {
    const archive = [cancelMark("t-000001.1")];
    const [action] = now({ questions: [question()], inbox: [answer()], archive });
    expect(action).toMatchObject({ closed: { outcome: "cancelled", answer: null } });
    const record = closed(question(), { outcome: "cancelled", answer: null });
    expect(now({ questions: [question()], ...archived(record) })).toEqual([
      { type: "conclude-question", id: "t-000001.1", event: null },
    ]);
  });

  test("that was answered is told to the Teller with the work that waits for it, and the record goes; the command stays until then", () => {
    const about = reportOf(done(task("t-000000.0"), { status: "needs_input" }));
    const asked = question({ purpose: { type: "teller", about } });
    expect(now({ questions: [asked], inbox: [answer()], ...archived(closed(asked)) })).toEqual([
      {
        type: "conclude-question",
        id: asked.id,
        event: {
          kind: "event",
          id: "t-000001.1.answered",
          at: NOON,
          name: "question_answered",
          text: '"Which port?" was answered.',
          data: { questionId: asked.id, question: "Which port?", answer: "80", wishId: "a-1", about },
        },
      },
    ]);
    const told = now({ inbox: [answer()], ...archived(closed(asked)) });
    expect(told).toEqual([{ type: "answer-command", command: answer(), outcome: "answered t-000001.1" }]);
  });

  test("that nobody answered is told to the Teller with the default, in the language of the question", () => {
    const asked = question({ question: "哪个端口？", default: "80" });
    const { wishId: _, ...record } = closed(asked, { outcome: "expired" });
    const [action] = now({ questions: [asked], ...archived(record) });
    expect(action).toMatchObject({
      event: {
        id: "t-000001.1.expired",
        name: "question_expired",
        text: "问题「哪个端口？」没有人及时回答，按默认「80」处理。",
        data: { answer: "80" },
      },
    });
  });

  test("whose archived record cannot be read is done with, instead of being asked for ever", () => {
    expect(now({ questions: [question()], archive: ["t-000001.1"] })).toEqual([
      { type: "conclude-question", id: "t-000001.1", event: null },
    ]);
  });

  test("is one of several: each is closed by its own answer", () => {
    const other = question({ id: "t-000001.2", question: "Which host?" });
    const actions = now({ questions: [question(), other], inbox: [answer({ questionId: other.id, answer: "a" })] });
    expect(actions).toMatchObject([{ type: "close-question", closed: { id: other.id, answer: "a" } }]);
  });
});

test("where fifty questions are open, one more is not asked, and the Teller hears of it", () => {
  const asking = done(turn("t-000099", { messages: [message("m-a")] }), {
    effects: [
      { type: "reply", text: "ok" },
      { type: "ask_user", question: "One more?" },
      { type: "ask_user", question: "And another?" },
    ],
  });
  const open = (count: number) => Array.from({ length: count }, (_, i) => question({ id: `t-${i}` }));
  const { questions, events } = settlementOf(asking, snapshot({ questions: open(QUESTIONS_MAX - 1) }), NOON_MS);
  expect(questions.map(({ id }) => id)).toEqual(["t-000099.1"]);
  expect(events).toMatchObject([{ id: "t-000099.2.refused", name: "action_feedback", data: { tool: "ask_user" } }]);
});

describe("an answer", () => {
  const late = answer({ id: "a-2" });
  const message = { kind: "message", id: "m-a-2", at: NOON, text: "80" };

  test("becomes a message about its question where that is closed", () => {
    const closings = [
      { answer: "8080" },
      { outcome: "expired" as const, answer: "80" },
      { outcome: "cancelled" as const, answer: null },
    ];
    for (const more of closings)
      expect(now({ inbox: [late], ...archived(closed(question(), more)) })[0]).toEqual({
        type: "answer-late",
        command: late,
        message: { ...message, quote: "t-000001.1" },
        outcome: "the question was closed: it became a message",
      });
  });

  test("that came by a channel becomes a message of it", () => {
    const via = { channel: "telegram", chat: "1", person: "1" };
    expect(now({ inbox: [{ ...late, via }] })[0]).toMatchObject({ type: "answer-late", message: { ...message, via } });
  });

  test("becomes a message where there is no such question", () => {
    const outcome = "there is no such question: it became a message";
    expect(now({ inbox: [late] })[0]).toEqual({ type: "answer-late", command: late, message, outcome });
  });

  test("that comes twice in the same words is given once, and is no message", () => {
    expect(now({ inbox: [late], ...archived(closed(question())) })).toEqual([
      { type: "answer-command", command: late, outcome: "refused: t-000001.1 has this answer already" },
    ]);
    const asked = own({ type: "restart" });
    const yes = archived(closed(asked, { answer: "yes" }));
    expect(now({ inbox: [{ ...late, answer: "Yes" }], ...yes })).toMatchObject([{ type: "answer-command" }]);
  });

  test("that closed its question is no message, also when the record of the question is gone", () => {
    const actions = now({ inbox: [answer()], ...archived(closed(question())) });
    expect(actions).toEqual([{ type: "answer-command", command: answer(), outcome: "answered t-000001.1" }]);
  });

  test("to a question of the supervisor's own is one of its options, in whatever case", () => {
    const asked = own({ type: "restart" });
    expect(now({ questions: [asked], inbox: [answer({ answer: "YES" })] })).toMatchObject([
      { type: "close-question", closed: { answer: "yes" } },
    ]);
  });

  test("that is none of them is refused, and the question stays open", () => {
    const asked = own({ type: "restart" });
    const command = answer({ answer: "maybe" });
    expect(now({ questions: [asked], inbox: [command] })).toEqual([
      { type: "answer-command", command, outcome: "refused: answer one of yes, no" },
    ]);
  });
});

describe("a question that the work of a trigger asks", () => {
  const fired = { kind: "event", id: "trg-1--1", at: NOON, name: "cron_trigger", text: "" } as const;
  const asking = done(
    task("t-000002", { triggerId: "trg-1", triggerDepth: 2, turn: { messages: [], events: [], results: [] } }),
    { effects: [{ type: "ask_user", question: "Go?", default: "yes" }] },
  );
  const [asked] = settlementOf(asking, snapshot({}), NOON_MS).questions;
  const eventAfter = (more: Partial<ClosedQuestion>) => {
    const [action] = asked === undefined ? [] : now({ questions: [asked], ...archived(closed(asked, more)) });
    return action?.type === "conclude-question" ? action.event : null;
  };
  const wokenBy = (event: Event | null) => now({ inbox: event === null ? [] : [event] });

  test("leads no deeper and costs the same trigger, where nobody answers; what a user says begins anew", () => {
    expect(wokenBy(eventAfter({ outcome: "expired", answer: "yes" }))).toMatchObject([
      { type: "wake", turn: { triggerId: "trg-1", triggerDepth: 2 } },
    ]);
    const [answered] = wokenBy(eventAfter({ answer: "yes" }));
    expect(answered).toMatchObject({ type: "wake", turn: { triggerId: "trg-1" } });
    expect(answered).not.toHaveProperty("turn.triggerDepth");
  });

  test("stands as deep as what fired, or what is reported", () => {
    const data = { triggerId: "trg-1", triggerDepth: 2, occurrence: NOON, prompt: "look" };
    expect(now({ inbox: [{ ...fired, data }] })).toMatchObject([{ turn: { triggerDepth: 2 } }]);
    const work = done(task("trg-1--1", { role: "worker", consumer: "teller", triggerId: "trg-1", triggerDepth: 1 }));
    expect(now({ results: [work] })).toMatchObject([{ type: "wake", turn: { triggerId: "trg-1", triggerDepth: 1 } }]);
    expect(now({ results: [work], inbox: [message("m-a")] })[0]).not.toHaveProperty("turn.triggerDepth");
  });

  test("is that of a plan, too, which has made no tasks, or was refused a trigger", () => {
    const plan = task("trg-1--2", { role: "planner", consumer: "supervisor", triggerId: "trg-1", triggerDepth: 3 });
    const order = { prompt: "again" };
    const when = { type: "recurring", schedule: { interval: 60 } } as const;
    const { events } = settlementOf(
      done(plan, { effects: [{ type: "schedule", order, when }] }),
      snapshot({}),
      NOON_MS,
    );
    expect(events.map(({ id, data }) => [id, data])).toMatchObject([
      ["trg-1--2.0.refused", { triggerId: "trg-1", triggerDepth: 3 }],
      ["trg-1--2.report", { triggerId: "trg-1", triggerDepth: 3 }],
    ]);
  });
});

describe("a plan that needs to know more", () => {
  const plan = task("t-000001.0", { title: "Deploy" });
  const waiting = reportOf(
    done(plan, { status: "needs_input", question: "Which port?", resultType: "analysis", result: { findings: ["x"] } }),
  );

  test("is what the Teller's question is about", () => {
    const asking = done(turn("t-000002", { results: [waiting] }), {
      effects: [{ type: "ask_user", question: "Which port should it be?", options: ["80"], timeoutSec: 60 }],
    });
    // The supervisor may have been down when the turn ended: the user has the whole time all the same.
    expect(settlementOf(asking, snapshot({}), NOON_MS + HOUR_MS).questions).toEqual([
      {
        id: "t-000002.0",
        at: "2026-11-22T13:00:00.000Z",
        expiresAt: "2026-11-22T13:01:00.000Z",
        question: "Which port should it be?",
        options: ["80"],
        purpose: { type: "teller", about: waiting },
        traceId: "t-000002",
      },
    ]);
  });

  test("hands its analysis and the answer to whatever the Teller delegates next", () => {
    const data = { questionId: "t-000002.0", question: "Which port?", answer: "80", wishId: "a-1", about: waiting };
    const event = { kind: "event", id: "t-000002.0.answered", at: NOON, name: "question_answered", text: "" } as const;
    const next = done(turn("t-000003", { events: [{ ...event, data }] }), {
      effects: [{ type: "delegate", prompt: "deploy on port 80" }],
    });
    const [child] = settlementOf(next, snapshot({}), NOON_MS).tasks;
    expect(child?.upstream).toEqual([{ ...waiting, answer: "80" }]);
  });
});

test("a plan that asked is handed on with what the user said instead of an option, where the question is taken back", () => {
  const report = reportOf(done(task("t-000001.0"), { status: "needs_input", question: "Which port?" }));
  const asked = question({ id: "t-000002.0", purpose: { type: "teller", about: report } });
  const next = done(turn("t-000003", { messages: [message("m-1", "dunno, whatever you think is tidier")] }), {
    effects: [
      { type: "delegate", prompt: "deploy" },
      { type: "cancel_task", id: "t-000002.0" },
    ],
  });
  const [child] = settlementOf(next, snapshot({ questions: [asked] }), NOON_MS).tasks;
  expect(child?.upstream).toEqual([{ ...report, answer: "dunno, whatever you think is tidier" }]);
});

describe("a chain behind a failure", () => {
  const member = (i: number, title: string) => task(`t-000001.0.${i}`, { title });
  const [a, b, c, d, e] = [member(0, "a"), member(1, "b"), member(2, "c"), member(3, "d"), member(4, "e")];
  const whenDone = (taskId: string): Condition => ({ type: "task_done", params: { taskId } });
  const behindC = dependentOn(d, whenDone(c.id));
  const behindD = dependentOn(e, whenDone(d.id));
  const cFailed = failed(c, { failureReason: "timeout", error: "took too long" });
  const outcomes = {
    [a.id]: reportOf(done(a)),
    [b.id]: reportOf(done(b)),
    [c.id]: reportOf(cFailed),
  };
  const facts = {
    dependents: [behindC, behindD],
    outcomes,
    settledTurn: 1,
    archive: ["t-000001.0", a.id, "t-000001.0.1"],
  };
  const id = "t-000001.0.2.go-on";
  const asked = own({ type: "go_on", failedId: "t-000001.0.2" }, { id, options: ["go on", "stop"], default: "stop" });
  const agreed = closed(asked, { answer: "go on" });
  const withAnswer = (record: ClosedQuestion) => ({
    ...facts,
    closed: { [id]: record },
    archive: [...facts.archive, "t-000001.0.2", id],
  });

  test("asks the user once, with what failed, why, and all that waits", () => {
    const actions = now({ ...facts, archive: [...facts.archive, "t-000001.0.2"] });
    expect(actions).toEqual([
      {
        type: "ask",
        question: {
          id,
          at: NOON,
          expiresAt: "2026-11-22T13:00:00.000Z",
          question: '"c" failed (took too long). "d", "e" wait for it. Go on anyway?',
          options: ["go on", "stop"],
          default: "stop",
          purpose: { type: "go_on", failedId: "t-000001.0.2" },
          traceId: "t-000001",
        },
      },
    ]);
  });

  test("asks in the language of its titles, and keeps a long error short", () => {
    const report = reportOf(failed(task("t-000001.0.2", { title: "编译" }), { error: "错".repeat(5_000) }));
    const dependents = [dependentOn(task("t-000001.0.3", { title: "测试" }), whenDone("t-000001.0.2"))];
    const [action] = now({ ...facts, dependents, outcomes: { "t-000001.0.2": report } });
    expect(action).toMatchObject({ type: "ask", question: { options: ["继续", "停止"], default: "停止" } });
    const text = action?.type === "ask" ? action.question.question : "";
    expect(text).toMatch(/^「编译」失败了（错+…⟨4700 more characters⟩）。「测试」在等它。要继续吗？$/);
    expect(text.length).toBeLessThan(400);
  });

  test("reports the failure at once, and the plan not before the question is closed", () => {
    const results = [done(b), cFailed];
    const actions = now({ ...facts, archive: ["t-000001.0", a.id], results, questions: [asked] });
    expect(actions).toMatchObject([{ type: "wake", turn: { turn: { results: [{ id: "t-000001.0.2" }] } } }]);
  });

  test("is left alone while the question is open, and is not asked before all of its plan is written", () => {
    expect(now({ ...facts, questions: [asked] })).toEqual([]);
    expect(now({ ...facts, archive: [] })).toEqual([]);
  });

  test("goes on with the failed report when the user says so, though the record of the question is long gone", () => {
    const actions = now(withAnswer(agreed));
    expect(actions).toMatchObject([{ type: "fire", task: { id: d.id, upstream: [{ status: "failed" }] } }]);
    expect(actions).toHaveLength(1);
  });

  test.each([
    ["says stop", { answer: "stop" }, 'not run: the user chose to stop after "c"'],
    [
      "says nothing in time",
      { outcome: "expired" as const, answer: "stop" },
      'not run: there was no answer in time on whether to go on after "c"',
    ],
    [
      "has cancelled the question",
      { outcome: "cancelled" as const, answer: null },
      'not run: "c" did not end as it needed',
    ],
  ])("ends when the user %s, and says why", (_, more, error) => {
    const actions = now(withAnswer(closed(asked, more)));
    expect(actions).toMatchObject([{ type: "finish", result: { id: d.id, failureReason: "cancelled", error } }]);
  });

  test("that has ended is told in the one report of its plan, not task by task", () => {
    const ended = failed(d, { failureReason: "cancelled" });
    const open = { ...withAnswer(closed(asked, { answer: "stop" })), archive: ["t-000001.0", c.id, id] };
    const results = [done(a), done(b), ended];
    const next = now({ ...open, outcomes: { [d.id]: reportOf(ended) }, dependents: [behindD], results });
    expect(next).toMatchObject([{ type: "finish", result: { id: e.id } }]);
    expect(next).toHaveLength(1);
    const last = now({ ...open, dependents: [], results: [...results, failed(e, { failureReason: "cancelled" })] });
    expect(last).toMatchObject([{ type: "wake", turn: { turn: { results: [{}, {}, {}, {}] } } }]);
  });

  test("ends task by task behind that, without another question", () => {
    const ended = reportOf(failed(d, { failureReason: "cancelled" }));
    const actions = now({ ...facts, dependents: [behindD], outcomes: { [d.id]: ended } });
    expect(actions).toMatchObject([{ type: "finish", result: { id: e.id, failureReason: "cancelled" } }]);
  });

  test("ends without a question where what it waits for was cancelled, or needs an answer first", () => {
    for (const report of [
      reportOf(failed(c, { failureReason: "cancelled" })),
      reportOf(done(c, { status: "needs_input" })),
    ])
      expect(now({ ...facts, dependents: [behindC], outcomes: { [report.id]: report } })).toMatchObject([
        { type: "finish", result: { id: d.id } },
      ]);
  });

  test("is not asked where it may still start otherwise, nor where going on would not help", () => {
    const other = "t-000001.0.1";
    const either: Condition = { type: "or", conditions: [whenDone("t-000001.0.2"), whenDone(other)] };
    const queue = [task(other)];
    const failure = { "t-000001.0.2": reportOf(cFailed) };
    expect(now({ dependents: [dependentOn(d, either)], outcomes: failure, queue, settledTurn: 1 })).toEqual([]);
    const both: Condition = { type: "and", conditions: [whenDone("t-000001.0.2"), whenDone(other)] };
    const cancelled = { ...failure, [other]: reportOf(failed(task(other), { failureReason: "cancelled" })) };
    expect(now({ dependents: [dependentOn(d, both)], outcomes: cancelled, settledTurn: 1 })).toMatchObject([
      { type: "finish", result: { id: d.id } },
    ]);
  });

  test("behind two failures asks about one after the other, and a stop to either is a stop", () => {
    const other = reportOf(failed(b));
    const both: Condition = { type: "and", conditions: [whenDone("t-000001.0.2"), whenDone(other.id)] };
    const two = {
      dependents: [dependentOn(d, both)],
      outcomes: { "t-000001.0.2": reportOf(cFailed), [other.id]: other },
      settledTurn: 1,
    };
    const plan = ["t-000001.0"];
    expect(now({ ...two, archive: plan })).toMatchObject([{ type: "ask", question: { id } }]);
    const next = now({ ...two, closed: { [id]: agreed }, archive: [...plan, id] });
    expect(next).toMatchObject([{ type: "ask", question: { id: `${other.id}.go-on` } }]);
    const stopped = closed(asked, { answer: "stop" });
    expect(now({ ...two, closed: { [id]: stopped }, archive: [...plan, id] })).toMatchObject([{ type: "finish" }]);
  });

  test("that the user cancels while the question is open closes it as cancelled", () => {
    const archive = [...facts.archive, cancelMark("t-000001.0")];
    expect(now({ ...facts, dependents: [], questions: [asked], archive })).toMatchObject([
      { type: "close-question", closed: { outcome: "cancelled" } },
    ]);
    // Every dependent task on its own, too: nothing is left that an answer would change.
    expect(now({ ...facts, dependents: [], questions: [asked] })).toMatchObject([{ closed: { outcome: "cancelled" } }]);
  });
});

describe("a task that is not to run again unasked", () => {
  const work = task("t-000001.0.0", { title: "Send the mail", onInterrupt: "ask" });
  const dead: AttemptFacts = { role: "worker", attempt: 1, ownerAlive: false };
  const interrupted = { id: work.id, failureReason: "interrupted", error: "", at: NOON, retryAt: NOON } as const;
  const judged = (attempt: number): AttemptFacts => ({
    ...dead,
    attempt,
    failed: { ...interrupted, attempt, death: "shared" },
  });
  const facts = { queue: [work], attempts: { [work.id]: [dead] }, settledTurn: 1 };
  const id = "t-000001.0.0.a1.run-again";
  const permit = "t-000001.0.0.a1.again";
  const asked = own({ type: "run_again", taskId: work.id, attempt: 1 }, { id });
  const claimable = (attempts: AttemptFacts[], permits: string[] = []) =>
    dispatch(
      {
        queue: [work],
        attempts: new Map([[work.id, attempts]]),
        hasOutcome: () => false,
        permits: new Set(permits),
      },
      byRole(() => 1),
      NOON_MS,
    );

  test("runs at first without a question", () => {
    expect(now({ queue: [work] })).toEqual([]);
    expect(claimable([])).toMatchObject([{ attempt: 1 }]);
  });

  test("is asked about when it was cut off, and not claimed meanwhile", () => {
    expect(now(facts)).toMatchObject([
      {
        type: "ask",
        question: {
          id,
          question: '"Send the mail" was interrupted while it ran, and may have done part of its work. Run it again?',
          options: ["yes", "no"],
          default: "no",
        },
      },
    ]);
    expect(now({ ...facts, questions: [asked] })).toEqual([]);
    expect(claimable([judged(1)])).toEqual([]);
  });

  test("runs again with a permit, made once from the user's yes, and is told that it was cut off", () => {
    const yes = archived(closed(asked, { answer: "yes" }));
    expect(now({ ...facts, ...yes })).toEqual([
      { type: "permit", permit: { kind: "permit", id: permit, at: NOON, taskId: work.id, attempt: 1 } },
    ]);
    expect(now({ ...facts, ...yes, archive: [id, permit] })).toEqual([]);
    expect(claimable([judged(1)], [permit])).toMatchObject([{ attempt: 2, interrupted: true }]);
  });

  test("is asked about anew when it is cut off again: a permit is for one attempt", () => {
    const again = [dead, { ...dead, attempt: 2 }];
    expect(claimable([judged(1), judged(2)], [permit])).toEqual([]);
    const actions = now({ ...facts, attempts: { [work.id]: again }, archive: [permit, id] });
    expect(actions).toMatchObject([{ type: "ask", question: { id: "t-000001.0.0.a2.run-again" } }]);
  });

  test.each([
    ["the user says no", closed(asked, { answer: "no" }), "and the user chose not to run it again"],
    [
      "nobody answers in time",
      closed(asked, { outcome: "expired", answer: "no" }),
      "and there was no answer in time on whether to run it again",
    ],
  ])("ends as interrupted when %s, and says so", (_, record, why) => {
    const error = `its process ended while it ran, ${why}`;
    expect(now({ ...facts, ...archived(record) })).toMatchObject([
      { type: "finish", result: { id: work.id, failureReason: "interrupted", attempts: 1, error } },
    ]);
  });

  test("that is cancelled meanwhile is not asked about, and its open question is closed", () => {
    const cancelled = { ...facts, archive: [cancelMark(work.id)], questions: [asked] };
    expect(now(cancelled)).toMatchObject([
      { type: "finish", result: { failureReason: "cancelled" } },
      { type: "close-question", closed: { outcome: "cancelled" } },
    ]);
    expect(now({ questions: [asked], settledTurn: 1 })).toMatchObject([{ closed: { outcome: "cancelled" } }]);
  });
});

describe("a restart that the Teller wants", () => {
  const asked = own({ type: "restart" });
  const yes = archived(closed(asked, { answer: "yes" }));
  const command = { kind: "restart" as const, id: "r-t-000001.1", at: NOON };

  test("is asked in the language of whoever wanted it, and is a no where nobody answers", () => {
    const result = done(turn("t-000001", { messages: [message("m-a", "重启一下")] }), {
      effects: [{ type: "restart_server" }],
    });
    expect(settlementOf(result, snapshot({}), NOON_MS).questions).toMatchObject([
      { id: "t-000001.0", question: "要现在重启 Mimikit 吗？", options: ["是", "否"], default: "否" },
    ]);
  });

  test("becomes one command when the user agrees; when that is done, the Teller hears of it", () => {
    expect(now({ questions: [asked], ...yes })).toEqual([{ type: "order-restart", command }]);
    const ordered = now({ questions: [asked], ...yes, inbox: [{ ...command, mac: "seal" }] });
    expect(ordered).toMatchObject([{ type: "restart" }]);
    const done = now({ questions: [asked], closed: yes.closed, archive: [...yes.archive, command.id] });
    expect(done).toMatchObject([
      { type: "conclude-question", event: { id: "t-000001.1.restarted", name: "restarted" } },
    ]);
  });

  test("is nothing more when the user does not", () => {
    for (const more of [{ answer: "no" }, { outcome: "expired" as const, answer: "no" }])
      expect(now({ questions: [asked], ...archived(closed(asked, more)) })).toEqual([
        { type: "conclude-question", id: asked.id, event: null },
      ]);
  });
});

describe("the conversation", () => {
  const event = (more: Partial<Event>) =>
    Event.parse({
      kind: "event",
      id: "t-000001.1.answered",
      at: NOON,
      name: "question_answered",
      text: '"Which port?" was answered.',
      data: { questionId: "t-000001.1", question: "Which port?", answer: "80", wishId: "a-1" },
      ...more,
    });
  const reply = { type: "reply" as const, text: "ok" };

  test("shows a question of the Teller's after its reply, under the id of the question", () => {
    const asking = done(turn("t-000001", { messages: [message("m-a")] }), {
      effects: [reply, { type: "ask_user", question: "Which port?" }],
    });
    expect(messagesOf(asking).map(({ id, role, text }) => [id, role, text])).toEqual([
      ["m-a", "user", "hello"],
      ["t-000001.reply", "assistant", "ok"],
      ["t-000001.1", "assistant", "Which port?"],
    ]);
  });

  test("shows an answer as what the user said, about the question, and the reply answers it", () => {
    const lines = messagesOf(done(turn("t-000002", { events: [event({})] }), { effects: [reply] }));
    expect(lines).toMatchObject([
      { id: "a-1", role: "user", text: "80", at: NOON, quote: "t-000001.1" },
      { id: "t-000002.reply", answers: ["a-1"] },
    ]);
  });

  test("shows that nobody answered in time as a line of its own", () => {
    const expired = event({ id: "t-000001.1.expired", name: "question_expired", text: "Nobody answered." });
    expect(messagesOf(done(turn("t-000002", { events: [expired] }), { effects: [reply] }))[0]).toEqual({
      id: "t-000001.1.expired",
      role: "system",
      text: "Nobody answered.",
      at: NOON,
    });
  });
});

describe("a message that is the number, the place or the text of an option", () => {
  const asked = question({ question: "What may I delete?", options: ["the installers", "the videos"] });
  const said = (text: string, more: Partial<Message> = {}): Message => ({ ...message("m-1", text), ...more });
  const second = said("ok then the second one");
  const answered = closed(asked, { answer: "the videos", messageId: "m-1" });
  const { wishId: _, ...record } = answered;
  const event = {
    kind: "event" as const,
    id: "t-000001.1.answered",
    at: NOON,
    name: "question_answered" as const,
    text: '"What may I delete?" was answered.',
    data: { questionId: asked.id, question: asked.question, answer: "the videos", messageId: "m-1" },
  };
  const facts = { settledTurn: 1 };
  const both = { type: "wake", turn: { turn: { messages: [{ id: "m-1" }], events: [{ id: event.id }] } } };

  test("answers the question as its button does, before a turn takes it", () => {
    expect(now({ ...facts, questions: [asked], inbox: [second] })).toEqual([
      { type: "close-question", closed: record },
    ]);
  });

  test("waits until the answer is told, and both are in one turn", () => {
    expect(now({ ...facts, questions: [asked], inbox: [second], ...archived(record) })).toEqual([
      { type: "conclude-question", id: asked.id, event },
    ]);
    // Cut off between the event and the end of the question.
    expect(now({ ...facts, questions: [asked], inbox: [second, event], ...archived(record) })).toMatchObject([
      { type: "conclude-question" },
      both,
    ]);
    expect(now({ ...facts, inbox: [second, event], ...archived(record) })).toMatchObject([both]);
  });

  test("is in the history once, with what was chosen", () => {
    const input = { messages: [second], events: [event], results: [] };
    const [shown, ...others] = messagesOf(done(turn("t-000002", input), { effects: [{ type: "reply", text: "ok" }] }));
    expect(shown).toMatchObject({ id: "m-1", text: "ok then the second one → the videos", quote: asked.id });
    expect(others).toMatchObject([{ role: "assistant", answers: ["m-1"] }]);
    const [same] = messagesOf(done(turn("t-000002", { ...input, messages: [said("The videos")] })));
    expect(same).toMatchObject({ id: "m-1", text: "The videos", quote: asked.id });
  });

  test("from one channel is told with its answer, though a message from another is before it", () => {
    const via = { channel: "telegram", chat: "1", person: "1" };
    const first = { ...message("m-0", "hi"), at: "2026-11-22T11:00:00.000Z", via };
    const [woken] = now({ ...facts, inbox: [first, second, event], ...archived(record) });
    expect(woken).toMatchObject({ turn: { turn: { messages: [{ id: "m-0" }], events: [] } } });
  });

  const other = question({ id: "t-000001.2", question: "Which host?" });
  const approval = own({ type: "approve", taskId: "t-000001.0", attempt: 1 }, { id: "t-000001.0.a1.approve" });
  const open = { queue: [task("t-000001.0")] };
  const via = { channel: "telegram", chat: "1", person: "1" };
  test.each<[string, Parameters<typeof now>[0]]>([
    ["another question with options is open", { questions: [asked, other], inbox: [second] }],
    ["a question of the supervisor's is open", { ...open, questions: [asked, approval], inbox: [second] }],
    ["it is an approval", { ...open, questions: [approval], inbox: [said("the first one")] }],
    ["it was said before the question", { questions: [asked], inbox: [{ ...second, at: "2026-11-22T11:59:59.000Z" }] }],
    ["it is about another message", { questions: [asked], inbox: [{ ...second, quote: "t-000001.reply" }] }],
    ["it has a turn of its own", { questions: [asked], inbox: [{ ...second, mode: "next" }] }],
    ["it brings words of others", { questions: [asked], inbox: [{ ...second, isQuoting: true }] }],
    ["it came by a channel that was not asked", { questions: [asked], inbox: [{ ...second, via }] }],
    ["something else was asked since", { questions: [asked], inbox: [second], talk: { since: ["How many?"] } }],
    ["a list was shown since", { questions: [asked], inbox: [second], talk: { since: ["Here:\n1. a\n2. b"] } }],
  ])("is left to a model where %s", (_, more) => {
    const actions = now({ ...facts, ...more });
    expect(actions.filter(({ type }) => type === "close-question")).toEqual([]);
    expect(actions.at(-1)).toMatchObject({ type: "wake", turn: { turn: { messages: [{ id: "m-1" }] } } });
  });

  test("answers a question that the Teller has said again since", () => {
    const talk = { since: ["I need to know: What may I delete? Tap a button."] };
    expect(now({ ...facts, questions: [asked], inbox: [second], talk })).toMatchObject([{ type: "close-question" }]);
  });

  test("answers the question that it quotes, whatever else is open", () => {
    const actions = now({ ...facts, questions: [asked, other], inbox: [{ ...second, quote: asked.id }] });
    expect(actions).toMatchObject([{ type: "close-question", closed: { id: asked.id, answer: "the videos" } }]);
  });

  test("by the channel that the question came about in answers it there", () => {
    const actions = now({ ...facts, questions: [asked], inbox: [{ ...second, via }], talk: { via, since: ["ok."] } });
    expect(actions).toMatchObject([{ type: "close-question" }]);
  });

  test("that a turn has taken already does not answer it too", () => {
    const taking = turn("t-000002", { messages: [second] });
    expect(now({ ...facts, questions: [asked], inbox: [second], queue: [taking] })).toEqual([]);
  });
});
