/** A decision of months ago is found in three years of talk, and people's memories are kept, through the real processes. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { BacklogEntry, HistoryHit, MemoryAnswer, MemoryStatus } from "@mimikit/protocol/wire/api";
import { afterEach, expect, test } from "vitest";
import { runCli } from "../cli/run-cli.ts";
import { Instance } from "../support/instance.ts";
import { call, KEY, section } from "../support/main-job.ts";
import { ModelServer } from "../support/model-server.ts";
import { type Decision, writeYears, type Years } from "../support/three-years.ts";

const opened: { dispose(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.dispose();
});

const summaryOf = ({ year }: Decision) => `memory/summary/${year}-03.md`;

test("after three years of talk the decision of a month is found, and what is to be written down is", async () => {
  const model = await ModelServer.start({
    teller: ({ turn, results }) =>
      turn === 0
        ? call("query_history", { query: "decided about deployment in March" })
        : // The words themselves would be in sight for the next turn, which then recalls them no more.
          { say: `I see ${results[0]?.match(/m-decision-\d+/g)?.join(" and ")}` },
  });
  let years: Years | undefined;
  const mimikit = await Instance.start({
    env: {
      MIMIKIT_PROVIDER: "openai",
      OPENAI_BASE_URL: model.baseUrl,
      OPENAI_API_KEY: KEY,
      MIMIKIT_MODEL: "scripted",
      MIMIKIT_FALLBACK: "offline",
    },
    prepare: async (home) => {
      years = await writeYears(home, Date.now());
    },
  });
  opened.push(mimikit);
  if (years === undefined) throw new Error("nothing was prepared");
  const { decision, decoy } = years;
  expect(years.messages).toBeGreaterThan(9_000);

  // By the API: where the year is named, the other one loses, whichever is the later.
  for (const meant of [decision, decoy]) {
    const words = `q=${encodeURIComponent(`what did I decide about deployment in March ${meant.year}?`)}`;
    const memory = await mimikit.api<MemoryAnswer>(`/api/memory/search?${words}`);
    expect(memory.hits[0]).toMatchObject({ source: summaryOf(meant), text: meant.summary });
    const history = await mimikit.api<{ hits: HistoryHit[] }>(`/api/history/search?${words}`);
    expect(history.hits[0]).toMatchObject({ id: meant.messageId, text: meant.said });
  }
  const status = await mimikit.api<MemoryStatus>("/api/memory/status");
  expect(status).toMatchObject({ unarchived: 0, newestSummaries: [expect.anything(), expect.anything()] });

  // On the command line.
  const search = ["memory", "search", "what did I decide about deployment in March", "--json"];
  const remembered = JSON.parse((await runCli(mimikit, search)).out) as MemoryAnswer;
  expect(remembered.hits.map(({ source }) => source)).toContain(summaryOf(decision));

  // By a model: the summary is in its prompt, and its tool finds the message.
  const told = await mimikit.replyTo(await mimikit.send("what did I decide about deployment in March?"));
  expect(told.text).toContain(decision.messageId);
  const [first] = model.of("teller");
  expect(first === undefined ? "" : section("memory", first)).toContain(`[${summaryOf(decision)}]`);

  // By the offline engine, which stands in for a model that is gone.
  await model.close();
  const reply = await mimikit.replyTo(await mimikit.send("search for what I decided about deployment in March"));
  expect(reply.text).toContain(`[${summaryOf(decision)}]`);
  expect(reply.text).toContain(decision.said);

  // People's notes are written down, and they are told the outcome.
  const add = ["memory", "add", "--long-term", "the proxy is called gatekeeper"];
  expect(await runCli(mimikit, add)).toMatchObject({ code: 0, out: "added to memory.md\n" });
  const found = await mimikit.api<MemoryAnswer>("/api/memory/search?q=gatekeeper");
  expect(found.hits).toMatchObject([{ source: "memory.md", text: "the proxy is called gatekeeper" }]);
  const edit = (op: "add" | "done") => ({ method: "POST", body: { op, item: "write the notes" } });
  const { id } = await mimikit.api<{ id: string }>("/api/backlog", { ...edit("add"), key: "k" });
  expect(await mimikit.api("/api/backlog", { ...edit("add"), key: "k" })).toEqual({ id });
  await mimikit.api("/api/backlog", edit("done"));
  await mimikit.until("the item, ticked off", async () => {
    const { items } = await mimikit.api<{ items: BacklogEntry[] }>("/api/backlog");
    return items.some(({ item, done }) => item === "write the notes" && done) || undefined;
  });
  expect(await runCli(mimikit, ["backlog", "remove", "something else"])).toMatchObject({
    code: 1,
    error: expect.stringContaining("no such item: something else (there is 1. [x] write the notes)"),
  });
  const backlog = readFileSync(join(mimikit.home, "backlog.md"), "utf8");
  expect(backlog.split("write the notes")).toHaveLength(2);
  await mimikit.drained();
});
