/** `mimikit history search`: what was said is found in the files, with everything down. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prepareHome } from "@mimikit/runtime/home/home";
import { appendHistory } from "@mimikit/store/views/history-partitions";
import { expect, onTestFinished, test } from "vitest";
import { runCli } from "../run-cli.ts";

async function conversation() {
  const dir = mkdtempSync(join(tmpdir(), "mimikit-cli-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const at = { home: join(dir, "home"), workDir: join(dir, "work") };
  mkdirSync(at.workDir);
  prepareHome(at.home);
  const said = (id: string, day: string, text: string, role: "user" | "assistant" = "user") => ({
    turn: Number(id.slice(2)),
    messages: [{ id, role, text, at: `${day}T12:00:00.000Z` }],
  });
  await appendHistory(at.home, "2026-03", [
    said("m-1", "2026-03-10", "部署方案：每周四发布"),
    said("m-2", "2026-03-12", "the deployment needs help"),
    said("m-3", "2026-03-20", "the deployment begins with a canary", "assistant"),
  ]);
  return at;
}

test("shows the best hits first, for people and as JSON, by who said it and in which days", async () => {
  const at = await conversation();
  const shown = await runCli(at, ["history", "search", "部署方案"]);
  expect(shown).toMatchObject({ code: 0, out: expect.stringMatching(/user {2}m-1\n {2}部署方案：每周四发布\n$/) });
  const words = ["history", "search", "deployment", "help", "--json"];
  const span = ["--role", "assistant", "user", "--from", "2026-03-12", "--to", "2026-03-20"];
  const { hits } = JSON.parse((await runCli(at, [...words, ...span])).out) as { hits: { id: string }[] };
  expect(hits.map(({ id }) => id)).toEqual(["m-2", "m-3"]);
  expect(readdirSync(join(at.home, "tmp"))).toEqual([]);
});

test("says what is wrong with what was typed, and when nothing was said", async () => {
  const at = await conversation();
  expect(await runCli(at, ["history", "search", "zeppelin"])).toMatchObject({
    code: 0,
    out: "no messages match\n",
  });
  for (const [option, value, why] of [
    ["--from", "spring", "--from is a day"],
    ["--to", "2026-02-31", "--to is a day"],
    ["--limit", "21", "--limit: "],
  ] as const)
    expect(await runCli(at, ["history", "search", "x", option, value])).toMatchObject({
      code: 2,
      error: expect.stringContaining(why),
    });
});

test("writes all of it out, as Markdown and as JSON", async () => {
  const at = await conversation();
  const { code, out } = await runCli(at, ["history", "export"]);
  expect(code).toBe(0);
  expect(out).toBe(
    "# Conversation\n" +
      "\n## You, 2026-03-10T12:00:00.000Z\n\n部署方案：每周四发布\n" +
      "\n## You, 2026-03-12T12:00:00.000Z\n\nthe deployment needs help\n" +
      "\n## Mimikit, 2026-03-20T12:00:00.000Z\n\nthe deployment begins with a canary\n",
  );
  const { messages } = JSON.parse((await runCli(at, ["history", "export", "--format", "json"])).out);
  expect(messages.map(({ id }: { id: string }) => id)).toEqual(["m-1", "m-2", "m-3"]);
  expect((await runCli(at, ["history", "export", "deployment"])).code).toBe(2);
});
