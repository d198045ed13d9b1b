/**
 * How many questions about a long conversation are shown the messages that answer them, through the functions of a run:
 * `node scripts/bench/recall.ts locomo.json`, a file of `[{turns: [{id, text}], qa: [{q, ev: [ids of turns], cat}]}]` (docs/memory.md#search).
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fillPrompt, loadPrompt, renderSections } from "@mimikit/agent/prompt/prompt";
import { shownIn } from "@mimikit/agent/prompt/shown-memory";
import { UNSUMMED } from "@mimikit/agent/prompt/talk";
import { estimateTokens } from "@mimikit/agent/prompt/tokens";
import { definitionOf } from "@mimikit/agent/roles/index";
import { budgetsFor, SMALL_WINDOW_TOKENS } from "@mimikit/agent/talk/budgets";
import type { HistoryTurn } from "@mimikit/protocol/records/history";
import { openDisk } from "@mimikit/store/disk/disk";
import { DIRECTORIES } from "@mimikit/store/disk/state";
import { appendHistory } from "@mimikit/store/views/history-partitions";
import { z } from "zod";
import { runOf } from "../../test/agent/prompt-fixtures.ts";
import { conversationIn } from "../../test/worker-pool/recall/conversation.ts";

const Conversations = z.array(
  z.object({
    turns: z.array(z.object({ id: z.string(), text: z.string() })),
    qa: z.array(z.object({ q: z.string(), ev: z.array(z.string()), cat: z.number() })),
  }),
);
type Conversation = z.infer<typeof Conversations>[number];

const CATEGORIES = ["", "several messages", "time", "open domain", "one message", "misleading"];
const START_MS = Date.parse("2026-03-01T09:00:00.000Z");
const MINUTE_MS = 60_000;

interface Count {
  asked: number;
  shown: number;
}

/** The id of a message, as the history takes it. */
const idOf = (id: string) => id.toLowerCase().replaceAll(/[^a-z0-9]/g, "-");

/** The first of the two speakers is the user. */
function turnsOf({ turns }: Conversation): HistoryTurn[] {
  const first = turns[0]?.text.split(":")[0];
  return turns.map(({ id, text }, i) => ({
    turn: i + 1,
    messages: [
      {
        id: idOf(id),
        role: text.startsWith(`${first}:`) ? "user" : "assistant",
        at: new Date(START_MS + i * MINUTE_MS).toISOString(),
        text,
      },
    ],
  }));
}

async function measure(conversation: Conversation, counts: Map<number, Count>): Promise<number> {
  const home = mkdtempSync(join(tmpdir(), "mimikit-recall-"));
  let tokens = 0;
  try {
    await appendHistory(home, "2026-03", turnsOf(conversation));
    for (const dir of DIRECTORIES) mkdirSync(join(home, dir), { recursive: true });
    const { contextOf } = await conversationIn({ fs: openDisk(home, "bench-1-1"), home });
    for (const { q, ev, cat } of conversation.qa) {
      if (ev.length === 0) continue;
      const { task, context } = await contextOf(q);
      const run = runOf(task, context);
      const sections = renderSections(run, { budgets: budgetsFor(SMALL_WINDOW_TOKENS), sumUp: UNSUMMED });
      tokens += estimateTokens(sections.find(({ name }) => name === "memory")?.text ?? "");
      const { user } = fillPrompt(await loadPrompt(definitionOf(task)), sections, Number.POSITIVE_INFINITY);
      const shown = new Set(shownIn(user, run).flatMap(({ message }) => message ?? []));
      const count = counts.get(cat) ?? { asked: 0, shown: 0 };
      count.asked++;
      if (ev.some((id) => shown.has(idOf(id)))) count.shown++;
      counts.set(cat, count);
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
  return tokens;
}

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error("usage: node scripts/bench/recall.ts <conversations.json>");
const counts = new Map<number, Count>();
let tokens = 0;
for (const conversation of Conversations.parse(JSON.parse(readFileSync(path, "utf8"))))
  tokens += await measure(conversation, counts);
const all = [...counts.values()].reduce(
  (sum, { asked, shown }) => ({ asked: sum.asked + asked, shown: sum.shown + shown }),
  { asked: 0, shown: 0 },
);
const line = (name: string, { asked, shown }: Count) =>
  process.stdout.write(`${name.padEnd(18)} ${shown} of ${asked}  ${((100 * shown) / asked).toFixed(1)} %\n`);
for (const [cat, count] of [...counts].sort(([a], [b]) => a - b)) line(CATEGORIES[cat] ?? `category ${cat}`, count);
line("all", all);
process.stdout.write(`mean size of M:memory: ${(tokens / all.asked).toFixed(0)} tokens\n`);
