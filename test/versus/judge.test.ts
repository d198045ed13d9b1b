/** `npm run versus`: its judge sees a message that was lost, doubled or late, and its model answers each once. */
import { expect, onTestFinished, test } from "vitest";
import type { Entry } from "../../scripts/versus/journal.ts";
import { judge, LATE_MS } from "../../scripts/versus/judge.ts";
import { ScriptedModel } from "../../scripts/versus/model.ts";

const [A, B] = ["n00001aaaa", "n00002bbbb"];
const sent = (nonce: string, atMs = 0): Entry => ({ atMs, is: "sent", nonce, conversation: "talk" });
const taken = (nonce: string, atMs = 0): Entry => ({ atMs, is: "taken", nonce });
const calm = (...replies: [text: string, atMs: number | null][]): Entry => ({
  atMs: 1_000_000,
  is: "calm",
  replies: replies.map(([text, atMs]) => ({ text, atMs })),
});

test("a message that was acknowledged and has no answer is lost; one that was not acknowledged is not", () => {
  const entries = [sent(A), taken(A), sent(B), { atMs: 0, is: "unconfirmed", nonce: B, why: "it is down" } as const];
  expect(judge([...entries, calm()])).toMatchObject({ sent: 2, taken: 1, unconfirmed: 1, lost: 1, answered: 0 });
  expect(judge([...entries, calm([`said ${A}`, 1])])).toMatchObject({ lost: 0, answered: 1 });
});

test("an answer in two replies is doubled, and two answers in one reply are not", () => {
  const entries = [sent(A), taken(A), sent(B), taken(B)];
  expect(judge([...entries, calm([`said ${A}\nsaid ${B}`, 1])])).toMatchObject({ lost: 0, doubled: 0 });
  expect(judge([...entries, calm([`said ${A}\nsaid ${B}`, 1], [`said ${B}`, 2])])).toMatchObject({ doubled: 1 });
});

test("an answer is late by the time that the service was up: what it was down is left out", () => {
  const entries: Entry[] = [sent(A), taken(A), { atMs: 10, is: "killed" }, { atMs: 50_010, is: "ready" }];
  const inTime = calm([`said ${A}`, 50_000 + LATE_MS]);
  expect(judge([...entries, inTime])).toMatchObject({ late: 0, readyMs: { median: 50_000, most: 50_000 } });
  expect(judge([...entries, calm([`said ${A}`, 50_001 + LATE_MS])])).toMatchObject({ late: 1 });
  expect(judge([...entries, calm([`said ${A}`, null])]).late).toBeNull();
});

test("a message that is answered only when it is sent again stays lost, but not for good", () => {
  const again: Entry = { atMs: 2_000_000, is: "sent again", replies: [{ text: `said ${A}`, atMs: 1 }] };
  const entries = [sent(A), taken(A), sent(B), taken(B), calm(), again];
  expect(judge(entries)).toMatchObject({ lost: 2, lostAfterSendingAgain: 1 });
});

test("homes that share the kills are counted together, each by its own journal", () => {
  const down = (toMs: number): Entry[] => [
    { atMs: 0, is: "killed" },
    { atMs: toMs, is: "ready" },
  ];
  const one = [sent(A), taken(A), ...down(10), calm([`said ${A}`, 1])];
  const other = [sent(A), taken(A), ...down(30), calm()];
  expect(judge(one, other)).toMatchObject({
    kills: 2,
    taken: 2,
    answered: 1,
    lost: 1,
    late: 0,
    lostAfterSendingAgain: null,
    readyMs: { median: 30, most: 30 },
  });
});

test("the scripted model answers what is new and unanswered, whole and as a stream, in the shape of any assistant", async () => {
  const model = await ScriptedModel.start();
  onTestFinished(() => model.close());
  const ask = async (messages: object[], stream = false) => {
    const response = await fetch(`${model.url}/chat/completions`, {
      method: "POST",
      body: JSON.stringify({ model: "scripted", messages, stream }),
    });
    return response.text();
  };
  const user = (content: unknown) => ({ role: "user", content });
  const assistant = (content: string) => ({ role: "assistant", content });
  const contentOf = (text: string) => JSON.parse(text).choices[0].message.content as string;
  expect(contentOf(await ask([user(`say ${A}`), assistant(`said ${A}`), user(`say ${B}`)]))).toBe(`said ${B}`);
  // A message that was cut off stands without an answer before the next one.
  expect(contentOf(await ask([user(`say ${A}`), user([{ type: "text", text: `say ${B}` }])]))).toBe(
    `said ${A}\nsaid ${B}`,
  );
  expect(contentOf(await ask([user(`say ${A}`), assistant(""), user(`say ${B}`)]))).toBe(`said ${A}\nsaid ${B}`);
  const prompt = `<M:history>say ${A}</M:history><M:inputs>say ${B}</M:inputs>`;
  expect(contentOf(await ask([user(prompt)]))).toBe(`said ${B}`);
  expect(contentOf(await ask([user("a title for this talk")]))).toBe("ok");
  expect(await ask([user(`say ${A}`)], true)).toMatch(new RegExp(`"content":"said ${A}".*\\[DONE\\]`, "s"));
  expect([model.takeCalls(), model.takeCalls()]).toEqual([6, 0]);
});

test("the scripted model answers Responses in the format that the prompts of an assistant demand, and gives embeddings", async () => {
  const model = await ScriptedModel.start((words) => `<text>${words}</text>`);
  onTestFinished(() => model.close());
  const post = async (path: string, body: object) => {
    const response = await fetch(`${model.url}/${path}`, { method: "POST", body: JSON.stringify(body) });
    return response.text();
  };
  const input = [{ role: "user", content: [{ type: "input_text", text: `say ${A}` }] }];
  const whole = JSON.parse(await post("responses", { input }));
  expect(whole.output[0].content[0].text).toBe(`<text>said ${A}</text>`);
  expect(await post("responses", { input, stream: true })).toMatch(
    new RegExp(`output_text.delta",.*"delta":"<text>said ${A}</text>".*"response.completed"`, "s"),
  );
  const { data } = JSON.parse(await post("embeddings", { input: `say ${A}` }));
  expect(data[0].embedding).toHaveLength(1_536);
  expect(model.takeCalls()).toBe(2);
});
