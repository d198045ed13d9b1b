/** The context of a run after the user wanted something forgotten, and after that was undone (docs/memory.md#correcting-and-forgetting). */
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createToolBus } from "@mimikit/agent/bus";
import { renderPrompt } from "@mimikit/agent/prompt/prompt";
import { toolsOf } from "@mimikit/agent/tools/index";
import { HistoryIndex } from "@mimikit/memory/search/history-index";
import { refreshMemoryIndex } from "@mimikit/memory/search/search";
import { turnId } from "@mimikit/protocol/base/id";
import { byRole } from "@mimikit/protocol/base/kind";
import type { Effect } from "@mimikit/protocol/records/effect";
import type { Message } from "@mimikit/protocol/records/inbox";
import { Result } from "@mimikit/protocol/records/result";
import type { Task } from "@mimikit/protocol/records/task";
import { createRecord } from "@mimikit/store/disk/record";
import { archivePath, attachmentPath } from "@mimikit/store/disk/state";
import { StateCache } from "@mimikit/store/state-cache/state-cache";
import { HistoryWindow } from "@mimikit/store/views/history";
import { expect, test } from "vitest";
import { gatherContext } from "../../apps/worker-pool/src/run/gather-context.ts";
import { OpenTasks } from "../../apps/worker-pool/src/run/open-tasks.ts";
import { OwnerRules } from "../../apps/worker-pool/src/run/owner-rules.ts";
import { runOf } from "../agent/prompt-fixtures.ts";
import { done, NOON_MS, turn, task as workOf } from "../core/facts.ts";
import { temporaryState } from "../store/home.ts";

const MINUTE_MS = 60_000;
const FISH = "my wife Anna doesn't eat fish by the way";
const at = (minutes: number) => new Date(NOON_MS + minutes * MINUTE_MS).toISOString();

async function conversation() {
  const { fs, home } = temporaryState();
  await refreshMemoryIndex({ home, workDir: home });
  const cache = new StateCache(fs, { token: "token", durable: false, onBadArchive: () => undefined });
  await cache.archiveIndex.load();
  const sources = {
    home,
    workDir: home,
    fs,
    cache,
    openTasks: new OpenTasks(cache),
    conversation: new HistoryWindow(fs, cache.archiveIndex),
    said: new HistoryIndex(home),
    rules: new OwnerRules(fs, () => undefined),
    providers: byRole(() => "openai"),
    listSkills: async () => [],
    nowMs: () => NOON_MS,
  };
  let turns = 0;
  const next = (text: string, part: Partial<Message> = {}) =>
    turn(turnId(turns + 1), { messages: [{ kind: "message", id: `m-${turns + 1}`, at: at(turns), text, ...part }] });
  return {
    home,
    async say(text: string, reply: string, { effects = [], ...part }: Partial<Message> & { effects?: Effect[] } = {}) {
      const of = next(text, part);
      const all: Effect[] = [...effects, { type: "reply", text: reply }];
      await createRecord(fs, Result, archivePath(of.id), done(of, { completedAt: at(turns), effects: all }));
      turns++;
    },
    forget: (...lines: string[]) =>
      writeFileSync(
        join(home, "forgotten.md"),
        lines.map((line, i) => `- ${at(turns)} ${line} <!-- t-9.${i} -->\n`).join(""),
      ),
    async seen(text: string, task?: Task) {
      const asked = task ?? next(text);
      const context = await gatherContext(asked, home, sources);
      const prompt = (await renderPrompt(runOf(asked, context))).user;
      const bus = createToolBus({ task: asked, tools: toolsOf(asked.role), reads: context, onCall: () => undefined });
      const found = asked.role === "teller" ? await bus.call("query_history", { query: text }) : "";
      return `${prompt}\n${JSON.stringify(found)}`;
    },
  };
}

test("what was only said is in no prompt, search, note, summary or origin of work, and by the undo it is back", async () => {
  const here = await conversation();
  mkdirSync(join(here.home, "memory", "summary"), { recursive: true });
  writeFileSync(
    join(here.home, "memory", "2026-11-22.md"),
    `- ${at(0)} user: ${FISH}\n- ${at(0)} user: fish is cheap\n`,
  );
  writeFileSync(
    join(here.home, "memory", "summary", "2026-11-20.md"),
    "Anna, the wife of the user, does not eat fish.\n",
  );
  await here.say(FISH, "Noted: no fish for Anna.");
  await here.say("compress", "Done.", {
    effects: [{ type: "compress_context", summary: "Anna, his wife, eats no fish. They like rain." }],
  });
  await here.say("cook something for us, Anna doesn't eat fish", "I am on it.");
  const job = { ...workOf("t-000003.0"), traceId: "t-000003", prompt: "Cook something." };
  const question = "fish for Anna, my wife?";
  const told = /Anna[^"\n]*eats? (no )?fish|no fish for Anna|does not eat fish/;
  expect(await here.seen(question)).toMatch(told);
  expect(await here.seen(question, job)).toMatch(told);

  here.forget(FISH);
  for (let k = 0; k < 4; k++) await here.say("How is the weather?", "It rains.");
  const shown = await here.seen(question);
  expect(shown).not.toMatch(told);
  expect(shown).toContain("They like rain.");
  expect(shown).toContain("fish is cheap");
  expect(await here.seen(question, job)).not.toMatch(told);
  // Said again, it counts.
  await here.say(FISH, "I see.");
  expect(await here.seen(question)).toContain(FISH);

  here.forget();
  expect(await here.seen(question)).toMatch(told);
});

test("the file of a message that is forgotten is not shown again, nor is its text", async () => {
  const here = await conversation();
  const bytes = "salary: 4,321 a month";
  const id = createHash("sha256").update(bytes).digest("hex");
  writeFileSync(join(here.home, attachmentPath(id)), bytes);
  const attachments = [{ id, type: "text/plain" as const, bytes: bytes.length, name: "payslip.txt" }];
  await here.say("here is my payslip of March", "Thanks.", { attachments });
  expect(await here.seen("What is in it?")).toContain("payslip.txt");
  here.forget("here is my payslip of March");
  expect(await here.seen("What is in it?")).not.toMatch(/payslip|salary/);
});
