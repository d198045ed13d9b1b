/** The new words of a request are found, whichever API it came by. */
import { ChatBody, ResponsesBody } from "@mimikit/protocol/wire/v1";
import { describe, expect, test } from "vitest";
import { HttpProblem } from "../../../apps/http-gateway/src/http/problem.ts";
import { askedByChat, askedByResponse, type ChatRequest, newWords } from "../../../apps/http-gateway/src/v1/asked.ts";

const chat = (messages: unknown[]): ChatRequest => askedByChat(ChatBody.parse({ model: "mimikit", messages }));
const response = (input: unknown, more = {}): ChatRequest =>
  askedByResponse(ResponsesBody.parse({ model: "mimikit", input, ...more }));

describe("new is what the user has said since the last answer", () => {
  test("in Chat Completions, without what the client tells a model", () => {
    const asked = chat([
      { role: "system", content: "You are a pirate." },
      { role: "user", content: "one" },
      { role: "assistant", content: "two" },
      { role: "user", content: "three" },
      { role: "tool", content: "ignored", tool_call_id: "x" },
      {
        role: "user",
        content: [
          { type: "text", text: "four" },
          { type: "text", text: "five" },
        ],
      },
    ]);
    expect(newWords(asked)).toEqual({ text: "three\n\nfour\nfive", files: [] });
    expect(asked.system).toBe("You are a pirate.");
  });

  test("in Responses, as a text or as items", () => {
    expect(newWords(response("hello", { instructions: "Be a pirate." })).text).toBe("hello");
    const items = [
      { role: "user", content: "one" },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "two" }] },
      { type: "function_call_output", output: "no words" },
      { role: "user", content: [{ type: "input_text", text: "three" }] },
    ];
    expect(newWords(response(items)).text).toBe("three");
  });
});

const PNG = "iVBORw0KGgo=";

test.each([
  [{ type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } }, { base64: PNG }],
  [{ type: "input_image", image_url: `data:image/png;base64,${PNG}` }, { base64: PNG }],
  [{ type: "input_audio", input_audio: { data: PNG, format: "wav" } }, { base64: PNG }],
  [
    { type: "file", file: { file_data: `data:application/pdf;base64,${PNG}`, filename: "a.pdf" } },
    { base64: PNG, name: "a.pdf" },
  ],
  [
    { type: "input_file", file_data: PNG, filename: "a.pdf" },
    { base64: PNG, name: "a.pdf" },
  ],
])("a file comes along in the request itself: %j", (part, file) => {
  expect(newWords(chat([{ role: "user", content: [part] }])).files).toEqual([file]);
  expect(newWords(chat([{ role: "user", content: [{ type: "text", text: "look" }, part] }])).text).toBe("look");
});

test.each([
  [[{ role: "assistant", content: "I go on" }], /nothing to answer/],
  [[{ role: "system", content: "only rules" }], /nothing to answer/],
  [[{ role: "user", content: "  " }], /empty/],
  [[{ role: "user", content: "a".repeat(64_001) }], /at most 64000 characters/],
  [
    [{ role: "user", content: [{ type: "image_url", image_url: { url: "http://127.0.0.1/secret.png" } }] }],
    /in the request itself/,
  ],
  [[{ role: "user", content: [{ type: "file", file: { file_id: "file-1" } }] }], /in the request itself/],
  [[{ role: "user", content: [{ type: "image_url" }] }], /in the request itself/],
  [[{ role: "user", content: [{ type: "video" }] }], /video are not taken/],
  [[{ role: "user", content: Array(11).fill({ type: "input_image", image_url: PNG }) }], /at most 10 files/],
])("what cannot be taken is refused with the reason: %#", (messages, reason) => {
  const refusal = (() => {
    try {
      return newWords(chat(messages));
    } catch (error) {
      return error;
    }
  })();
  expect(refusal).toBeInstanceOf(HttpProblem);
  expect(refusal).toMatchObject({ status: 400, message: expect.stringMatching(reason) });
});

test("a picture that was sent earlier is history, wherever it is", () => {
  const asked = chat([
    { role: "user", content: [{ type: "image_url", image_url: { url: "https://example.com/a.png" } }] },
    { role: "assistant", content: "a cat" },
    { role: "user", content: "sure?" },
  ]);
  expect(newWords(asked)).toEqual({ text: "sure?", files: [] });
});
