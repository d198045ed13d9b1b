import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { orderOf } from "../../../../packages/agent/src/providers/offline/order.ts";
import { parseMessage } from "../../../../packages/agent/src/providers/offline/parse.ts";
import { WORDS } from "../../../../packages/agent/src/providers/offline/words.ts";

const clock = { nowMs: Date.parse("2026-11-22T02:00:00Z"), timeZone: "Asia/Shanghai" };
const parse = (text: string) => parseMessage(text, clock);
const run = (...steps: string[][]) => ({ kind: "run", steps });

describe("what is understood", () => {
  test.each([
    ["run `ls`", run(["ls"])],
    ["Run `ls`.", run(["ls"])],
    ["please run the command `ls -la`", run(["ls -la"])],
    ["run `ls` then `wc -l README.md`", run(["ls"], ["wc -l README.md"])],
    ["run `a`, then run `b`, and then `c`", run(["a"], ["b"], ["c"])],
    ["run `a` and `b`", run(["a", "b"])],
    ["run `a`, `b` and `c`", run(["a", "b", "c"])],
    ["run `a` then `b` and `c`", run(["a"], ["b", "c"])],
    ["run `a` and `b` then `c`", run(["a", "b"], ["c"])],
    ["run: git log | head -3", run(["git log | head -3"])],
    ["run: `a` then `b`", run(["a"], ["b"])],
    ["run ``echo `date` ``", run(["echo `date`"])],
    ["运行 `ls`", run(["ls"])],
    ["请运行 `ls`。", run(["ls"])],
    ["运行：git log | head -3", run(["git log | head -3"])],
    ["运行 `a` 然后 `b`", run(["a"], ["b"])],
    ["先运行 `a`，再运行 `b`", run(["a"], ["b"])],
    ["first run `a`, then run `b`", run(["a"], ["b"])],
    ["run first `a`, then `b`", run(["a"], ["b"])],
    ["执行`a`和`b`", run(["a", "b"])],
    ["同时运行 `a` 并且 `b`", run(["a", "b"])],
    ["运行 `a`，同时 `b`", run(["a", "b"])],
    ["remember that I like pnpm", { kind: "remember", content: "I like pnpm" }],
    ["Remember: the wifi is called nest", { kind: "remember", content: "the wifi is called nest" }],
    ["记住我喜欢用 pnpm", { kind: "remember", content: "我喜欢用 pnpm" }],
    ["请记住：钥匙在抽屉里", { kind: "remember", content: "钥匙在抽屉里" }],
    ["tasks", { kind: "tasks" }],
    ["show my tasks", { kind: "tasks" }],
    ["任务", { kind: "tasks" }],
    ["查看任务列表", { kind: "tasks" }],
    ["status?", { kind: "status" }],
    ["状态", { kind: "status" }],
    ["help", { kind: "help" }],
    ["?", { kind: "help" }],
    ["帮助", { kind: "help" }],
    ["/help", { kind: "help" }],
    ["你会做什么", { kind: "help" }],
    ["hello", { kind: "greeting" }],
    ["你好！", { kind: "greeting" }],
    ["what fires next?", { kind: "schedules" }],
    ["undo", { kind: "elsewhere", what: "undo" }],
    ["撤销上一步", { kind: "elsewhere", what: "undo" }],
    ["why did it fire?", { kind: "elsewhere", what: "why" }],
    ["它为什么没触发？", { kind: "elsewhere", what: "why" }],
    ["forget that I like tea", { kind: "forget", what: "I like tea" }],
    ["please forget about my old address.", { kind: "forget", what: "my old address." }],
    ["忘掉我喜欢喝茶", { kind: "forget", what: "我喜欢喝茶" }],
    ["请忘记：旧地址", { kind: "forget", what: "旧地址" }],
    ["把旧地址忘掉吧", { kind: "forget", what: "旧地址" }],
    ["cancel t-000001.0", { kind: "cancel", id: "t-000001.0" }],
    ["cancel task `t-000001.0.1`.", { kind: "cancel", id: "t-000001.0.1" }],
    ["取消 t-000001.0", { kind: "cancel", id: "t-000001.0" }],
    ["cancel", { kind: "cancel", id: null }],
    ["取消提醒", { kind: "cancel", id: null }],
    // A description cancels nothing: the ids are shown.
    ["cancel the meeting tomorrow", { kind: "cancel", id: null }],
    ["backlog add buy milk", { kind: "backlog", op: "add", item: "buy milk" }],
    ["backlog done 2", { kind: "backlog", op: "done", item: "2" }],
    ["backlog remove buy milk", { kind: "backlog", op: "remove", item: "buy milk" }],
    ["backlog list", { kind: "backlog", op: "list" }],
    ["backlog", { kind: "backlog", op: "list" }],
    ["待办 添加 买牛奶", { kind: "backlog", op: "add", item: "买牛奶" }],
    ["待办完成买牛奶", { kind: "backlog", op: "done", item: "买牛奶" }],
    ["待办 列表", { kind: "backlog", op: "list" }],
    ["待办", { kind: "backlog", op: "list" }],
    ["search for pnpm", { kind: "search", query: "pnpm" }],
    ["搜索 包管理器", { kind: "search", query: "包管理器" }],
  ])("%s", (text, intent) => {
    expect(parse(text)).toEqual([intent]);
  });

  test("every line of a message is a request of its own, and what is none is kept as text", () => {
    expect(parse("hello\nthere\nrun `ls`\r\n\n记住 x\n")).toEqual([
      { kind: "other", text: "hello\nthere" },
      run(["ls"]),
      { kind: "remember", content: "x" },
    ]);
  });
});

describe("what never runs", () => {
  test.each([
    ["I will run `rm -rf x` later", "mention"],
    ["why did running `ls` fail", "mention"],
    ["我昨天运行 `ls` 出错了", "mention"],
    ["- run `ls`", "mention"],
    ["run `ls` in the other repo", "leftover"],
    ["run `ls`?", "leftover"],
    ["run `a` `b`", "leftover"],
    ["run: `a` then look at it", "leftover"],
    ["运行 `ls` 看看", "leftover"],
    ["every day at 27:00 run `date`", "bad_time"],
    ["at cron 61 * * * * run `date`", "bad_time"],
    ["每天25点运行 `date`", "bad_time"],
    ["every day at 9 say good morning", "no_command"],
    ["first do A, then B, every day at 9", "no_command"],
    ["每天9点说早上好", "no_command"],
    [`run ${Array.from({ length: 21 }, (_, i) => `\`c${i}\``).join(" and ")}`, "too_many"],
  ])("%s is asked about", (text, problem) => {
    expect(parse(text)).toEqual([{ kind: "unclear", problem, text }]);
  });

  test.each([
    "run the tests",
    "run",
    "running late",
    "`ls`",
    "> run `rm -rf x`",
    "```\nrun `rm -rf x`\n```",
    "~~~sh\nrun: rm -rf x\n~~~",
    "steps:\n  - name: install\n    run: npm ci\n    run `x`",
    "remember the milk?",
    "跑步运行记录",
    "",
    " \n\n",
  ])("%j is only text", (text) => {
    expect(parse(text).map((intent) => intent.kind)).toEqual(["other"]);
  });

  test("orders after the fiftieth line are text: they were pasted", () => {
    const intents = parse("run `a`\n".repeat(60));
    expect(intents.filter((intent) => intent.kind === "run")).toHaveLength(50);
    expect(intents.at(-1)?.kind).toBe("other");
  });

  const word = fc.constantFrom(
    "run",
    "`ls`",
    "then",
    "and",
    "运行",
    "remind me",
    "at 9",
    "每天9点",
    "the",
    "tests",
    "?",
    "when a.ts changes",
    "\n",
    ">",
    "```",
    "提醒我",
  );

  test("no text makes it throw", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "grapheme" }),
          fc.array(word).map((words) => words.join(" ")),
        ),
        (text) => {
          expect(parse(text).length).toBeGreaterThan(0);
        },
      ),
    );
  });

  test("a command runs only where its line begins with the order", () => {
    const verb = /^(?:please |请|帮我)*(?:run|execute|先|同时|并行|运行|执行)/i;
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), (words) => {
        const text = words.join(" ");
        const ran = parse(text).filter((intent) => intent.kind === "run").length;
        const ordered = text.split("\n").filter((line) => verb.test(line.trim())).length;
        expect(ran).toBeLessThanOrEqual(ordered);
      }),
      { numRuns: 500 },
    );
  });

  test("prose before the verb keeps a command from running", () => {
    const prose = fc.constantFrom("I", "we never", "please do not", "don't", "he said:", "不要", "昨天我", "*", "1.");
    fc.assert(
      fc.property(prose, fc.constantFrom("run `x`", "运行 `x`", "run: x", "execute `x` then `y`"), (start, order) => {
        expect(parse(`${start} ${order}`).some((intent) => intent.kind === "run")).toBe(false);
      }),
    );
  });
});

describe("an order that is written down is read back as it was", () => {
  const command = fc
    .string({
      unit: fc.constantFrom("a", "`", "'", '"', " ", "\\", "|", "然", "$", "~", ">"),
      minLength: 1,
      maxLength: 12,
    })
    .map((text) => text.trim())
    .filter((text) => text !== "");
  const steps = fc.array(fc.array(command, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 });

  test.each(["en", "zh"] as const)("in %s", (language) => {
    fc.assert(
      fc.property(steps, (wanted) => {
        expect(parse(orderOf(wanted, WORDS[language]))).toEqual([{ kind: "run", steps: wanted }]);
      }),
    );
  });
});
