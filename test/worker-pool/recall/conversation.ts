/** A conversation that grows turn by turn, and what the turn that comes next is shown. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { renderPrompt } from "@mimikit/agent/prompt/prompt";
import { HistoryIndex } from "@mimikit/memory/search/history-index";
import { refreshMemoryIndex } from "@mimikit/memory/search/search";
import { turnId } from "@mimikit/protocol/base/id";
import { byRole } from "@mimikit/protocol/base/kind";
import { Result } from "@mimikit/protocol/records/result";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { createRecord } from "@mimikit/store/disk/record";
import { archivePath } from "@mimikit/store/disk/state";
import { StateCache } from "@mimikit/store/state-cache/state-cache";
import { HistoryWindow } from "@mimikit/store/views/history";
import { HistoryMonths } from "../../../apps/supervisor/src/views/history-months.ts";
import { writeHistory } from "../../../apps/supervisor/src/views/history-view.ts";
import { gatherContext } from "../../../apps/worker-pool/src/run/gather-context.ts";
import { OpenTasks } from "../../../apps/worker-pool/src/run/open-tasks.ts";
import { OwnerRules } from "../../../apps/worker-pool/src/run/owner-rules.ts";
import { runOf } from "../../agent/prompt-fixtures.ts";
import { done, NOON_MS, turn } from "../../core/facts.ts";

const SMALL_WINDOW_TOKENS = 14_336;

const MINUTE_MS = 60_000;

/** A conversation that grows turn by turn, and the prompt of the turn that comes next. */
export async function conversationIn({ fs, home }: { fs: FileSystem; home: string }, memory = "") {
  if (memory !== "") writeFileSync(join(home, "memory.md"), memory);
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
  const next = (text: string) => {
    const at = new Date(NOON_MS + turns * MINUTE_MS).toISOString();
    return turn(turnId(turns + 1), { messages: [{ kind: "message", id: `m-${turns + 1}`, at, text }] });
  };
  const months = new HistoryMonths(home, cache.archiveIndex);
  return {
    async say(text: string, reply: string) {
      const of = next(text);
      const completedAt = new Date(NOON_MS + turns * MINUTE_MS).toISOString();
      await createRecord(
        fs,
        Result,
        archivePath(of.id),
        done(of, { completedAt, effects: [{ type: "reply", text: reply }] }),
      );
      turns++;
    },
    remember: (document: string) => writeFileSync(join(home, "memory.md"), document),
    async clear() {
      const command = {
        kind: "clear" as const,
        id: "clear-1",
        at: new Date(NOON_MS + turns * MINUTE_MS).toISOString(),
        mac: "seal",
      };
      const of = turn(turnId(++turns), { clear: command });
      await createRecord(fs, Result, archivePath(of.id), done(of));
    },
    async fold() {
      await cache.archiveIndex.follow();
      await writeHistory(fs, cache.archiveIndex);
      await months.write();
    },
    /** The next turn, if this is its message, and the context of its run. */
    async contextOf(text: string) {
      const task = next(text);
      return { task, context: await gatherContext(task, home, sources) };
    },
    async promptOf(text: string): Promise<string> {
      const task = next(text);
      const context = await gatherContext(task, home, sources);
      // The window that `gatherContext` assumes.
      return (await renderPrompt(runOf(task, context), SMALL_WINDOW_TOKENS)).user;
    },
  };
}
