/** A sentence that the user wants forgotten is shown to no model again, and by the undo it is back, through the real processes. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ChangeView } from "@mimikit/protocol/wire/api";
import { expect, test } from "vitest";
import { ROLE_NAMES } from "../support/instance.ts";
import { call, section } from "../support/main-job.ts";
import { startWithModel } from "../support/start-with-model.ts";

const HOUR_MS = 3_600_000;
const DAYS = 24 * HOUR_MS;
const FISH = "my wife Anna doesn't eat fish by the way";
const TALK = ["It rains.", "What a day.", "The train was late.", "I had soup for lunch."];

test("a sentence that was only said is forgotten in every request, note and summary, also after /clear and kills, and comes back by the undo", async () => {
  const { mimikit, model } = await startWithModel(
    {
      teller: (request) => {
        const asked = section("inputs", request);
        if (request.turn > 0) return { say: asked.includes("search") ? "I have looked." : "Done." };
        if (asked.includes("forget")) return call("forget", { line: `"${FISH}"` });
        if (asked.includes("search")) return call("query_history", { query: "what does Anna eat, fish?" });
        return { say: asked.includes("Anna") ? "Noted: no fish for Anna." : "I see." };
      },
      worker: () => ({ say: "- It rained, and the train was late." }),
    },
    { hasClock: true },
  );
  const say = async (text: string) => mimikit.replyTo(await mimikit.send(text));
  const holds = (since: number) =>
    model.requests
      .slice(since)
      .map(({ prompt, results }) => [prompt, ...results].join("\n"))
      .filter((text) => /eat fish|no fish for/.test(text));
  const killAll = async () => {
    for (const role of ROLE_NAMES) await mimikit.kill(role);
  };
  const change = () =>
    mimikit.until("the change", async () => {
      const { changes } = await mimikit.api<{ changes: ChangeView[] }>("/api/changes?limit=20");
      return changes.find(({ what, op, state }) => what === "memory" && op === "remove" && state === "open");
    });
  const undo = async () => {
    const { id } = await change();
    await mimikit.api("/api/undo", { method: "POST", body: { id } });
    await mimikit.until("the undo", () => !forgotten().includes("Anna") || undefined);
  };
  const forgotten = () => readFileSync(join(mimikit.home, "forgotten.md"), "utf8");
  const notes = () => readdirSync(join(mimikit.home, "memory")).filter((name) => name.endsWith(".md"));

  await say(FISH);
  const asked = await mimikit.send("Please forget what I said of Anna and fish.");
  await killAll();
  await mimikit.replyTo(asked);
  expect(await change()).toMatchObject({ by: "teller", title: expect.stringContaining(FISH) });
  let since = model.requests.length;
  for (const text of TALK) await say(text);
  expect(holds(since)).toEqual([]);
  // The conversation keeps it for the user.
  expect(readFileSync(join(mimikit.home, "history.json"), "utf8")).toContain(FISH);

  await undo();
  since = model.requests.length;
  await say("Good evening.");
  expect(holds(since)).toHaveLength(1);

  await mimikit.api("/api/memory", {
    method: "POST",
    body: { content: FISH, longTerm: true, target: "forgotten" },
  });
  await mimikit.until("the words", () => forgotten().includes(`Z ${FISH} <!--`) || undefined);
  since = model.requests.length;
  mimikit.setClock(6 * HOUR_MS);
  await mimikit.kill("supervisor");
  await mimikit.until("a note", () => notes()[0]);
  mimikit.setClock(6 * DAYS);
  await killAll();
  await mimikit.until("the summary", () => notes().length === 0 || undefined);
  expect(model.of("worker").length).toBeGreaterThan(0);
  await mimikit.api("/api/clear", { method: "POST" });
  await say("search for it");
  expect(holds(since)).toEqual([]);

  await undo();
  since = model.requests.length;
  await say("search for it once more");
  expect(holds(since)).toHaveLength(1);
});
