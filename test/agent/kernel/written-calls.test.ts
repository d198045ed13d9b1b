/** Calls that models write into their text, as they do where their server does not read them. */
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { readWrittenCalls } from "../../../packages/agent/src/kernel/written-calls.ts";
import type { Tool } from "../../../packages/agent/src/tools/tool.ts";
import { ModelServer, type Step } from "../../support/model-server.ts";
import { messageOf, type Ran, replyOf, taskOf, turnOf } from "../fixtures.ts";
import { runKernelTask } from "../kernel-fixtures.ts";

const tool = (name: string, input: z.ZodType): Tool => ({ name, input, shown: input }) as unknown as Tool;
const TOOLS = [tool("read", z.object({ path: z.string(), lines: z.number().optional() })), tool("list", z.object({}))];
const read = (text: string) => {
  const { text: said, calls } = readWrittenCalls(text, TOOLS);
  return { said, calls: calls.map(({ name, arguments: input }) => [name, JSON.parse(input)]) };
};

const X = ["read", { path: "x" }];
const Y = ["read", { path: "y" }];

test.each([
  ["Hermes, Qwen", '<tool_call>\n{"name": "read", "arguments": {"path": "x"}}\n</tool_call>', [X]],
  [
    "… two of them",
    '<tool_call>{"name":"read","arguments":{"path":"x"}}</tool_call>\n<tool_call>{"name":"read","arguments":{"path":"y"}}</tool_call>',
    [X, Y],
  ],
  ["… without the end", '<tool_call>\n{"name": "read", "arguments": {"path": "x"}}', [X]],
  [
    "Qwen Coder",
    "<tool_call>\n<function=read>\n<parameter=path>\nx\n</parameter>\n<parameter=lines>\n7\n</parameter>\n</function>\n</tool_call>",
    [["read", { path: "x", lines: 7 }]],
  ],
  ["… without its frame", "<function=read>\n<parameter=path>\nx\n</parameter>\n</function>\n</tool_call>", [X]],
  ["Llama 3", '<function=read>{"path": "x"}</function>', [X]],
  [
    "Llama 3.1",
    '<|python_tag|>{"name": "read", "parameters": {"path": "x"}}; {"name": "read", "parameters": {"path": "y"}}',
    [X, Y],
  ],
  ["Llama 4", '<|python_start|>{"name": "read", "parameters": {"path": "x"}}<|python_end|>', [X]],
  [
    "Mistral",
    '[TOOL_CALLS][{"name": "read", "arguments": {"path": "x"}}, {"name": "read", "arguments": {"path": "y"}}]',
    [X, Y],
  ],
  ["Mistral Small 3.2", '[TOOL_CALLS]read[CALL_ID]abc[ARGS]{"path": "x"}[TOOL_CALLS]read[ARGS]{"path": "y"}', [X, Y]],
  ["GLM", "<tool_call>read\n<arg_key>path</arg_key>\n<arg_value>x</arg_value>\n</tool_call>", [X]],
  ["… without arguments", "<tool_call>list</tool_call>", [["list", {}]]],
  [
    "Kimi",
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>{"path": "x"}<|tool_call_end|><|tool_calls_section_end|>',
    [X],
  ],
  [
    "DeepSeek V3",
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read\n```json\n{"path": "x"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    [X],
  ],
  [
    "DeepSeek V3.1",
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read<｜tool▁sep｜>{"path": "x"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    [X],
  ],
  [
    "MiniMax",
    '<minimax:tool_call>\n<invoke name="read">\n<parameter name="path">x</parameter>\n</invoke>\n</minimax:tool_call>',
    [X],
  ],
  ["gpt-oss", '<|channel|>commentary to=functions.read <|constrain|>json<|message|>{"path": "x"}<|call|>', [X]],
  ["… without its tokens", 'commentary to=functions.read json{"path":"x"}', [X]],
  ["Qwen2.5 Coder: bare JSON", '{"name": "read", "arguments": {"path": "x"}}', [X]],
  ["… in a fence", '```json\n{"name": "read", "arguments": {"path": "x"}}\n```', [X]],
  ["… a list", '[{"name": "read", "arguments": {"path": "x"}}, {"name": "list", "arguments": {}}]', [X, ["list", {}]]],
  [
    "… as text in JSON",
    '{"type": "function", "function": {"name": "read", "arguments": "{\\"path\\": \\"x\\"}"}}',
    [X],
  ],
  ["a prefix of the vendor", '{"name": "functions.read", "arguments": {"path": "x"}}', [X]],
])("%s: all of the message is a call", (_, text, calls) => {
  expect(read(text)).toEqual({ said: "", calls });
});

test.each([
  ['I look.\n\n<tool_call>\n{"name": "read", "arguments": {"path": "x"}}\n</tool_call>', "I look."],
  ['I look. <tool_call>{"name": "read", "arguments": {"path": "x"}}</tool_call>', "I look."],
  ['[TOOL_CALLS][{"name": "read", "arguments": {"path": "x"}}]$$ In order to read it I call the function.', ""],
])("%j has a call at its end, or begins with one: words that follow are made up", (text, said) => {
  expect(read(text)).toEqual({ said, calls: [X] });
});

test.each([
  'A call looks like this:\n\n<tool_call>\n{"name": "read", "arguments": {"path": "x"}}\n</tool_call>\n\nThe server reads it.',
  'Like so:\n\n```xml\n<tool_call>\n{"name": "read", "arguments": {"path": "x"}}\n</tool_call>\n```',
  'It writes `<function=read>{"path": "x"}</function>`',
  '> <tool_call>{"name": "read", "arguments": {"path": "x"}}</tool_call>',
  'It says "<tool_call>{"name": "read", "arguments": {"path": "x"}}</tool_call>',
  'You write <tool_call>{"name": "read", "arguments": {"path": "x"}}</tool_call>',
  'Here it is:\n\n```json\n{"name": "read", "arguments": {"path": "x"}}\n```',
  '```json\n{"name": "get_weather", "arguments": {"city": "Bern"}}\n```',
  '{"name": "Mimikit", "version": "0.4"}',
  '{"name": "read"}',
  '{"resultType": "text", "result": {"text": "x"}}',
  "<tool_call> is how Qwen begins a call.",
  "Use <|python_tag|> for it.",
  "[TOOL_CALLS] is a token.",
])("%j speaks of a call: it stays text", (text) => {
  expect(readWrittenCalls(text, TOOLS)).toEqual({ text, calls: [] });
});

test.each([
  ['<tool_call>\n{"name": "read", "arguments": {"path": "x"\n</tool_call>', "read"],
  ['I look.\n<tool_call>{"name": "read", "argu', "read"],
  ["<function=read>\n<parameter=path>\nx", "read"],
  ["<tool_call>{oh no}</tool_call>", "unnamed"],
])("%j cannot be read: nobody is shown it, and the model is told", (text, name) => {
  const { text: said, calls } = readWrittenCalls(text, TOOLS);
  expect(said).not.toMatch(/[<{]/);
  expect(calls).toEqual([{ name, arguments: expect.any(String), problem: expect.stringContaining("cannot be read") }]);
});

test("a call of a tool that is not there is one: the model is told that there is none", () => {
  expect(read('<tool_call>{"name": "Skill", "arguments": {"name": "none"}}</tool_call>').calls).toEqual([
    ["Skill", { name: "none" }],
  ]);
  expect(read('{ "name": "Skill", "arguments": { "name": "none" } }').calls).toEqual([["Skill", { name: "none" }]]);
});

test("any text is read without an error, and text without a mark stays as it is", () => {
  const part = fc.constantFrom(
    "<tool_call>",
    "</tool_call>",
    '{"name":"read",',
    '"arguments":{}}',
    "<function=read>",
    "[TOOL_CALLS]",
    "```",
    "\n",
    "{",
    "}",
    "read",
    " ",
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const text = parts.join("");
      const { text: said, calls } = readWrittenCalls(text, TOOLS);
      expect(text.trim().startsWith(said.trim())).toBe(true);
      for (const { name, arguments: input, problem } of calls) {
        expect(name).toMatch(/^[\w-]{1,64}$/);
        if (problem === undefined) JSON.parse(input);
      }
    }),
  );
});

describe("a run", () => {
  let model: ModelServer;
  beforeEach(async () => {
    model = await ModelServer.start();
  });
  afterEach(() => model.close());

  const question = turnOf({ messages: [messageOf("hello")] });
  const piece = taskOf({ id: "t-000007.0.0", role: "worker", prompt: "do it" });
  const shownBy = ({ lines }: Ran) => lines.flatMap((line) => (line.type === "delta" ? [line.text] : [])).join("");
  const REMEMBER = '{"name": "remember", "arguments": {"content": "tea"}}';

  test.each([
    ["", "", true],
    ["I note it.\n\n", "<tool_call>", true],
    ["I note it.\n\n", "<tool_call>", false],
  ])(
    "makes the call, and shows nobody what it looks like (%j, %j, tool calls: %s)",
    async (before, mark, toolCalls) => {
      const steps: Step[] = [{ say: `${before}${mark}\n${REMEMBER}` }, { say: "Noted." }];
      const ran = await runKernelTask(model, { teller: steps }, question, { endpoint: { toolCalls } });
      expect(ran.effects).toMatchObject([{ type: "remember", content: "tea" }, { type: "reply" }]);
      expect(shownBy(ran)).not.toMatch(/tool_call|remember/);
      expect(replyOf(ran)).not.toMatch(/tool_call|"remember"/);
    },
  );

  test("is told what is wrong with a call that it cannot make, and shows nobody that call", async () => {
    const steps: Step[] = [{ say: '<tool_call>{"name": "Skill", "arguments": {}}</tool_call>' }, { say: "Hello." }];
    const ran = await runKernelTask(model, { teller: steps }, question);
    expect(ran.effects).toEqual([{ type: "reply", text: "Hello." }]);
    expect(shownBy(ran)).toBe("Hello.");
    expect(model.requests[1]?.messages.at(-1)?.content).toContain('there is no tool \\"Skill\\"');
  });

  const thought = `The user likes tea. I note it.\n<tool_call>${REMEMBER}</tool_call>`;
  test.each<[string, Step]>([
    ["in the text", { say: `<think>${thought}` }],
    ["beside it", { think: thought }],
  ])("makes a call at the end of a thought that the model did not close, %s", async (_, first) => {
    const ran = await runKernelTask(model, { teller: [first, { say: "Noted." }] }, question);
    expect(ran.effects).toMatchObject([
      { type: "remember", content: "tea" },
      { type: "reply", text: "Noted." },
    ]);
  });

  test("of gpt-oss without a parser is read: its thoughts, its call and its reply", async () => {
    const thought = "<|channel|>analysis<|message|>The user likes tea.<|end|><|start|>assistant";
    const call = "<|channel|>commentary to=functions.remember <|constrain|>json<|message|>";
    const steps: Step[] = [
      { say: `${thought}${call}{"content":"tea"}<|call|>` },
      { say: `${thought}<|channel|>final<|message|>Noted.<|return|>` },
    ];
    const ran = await runKernelTask(model, { teller: steps }, question);
    expect(ran.effects).toMatchObject([
      { type: "remember", content: "tea" },
      { type: "reply", text: "Noted." },
    ]);
    expect(shownBy(ran)).toBe("Noted.");
  });

  test.each(["functions.remember", "default_api:remember", "remember<|channel|>commentary"])(
    "makes the call that is named %s",
    async (name) => {
      const steps: Step[] = [{ calls: [{ name, args: { content: "tea" } }] }, { say: "Noted." }];
      const ran = await runKernelTask(model, { teller: steps }, question);
      expect(ran.effects).toMatchObject([{ type: "remember", content: "tea" }, { type: "reply" }]);
    },
  );

  test("sends no name back that a vendor refuses", async () => {
    const steps: Step[] = [{ calls: [{ name: "gui.click now!", args: {} }] }, { say: "Hello." }];
    const ran = await runKernelTask(model, { teller: steps }, question);
    expect(replyOf(ran)).toBe("Hello.");
    const names = model.requests.at(-1)?.messages.flatMap((message) => message.tool_calls ?? []);
    expect(JSON.stringify(names)).toContain("gui_click_now_");
  });

  test("shows an example whole", async () => {
    const say = `It is written like this:\n\n<tool_call>\n${REMEMBER}\n</tool_call>\n\nThe server reads it.`;
    const ran = await runKernelTask(model, { teller: [{ say }] }, question);
    expect(ran.effects).toEqual([{ type: "reply", text: say }]);
    expect(shownBy(ran)).toBe(say);
  });

  test("of a Worker makes the calls of its text, too", async () => {
    const say = '<tool_call>\n<function=bash>\n<parameter=command>\necho "a"\n</parameter>\n</function>\n</tool_call>';
    const ran = await runKernelTask(model, { worker: [{ say }, { say: "Done." }] }, piece);
    expect(ran.calls.map(({ tool: name, ok }) => [name, ok])).toEqual([["bash", true]]);
    expect(ran).toMatchObject({ status: "done", result: { text: "Done." } });
  });

  test("makes a call once that the server has read and left in the text", async () => {
    const call = { name: "remember", args: { content: "tea" } };
    const steps: Step[] = [{ say: `I note it.\n<tool_call>${REMEMBER}</tool_call>`, calls: [call] }, { say: "Noted." }];
    const ran = await runKernelTask(model, { teller: steps }, question);
    expect(ran.calls).toHaveLength(1);
    expect(shownBy(ran)).toBe("I note it.\n\nNoted.");
  });
});
