/** tasks.md: what runs, waits and ended last, for people. A view: it may be deleted or edited, and is written again. */

import { countAttempts } from "@mimikit/core/base/snapshot";
import { limitedUntil } from "@mimikit/core/tasks/retry";
import { nextFiring } from "@mimikit/core/triggers/occurrence";
import { boardOf, summaryOf } from "@mimikit/core/views/board";
import { ENDED_SHOWN_MAX, tasksMarkdown } from "@mimikit/core/views/tasks-markdown";
import { turnId } from "@mimikit/protocol/base/id";
import { BadJson } from "@mimikit/protocol/base/json";
import type { TaskSummary } from "@mimikit/protocol/wire/api";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { replaceView } from "@mimikit/store/disk/record";
import { TASKS_PATH } from "@mimikit/store/disk/state";
import type { StateCache } from "@mimikit/store/state-cache/state-cache";
import { runningClaim } from "@mimikit/store/views/attempts-told";

/** At the start, tasks that have ended are looked for in this many turns. */
const TURNS_LOOKED_AT = 100;
/** A longer file is not what was written here. */
const PAGE_BYTES_MAX = 1_048_576;

export class TasksView {
  private readonly fs: FileSystem;
  private readonly cache: StateCache;
  private readonly timeZone: () => string;
  /** The tasks that were reported last. */
  private ended: TaskSummary[] = [];
  private throughTurn: number | undefined;
  /** The page as it is to be; undefined where something has changed since. */
  private text: string | undefined;

  /** @param timeZone the IANA zone of all times on the page. */
  constructor(fs: FileSystem, cache: StateCache, timeZone: () => string) {
    this.fs = fs;
    this.cache = cache;
    this.timeZone = timeZone;
    cache.watch(() => {
      this.text = undefined;
    });
  }

  /** Brings tasks.md up to what the state cache knows; a page that says so already is left alone. Throws what the disk throws. */
  async write(): Promise<void> {
    await this.noteEnded();
    const text = this.text ?? this.compose();
    this.text = text;
    if (text !== (await this.read())) await replaceView(this.fs, TASKS_PATH, text);
  }

  private async read(): Promise<string | null> {
    try {
      return await this.fs.read(TASKS_PATH, PAGE_BYTES_MAX);
    } catch (error) {
      if (error instanceof BadJson) return null;
      throw error;
    }
  }

  /** An ended task is reported by a turn: each turn is read once. */
  private async noteEnded(): Promise<void> {
    const { archiveIndex } = this.cache;
    const { settledTurn } = archiveIndex;
    const first = (this.throughTurn ?? Math.max(0, settledTurn - TURNS_LOOKED_AT)) + 1;
    for (let number = first; number <= settledTurn; number++) {
      const turn = await archiveIndex.readResult(turnId(number));
      for (const { id } of turn?.task.turn?.results ?? []) {
        const result = await archiveIndex.readResult(id);
        if (result !== null) this.ended.push(summaryOf(result));
      }
      this.ended = this.ended.slice(-ENDED_SHOWN_MAX);
      this.throughTurn = number;
    }
    this.throughTurn ??= settledTurn;
  }

  private compose(): string {
    const { queue, dependents, results, attempts, questions, triggers, archiveIndex } = this.cache;
    const isOver = ({ id }: { id: string }) => archiveIndex.has(id);
    const open = [...queue.values()].filter((task) => !isOver(task));
    const board = boardOf({
      queue: new Map(open.map((task) => [task.id, task])),
      dependents: new Map([...dependents].filter(([id, dependent]) => !isOver(dependent) && !queue.has(id))),
      results: new Map([...results].filter(([, result]) => !isOver(result))),
      runningClaimOf: (id) => runningClaim(attempts.get(id)),
      attemptsOf: (id) => countAttempts(attempts.get(id)),
      limitedUntilOf: (id) => limitedUntil(attempts.get(id) ?? []),
    });
    return tasksMarkdown({
      tasks: [...board, ...this.ended],
      questions: [...questions.values()].filter((question) => !isOver(question)),
      triggers: [...triggers.values()]
        .filter((trigger) => !isOver(trigger))
        .map((trigger) => ({ trigger, nextMs: nextFiring(trigger) })),
      timeZone: this.timeZone(),
    });
  }
}
