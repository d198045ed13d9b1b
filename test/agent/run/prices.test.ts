/** The price of a model's tokens: the owner's word first, then the table. */
import { expect, test } from "vitest";
import { priceOf } from "../../../packages/agent/src/run/reservation.ts";

test.each([
  ["claude-sonnet-4-5", 3],
  ["claude-sonnet-4-5-20250929", 3],
  ["anthropic/claude-sonnet-4.5", 3],
  ["gemini-2.5-flash-lite", 0.1],
  ["models/gemini-3-flash-preview", 0.5],
  ["gpt-5-mini-2025-08-07", 0.25],
])("a well-known model has its price under the name %s", (model, input) => {
  expect(priceOf(model, {})?.input).toBe(input);
});

test.each(["gpt-5-pro", "claude-sonnet-4-5:free", "gemini-2.5-flash-image", "llama3.2", "__proto__", ""])(
  "a model of another name, as %j, has none: a wrong price is worse",
  (model) => expect(priceOf(model, {})).toBeUndefined(),
);

test("what the settings say goes before the table, also where it is nothing", () => {
  const free = { input: 0, cached: 0, output: 0 };
  expect(priceOf("gpt-5", { "gpt-5": free })).toBe(free);
});
