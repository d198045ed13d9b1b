/** Answers as vendors and servers really send them: the bytes that were seen, shortened, with the report that shows them. */

export interface VendorAnswer {
  source: string;
  /** The body, or the events of a stream. */
  body: string | readonly object[];
  /** Without the end of the stream. */
  isOpen?: boolean;
  expected: Record<string, unknown>;
}

const delta = (fields: object, finish_reason: unknown = null) => ({
  choices: [{ index: 0, delta: fields, finish_reason }],
});
const piece = (index: unknown, id: unknown, name: unknown, input: unknown, more: object = {}) =>
  delta({ tool_calls: [{ ...(index !== undefined && { index }), id, function: { name, arguments: input }, ...more }] });
const stop = (reason: unknown = "stop") => delta({}, reason);
const call = (name: string, input: string, more: object = {}) => ({ name, arguments: input, ...more });

export const TEXTS: Readonly<Record<string, VendorAnswer>> = {
  "Mistral's thinking as typed parts": {
    source: "BerriAI/litellm#16272, symfony/ai#2422",
    body: [
      delta({ content: [{ type: "thinking", thinking: [{ type: "text", text: "h" }] }] }),
      delta({ content: [{ type: "thinking", thinking: [{ type: "text", text: "m" }] }] }),
      delta({ content: "80" }),
      delta({ content: [{ type: "text", text: "80" }] }),
      stop(),
    ],
    expected: { text: "8080", thoughts: [{ text: "hm" }] },
  },
  "Mistral's references to a tool's result": {
    source: "laravel/ai#866",
    body: [
      delta({
        content: [
          { type: "text", text: "It is 8080" },
          { type: "reference", reference_ids: [0] },
          { type: "text", text: "." },
        ],
      }),
      stop(),
    ],
    expected: { text: "It is 8080." },
  },
  "a content that is one object": {
    source: "the same as a list of one",
    body: [delta({ content: { type: "text", text: "8080" } }), stop()],
    expected: { text: "8080" },
  },
  "thoughts of GitHub Copilot": {
    source: "the field reasoning_text of its chat endpoint",
    body: [delta({ content: null, reasoning_text: "hm" }), delta({ content: "8080" }), stop()],
    expected: { text: "8080", thoughts: [{ text: "hm", vendor: { chat: { field: "reasoning_text" } } }] },
  },
  "signed thoughts of OpenRouter, in pieces": {
    source: "agno-agi/agno#5802, earendil-works/pi#8246",
    body: [
      delta({
        reasoning: "Let",
        reasoning_details: [{ type: "reasoning.text", text: "Let", format: "anthropic-claude-v1", index: 0 }],
      }),
      delta({
        reasoning: " me",
        reasoning_details: [{ type: "reasoning.text", text: " me", format: "anthropic-claude-v1", index: 0 }],
      }),
      delta({
        reasoning_details: [{ type: "reasoning.text", signature: "Et8B", format: "anthropic-claude-v1", index: 0 }],
      }),
      delta({ reasoning_details: [{ type: "reasoning.encrypted", data: "AAAA", id: "x", index: 1 }] }),
      delta({ content: "8080" }),
      stop(),
    ],
    expected: {
      text: "8080",
      thoughts: [
        {
          text: "Let me",
          vendor: {
            chat: {
              field: "reasoning_details",
              blocks: JSON.stringify([
                { type: "reasoning.text", text: "Let me", format: "anthropic-claude-v1", index: 0, signature: "Et8B" },
                { type: "reasoning.encrypted", data: "AAAA", id: "x", index: 1 },
              ]),
            },
          },
        },
      ],
    },
  },
  "counts of tokens that are none": {
    source: "OpenAI-DotNet#186, llm-venice#45",
    body: [
      delta({ content: "8080" }),
      {
        choices: [],
        usage: { prompt_tokens: -1, completion_tokens: "12", prompt_tokens_details: { cached_tokens: -5 } },
      },
      stop(),
    ],
    expected: { text: "8080", usage: { cachedTokens: 0, outputTokens: 4 } },
  },
  "counts that are fractions, in a list of choices with other odd fields": {
    source: "a field that carries nothing needed never costs the reply",
    body: [
      {
        id: 7,
        created: "now",
        choices: [{ index: "0", delta: { role: null, content: "8080" }, logprobs: [], finish_reason: null }],
        usage: 3,
      },
      { choices: null, usage: { prompt_tokens: 12.5, completion_tokens: null } },
      stop(),
    ],
    expected: { text: "8080" },
  },
  "Moonshot's counts, inside the choice": {
    source: "earendil-works/pi#2017",
    body: [
      delta({ content: "8080" }),
      { choices: [{ index: 0, delta: {}, finish_reason: "stop", usage: { prompt_tokens: 9, completion_tokens: 4 } }] },
    ],
    expected: { text: "8080", usage: { inputTokens: 9, outputTokens: 4 } },
  },
  "an ordinary end in the words of Together and of TGI": {
    source: "openai/openai-dotnet#267, mistralai/client-python#123",
    body: [delta({ content: "8080" }), stop("eos")],
    expected: { text: "8080", isTruncated: false },
  },
  "an end that is a number": {
    source: "a gateway",
    body: [delta({ content: "8080" }), stop(1)],
    expected: { text: "8080" },
  },
  "an answer at the window of Mistral's model": {
    source: "simstudioai/sim#6302",
    body: [delta({ content: "80" }), stop("model_length")],
    expected: { text: "80", isTruncated: true },
  },
  "an empty reason in each piece, and none at the end": {
    source: "dstackai/dstack#2229 (SGLang, TGI)",
    body: [delta({ content: "80" }, ""), delta({ content: "80" }, "")],
    expected: { text: "8080", isTruncated: false },
  },
  "a stream that ends without a word about it": {
    source: "servers that close the body after the last piece",
    body: [delta({ content: "8080" })],
    isOpen: true,
    expected: { text: "8080" },
  },
  "a filter in the middle": {
    source: "openai/openai-agents-python#4159, pydantic-ai#6520",
    body: [delta({ content: "The first" }), stop("content_filter")],
    expected: { text: "The first", withheld: "content_filter" },
  },
  "OpenAI's words of refusal": {
    source: "the field refusal of its messages",
    body: [delta({ refusal: "I cannot" }), delta({ refusal: " help with that." }), stop()],
    expected: { text: "", withheld: "I cannot help with that" },
  },
  "a filter in another spelling": {
    source: "gateways in other languages",
    body: [stop("ContentFilter")],
    expected: { withheld: "contentfilter" },
  },
  "JSON behind signs of life": {
    source: "proxies that write comments while they wait",
    body: `: PROCESSING\n\n${JSON.stringify({ error: "", ...delta({ content: "8080" }, "stop") })}`,
    expected: { text: "8080" },
  },
  "a filter of Z.ai": {
    source: "simstudioai/sim#6302",
    body: [stop("sensitive")],
    expected: { withheld: "sensitive" },
  },
  "Gemini's list of chunks": {
    source: "its native stream without alt=sse, and errors in lists (0xsline/OpenChatCut#6)",
    body: JSON.stringify(
      [delta({ content: "80" }), { ...delta({ content: "80" }), ...stop() }, delta({ content: "80" }, "stop")],
      null,
      2,
    ),
    expected: { text: "8080" },
  },
  "one JSON over many lines": {
    source: "a proxy that collects the stream",
    body: `\n\n ${JSON.stringify({ choices: [{ message: { role: "assistant", content: "8080" } }] }, null, 2)}`,
    expected: { text: "8080" },
  },
  "JSON in lines": {
    source: "servers that leave out the frame of events",
    body: `${JSON.stringify(delta({ content: "80" }))}\n${JSON.stringify(delta({ content: "80" }, "stop"))}\n`,
    expected: { text: "8080" },
  },
  "events without blank lines, one of them over two lines": {
    source: "the format of server-sent events",
    body: `event: x\ndata: {"choices":[{"delta":\ndata: {"content":"80"}}]}\ndata:${JSON.stringify(delta({ content: "80" }))}\ndata:[DONE]`,
    expected: { text: "8080" },
  },
};

const READ_X = call("read", '{"path":"x"}');
const READ_Y = call("read", '{"path":"y"}');

export const CALLS: Readonly<Record<string, VendorAnswer>> = {
  "MiniMax's pieces, and then the whole answer once more": {
    source: "ENTERPILOT/GoModel#1068, abundantbeing/hermes-browser-extension#11",
    body: [
      delta({ role: "", content: "I read." }),
      piece(0, "a", "read", '{"path":"x"}'),
      {
        object: "chat.completion",
        choices: [
          {
            message: { content: "I read.", tool_calls: [{ id: "a", type: "function", function: READ_X }] },
            finish_reason: "tool_calls",
          },
        ],
        usage: { prompt_tokens: 9, completion_tokens: 4 },
      },
    ],
    expected: { text: "I read.", calls: [{ id: "a", ...READ_X }], usage: { inputTokens: 9, outputTokens: 4 } },
  },
  "pieces of thoughts, and then a whole message": {
    source: "a gateway that streams the thoughts alone",
    body: [
      delta({ reasoning_content: "hm" }),
      { choices: [{ message: { content: "8080", reasoning_content: "hm" }, finish_reason: "stop" }] },
    ],
    expected: { text: "8080", calls: [], thoughts: [{ text: "hm" }] },
  },
  "Ollama's parallel calls, all with index 0": {
    source: "ollama/ollama#15457, vercel/ai#14277, hermes-agent#62937 (Gemini)",
    body: [piece(0, "a", "read", '{"path":"x"}'), piece(0, "b", "read", '{"path":"y"}'), stop("tool_calls")],
    expected: {
      calls: [
        { id: "a", ...READ_X },
        { id: "b", ...READ_Y },
      ],
    },
  },
  "vLLM's parallel calls: one index, empty ids in further pieces": {
    source: "InternLM/lmdeploy#3412, spring-ai#6369",
    body: [
      piece(0, "a", "read", ""),
      piece(0, "", null, '{"path":'),
      piece(0, "", null, '"x"}'),
      piece(0, "b", "read", ""),
      piece(0, "", null, '{"path":"y"}'),
      stop("tool_calls"),
    ],
    expected: {
      calls: [
        { id: "a", ...READ_X },
        { id: "b", ...READ_Y },
      ],
    },
  },
  "Poolside's further pieces under another id": {
    source: "poolsideai/pool#9",
    body: [
      piece(0, "a", "read", ""),
      piece(0, "z", null, '{"path":'),
      piece(0, "z", undefined, '"x"}'),
      stop("tool_calls"),
    ],
    expected: { calls: [{ id: "a", ...READ_X }] },
  },
  "Gemini's calls without an index, with a signature": {
    source: "noho/dayu-agent#45, earendil-works/pi#3234",
    body: [
      delta({
        tool_calls: [
          { id: "j1", type: "function", function: READ_X, extra_content: { google: { thought_signature: "EjQ" } } },
          { id: "j2", type: "function", function: READ_Y },
        ],
      }),
      stop("tool_calls"),
    ],
    expected: {
      calls: [
        { id: "j1", ...READ_X, vendor: { chat: { extra_content: '{"google":{"thought_signature":"EjQ"}}' } } },
        { id: "j2", ...READ_Y },
      ],
    },
  },
  "calls without ids and indexes, in one piece": {
    source: "ogx-ai/ogx#4430",
    body: [delta({ tool_calls: [{ function: READ_X }, { function: READ_Y }] }), stop("tool_calls")],
    expected: {
      calls: [
        { id: "", ...READ_X },
        { id: "", ...READ_Y },
      ],
    },
  },
  "another tool under the same index, without ids": {
    source: "su-kaka/gcli2api#406",
    body: [piece(0, null, "read", '{"path":"x"}'), piece(0, null, "list", "{}"), stop("tool_calls")],
    expected: { calls: [READ_X, call("list", "{}")] },
  },
  "an index that is text": {
    source: "local servers",
    body: [
      piece("0", "a", "read", '{"path":'),
      piece("0", null, null, '"x"}'),
      piece("1", "b", "read", '{"path":"y"}'),
      stop(),
    ],
    expected: { calls: [READ_X, READ_Y] },
  },
  "a name that is said again in each piece": {
    source: "NousResearch/hermes-agent#8259 (MiniMax), SillyTavern#5948 (Fireworks)",
    body: [
      piece(0, "a", "read", ""),
      piece(0, "a", "read", '{"path":'),
      piece(0, "a", "read", '"x"}'),
      stop("tool_calls"),
    ],
    expected: { calls: [{ id: "a", ...READ_X }] },
  },
  "a name that comes late": {
    source: "anomalyco/opencode#32666",
    body: [piece(0, "a", null, ""), piece(0, null, "read", '{"path":"x"}'), stop("tool_calls")],
    expected: { calls: [{ id: "a", ...READ_X }] },
  },
  "several objects under one call": {
    source: "NousResearch/hermes-agent#62937",
    body: [piece(0, "a", "read", '{"path":"x"}{"path":"y"}'), stop("tool_calls")],
    expected: {
      calls: [
        { id: "a", ...READ_X },
        { id: "", ...READ_Y },
      ],
    },
  },
  "{} and then the whole object": {
    source: "microsoft/autogen#7549",
    body: [piece(0, "a", "read", "{}"), piece(0, null, null, '{"path":"x"}'), stop("tool_calls")],
    expected: { calls: [{ id: "a", ...READ_X }] },
  },
  "arguments as an object": {
    source: "local servers: arguments that are no text",
    body: [piece(0, "a", "read", { path: "x" }), stop("tool_calls")],
    expected: { calls: [READ_X] },
  },
  "arguments as JSON in JSON": {
    source: "gateways that write them twice",
    body: [piece(0, "a", "read", JSON.stringify('{"path":"x"}')), stop("tool_calls")],
    expected: { calls: [READ_X] },
  },
  "the legacy function_call": {
    source: "OpenAI until 2023",
    body: [
      delta({ function_call: { name: "read", arguments: '{"path":' } }),
      delta({ function_call: { arguments: '"x"}' } }),
      stop("function_call"),
    ],
    expected: { calls: [READ_X] },
  },
  "pieces of two calls in turn under one index": {
    source: "gateways that join two streams",
    body: [
      piece(0, "a", "read", '{"path":'),
      piece(0, "b", "read", '{"path":'),
      piece(0, "a", null, '"x"}'),
      piece(0, "b", null, '"y"}'),
      stop("tool_calls"),
    ],
    expected: { calls: [READ_X, READ_Y] },
  },
  "a call that names no tool": {
    source: "smallmain/vscode-unify-chat-provider#49",
    body: [piece(0, "a", null, '{"path":"x"}'), piece(1, "b", null, ""), stop("tool_calls")],
    expected: { calls: [{ id: "a", name: "unnamed", arguments: '{"path":"x"}', problem: "the call names no tool" }] },
  },
  "tool_calls as the reason, and none": {
    source: "models that change their mind",
    body: [delta({ content: "8080", tool_calls: [] }), stop("tool_calls")],
    expected: { text: "8080", calls: [] },
  },
  "a message in one piece, its calls without indexes": {
    source: "Gemini and Ollama without a stream",
    body: JSON.stringify({
      choices: [
        {
          message: {
            content: null,
            tool_calls: [
              { id: "", function: READ_X },
              { id: "", function: READ_X },
            ],
          },
        },
      ],
    }),
    expected: { calls: [READ_X, READ_X] },
  },
};
