/** How long a run waits inside a request for an endpoint that asks for it. */
import { expect, test } from "vitest";
import type { Model, ModelEvent, ModelFailure, ModelRequest } from "../../../../packages/agent/src/kernel/model.ts";
import { persistent, RETRY_AFTER_MS_MAX } from "../../../../packages/agent/src/providers/endpoint/persistent.ts";

const REQUEST: ModelRequest = { messages: [], tools: [], mayCall: true };
const LIMIT: ModelFailure = { type: "failure", kind: "unavailable", cause: "limit", waits: true, message: "slow down" };

/** The end of a request to an endpoint that always fails so, and how often it was asked. */
async function endOf(
  failure: ModelFailure,
  delaysMs: readonly number[],
): Promise<{ asked: number; end: ModelEvent | undefined }> {
  let asked = 0;
  const model: Model = {
    async *ask() {
      asked++;
      yield failure;
    },
  };
  const events: ModelEvent[] = [];
  for await (const event of persistent(model, delaysMs).ask(REQUEST, new AbortController().signal)) events.push(event);
  return { asked, end: events.at(-1) };
}

test("a wait of more than a minute is handed back at once, with its length", async () => {
  const failure = { ...LIMIT, retryAfterMs: RETRY_AFTER_MS_MAX + 1 };
  expect(await endOf(failure, [1, 1])).toEqual({ asked: 1, end: failure });
});

test("an endpoint that is busy still after each wait that it asked for has named no moment", async () => {
  const { asked, end } = await endOf({ ...LIMIT, retryAfterMs: 1 }, [1, 1]);
  expect(asked).toBe(3);
  expect(end).toEqual({ ...LIMIT, cause: "busy" });
});
