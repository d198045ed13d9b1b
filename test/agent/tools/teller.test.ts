import type { Context } from "@mimikit/agent/tools/context";
import { Role } from "@mimikit/protocol/base/role";
import type { Event } from "@mimikit/protocol/records/inbox";
import { Result } from "@mimikit/protocol/records/result";
import { TRIGGERS_MAX } from "@mimikit/protocol/triggers/trigger-order";
import { describe, expect, test } from "vitest";
import {
  eventOf,
  messageOf,
  NOW,
  questionOf,
  replyOf,
  reportOf,
  run,
  summaryOf,
  tell,
  triggerSummaryOf,
  turnOf,
} from "../fixtures.ts";

const delegated = (prompt: string, title: string) => ({ type: "delegate", prompt, title });
const EN = "Split this request of the user into tasks and delegate them:";
const ZH = "请把用户的这个请求拆分成任务并派发：";

describe("an order is delegated, and the user is told at once", () => {
  test("in English", async () => {
    const turn = await tell("run `ls` then `wc -l README.md`");
    const order = "run `ls` then `wc -l README.md`";
    expect(turn.effects[0]).toEqual(delegated(`${EN}\n> ${order}`, order));
    expect(replyOf(turn)).toBe(`On it: ${order}. I will report the outcome when it is there.`);
  });

  test("in Chinese", async () => {
    const turn = await tell("请运行 `ls` 和 `date`");
    expect(turn.effects[0]).toEqual(delegated(`${ZH}\n> 运行 \`ls\` 和 \`date\``, "运行 `ls` 和 `date`"));
    expect(replyOf(turn)).toBe("好的，我来处理：运行 `ls` 和 `date`。有结果后我会告诉你。");
  });

  test("all orders of a message are one plan", async () => {
    const turn = await tell("run `a`\nrun `b`");
    expect(turn.effects.filter((effect) => effect.type === "delegate")).toEqual([
      delegated(`${EN}\n> run \`a\`\n> run \`b\``, "run `a`"),
    ]);
  });

  test("five messages are five answers and five plans", async () => {
    const messages = [1, 2, 3, 4, 5].map((n) => messageOf(`run \`echo ${n}\``, { id: `m-${n}` }));
    const turn = await run(turnOf({ messages }));
    const prompts = turn.effects.flatMap((effect) =>
      effect.type === "delegate" ? [effect.prompt.split("\n> ").slice(1)] : [],
    );
    expect(prompts).toEqual([1, 2, 3, 4, 5].map((n) => [`run \`echo ${n}\``]));
    for (const n of [1, 2, 3, 4, 5]) expect(replyOf(turn)).toContain(`On it: run \`echo ${n}\`.`);
  });
});

describe("a question that is open", () => {
  const asked = questionOf({
    id: "t-000001.0.0.go-on",
    question: '"run `a`" failed (exit code 3). "run `b`" waits for it. Go on anyway?',
    options: ["go on", "stop"],
    purpose: { type: "go_on", failedId: "t-000001.0.0" },
  });
  const where = [
    'Open question:\n\n> "run `a`" failed (exit code 3). "run `b`" waits for it. Go on anyway?',
    "Its buttons are on the page; or use `mimikit questions answer t-000001.0.0.go-on <number>` (1: go on, 2: stop).",
  ].join("\n\n");

  test("is told with the failure that it is about", async () => {
    const report = reportOf({ id: "t-000001.0.0", status: "failed", title: "run `a`", error: "exit code 3" });
    expect(replyOf(await run(turnOf({ results: [report] }), { context: { questions: [asked] } }))).toContain(where);
    const other = { ...report, id: "t-000001.0.7" };
    expect(replyOf(await run(turnOf({ results: [other] }), { context: { questions: [asked] } }))).not.toContain(
      "Open question",
    );
  });

  test("is not answered by a message: whoever says one of its options is told where it is answered", async () => {
    for (const text of ["go on", " Stop "]) {
      const turn = await tell(text, { questions: [asked] });
      expect(replyOf(turn)).toBe(`I cannot tell from a message which question it answers.\n\n${where}`);
      expect(turn.effects).toHaveLength(1);
    }
    const chinese = questionOf({ id: "q-1", question: "要继续吗？", options: ["继续", "停止"] });
    expect(replyOf(await tell("继续", { questions: [chinese] }))).toContain(
      "> 要继续吗？\n\n请点页面上的按钮，或使用 `mimikit questions answer q-1 <编号>`（1：继续，2：停止）。",
    );
    expect(replyOf(await tell("go on"))).toContain("No language model");
  });
});

test("what is streamed is the reply", async () => {
  const turn = await tell("hello\nrun `ls`\nremember x");
  expect(turn.lines.map((line) => (line.type === "delta" ? line.text : "")).join("")).toBe(replyOf(turn));
});

test("a turn makes a result that the protocol accepts", async () => {
  const task = turnOf({ messages: [messageOf("run `ls`\nremember x\nhello")] });
  const { lines, runDir, mark, retryable, ...outcome } = await run(task);
  const record = { id: task.id, task, attempts: 1, completedAt: NOW, ...outcome };
  expect(Result.safeParse(record).error).toBeUndefined();
});

describe("what needs no work is answered in place", () => {
  test.each([
    ["remember that I like pnpm", "I like pnpm", "I will remember this: I like pnpm"],
    ["记住我喜欢用 pnpm", "我喜欢用 pnpm", "我会记住：我喜欢用 pnpm"],
  ])("%s", async (text, content, reply) => {
    const turn = await tell(text);
    expect(turn.effects).toEqual([
      { type: "remember", content, longTerm: true },
      { type: "reply", text: reply },
    ]);
  });

  test("what is too long to remember is said not to be stored", async () => {
    const turn = await tell(`remember ${"x".repeat(2_001)}`);
    expect(turn.effects).toEqual([{ type: "reply", text: "I did not store this: it is longer than 2000 characters." }]);
  });

  const tasks = [
    summaryOf({ id: "t-000002.0.1", title: "run `b`", state: "waiting", after: ["t-000002.0.0"] }),
    summaryOf({ id: "t-000002.0.0", title: "run `a`", state: "running" }),
    summaryOf({ id: "t-000001.0.0", title: "run `x`", state: "failed" }),
  ];

  test("tasks", async () => {
    expect(replyOf(await tell("tasks", { tasks }))).toBe(
      "Open tasks:\n\n- `t-000002.0.1` run `b`: waiting, after `t-000002.0.0`\n- `t-000002.0.0` run `a`: running\n\nRecently ended:\n\n- `t-000001.0.0` run `x`: failed",
    );
    expect(replyOf(await tell("任务"))).toBe("目前没有任务。");
  });

  test("status names who answers", async () => {
    const answering = Role.options.map((role) => `${role} = offline`).join(", ");
    expect(replyOf(await tell("status", { tasks }))).toBe(
      `I am running (version 0.1.0). Answering: ${answering}. Open tasks: 2. Open backlog items: 0.`,
    );
    expect(replyOf(await tell("状态"))).toContain("版本 0.1.0");
  });

  test("cancel stages the cancellation of a task that can be cancelled", async () => {
    const turn = await tell("取消 t-000002.0.0", { tasks });
    expect(turn.effects[0]).toEqual({ type: "cancel_task", id: "t-000002.0.0" });
    expect(replyOf(turn)).toBe("我正在取消 `t-000002.0.0` 以及依赖它的任务。");
  });

  test.each([
    ["cancel t-000001.0.0", "`t-000001.0.0` has already ended: there is nothing to cancel."],
    ["cancel t-000042.0", 'I know no task `t-000042.0`. Say "tasks" or "reminders" to see the ids.'],
    ["cancel t-000002", "I know no task"],
  ])("%s changes nothing and says so", async (text, reply) => {
    const turn = await tell(text, {
      tasks: text === "cancel t-000002" ? [] : tasks,
    });
    expect(turn.effects).toHaveLength(1);
    expect(replyOf(turn)).toContain(reply);
  });

  const backlog = [
    { item: "buy milk", done: false },
    { item: "buy bread", done: true },
  ];

  test.each([
    ["backlog add call Bob", { op: "add", item: "call Bob" }],
    ["待办 添加 买牛奶", { op: "add", item: "买牛奶" }],
    ["backlog done 1", { op: "done", item: "buy milk" }],
    ["backlog done MILK", { op: "done", item: "buy milk" }],
    ["backlog remove buy bread", { op: "remove", item: "buy bread" }],
  ])("%s", async (text, effect) => {
    expect((await tell(text, { backlog })).effects[0]).toEqual({ type: "update_backlog", ...effect });
  });

  test("a backlog item that is not clear is asked for", async () => {
    const turn = await tell("backlog done buy", { backlog });
    expect(replyOf(turn)).toBe('"buy" fits several items; use the number of one:\n\n1. [ ] buy milk\n2. [x] buy bread');
    expect(turn.effects).toHaveLength(1);
    expect(replyOf(await tell("待办 完成 睡觉", { backlog }))).toBe("待办中没有“睡觉”。");
    expect(replyOf(await tell("待办 列表"))).toBe("待办列表是空的。");
  });

  test("search shows memory first, then the conversation, in the client's time", async () => {
    const memory = [
      { source: "memory.md", text: "我喜欢用 pnpm", score: 2 },
      { source: "docs/a.md", text: "unrelated", score: 1 },
    ];
    const history = [{ id: "m-0", role: "user" as const, text: "is pnpm\nfast", at: "2026-11-21T02:00:00.000Z" }];
    const client = { timeZone: "Asia/Shanghai", now: "2026-11-22T10:00:00+08:00" };
    const turn = await run(turnOf({ messages: [messageOf("search pnpm", { client })] }), {
      context: { memory, history },
    });
    expect(replyOf(turn)).toBe(
      'What I found for "pnpm":\n\n- [memory.md] 我喜欢用 pnpm\n- you, 2026-11-21 10:00: is pnpm fast',
    );
    expect(replyOf(await tell("搜索 什么都没有"))).toContain("都没有找到");
  });

  test.each([
    ["what is the meaning of life", "No language model is configured", "mimikit connect"],
    ["今天天气怎么样", "还没有配置语言模型", "mimikit connect"],
    ["help", "I work without a language model", "run `a` then `b`"],
    ["帮助", "我不需要语言模型", "运行 `a` 然后 `b`"],
    ["hello", "Hello! No language model is configured yet", "every day at 9 run `ls` then `date`"],
    ["你好", "还没有配置语言模型", "每天9点运行 `ls` 然后 `date`"],
    ["undo", "Nothing is undone by a message", "mimikit undo <id>"],
    ["为什么触发了", "页面的“日程”", "mimikit triggers explain"],
    ["forget pnpm", "I remember nothing like this", "pnpm"],
    ["忘掉旧地址", "我的记忆里没有这一条", "旧地址"],
    ["every day at 27:00 run `date`", "I ran and scheduled nothing", "every day at 9 run `ls` then `date`"],
    ["every day at 9 say good morning", "I scheduled nothing", "every day at 9 remind me to stretch"],
  ])("%s is answered honestly", async (text, honest, useful) => {
    const reply = replyOf(await tell(text));
    expect(reply).toContain(honest);
    expect(reply).toContain(useful);
  });

  test.each(["hello", "你好", "every day at 27:00 run `date`", "每天9点说早上好"])(
    "the examples of the answer to %s stand as they are typed, and are understood",
    async (text) => {
      const block = /```text\n(.+?)\n```/s.exec(replyOf(await tell(text)))?.[1] ?? "";
      expect(block).not.toBe("");
      for (const line of block.split("\n")) {
        const reply = replyOf(await tell(line));
        expect(reply).not.toMatch(/I (?:ran|scheduled|ran and scheduled) nothing|我没有|cannot answer|无法回答/);
      }
    },
  );

  test("talk about a command runs nothing and says how it would", async () => {
    const turn = await tell("yesterday I tried to run `rm -rf /`");
    expect(turn.effects).toHaveLength(1);
    expect(replyOf(turn)).toContain("I ran nothing");
  });
});

describe("what starts later", () => {
  const client = { timeZone: "Asia/Shanghai", now: "2026-11-22T10:00:00+08:00" };
  const ask = (text: string, context: Partial<Context> = {}) =>
    run(turnOf({ messages: [messageOf(text, { client })] }), { context: { client, ...context } });

  test.each<[string, object, object, string]>([
    [
      "in 10 minutes remind me to drink water",
      { prompt: "remind me: drink water", title: "remind you: drink water" },
      { type: "scheduled", runAt: "2026-11-22T10:10:00+08:00" },
      'I have scheduled this: at 2026-11-22 10:10 (Asia/Shanghai), remind you: drink water. Its id is `t-000007.0`; "cancel t-000007.0" ends it.',
    ],
    [
      "10分钟后提醒我喝水",
      { prompt: "提醒我：喝水", title: "提醒你：喝水" },
      { type: "scheduled", runAt: "2026-11-22T10:10:00+08:00" },
      "已安排：在 2026-11-22 10:10（Asia/Shanghai），提醒你：喝水。编号是 `t-000007.0`，说“取消 t-000007.0”可以取消。",
    ],
    [
      "every day at 9 run `npm test`",
      { prompt: "run `npm test`", title: "run `npm test`" },
      { type: "recurring", schedule: { cron: "0 0 9 * * *", timezone: "Asia/Shanghai" } },
      "I have scheduled this: every day at 9 (cron `0 0 9 * * *`, Asia/Shanghai), run `npm test`. Next: 2026-11-23 09:00 (Asia/Shanghai). Its id",
    ],
    [
      "run `npm test`, every day at 9.",
      { prompt: "run `npm test`", title: "run `npm test`" },
      { type: "recurring", schedule: { cron: "0 0 9 * * *", timezone: "Asia/Shanghai" } },
      "I have scheduled this: every day at 9 (cron `0 0 9 * * *`, Asia/Shanghai), run `npm test`. Next: 2026-11-23 09:00 (Asia/Shanghai). Its id",
    ],
    [
      "每隔2小时运行 `ls`",
      { prompt: "运行 `ls`", title: "运行 `ls`" },
      { type: "recurring", schedule: { interval: 7_200 } },
      "已安排：每隔2小时（每 7200 秒），运行 `ls`。下一次：2026-11-22 12:00 (Asia/Shanghai)。",
    ],
    [
      "when src/a.ts changes run `npm test`",
      { prompt: "run `npm test`", title: "run `npm test`" },
      { type: "conditional", condition: { type: "file_changed", params: { path: "src/a.ts" } } },
      "I have scheduled this: whenever `src/a.ts` changes, run `npm test`. Its id is",
    ],
  ])("%s", async (text, order, when, reply) => {
    const turn = await ask(text);
    expect(turn.effects).toMatchObject([{ type: "schedule", order, when }, { type: "reply" }]);
    expect(replyOf(turn)).toContain(reply);
  });

  test("what cannot be kept is not scheduled, and it is said why", async () => {
    const triggers = Array.from({ length: TRIGGERS_MAX }, (_, i) => triggerSummaryOf({ id: `trg-${i}` }));
    const turn = await ask("every day at 9 run `ls`", { triggers });
    expect(turn.effects).toHaveLength(1);
    expect(replyOf(turn)).toBe(`I scheduled nothing: there are ${TRIGGERS_MAX} triggers already: cancel some first`);
    expect((await ask("when ../a.ts changes run `ls`")).effects).toHaveLength(1);
  });

  const triggers = [
    triggerSummaryOf({ id: "t-000003.0" }),
    triggerSummaryOf({ id: "trg-1", title: "提醒你：喝水", next: null, paused: true }),
    triggerSummaryOf({ id: "trg-2", title: "on change", next: null }),
  ];

  test.each(["list my schedules", "reminders", "我的提醒", "定时任务"])("%s", async (text) => {
    const reply = replyOf(await ask(text, { triggers }));
    expect(reply).toMatch(/- `t-000003.0` the daily tests: .* 2026-11-23 09:00 \(Asia\/Shanghai\)\n/);
    expect(reply.split("\n- ")).toHaveLength(4);
    expect(replyOf(await ask(text))).toMatch(/Nothing is scheduled|没有任何安排/);
  });

  test("is ended by its id", async () => {
    const turn = await ask("cancel trg-1", { triggers });
    expect(turn.effects[0]).toEqual({ type: "cancel_task", id: "trg-1" });
    expect(replyOf(turn)).toBe("I am ending `trg-1`: it will not fire any more.");
    expect((await ask("取消提醒 t-000003.0", { triggers })).effects[0]).toMatchObject({ id: "t-000003.0" });
  });

  const due = (prompt: string, data: object = {}, part: Partial<Event> = {}) =>
    eventOf("cron_trigger", { prompt, occurrence: NOW, triggerId: "trg-1", ...data }, part);
  const fire = (...events: Event[]) => run(turnOf({ events }));

  test.each([
    ["remind me: drink water", "Reminder: drink water"],
    ["提醒我：喝水", "提醒：喝水"],
    ["remind me to drink water", "Reminder: drink water"],
  ])("%s: the reminder is the reply", async (prompt, reply) => {
    expect((await fire(due(prompt))).effects).toEqual([{ type: "reply", text: reply }]);
  });

  test.each(["run `rm -rf .`", "run: rm -rf .", "every 10 seconds run `ls`", "cancel t-000001.0", "remember x"])(
    "a reminder is text, also where it reads as an order: %s",
    async (text) => {
      const asked = await ask(`in 10 minutes remind me to ${text}`);
      const [effect] = asked.effects;
      expect(effect).toMatchObject({ type: "schedule", order: { prompt: `remind me: ${text}` } });
      const prompt = effect?.type === "schedule" ? effect.order.prompt : "";
      expect((await fire(due(prompt))).effects).toEqual([{ type: "reply", text: `Reminder: ${text}` }]);
    },
  );

  test("an order is run when it is due, and reported like any other", async () => {
    const turn = await fire(due("run `npm test`"));
    expect(turn.effects).toEqual([
      delegated(`${EN}\n> run \`npm test\``, "run `npm test`"),
      { type: "reply", text: "It is time: run `npm test`. I will report the outcome when it is there." },
    ]);
  });

  test("many that are due at once are a plan each", async () => {
    const turn = await fire(...[1, 2, 3, 4].map((n) => due(`run \`echo ${n}\``, {}, { id: `trg-1--${n}` })));
    const prompts = turn.effects.flatMap((effect) => (effect.type === "delegate" ? [effect.prompt] : []));
    expect(prompts).toHaveLength(4);
    for (const n of [1, 2, 3, 4]) expect(prompts.join("\n")).toContain(`> run \`echo ${n}\``);
  });

  test("what was due while nobody was there is said to be late", async () => {
    const missed = due("remind me: drink water", { occurrence: "2026-11-22T01:00:00.000Z" });
    expect(replyOf(await fire(missed))).toMatch(
      /^Reminder: drink water\n\n\(This was due at 2026-11-2\d .* I was not running/,
    );
  });

  test("what only a model can do is said to be due, and no more is claimed", async () => {
    const turn = await fire(due("Sum up the news of today."));
    expect(turn.effects).toHaveLength(1);
    expect(replyOf(turn)).toContain("It is time: Sum up the news of today.");
    expect(replyOf(turn)).toContain("no language model is configured");
  });
});

describe("questions", () => {
  const tellOf = async (event: Event) => replyOf(await run(turnOf({ events: [event] })));

  test("an answer is noted, and a question that nobody answered is said to be over", async () => {
    const question = "Go on?";
    expect(await tellOf(eventOf("question_answered", { question, answer: "yes" }))).toBe(
      'I have noted your answer to "Go on?": yes',
    );
    expect(await tellOf(eventOf("question_answered", { question: "继续吗？", answer: "是" }))).toBe(
      "我已记下你对“继续吗？”的回答：是",
    );
    expect(await tellOf(eventOf("question_expired", { question, answer: null }))).toBe(
      '"Go on?" was not answered in time.',
    );
    expect(await tellOf(eventOf("question_expired", { question, answer: "no" }))).toBe(
      '"Go on?" was not answered in time. I use the default: no',
    );
  });

  test("any other event is told in its own words", async () => {
    expect(await tellOf(eventOf("budget", { period: "day" }))).toBe("It is about budget.");
  });
});

describe("reports", () => {
  const report = async (...results: ReturnType<typeof reportOf>[]) => replyOf(await run(turnOf({ results })));

  test("one text for all results, with title, state and output", async () => {
    const second = reportOf({ id: "t-000001.0.1", title: "run `wc -l README.md`", result: { text: "12 README.md\n" } });
    expect(await report(reportOf({}), second)).toBe(
      "Both are done.\n\nrun `ls`: done\n\n```\nREADME.md\n```\n\nrun `wc -l README.md`: done\n\n```\n12 README.md\n```",
    );
  });

  test("in the language of the request", async () => {
    expect(await report(reportOf({ title: "运行 `ls`" }))).toBe("完成了。\n\n运行 `ls`：已完成\n\n```\nREADME.md\n```");
    expect(await report(reportOf({ title: "run `echo 你好`", result: { text: "你好\n" } }))).toContain(
      "run `echo 你好`: done",
    );
  });

  test("output that holds a fence gets a longer one", async () => {
    expect(await report(reportOf({ result: { text: "```\nx\n```" } }))).toContain("````\n```\nx\n```\n````");
  });

  test("a failure is said as it is, with the output so far and what can be done", async () => {
    const failed = reportOf({
      status: "failed",
      failureReason: "error",
      error: "exit code 2",
      result: { text: "no such file\n" },
    });
    const link = reportOf({
      id: "t-000001.0.1",
      title: "run `b`",
      status: "failed",
      failureReason: "cancelled",
      error: "not run",
      result: null,
    });
    expect(await report(failed, link)).toBe(
      "0 of 2 are done, 1 failed.\n\nrun `ls`: failed: exit code 2\n\n```\nno such file\n```\n\nFix the cause, then run it again: run `ls`\n\nrun `b`: cancelled (not run)",
    );
    const late = reportOf({
      title: "运行 `sleep 99`",
      status: "failed",
      failureReason: "timeout",
      error: "x",
      result: { text: "" },
    });
    expect(await report(late)).toContain("它到了时间限制");
  });

  test("a plan that failed is reported like a task", async () => {
    const plan = reportOf({
      id: "t-000001.0",
      role: "planner",
      title: "make tea",
      status: "failed",
      failureReason: "error",
      error: "no commands",
      resultType: "plan",
      result: null,
    });
    expect(await report(plan)).toContain("make tea: failed: no commands");
  });

  test("of a long output the end is shown, and the file is named", async () => {
    const text = await report(reportOf({ result: { text: `${"x".repeat(9_000)}END`, artifact: "/runs/output.txt" } }));
    expect(text).toContain("xEND\n```");
    expect(text.length).toBeLessThan(8_500);
    expect(text).toContain("the whole output is in /runs/output.txt");
  });

  test("many long outputs still make one reply", async () => {
    const results = Array.from({ length: 40 }, (_, i) =>
      reportOf({ id: `t-000001.0.${i}`, result: { text: "y".repeat(20_000) } }),
    );
    expect((await report(...results)).length).toBeLessThan(200_000);
  });

  test("results of other types are shown too, and questions are asked", async () => {
    const change = { files: [{ path: "a.ts", action: "modified", summary: "split" }] };
    expect(await report(reportOf({ resultType: "code_change", result: change }))).toContain(
      "- `a.ts` (modified): split",
    );
    expect(await report(reportOf({ resultType: "analysis", result: { findings: ["slow"] } }))).toContain("- slow");
    expect(await report(reportOf({ resultType: "summary", result: { summary: "all", keyPoints: ["one"] } }))).toContain(
      "- all\n- one",
    );
    expect(await report(reportOf({ status: "needs_input", question: "which file?", result: null }))).toContain(
      "I need to know: which file?",
    );
  });

  test("a message that came with the results is answered after them", async () => {
    const reply = replyOf(await run(turnOf({ results: [reportOf({})], messages: [messageOf("记住 x")] })));
    expect(reply.indexOf("Done.")).toBe(0);
    expect(reply).toContain("我会记住：x");
  });

  test("an event is passed on in its own words", async () => {
    const event = {
      kind: "event" as const,
      id: "t-000001.0.report",
      at: NOW,
      name: "task_result" as const,
      text: 'The plan "x" needed no tasks.',
      data: {},
    };
    expect(replyOf(await run(turnOf({ events: [event] })))).toBe('The plan "x" needed no tasks.');
  });
});

describe("a message that names no zone, as from a channel, means the owner's", () => {
  const zone = { timeZone: "Asia/Shanghai", isSetting: false };
  const at = { at: "2026-11-22T20:00:00.000Z" };
  const remind = (zone: Context["zone"], client?: { timeZone: string; now: string }) => {
    const message = messageOf("remind me tomorrow at 9 to stretch", { ...at, ...(client && { client }) });
    return run(turnOf({ messages: [message] }), { context: zone === undefined ? {} : { zone } });
  };

  test("so that a reminder is due by their clock, and says by which", async () => {
    const turn = await remind(zone);
    // It is the 23rd there already.
    expect(turn.effects[0]).toMatchObject({ when: { type: "scheduled", runAt: "2026-11-24T09:00:00+08:00" } });
    expect(replyOf(turn)).toContain("Asia/Shanghai");
  });

  test("and every day at nine is kept with that zone", async () => {
    const turn = await run(turnOf({ messages: [messageOf("every day at 9 remind me to stretch", at)] }), {
      context: { zone },
    });
    expect(turn.effects[0]).toMatchObject({ when: { schedule: { timezone: "Asia/Shanghai" } } });
    expect(replyOf(turn)).toContain("Asia/Shanghai");
  });

  test("a message with a clock of its own keeps it, but where the zone is a setting", async () => {
    const client = { timeZone: "Europe/Berlin", now: "2026-11-22T21:00:00+01:00" };
    const [own] = (await remind(zone, client)).effects;
    expect(own).toMatchObject({ when: { runAt: "2026-11-23T09:00:00+01:00" } });
    const [set] = (await remind({ ...zone, isSetting: true }, client)).effects;
    expect(set).toMatchObject({ when: { runAt: "2026-11-24T09:00:00+08:00" } });
  });
});
