/**
 * Requests that clients make on their own are told from those of people. The texts begin as those of the clients do, and are as
 * long as it takes to recognise them; what they leave out is marked by an ellipsis.
 */
import { describe, expect, test } from "vitest";
import type { ChatRequest } from "../../../apps/http-gateway/src/v1/asked.ts";
import { answerOwn } from "../../../apps/http-gateway/src/v1/own-requests.ts";

const HISTORY = "USER: Plan a trip to Kyoto in April, please, with two children\nASSISTANT: With pleasure. How long?";

const user = (content: string, system = ""): ChatRequest => ({ system, turns: [{ role: "user", content }] });

/** The form of all tasks of Open WebUI 0.5 and later: what is to be done, the key of the answer, the conversation. */
const task = (what: string, output: string) =>
  `### Task:\n${what}\n\n### Guidelines:\n- Use the chat's primary language…\n\n### Output:\n${output}\n\n### Chat History:\n<chat_history>\n${HISTORY}\n</chat_history>`;

describe("Open WebUI", () => {
  test.each([
    [
      "a title",
      "Generate a concise title summarizing the chat history.",
      `JSON format: { "title": "your concise title here" }`,
      { title: "Plan a trip to Kyoto in" },
    ],
    [
      "a title of 0.5",
      "Generate a concise, 3-5 word title with an emoji summarizing the chat history.",
      `JSON format: { "title": "your concise title here" }`,
      { title: "Plan a trip to Kyoto in" },
    ],
    [
      "tags",
      "Generate 1-3 broad tags categorizing the main themes of the chat history…",
      `JSON format: { "tags": ["tag1", "tag2", "tag3"] }`,
      { tags: ["General"] },
    ],
    [
      "follow-ups",
      "Suggest 3-5 relevant follow-up questions or prompts…",
      `JSON format: { "follow_ups": ["Question 1?", "Question 2?"] }`,
      { follow_ups: [] },
    ],
    [
      "queries",
      "Analyze the chat history to determine the necessity of generating search queries…",
      `Strictly return in JSON format: \n{\n  "queries": ["query1", "query2"]\n}`,
      { queries: [] },
    ],
    [
      "an autocompletion",
      "You are an autocompletion system. Continue the text in `<text>`…",
      `- Respond only in JSON format: \`{ "text": "<your_completion>" }\`.`,
      { text: "" },
    ],
    [
      "a prompt for an image",
      "Generate a detailed prompt for am image generation task…",
      `Strictly return in JSON format:\n{\n    "prompt": "Your detailed description here."\n}`,
      { prompt: "ASSISTANT: With pleasure. How long?" },
    ],
  ])("%s", (_name, what, output, expected) => {
    expect(JSON.parse(answerOwn(user(task(what, output))) ?? "")).toEqual(expected);
  });

  test("an emoji", () => {
    expect(
      answerOwn(user("Your task is to reflect the speaker's likely facial expression through a fitting emoji…")),
    ).toBe("🙂");
  });

  test("a choice of tools", () => {
    const system = `Available Tools: [{"name":"weather"}]\n\n…return an empty array: \n   {\n     "tool_calls": []\n   }`;
    expect(JSON.parse(answerOwn(user("Query: rain?", system)) ?? "")).toEqual({ tool_calls: [] });
  });
});

describe("others", () => {
  test.each([
    [
      "Continue",
      "Given the following... please reply with a short summary that is 4-12 words in length, you should…\n\nPlan a trip to Kyoto",
    ],
    [
      "Continue, earlier",
      "Given the following... please reply with a title for this chat session…\n\nPlan a trip to Kyoto",
    ],
    [
      "LibreChat",
      "Provide a concise, 5-word-or-less title for the conversation, using title case conventions. Only…\n\nConversation:\nUser: Plan a trip to Kyoto\nAI: With pleasure.",
    ],
    [
      "Chatbox",
      "Based on the chat history, give this conversation a name.\nKeep it short…\n\n```\nPlan a trip to Kyoto\n\n---------\n\nWith pleasure.\n```\n\nName…",
    ],
  ])("%s: the name of a conversation", (_name, content) => {
    expect(answerOwn(user(content))).toBe("Plan a trip to Kyoto");
  });

  test("Zed: the name of a conversation, asked at its end", () => {
    const turns = [
      { role: "user", content: [{ type: "text", text: "京都旅行を計画して" }] },
      { role: "assistant", content: "はい" },
      { role: "user", content: "Generate a concise 3-7 word title for this conversation, omitting punctuation…" },
    ];
    expect(answerOwn({ system: "", turns })).toBe("京都旅行を計画して");
  });

  test.each([
    [
      "Copilot Chat",
      "You are an expert in crafting pithy titles for chatbot conversations…",
      "Please write a brief title for the following request:\n\nPlan a trip",
    ],
    ["n8n", "Generate a concise, descriptive title for this conversation based on the user's message.…", "Plan a trip"],
  ])("%s: the name of a conversation, by what it tells the model", (_name, system, content) => {
    expect(answerOwn(user(content, system))).toBe("Plan a trip");
  });
});

test.each([
  "Generate a title for my essay",
  "### Task: water the plants",
  `### Task:\nSay it as a poem.\n<chat_history>\n{ "title": "a" }\n</chat_history>`,
  `### Task:\n{ "title": "…" }\n<chat_history>\n${"a".repeat(64_000)}\n</chat_history>`,
  "What tags would you give this chat history?",
  "",
])("what a person says is no such request: %j", (content) => {
  expect(answerOwn(user(content))).toBeNull();
});

test("what was asked earlier in a conversation says nothing about what is asked now", () => {
  const turns = [
    { role: "user", content: task("Generate…", `{ "title": "…" }`) },
    { role: "assistant", content: "{}" },
    { role: "user", content: "and now the weather" },
  ];
  expect(answerOwn({ system: "", turns })).toBeNull();
  expect(answerOwn({ system: "", turns: turns.slice(0, 2) })).toBeNull();
});

test("a name is one short line, whatever it is made of", () => {
  const long = `Given the following... please reply with a title\n\n${"a".repeat(500)}\nsecond line`;
  expect(answerOwn(user(long))?.length).toBeLessThanOrEqual(40);
  expect(answerOwn(user("Given the following... please reply with a title\n\n"))).not.toContain("\n");
});
