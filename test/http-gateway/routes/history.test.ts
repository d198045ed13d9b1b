/** `GET /api/history/search`: everything that was ever said, also what was said just now. */
import type { HistoryHit } from "@mimikit/protocol/wire/api";
import { appendHistory } from "@mimikit/store/views/history-partitions";
import { expect, test } from "vitest";
import { type Started, startGateway } from "../gateway.ts";
import { settleTurn } from "../records.ts";

async function search(gateway: Started, query: string): Promise<HistoryHit[]> {
  const answer = await gateway.ask(`/api/history/search?${query}`);
  expect(answer.status).toBe(200);
  return (answer.json as { hits: HistoryHit[] }).hits;
}

const idsOf = (hits: HistoryHit[]) => hits.map(({ id }) => id);

test("finds what was said long ago, what was settled just now, and what still waits", async () => {
  const gateway = await startGateway();
  expect(await search(gateway, "q=zeppelin")).toEqual([]);
  const at = "2023-12-01T09:00:00.000Z";
  const old = { id: "m-old", role: "user" as const, text: "a zeppelin over 上海外滩", at };
  await appendHistory(gateway.home, "2023-12", [{ turn: 1, messages: [old] }]);
  const say = async (text: string) => ((await gateway.post("/api/input", { text })).json as { id: string }).id;
  const settled = await say("a second zeppelin");
  await settleTurn(gateway.fs, 1, [settled], "noted");
  const waiting = await say("and the third zeppelin");
  expect(idsOf(await search(gateway, "q=zeppelin")).toSorted()).toEqual(["m-old", settled, waiting].toSorted());
  expect(await search(gateway, `q=${encodeURIComponent("外滩")}`)).toEqual([{ ...old, score: 1 }]);
  expect(idsOf(await search(gateway, "q=zeppelin&to=2024-01-01T00:00:00Z&roles=user,system"))).toEqual(["m-old"]);
  expect(idsOf(await search(gateway, "q=zeppelin&roles=assistant"))).toEqual([]);
  expect(await search(gateway, "q=zeppelin&limit=1")).toHaveLength(1);
});

test("takes all of it along as a file, long ago, just now and with its earlier versions", async () => {
  const gateway = await startGateway();
  const at = "2023-12-01T09:00:00.000Z";
  const old = { id: "m-old", role: "user" as const, text: "a zeppelin", at };
  const first = { id: "t-000001.reply", role: "assistant" as const, text: "No.", at };
  const second = { ...first, id: "t-000002.reply", text: "Yes.", instead: first.id };
  await appendHistory(gateway.home, "2023-12", [
    { turn: 1, messages: [old, first] },
    { turn: 2, messages: [second] },
  ]);
  const { id } = (await gateway.post("/api/input", { text: "and now?" })).json as { id: string };
  const asJson = await gateway.ask("/api/history/export?format=json");
  const { messages } = asJson.json as { messages: { id: string }[] };
  expect(messages.map((message) => message.id)).toEqual(["m-old", second.id, id]);
  expect(messages[1]).toEqual({ ...second, versions: [first] });
  const page = await gateway.ask("/api/history/export");
  expect(page.headers["content-type"]).toBe("text/markdown; charset=utf-8");
  expect(page.text).toContain(`## Mimikit, ${at}\n\nYes.\n`);
  expect(page.text).not.toContain("No.");
  expect((await gateway.ask("/api/history/export?format=exe")).status).toBe(400);
});

test("what cannot be looked for is said to be so, and nothing is told to anybody who has not signed in", async () => {
  const gateway = await startGateway();
  const bad = ["", "q=", "q=x&limit=0", "q=x&limit=21", "q=x&roles=nobody", "q=x&from=yesterday", "q=x&surprise=1"];
  for (const query of bad) expect((await gateway.ask(`/api/history/search?${query}`)).status, query).toBe(400);
  expect((await gateway.post("/api/history/search", {})).status).toBe(405);
  const stranger = { headers: { Authorization: "Bearer nobody" } };
  expect((await gateway.ask("/api/history/search?q=x", stranger)).status).toBe(401);
});
