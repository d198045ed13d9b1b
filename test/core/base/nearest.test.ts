import { namesLike } from "@mimikit/core/base/nearest";
import { expect, test } from "vitest";

const CLOUD = ["gpt-5", "gpt-5-mini", "gpt-4.1", "o3", "claude-sonnet-4-5-20250929", "openai/gpt-oss-20b", "whisper-1"];

test.each([
  ["gpt5", ["gpt-5", "gpt-5-mini"]],
  ["openai/gpt-5-min", ["gpt-5-mini"]],
  ["claude-sonnet-4.5", ["claude-sonnet-4-5-20250929"]],
  ["GPT-OSS", ["openai/gpt-oss-20b"]],
  ["llama", []],
])("of many models those are like %j whose names are: the likest first", (word, names) => {
  expect(namesLike(word, CLOUD)).toEqual(expect.arrayContaining(names));
  expect(namesLike(word, CLOUD)[0]).toBe(names[0]);
});

test("of a few, all are told", () => {
  expect(namesLike("gpt-9", ["qwen3", "llama3.2:latest"])).toEqual(["qwen3", "llama3.2:latest"]);
});
