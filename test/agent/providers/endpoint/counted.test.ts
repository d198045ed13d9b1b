/** The estimate of tokens after an endpoint has counted. */
import { randomUUID } from "node:crypto";
import { NO_USAGE } from "@mimikit/protocol/base/usage";
import { expect, test } from "vitest";
import type { Model, ModelEvent, ModelRequest } from "../../../../packages/agent/src/kernel/model.ts";
import {
  counted,
  estimatedOf,
  estimateOf,
  factorOf,
} from "../../../../packages/agent/src/providers/endpoint/counted.ts";

const LONG: ModelRequest = {
  messages: [{ role: "user", content: "many words ".repeat(3_000) }],
  tools: [],
  mayCall: false,
};
const SHORT: ModelRequest = { ...LONG, messages: [{ role: "user", content: "hello" }] };
const PICTURE: ModelRequest = {
  ...LONG,
  messages: [{ role: "user", content: "words ".repeat(5_000), media: [{ type: "image/png", data: "" }] }],
};

/** An endpoint that counts so many times the estimate, at a place of its own. */
function endpoint() {
  const place = { baseUrl: `http://${randomUUID()}.example/v1`, model: "m" };
  let last: (request: ModelRequest) => ModelEvent;
  const model: Model = {
    async *ask(request) {
      yield last(request);
    },
  };
  const asked = counted(model, place);
  const ask = async (request: ModelRequest, event: typeof last) => {
    last = event;
    for await (const each of asked.ask(request, new AbortController().signal)) expect(each).toEqual(event(request));
  };
  const counting = (times: number) => (request: ModelRequest) => ({
    type: "answer" as const,
    text: "yes",
    calls: [],
    isTruncated: false,
    usage: { ...NO_USAGE, inputTokens: Math.round(estimateOf(request) * times) },
  });
  return { place, ask, counting };
}

test("a request may have fewer estimated tokens where the endpoint counts more, and more where it counts fewer", async () => {
  const { place, ask, counting } = endpoint();
  expect(estimatedOf(100_000, place)).toBe(100_000);
  await ask(LONG, counting(2));
  expect(estimatedOf(100_000, place) / 50_000).toBeCloseTo(1, 2);
  const other = endpoint();
  await other.ask(LONG, other.counting(0.5));
  expect(estimatedOf(100_000, other.place) / 200_000).toBeCloseTo(1, 2);
});

test("a higher count holds at once, a lower one by half each time", async () => {
  const { place, ask, counting } = endpoint();
  await ask(LONG, counting(1));
  await ask(LONG, counting(2));
  expect(factorOf(place)).toBeCloseTo(2, 2);
  await ask(LONG, counting(1));
  expect(factorOf(place)).toBeCloseTo(1.5, 2);
});

test("counts that nobody can mean, of short requests and of pictures change nothing, and none changes much", async () => {
  const { place, ask, counting } = endpoint();
  await ask(LONG, counting(0.01));
  await ask(SHORT, counting(30));
  await ask(PICTURE, counting(2));
  expect(factorOf(place)).toBe(1);
  await ask(LONG, counting(1_000));
  expect(factorOf(place)).toBe(2.5);
});

test("a request that does not fit after all ends a correction that let it be longer", async () => {
  const { place, ask, counting } = endpoint();
  await ask(LONG, counting(0.5));
  await ask(LONG, () => ({ type: "failure", kind: "overflow", cause: "window", message: "too long" }));
  expect(factorOf(place)).toBe(1);
});
