import { describe, expect, test } from "vitest";
import { run, taskOf } from "./fixtures.ts";

const plan = (prompt: string) => run(taskOf({ id: "t-000007.0", role: "planner", prompt }));
const link = (k: number) => ({ condition: { type: "task_done", params: { taskId: `t-000007.0.${k}` } } });
const task = (order: string, condition = {}) => ({ type: "delegate", title: order, prompt: order, ...condition });

describe("an order becomes tasks", () => {
  test("then: a chain, each link after the one before", async () => {
    const planned = await plan("…\n> run `a` then `b` then `c`");
    expect(planned.effects).toEqual([task("run `a`"), task("run `b`", link(0)), task("run `c`", link(1))]);
    expect(planned).toMatchObject({
      status: "done",
      resultType: "plan",
      result: { tasks: ["t-000007.0.0", "t-000007.0.1", "t-000007.0.2"] },
    });
  });

  test("and: side by side", async () => {
    expect((await plan("> 运行 `a` 和 `b`")).effects).toEqual([task("运行 `a`"), task("运行 `b`")]);
  });

  test("a then b and c: b and c side by side, both after a", async () => {
    expect((await plan("> run `a` then `b` and `c`")).effects).toEqual([
      task("run `a`"),
      task("run `b`", link(0)),
      task("run `c`", link(0)),
    ]);
  });

  test("a and b then c: one after the other, so that c has both behind it", async () => {
    expect((await plan("> run `a` and `b` then `c`")).effects).toEqual([
      task("run `a`"),
      task("run `b`", link(0)),
      task("run `c`", link(1)),
    ]);
  });

  test("several orders do not wait for each other", async () => {
    expect((await plan("> run `a` then `b`\n> 运行 `c`")).effects).toEqual([
      task("run `a`"),
      task("run `b`", link(0)),
      task("运行 `c`"),
    ]);
  });

  test("a prompt without a quotation is read as it stands", async () => {
    expect((await plan("run `ls`")).effects).toEqual([task("run `ls`")]);
  });

  test("a command that is too long for a title is cut there, not in the prompt", async () => {
    const long = `echo ${"x".repeat(400)}`;
    const [effect] = (await plan(`> run \`${long}\``)).effects;
    expect(effect).toMatchObject({ prompt: `run \`${long}\`` });
    expect(effect?.type === "delegate" && (effect.title?.length ?? 0) <= 200).toBe(true);
  });
});

test.each([
  ["make me a sandwich", "without a language model I can only plan commands"],
  ["请给我做一个三明治", "没有语言模型时我只能安排命令"],
  ["> please do not run `rm -rf x`", "without a language model"],
])("%s: nothing is started, and it is final", async (prompt, error) => {
  const planned = await plan(prompt);
  expect(planned).toMatchObject({
    status: "failed",
    failureReason: "error",
    retryable: false,
    effects: [],
    resultType: "plan",
    result: null,
  });
  expect(planned.error).toContain(error);
});

test("a plan has room for 64 commands: an order that does not fit is left out whole, and said", async () => {
  const order = `run ${Array.from({ length: 20 }, (_, i) => `\`c${i}\``).join(" and ")}`;
  const planned = await plan([...Array(4).fill(order), "run `d`"].map((each) => `> ${each}`).join("\n"));
  expect(planned.effects).toHaveLength(61);
  expect(planned).toMatchObject({
    status: "done",
    result: { note: `Not started, because one plan has room for 64 commands: ${order}` },
  });
});

test("what does not fit is said in the language of the request", async () => {
  const order = `运行 ${Array.from({ length: 20 }, (_, i) => `\`c${i}\``).join(" 和 ")}`;
  const planned = await plan(Array(4).fill(`> ${order}`).join("\n"));
  expect(planned.result).toMatchObject({ note: `一个计划最多 64 条命令，以下没有开始：${order}` });
});
