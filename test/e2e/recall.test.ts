/** A model is shown what was said ten turns ago, and corrects and forgets what is remembered, through the real processes. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ChangeView } from "@mimikit/protocol/wire/api";
import type { UsedAnswer } from "@mimikit/protocol/wire/used-memory";
import { expect, test } from "vitest";
import { Instance, ROLE_NAMES } from "../support/instance.ts";
import { call, section } from "../support/main-job.ts";
import type { Script } from "../support/model-server.ts";
import { startWithModel } from "../support/start-with-model.ts";

/** Told among small talk; the question shares a word with the fact, in whatever form or script. */
const FACTS = [
  ["My daughter Philippa is allergic to cats.", "What is Philippa allergic to?"],
  ["臺北的客戶要求開統一發票。", "台北客户的发票有什么要求？"],
  ["公司工作站的显卡型号是RTX 4090。", "顯卡型號"],
  ["The spare key is with the neighbours.", "spare key?"],
] as const;
const TALK = [
  "It rains again.",
  "What a day.",
  "今天真累。",
  "The train was late.",
  "会议开了好久。",
  "I had soup for lunch.",
];
const TURNS_SHOWN = 10;

test("what was said more than ten turns ago is in the next request, with its date, and in the list of what a reply has used", async () => {
  const { mimikit, model } = await startWithModel({
    teller: (request) => {
      // A question in the other language shares no word with its fact: the model looks with the words of both.
      if (section("inputs", request).includes("洗衣机") && request.turn === 0)
        return call("query_history", { query: "洗衣机 washing machine" });
      return { say: request.results[0] ?? "I see." };
    },
  });
  const say = async (text: string) => mimikit.replyTo(await mimikit.send(text));
  await say("The washing machine is a Bosch from 2017.");
  for (const [fact] of FACTS) await say(fact);
  for (let i = 0; i < TURNS_SHOWN; i++) await say(TALK[i % TALK.length] ?? "");
  for (const [fact, question] of FACTS) {
    const { id } = await say(question);
    const asked = model.of("teller").at(-1);
    if (asked === undefined) throw new Error("the Teller was not asked");
    expect(section("history", asked)).not.toContain(fact);
    expect(section("memory", asked)).toMatch(new RegExp(`^\\[history \\d{4}-\\d{2}-\\d{2}\\] user: ${fact}$`, "m"));
    const { used } = await mimikit.api<UsedAnswer>(`/api/messages/${id}/used`);
    expect(used).toContainEqual(expect.objectContaining({ text: fact, message: expect.stringMatching(/^m-/) }));
  }
  expect((await say("洗衣机是哪一年买的？")).text).toContain("Bosch from 2017");
});

const lineOf = (what: string, prompt: string) => prompt.split("\n").find((line) => line.includes(what)) ?? what;

/** A Teller that remembers, corrects and forgets what it is shown in M:memory. */
const CHANGING: Script = {
  teller: (request) => {
    const asked = section("inputs", request);
    const memory = section("memory", request);
    if (request.turn > 0) return { say: `Done: ${request.results[0]}` };
    if (asked.includes("I live in")) return call("remember", { content: "lives in Kiel", longTerm: true });
    if (asked.includes("moved"))
      return call("remember", { content: "lives in Jena", longTerm: true, replaces: lineOf("lives in", memory) });
    if (asked.includes("forget")) return call("forget", { line: lineOf("lives in", memory) });
    return { say: memory === "" ? "I do not know." : memory };
  },
};

test("a model corrects and forgets what is remembered, and each is undone; kills lose and repeat nothing", async () => {
  const { mimikit } = await startWithModel(CHANGING);
  const say = async (text: string) => mimikit.replyTo(await mimikit.send(text));
  const read = () => readFileSync(join(mimikit.home, "memory.md"), "utf8");
  const shown = () =>
    read()
      .replaceAll(/ ?<!-- \S+ -->/g, "")
      .trim();
  const newest = (op: ChangeView["op"]) =>
    mimikit.until(`a change: ${op}`, async () => {
      const { changes } = await mimikit.api<{ changes: ChangeView[] }>("/api/changes?limit=20");
      return changes.find((change) => change.what === "memory" && change.op === op && change.state === "open");
    });
  const undo = async (op: ChangeView["op"]) =>
    mimikit.api("/api/undo", { method: "POST", body: { id: (await newest(op)).id } });
  const killed = async (text: string) => {
    const id = await mimikit.send(text);
    for (const role of ROLE_NAMES) await mimikit.kill(role);
    return mimikit.replyTo(id);
  };

  await killed("I live in Kiel.");
  await mimikit.until("the fact", () => shown() === "- lives in Kiel" || undefined);
  await killed("I have moved: where I live is Jena now.");
  await mimikit.until("the correction", () => shown() === "- lives in Jena" || undefined);
  expect(await newest("change")).toMatchObject({ by: "teller", title: "lives in Jena" });
  expect((await say("Where does the user live? He lives in which town?")).text).toContain("[memory.md] lives in Jena");
  await undo("change");
  await mimikit.until("the fact as it was", () => shown() === "- lives in Kiel" || undefined);
  await killed("Please forget where I live: lives in which town?");
  await mimikit.until("nothing", () => shown() === "" || undefined);
  expect(await newest("remove")).toMatchObject({ by: "teller", title: "lives in Kiel" });
  await undo("remove");
  await mimikit.until("the fact again", () => shown() === "- lives in Kiel" || undefined);
});

test("without a model what is remembered is forgotten by a message, and by undo it is there again", async () => {
  const mimikit = await Instance.start();
  try {
    const say = async (text: string) => (await mimikit.replyTo(await mimikit.send(text))).text;
    const read = () => readFileSync(join(mimikit.home, "memory.md"), "utf8");
    await say("记住我喜欢喝正山小种");
    await say("remember that the spare key is with the neighbours");
    expect(await say("忘掉正山小種")).toContain("我会忘掉：我喜欢喝正山小种");
    expect(await say("forget the spare key")).toContain("I am forgetting this: the spare key is with the neighbours");
    await mimikit.until("nothing", () => !/喝|spare/.test(read()) || undefined);
    expect(await say("forget the spare key")).toContain("I remember nothing like this: the spare key");
    const { changes } = await mimikit.api<{ changes: ChangeView[] }>("/api/changes?limit=20");
    const forgotten = changes.filter(({ op }) => op === "remove").map(({ id }) => id);
    expect(forgotten).toHaveLength(2);
    for (const id of forgotten) await mimikit.api("/api/undo", { method: "POST", body: { id } });
    const isBack = () => /我喜欢喝正山小种/.test(read()) && /the spare key is with the neighbours/.test(read());
    await mimikit.until("both", () => isBack() || undefined);
  } finally {
    await mimikit.dispose();
  }
});
