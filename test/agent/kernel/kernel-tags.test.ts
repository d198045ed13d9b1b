/** The loop with models that cannot call tools: they write tags, and nobody sees them. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Task } from "@mimikit/protocol/records/task";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ACTION_FEEDBACK_ROUNDS_MAX } from "../../../packages/agent/src/kernel/loop.ts";
import { ShownText, splitThoughts } from "../../../packages/agent/src/kernel/shown-text.ts";
import { type ModelRequest, ModelServer, type Script, type Step } from "../../support/model-server.ts";
import { messageOf, type Ran, replyOf, taskOf, turnOf } from "../fixtures.ts";
import { runKernelTask } from "../kernel-fixtures.ts";

let model: ModelServer;
beforeEach(async () => {
  model = await ModelServer.start();
});
afterEach(() => model.close());

const question = turnOf({ messages: [messageOf("hello")] });
const piece = taskOf({ id: "t-000007.0.0", role: "worker", prompt: "do it" });
const plan = taskOf({ id: "t-000007.0", role: "planner", prompt: "plan it" });
const runWith = (script: Script, task: Task, options: Parameters<typeof runKernelTask>[3] = {}) =>
  runKernelTask(model, script, task, { ...options, endpoint: { toolCalls: false, ...options.endpoint } });
const shownBy = ({ lines }: Ran) => lines.flatMap((line) => (line.type === "delta" ? [line.text] : [])).join("");
const lastOf = (role: "teller" | "planner" | "worker") => model.of(role).at(-1)?.messages.at(-1);

describe("a Teller", () => {
  test("is offered no tools, and told the tags in its rules", async () => {
    await runWith({ teller: [{ say: "Hi." }] }, question);
    expect(model.requests[0]?.tools).toEqual([]);
    expect(model.requests[0]?.system).toContain('`<M:summarize_task_result taskId="…" summary="…" />`');
  });

  test("says it all in one answer: the words are the reply, the tags are done, and nobody sees them", async () => {
    const say =
      'Noted.\n\n<M:remember content="tea" longTerm="true" />\n<M:create_task prompt="buy tea" title="Tea" />';
    const ran = await runWith({ teller: [{ say }] }, question);
    expect(ran.effects).toEqual([
      { type: "remember", content: "tea", longTerm: true },
      { type: "delegate", prompt: "buy tea", title: "Tea" },
      { type: "reply", text: "Noted." },
    ]);
    expect(shownBy(ran)).toBe("Noted.");
    expect(model.requests).toHaveLength(1);
    expect(ran.calls.map(({ tool, ok }) => [tool, ok])).toEqual([
      ["remember", true],
      ["delegate", true],
    ]);
  });

  test("is told what a look answered, as quoted text, and sees what it had said itself", async () => {
    const context = {
      history: [{ id: "m-0", role: "user" as const, text: "tea </M:x>\n<M:y />", at: "2026-11-21T00:00:00.000Z" }],
    };
    const steps: Step[] = [{ say: 'One moment.\n<M:query_history query="tea"/>' }, { say: "You said tea." }];
    const ran = await runWith({ teller: steps }, question, { context });
    expect(replyOf(ran)).toBe("You said tea.");
    const [asked, answered] = model.of("teller")[1]?.messages.slice(-2) ?? [];
    expect(asked).toEqual({ role: "assistant", content: 'One moment.\n\n<M:query_history query="tea" />' });
    expect(answered?.role).toBe("user");
    expect(answered?.content).toMatch(
      /^\/\/ .*\n<M:action_results>\n- id: 1\.1\.1, action: query_history\n {4}.*"m-0"/,
    );
    expect(answered?.content.match(/<\/?M:/g)).toHaveLength(2);
  });

  test("has not answered by what it said before it looked: it is asked on", async () => {
    const steps: Step[] = [
      { say: 'One moment.\n<M:query_history query="tea"/>' },
      { say: '<M:remember content="tea" />' },
      { say: "You said tea." },
    ];
    const ran = await runWith({ teller: steps }, question);
    expect(ran.effects).toEqual([
      { type: "remember", content: "tea", longTerm: false },
      { type: "reply", text: "You said tea." },
    ]);
  });

  test("is told what was wrong and how it is written, and may correct it", async () => {
    const steps: Step[] = [
      { say: 'Noted.\n<M:remember text="tea" />\n<M:gui_click />' },
      { say: '<M:remember content="tea" />' },
    ];
    const ran = await runWith({ teller: steps }, question);
    expect(ran.effects).toMatchObject([
      { type: "remember", content: "tea" },
      { type: "reply", text: "Noted." },
    ]);
    const feedback = lastOf("teller")?.content;
    expect(feedback).toContain("<M:action_feedback>\n- id: 1.1.1, action: remember, error: bad_input\n");
    expect(feedback).toContain('there is no tool \\"gui_click\\"; the teller has: reply, delegate');
    expect(feedback).toContain(
      '// remember is written: <M:remember content="…" [longTerm="true|false"] [target="persona|profile"] [replaces="…"] />',
    );
  });

  test("that schedules says when in attributes; with two times it is told to decide", async () => {
    const steps: Step[] = [
      { say: '<M:create_task prompt="x" cron="0 0 9 * * *" scheduled_at="2027-01-01T00:00:00Z"/>' },
      { say: 'Every day.\n<M:create_task prompt="x" cron="0 0 9 * * *"/>' },
    ];
    const ran = await runWith({ teller: steps }, question);
    expect(ran.effects).toMatchObject([
      { type: "schedule", order: { prompt: "x" }, when: { type: "recurring", schedule: { cron: "0 0 9 * * *" } } },
      { type: "reply", text: "Every day." },
    ]);
    const told = model.requests.flatMap(({ messages }) => messages.map(({ content }) => content)).join("\n");
    expect(told).toContain("set exactly one of interval, cron, runAt, condition; found cron and runAt");
  });

  test("that is told in vain ends honestly", async () => {
    const wrong = ({ nth }: ModelRequest): Step => ({
      say: `Noted.\n<M:remember text="${nth}" tries="${nth}" x${nth}="" />`,
    });
    const ran = await runWith({ teller: wrong }, question);
    expect(ran).toMatchObject({ status: "failed", failureReason: "invalid_result" });
    expect(model.requests).toHaveLength(ACTION_FEEDBACK_ROUNDS_MAX + 2);
    expect(ran.effects).toMatchObject([
      { type: "reply", text: expect.stringContaining("could not finish this reply") },
    ]);
  });

  test("that writes its words without tags once it is asked for its end has them as its reply", async () => {
    const wrong = ({ nth, messages }: ModelRequest): Step =>
      messages.at(-1)?.content.includes("You cannot call anything more")
        ? { say: "I cannot write it down." }
        : { say: `Noted.\n<M:remember text="${nth}" tries="${nth}" x${nth}="" />` };
    const ran = await runWith({ teller: wrong }, question);
    expect(ran.effects).toEqual([{ type: "reply", text: "I cannot write it down." }]);
    expect(model.requests).toHaveLength(ACTION_FEEDBACK_ROUNDS_MAX + 2);
  });

  test("that plans by tags names its tasks, and keeps what it has planned whatever it writes after it", async () => {
    const script = ({ turn }: ModelRequest): Step => ({
      say:
        turn === 0
          ? '<M:delegate name="A" prompt="a" />\n<M:delegate name="B" prompt="b" />\n<M:delegate prompt="c" after="A,B" />'
          : `No printer.\n<M:delegate text="${turn}" x${turn}="" />`,
    });
    const ran = await runWith({ planner: script }, plan);
    const waits = ["t-000007.0.0", "t-000007.0.1"].map((taskId) => ({ type: "task_done", params: { taskId } }));
    expect(ran.effects[2]).toMatchObject({ prompt: "c", condition: { type: "and", conditions: waits } });
    expect(ran.result).toMatchObject({
      note: expect.stringMatching(/^Planning stopped because it repeated.*No printer\.$/s),
    });
  });

  test("whose answer was cut off at its limit does nothing of it", async () => {
    const steps: Step[] = [{ say: 'Yes.\n<M:remember content="tea" />', finish: "length" }, { say: "Once more." }];
    const ran = await runWith({ teller: steps }, question);
    expect(ran.effects).toEqual([{ type: "reply", text: "Once more." }]);
    expect(lastOf("teller")?.content).toContain("was cut off at its length limit");
  });

  test("that only shows what a tag looks like does nothing, and its words are whole", async () => {
    const say = 'Like so:\n\n```\n<M:remember content="x" />\n```\n\nThat is all.';
    const ran = await runWith({ teller: [{ say }] }, question);
    expect(ran.effects).toEqual([{ type: "reply", text: say }]);
    expect(shownBy(ran)).toBe(say);
  });
});

test("a Planner chains tasks by the ids that its tags are answered with", async () => {
  const script = ({ turn, messages }: ModelRequest): Step => {
    if (turn === 0) return { say: '<M:delegate prompt="first" />' };
    if (turn > 1) return { say: "" };
    const id = /"id":"([^"]+)"/.exec(messages.at(-1)?.content ?? "")?.[1];
    return { say: `<M:delegate prompt="second" condition='{"type":"task_done","params":{"taskId":"${id}"}}' />` };
  };
  const ran = await runWith({ planner: script }, plan);
  expect(ran).toMatchObject({ status: "done", result: { tasks: ["t-000007.0.0", "t-000007.0.1"] } });
  expect(ran.effects[1]).toMatchObject({ condition: { params: { taskId: "t-000007.0.0" } } });
});

test("a Worker has the tools of the kernel, and goes on with its session", async () => {
  const steps: Step[] = [
    { say: 'I write.\n<M:write_text_file path="a.txt" content="&lt;one&gt;\ntwo" />\n<M:bash command="cat a.txt" />' },
  ];
  const first = await runWith({ worker: [...steps, { status: 401 }] }, piece);
  expect(first.calls.map(({ tool }) => tool)).toEqual(["write_text_file", "bash"]);
  expect(existsSync(join(first.workDir, "a.txt"))).toBe(true);
  const ran = await runWith({ worker: () => ({ say: "Written." }) }, piece, { attempt: 2, workDir: first.workDir });
  expect(ran).toMatchObject({ status: "done", result: { text: "Written." } });
  const messages = model.of("worker").at(-1)?.messages ?? [];
  expect(messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
  expect(messages[2]?.content).toContain('<M:write_text_file path="a.txt" content="&lt;one>\ntwo" />');
  expect(messages[3]?.content).toContain("    <one>\n    two");
});

test("what was cut off with an earlier attempt was not wrong: it is told as an answer, not to be written again", async () => {
  const steps: Step[] = [{ say: 'I wait.\n<M:bash command="sleep 30" />' }];
  const stop = new AbortController();
  const onStream = () => stop.abort("interrupted");
  const first = await runWith({ worker: steps }, piece, { signal: stop.signal, onStream });
  expect(first).toMatchObject({ failureReason: "interrupted" });
  await runWith({ worker: () => ({ say: "Seen." }) }, piece, { attempt: 2, workDir: first.workDir });
  const told = lastOf("worker")?.content;
  expect(told).toMatch(/<M:action_results>\n- id: 1\.1\.1, action: bash, error: cut_off\n/);
  expect(told).not.toContain("is written:");
});

test.each([true, false])('a "hello" sends less than 12 KB in all (tool calls: %s)', async (toolCalls) => {
  await runWith({ teller: [{ say: "Hi." }] }, question, { endpoint: { toolCalls } });
  expect(model.requests[0]?.bytes).toBeLessThan(12 * 1_024);
});

describe("thoughts", () => {
  test.each([
    ["<think>hm</think>Hello.", "Hello."],
    ["\n <think>a</think>\n<think>b</think>\n\nHello. <think>c</think>", "Hello. <think>c</think>"],
    ["<think>without an end", ""],
    ["I <think> so.", "I <think> so."],
    ["<thinking>without an end", ""],
    ["<thinking>a</thinking>Hello.", "Hello."],
    ["[THINK]a[/THINK]Hello.", "Hello."],
    ["Okay, the user wants the port. 8080 it is.\n</think>\n\nThe port is 8080.", "The port is 8080."],
    ["a.</thinking>\nThe port is 8080.", "The port is 8080."],
    ["a. Then `</think>` ends it.\n```\n</think>\n```\n</think>\nHello.", "Hello."],
    ["<think>a</think>b</think>Hello.", "Hello."],
    ["e.\n</think>{}", "{}"],
    ["<seed:think>a</seed:think>Hello.<|im_end|>", "Hello."],
    ["<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>Hello.<|return|>", "Hello."],
    ["It ends with `</think>`", "It ends with `</think>`"],
    ["It ends with </think> always.", "It ends with </think> always."],
    ["> </think>\n\nis a quotation.", "> </think>\n\nis a quotation."],
    ["It says “a</think>” there.", "It says “a</think>” there."],
    ["```\n<think>\n</think>\n```", "```\n<think>\n</think>\n```"],
    ["First <think>\na\n</think>\nlast.", "First <think>\na\n</think>\nlast."],
  ])("%j is %j", (text, said) => {
    expect(splitThoughts(text).said).toBe(said);
  });

  test.each([true, false])(
    "are nobody's: not in the reply, not on the page, not in the session (tool calls: %s)",
    async (toolCalls) => {
      const say = "<think>The user is <b>nice</b>.\n<M:remember content='x'/>\n</think>\n\nHello.";
      const ran = await runWith({ teller: [{ say }] }, question, { endpoint: { toolCalls } });
      expect(ran.effects).toEqual([{ type: "reply", text: "Hello." }]);
      expect(shownBy(ran)).toBe("Hello.");
      expect(JSON.stringify(ran.turns)).not.toContain("nice");
    },
  );
});

describe("what is shown while an answer comes", () => {
  const pieces = (text: string, cuts: readonly number[]) => {
    const places = [...new Set([0, ...cuts.map((cut) => cut % (text.length + 1)), text.length])].sort((a, b) => a - b);
    return places.slice(1).map((end, i) => text.slice(places[i], end));
  };
  const part = fc.constantFrom(
    "Hello.",
    "\n",
    "\n\n",
    " ",
    "<",
    "<M",
    '<M:remember content="x" />',
    "\n<M:",
    "<think>",
    "</think>",
    "a.</thinking>",
    "[THINK]",
    "<|channel|>final<|message|>",
    "<|end|>",
    "```\n",
    "{",
    "<tool_call>",
    "a<M:b",
  );

  test("is the beginning of what is said in the end, never a thought, and never a line that begins like a tag", () => {
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 10 }),
        fc.array(fc.nat(), { maxLength: 8 }),
        fc.boolean(),
        (parts, cuts, hasTags) => {
          const text = parts.join("");
          const said = splitThoughts(text).said.trim();
          const shown = new ShownText(hasTags ? ["<M:", "<tool_call>"] : []);
          let live = "";
          for (const each of pieces(text, cuts)) {
            const { text: more, isWithdrawn } = shown.add(each);
            live = isWithdrawn ? more : live + more;
          }
          expect(said.startsWith(live)).toBe(true);
          if (hasTags) expect(live).not.toMatch(/<M:|<tool_call>|^(?:```\s*)?\{/);
          expect(live + shown.rest(said)).toBe(said);
        },
      ),
      { numRuns: 3_000 },
    );
  });

  test("does not wait for the end where there is nothing to wait for", () => {
    const shown = new ShownText(["<M:"]);
    expect(["Hel", "lo ", "you.\n<", "b> \n<M", ":x", " y"].map((each) => shown.add(each).text)).toEqual([
      "Hel",
      "lo",
      " you.",
      "\n<b>",
      "",
      "",
    ]);
    const example = new ShownText(["<M:"]);
    expect(["```", "python\n", "x = [", "{}]"].map((each) => example.add(each).text).join("")).toBe(
      "```python\nx = [{}]",
    );
  });

  test("is withdrawn where it turns out to have been a thought", () => {
    const shown = new ShownText([]);
    expect(["Okay, 8080 it is.\n</th", "ink>\n\nThe port", " is 8080."].map((each) => shown.add(each))).toEqual([
      { text: "Okay, 8080 it is.\n</th", isWithdrawn: false },
      { text: "The port", isWithdrawn: true },
      { text: " is 8080.", isWithdrawn: false },
    ]);
  });
});
