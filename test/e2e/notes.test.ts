/** Messages become a note after six hours and a summary after days, through the three real processes, whatever is killed meanwhile (SPEC E2, E3). */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ChangeView } from "@mimikit/protocol/wire/api";
import { afterEach, expect, test } from "vitest";
import { Instance } from "../support/instance.ts";
import { KEY, section } from "../support/main-job.ts";
import { ModelServer, type Script } from "../support/model-server.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const opened: { dispose(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.dispose();
});

const SCRIPT: Script = {
  teller: (request) => ({ say: `Noted: ${section("inputs", request).includes("Friday") ? "Friday" : "nothing"}.` }),
  worker: (request) => ({
    say: section("sources", request).includes("Friday") ? "- The site goes live on Friday." : "?",
  }),
};

test("with a month two lines of memory that say the same become one, and what went is listed and comes back by undo", async () => {
  const model = await ModelServer.start({
    worker: (request) => {
      const dropped = [{ drop: "lives in Kiel", keep: "lives in Jena since May" }];
      const sources = section("sources", request);
      const end = sources.includes("- lives in Kiel") ? `\n\n\`\`\`json\n${JSON.stringify({ dropped })}\n\`\`\`` : "";
      return { say: `- The site went live.${end}` };
    },
  });
  opened.push({ dispose: () => model.close() });
  const mimikit = await Instance.start({
    env: {
      MIMIKIT_PROVIDER: "openai",
      OPENAI_BASE_URL: model.baseUrl,
      OPENAI_API_KEY: KEY,
      MIMIKIT_MODEL: "scripted",
    },
    prepare: async (home) => {
      mkdirSync(join(home, "memory/summary"), { recursive: true });
      writeFileSync(join(home, "memory/summary/2020-05-04.md"), "- The site went live.\n");
      writeFileSync(join(home, "memory.md"), "# Home\n\n- lives in Kiel\n- likes tea\n- lives in Jena since May\n");
    },
  });
  opened.unshift(mimikit);
  const read = (path: string) => readFileSync(join(mimikit.home, path), "utf8");
  const summaries = () => readdirSync(join(mimikit.home, "memory/summary"));
  await mimikit.until("the month", () => (summaries().join() === "2020-05.md" ? true : undefined));
  expect(read("memory/summary/2020-05.md")).toBe("- The site went live.\n<!-- sum-202005-1 -->\n");
  expect(read("memory.md")).toBe("# Home\n\n- likes tea\n- lives in Jena since May\n<!-- sum-202005-1.0 -->\n");
  const { changes } = await mimikit.api<{ changes: ChangeView[] }>("/api/changes?limit=5");
  expect(changes).toMatchObject([{ id: "sum-202005-1.0", by: "self-improve", op: "remove", title: "lives in Kiel" }]);
  await mimikit.api("/api/undo", { method: "POST", body: { id: "sum-202005-1.0" } });
  await mimikit.until("the line again", () => read("memory.md").includes("- lives in Kiel\n- likes tea") || undefined);
});

test("a conversation is kept as a note, then summed up, and comes back never", async () => {
  const model = await ModelServer.start(SCRIPT);
  opened.push({ dispose: () => model.close() });
  const mimikit = await Instance.start({
    hasClock: true,
    env: {
      MIMIKIT_PROVIDER: "openai",
      OPENAI_BASE_URL: model.baseUrl,
      OPENAI_API_KEY: KEY,
      MIMIKIT_MODEL: "scripted",
    },
  });
  opened.unshift(mimikit);
  const memory = () => readdirSync(join(mimikit.home, "memory")).filter((name) => name.endsWith(".md"));
  const read = (path: string) => readFileSync(join(mimikit.home, path), "utf8");

  await mimikit.replyTo(await mimikit.send("We deploy the site on Friday."));
  mimikit.setClock(6 * HOUR_MS);
  await mimikit.kill("supervisor");
  const [name = ""] = await mimikit.until("a note", () => (memory().length > 0 ? memory() : undefined));
  expect(name).toMatch(/^\d{4}-\d{2}-\d{2}-we-deploy-the-site-on-friday\.md$/);
  const items = read(`memory/${name}`).split("\n");
  expect(items).toEqual([
    expect.stringMatching(/^- \d{4}-\S+Z user: We deploy the site on Friday\.$/),
    expect.stringMatching(/^- \d{4}-\S+Z assistant: Noted: Friday\.$/),
    "<!-- note-000001 -->",
    "",
  ]);
  expect(model.requests.filter(({ role }) => role === "worker")).toEqual([]);

  mimikit.setClock(6 * DAY_MS);
  await mimikit.kill("supervisor");
  const day = name.slice(0, "2026-11-22".length);
  await mimikit.until("no note any more", () => memory().length === 0 || undefined);
  const summary = read(`memory/summary/${day}.md`);
  expect(summary).toBe(`- The site goes live on Friday.\n<!-- sum-${day.replaceAll("-", "")}-1 -->\n`);

  await mimikit.kill("supervisor");
  await mimikit.replyTo(await mimikit.send("And on Friday?"));
  await mimikit.drained();
  expect(memory()).toEqual([]);
  expect(read(`memory/summary/${day}.md`)).toBe(summary);
  expect(model.requests.filter(({ role }) => role === "worker")).toHaveLength(1);
  expect(await mimikit.tasks()).toEqual([]);
});
