/** An import from another assistant, through the real processes: shown first, once, found, and undone. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ChangeView, HistoryHit, TriggerSummary } from "@mimikit/protocol/wire/api";
import { afterEach, expect, test } from "vitest";
import { runCli, startCli } from "../cli/run-cli.ts";
import {
  CLAUDE_FILES,
  chatGptExport,
  OPENCLAW_FILES,
  TALK_ABOUT_BOILERS,
  TALK_ABOUT_TOMATOES,
} from "../support/exports.ts";
import { Instance } from "../support/instance.ts";
import { makeZip } from "../support/make-zip.ts";

const opened: Instance[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.dispose();
});

async function start(): Promise<Instance> {
  const mimikit = await Instance.start();
  opened.push(mimikit);
  return mimikit;
}

function write(mimikit: Instance, name: string, content: Buffer | string): string {
  const path = join(mimikit.workDir, "..", name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

function writeOpenClaw(mimikit: Instance): string {
  for (const [name, text] of Object.entries(OPENCLAW_FILES)) write(mimikit, join("openclaw", name), text);
  return join(mimikit.workDir, "../openclaw");
}

async function json<T>(mimikit: Instance, ...words: string[]): Promise<T> {
  const { code, out, error } = await runCli(mimikit, [...words, "--json"]);
  expect([code, error]).toEqual([0, ""]);
  return JSON.parse(out) as T;
}

interface Summary {
  id: string;
  messages: number;
  memories: number;
  schedules: number;
  known: { messages: number; memories: number; schedules: number };
  imported: boolean;
}

const search = async (mimikit: Instance, ...words: string[]) =>
  (await json<{ hits: HistoryHit[] }>(mimikit, "history", "search", ...words)).hits;

const memoryOf = ({ home }: Instance) =>
  existsSync(join(home, "memory.md")) ? readFileSync(join(home, "memory.md"), "utf8") : "";

test("ChatGPT: conversations are found, apart from what was said here, and nobody answers them", async () => {
  const mimikit = await start();
  const said = await mimikit.send("hello");
  await mimikit.replyTo(said);
  await mimikit.drained();
  const messages = (await mimikit.messages()).length;
  const turns = () => readdirSync(join(mimikit.home, "archive")).filter((name) => name.startsWith("t-")).length;
  const turnsBefore = turns();
  const file = write(mimikit, "export.zip", chatGptExport());

  const shown = await runCli(mimikit, ["import", "chatgpt", file, "--dry-run"]);
  expect(shown.out).toMatch(
    /5 messages in 2 conversations, 2024-05-01 to 2025-01-10\n {2}Tomatoes on the balcony\n {2}Boiler pressure/,
  );
  expect(existsSync(join(mimikit.home, "imported"))).toBe(false);
  const unasked = await runCli(mimikit, ["import", "chatgpt", file]);
  expect([unasked.code, unasked.error]).toEqual([2, expect.stringContaining("--yes")]);
  expect(existsSync(join(mimikit.home, "imported"))).toBe(false);

  const first = await json<Summary>(mimikit, "import", "chatgpt", file, "--yes");
  expect(first).toMatchObject({ messages: 5, memories: 1, schedules: 0, imported: true });
  expect(await search(mimikit, "Vilma")).toMatchObject([
    {
      role: "assistant",
      origin: "chatgpt",
      at: "2024-05-01T08:00:05.000Z",
      text: expect.stringContaining("bush variety"),
    },
  ]);
  expect((await runCli(mimikit, ["history", "search", "Vilma"])).out).toContain("assistant, from ChatGPT");
  const { hits } = await mimikit.api<{ hits: HistoryHit[] }>("/api/history/search?q=boiler&limit=5");
  expect(hits.map(({ origin }) => origin)).toEqual(["chatgpt"]);
  // The Teller finds it too, when it is asked.
  const asked = await mimikit.send("search for Vilma");
  expect((await mimikit.replyTo(asked)).text).toContain("bush variety");

  // The same once more adds nothing; a newer export adds what is new.
  const again = await json<Summary>(mimikit, "import", "chatgpt", file, "--yes");
  expect(again).toMatchObject({ messages: 0, memories: 0, known: { messages: 5, memories: 1 }, imported: false });
  const more = structuredClone(TALK_ABOUT_BOILERS);
  Object.assign(more.mapping, {
    b3: {
      ...more.mapping.b2,
      id: "b3",
      parent: "b2",
      message: { ...more.mapping.b2.message, content: { content_type: "text", parts: ["And bleed the radiators."] } },
    },
  });
  const newer = write(mimikit, "newer.zip", chatGptExport([TALK_ABOUT_TOMATOES, { ...more, current_node: "b3" }]));
  const second = await json<Summary>(mimikit, "import", "chatgpt", newer, "--yes");
  expect(second).toMatchObject({ messages: 1, known: { messages: 5, memories: 1 } });
  expect(second.id).not.toBe(first.id);

  // Nothing was said here by it: one turn for "search".
  await mimikit.drained();
  expect([turns() - turnsBefore, (await mimikit.messages()).length - messages]).toEqual([1, 2]);

  // Each is undone by itself.
  await json(mimikit, "import", "--undo", first.id);
  expect((await search(mimikit, "Vilma")).filter(({ origin }) => origin !== undefined)).toEqual([]);
  expect(await search(mimikit, "bleed")).toMatchObject([{ origin: "chatgpt" }]);
  await mimikit.until("the memory is gone", () => !memoryOf(mimikit).includes("Grows vegetables") || undefined);
  expect(await json(mimikit, "import")).toMatchObject({ imports: [{ id: second.id }] });

  // And can be brought in again.
  expect(await json<Summary>(mimikit, "import", "chatgpt", file, "--yes")).toMatchObject({ messages: 5, memories: 1 });
  await mimikit.until("the memory is back", () => memoryOf(mimikit).includes("Grows vegetables") || undefined);
});

test("OpenClaw: memory and schedules are commands like those that are typed, and undone together", async () => {
  const mimikit = await start();
  const folder = writeOpenClaw(mimikit);
  const shown = (await runCli(mimikit, ["import", "openclaw", folder, "--dry-run"])).out;
  for (const words of [
    "water: cron 0 7 * * * in Europe/Berlin",
    "remind me: water",
    'the schedule "asleep": it is disabled there',
  ])
    expect(shown).toContain(words);
  const done = await json<Summary>(mimikit, "import", "openclaw", folder, "--yes");
  expect(done).toMatchObject({ messages: 2, memories: 5, schedules: 3 });
  expect(memoryOf(mimikit)).toContain("House: The key hangs behind the door. (from OpenClaw)");
  const found = await json<{ hits: { source: string }[] }>(mimikit, "memory", "search", "pump");
  expect(found.hits).toMatchObject([{ source: "memory.md" }]);
  const triggers = async () => (await mimikit.api<{ triggers: TriggerSummary[] }>("/api/triggers")).triggers;
  expect((await triggers()).map(({ title }) => title).sort()).toEqual(["concert", "stretch", "water"]);
  const { changes } = await mimikit.api<{ changes: ChangeView[] }>("/api/changes?limit=50");
  expect(changes.map(({ by, state }) => [by, state])).toEqual(Array(8).fill(["user", "open"]));

  // An entry that was edited since stays, and is named.
  writeFileSync(join(mimikit.home, "memory.md"), memoryOf(mimikit).replace("in August", "in July"));
  const back = await json<{ messages: number; undone: number; kept: string[] }>(
    mimikit,
    "import",
    "--undo",
    done.id.slice(0, 12),
  );
  expect(back).toEqual({ messages: 2, undone: 7, kept: [expect.stringMatching(/was edited since, so it was kept/)] });
  await mimikit.until("no trigger", async () => ((await triggers()).length === 0 ? true : undefined));
  expect(memoryOf(mimikit)).toContain("in July");
  expect(memoryOf(mimikit)).not.toContain("the door");
  expect(await json(mimikit, "import")).toEqual({ imports: [] });
});

test("Claude, with everything down: it is taken up at the next start, once, whatever was killed in between", async () => {
  const mimikit = await start();
  await mimikit.stop();
  const many = Array.from({ length: 60 }, (_, i) => `- Knows fact ${String(i).padStart(2, "0")}`).join("\n");
  const [talks, , ...rest] = CLAUDE_FILES;
  const memories = { name: "memories.json", text: JSON.stringify([{ conversations_memory: many }]) };
  const file = write(mimikit, "data.zip", makeZip([...(talks === undefined ? [] : [talks]), memories, ...rest]));
  const inbox = () => readdirSync(join(mimikit.home, "inbox")).length;
  const killWhen = async (what: string, isTime: () => boolean) => {
    const child = startCli(mimikit, ["import", "claude", file, "--yes"]);
    await mimikit.until(what, () => isTime() || child.exitCode !== null || undefined);
    child.kill("SIGKILL");
  };
  await killWhen("its record is there", () => existsSync(join(mimikit.home, "imports")));
  await killWhen("the conversations are there", () =>
    existsSync(join(mimikit.home, "imported/claude/history/2025-03.jsonl")),
  );
  await killWhen("some commands are there", () => inbox() > 5);
  for (const role of ["supervisor", "workers", "gateway"] as const) mimikit.startRole(role);
  await mimikit.ready();
  await killWhen("some memories are there", () => memoryOf(mimikit).includes("fact"));
  await mimikit.kill("supervisor");
  await runCli(mimikit, ["import", "claude", file, "--yes"]);
  const facts = () => memoryOf(mimikit).match(/Knows fact \d\d \(from Claude\)/g) ?? [];
  await mimikit.until("all memories", () => facts().length >= 60 || undefined);
  await mimikit.drained();
  expect([facts().length, new Set(facts()).size]).toEqual([60, 60]);
  expect(await search(mimikit, "Eighteen hours")).toHaveLength(1);
  const { imports } = await json<{ imports: { id: string; messages: number; wishes: string[] }[] }>(mimikit, "import");
  expect(imports.map(({ messages, wishes }) => [messages, wishes.length])).toEqual([[3, 60]]);

  // So is taking it back, from the beginning again.
  const child = startCli(mimikit, ["import", "--undo", imports[0]?.id ?? ""]);
  await mimikit.until("some are undone", () => facts().length < 55 || child.exitCode !== null || undefined);
  child.kill("SIGKILL");
  await runCli(mimikit, ["import", "--undo", imports[0]?.id ?? ""]);
  await mimikit.until("none is left", () => facts().length === 0 || undefined);
  expect(await search(mimikit, "Eighteen hours")).toEqual([]);
});
