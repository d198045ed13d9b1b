/**
 * What people see: the conversation and the tasks, as one consistent look at the state directory. It only reads, and a
 * look is replaced as a whole, so that nobody sees half of a change.
 */

import { countAttempts } from "@mimikit/core/base/snapshot";
import { outageOf, outagesOf } from "@mimikit/core/tasks/retry";
import { boardOf, openSummary } from "@mimikit/core/views/board";
import { outageMessageOf } from "@mimikit/core/views/history";
import { ancestorsOf, turnNumber } from "@mimikit/protocol/base/id";
import type { Claim } from "@mimikit/protocol/records/claim";
import type { Question } from "@mimikit/protocol/records/question";
import type { Outage, Result } from "@mimikit/protocol/records/result";
import { isTurn, type Task } from "@mimikit/protocol/records/task";
import type { Standing } from "@mimikit/protocol/records/trigger";
import type { ChatMessage, QuestionView, TaskDetail, TaskSummary, TriggerSummary } from "@mimikit/protocol/wire/api";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { shareRuns } from "@mimikit/store/disk/share-runs";
import type { AttemptRecord, Mirror } from "@mimikit/store/mirror/mirror";
import { EndedTasks, newestFirst, tasksOf } from "@mimikit/store/views/ended-tasks";
import { endedDetail, openDetail } from "@mimikit/store/views/task-detail";
import { Problem } from "../http/problem.ts";
import { Agenda } from "./agenda.ts";
import { Conversation } from "./conversation.ts";

/** What was on disk at one moment. */
export interface Look {
  /** Oldest first. */
  messages: readonly ChatMessage[];
  /** Open ones and the newest that have ended, newest first; only what is on the board. */
  tasks: readonly TaskSummary[];
  /** Tasks and turns that run now: their streams are worth reading. */
  running: readonly Task[];
  /** Tasks and turns that wait for a free place or for their next attempt. */
  queued: readonly Task[];
  /** Tasks and turns that could reach nobody, and are tried again until they can (SPEC G4). */
  outages: readonly { task: Task; outage: Outage }[];
  /** Wishes, events and dropped files that nobody has settled yet. */
  inbox: number;
  /** Triggers that stand, the soonest first. */
  triggers: readonly TriggerSummary[];
  /** Open questions, the oldest first. */
  questions: readonly QuestionView[];
}

export class View {
  private readonly fs: FileSystem;
  private readonly mirror: Mirror;
  private readonly ended: EndedTasks;
  private readonly agenda: Agenda;
  private conversation: Conversation | undefined;
  private openIds: ReadonlySet<string> = new Set();
  private current: Look | undefined;
  /** Settled turns that no look shows yet: a look that failed half-way must not lose them. */
  private newTurns: Result[] = [];
  private isStale = true;
  private wantsFull = false;
  private readonly look = shareRuns(() => this.lookNow());

  constructor(fs: FileSystem, mirror: Mirror) {
    this.fs = fs;
    this.mirror = mirror;
    this.ended = new EndedTasks(mirror.ledger);
    this.agenda = new Agenda(mirror);
  }

  /**
   * Looks again. What was durable before the call is in the answer; calls that wait for the same look share it.
   * @param full look at every directory, whatever it seems: the safety net under its time of change.
   */
  refresh(full = false): Promise<Look> {
    this.wantsFull ||= full;
    return this.look();
  }

  /**
   * A page of the conversation, oldest first: the `limit` messages before the message `before`, or the newest.
   * @throws Problem 404 when `before` is not in the window that is kept.
   */
  async messagesBefore(before: string | undefined, limit: number): Promise<ChatMessage[]> {
    const { messages } = await this.refresh();
    if (before === undefined) return messages.slice(-limit);
    const end = messages.findIndex((message) => message.id === before);
    if (end < 0) throw new Problem(404, "there is no message with this id in the window that is kept");
    return messages.slice(Math.max(0, end - limit), end);
  }

  /** Everything about one task, wherever it is. @throws Problem 404. */
  async taskDetail(id: string): Promise<TaskDetail> {
    const { tasks } = await this.refresh();
    const unknown = new Problem(404, "there is no task with this id");
    if (turnNumber(id) > 0) throw unknown;
    const attempts = this.mirror.attempts.get(id) ?? [];
    const task = this.mirror.queue.get(id) ?? this.mirror.links.get(id)?.task;
    if (this.openIds.has(id) && task !== undefined) {
      const summary = tasks.find((one) => one.id === id) ?? openSummary(task, attemptLookups(this.mirror.attempts));
      return openDetail(summary, task, attempts);
    }
    const result = this.mirror.results.get(id) ?? (await this.ended.find(id));
    if (result === null) throw unknown;
    return endedDetail(result, attempts);
  }

  /** @throws Problem 404 for an unknown task, 409 for a turn, and when nothing of the task is open any more. */
  async assertCancellable(id: string): Promise<void> {
    await this.refresh();
    if (turnNumber(id) > 0) throw new Problem(409, "this is a reply, not a task: it cannot be cancelled");
    const isOpen = [...this.openIds].some((open) => open === id || ancestorsOf(open).includes(id));
    if (!isOpen) await this.throwEnded(id);
  }

  /** @throws Problem 404 for an unknown task or turn, and 409 when it has ended: it hears nothing any more. */
  async assertOpen(id: string): Promise<void> {
    await this.refresh();
    if (this.openIds.has(id)) return;
    if (turnNumber(id) > 0 && (await this.mirror.ledger.confirm(id)))
      throw new Problem(409, "this reply has already been given");
    await this.throwEnded(id);
  }

  /** A trigger that stands. @throws Problem 404 for an unknown one, 410 for one that is over. */
  async standingOf(id: string): Promise<Standing> {
    await this.refresh();
    return this.agenda.standingOf(id);
  }

  /** Every trigger that stands. */
  async allStanding(): Promise<readonly Standing[]> {
    await this.refresh();
    return this.agenda.versions;
  }

  /** A question that is open. @throws Problem 404 for an unknown one, 410 for one that is closed. */
  async questionOf(id: string): Promise<Question> {
    await this.refresh();
    return this.agenda.questionOf(id);
  }

  private async throwEnded(id: string): Promise<never> {
    const { state } = await this.taskDetail(id);
    throw new Problem(409, `this task has already ended (${state})`);
  }

  private async lookNow(): Promise<Look> {
    const full = this.wantsFull;
    this.wantsFull = false;
    const conversation = this.conversation ?? (await this.begin());
    if (await this.mirror.refresh(Date.now(), full)) this.isStale = true;
    // Turns are read after inbox/: a message that has left it is in a turn that is found now.
    this.newTurns.push(...(await this.follow()));
    if (this.current !== undefined && !this.isStale && this.newTurns.length === 0) return this.current;
    for (const turn of this.newTurns) conversation.settle(turn);
    await this.noteEnded(this.newTurns);
    await this.agenda.refresh(Date.now());
    this.current = this.compose(conversation);
    this.newTurns = [];
    this.isStale = false;
    return this.current;
  }

  private async follow(): Promise<Result[]> {
    try {
      return await this.mirror.ledger.follow();
    } catch (error) {
      // Turns that were noted before the error are not reported again, so the next look reads the conversation anew.
      this.conversation = undefined;
      throw error;
    }
  }

  private async begin(): Promise<Conversation> {
    const conversation = await Conversation.load(this.fs, this.mirror.ledger);
    await this.ended.load();
    this.conversation = conversation;
    return conversation;
  }

  /** What was open at the last look and is nowhere now has ended; what came and went since then is named by its turn. */
  private async noteEnded(turns: readonly Result[]): Promise<void> {
    const { results, queue, links } = this.mirror;
    for (const result of results.values()) this.ended.note(result);
    for (const id of new Set([...this.openIds, ...turns.flatMap(tasksOf)])) {
      if (!this.ended.has(id) && !queue.has(id) && !links.has(id)) await this.ended.find(id);
    }
  }

  private compose(conversation: Conversation): Look {
    const { inbox, dropped, queue, signals, links, results, attempts, ledger } = this.mirror;
    const isOver = (id: string) => results.has(id) || this.ended.has(id) || ledger.has(id);
    const open = [...queue.values()].filter((task) => !isOver(task.id));
    const waiting = [...links.values()].filter(({ id }) => !queue.has(id) && !isOver(id));
    this.openIds = new Set([...open, ...waiting].map(({ id }) => id));
    const board = boardOf({
      queue: new Map(open.map((task) => [task.id, task])),
      links: new Map(waiting.map((link) => [link.id, link])),
      results: new Map(),
      ...attemptLookups(attempts),
    });
    // Until it is settled, a turn whose result is there already goes on saying what it said.
    const outages = [...queue.values()].flatMap((task) => {
      const outage = ledger.has(task.id) ? null : outageOf(outagesOf(attempts.get(task.id) ?? []));
      return outage === null ? [] : [{ task, outage }];
    });
    const runs = (task: Task) => runningClaim(attempts.get(task.id)) !== undefined;
    return {
      messages: conversation.with({
        wishes: [...inbox.values(), ...dropped.values()],
        questions: this.agenda.asked,
        signals: [...signals.values()],
        results: [...results.values()],
        turns: [...queue.values()].filter((task) => isTurn(task) && attempts.has(task.id)),
        outages: outages.flatMap(({ task, outage }) =>
          isTurn(task) ? [outageMessageOf(task.id, task.turn, outage)] : [],
        ),
      }),
      tasks: [...board, ...this.ended.values()].sort(newestFirst),
      outages,
      running: open.filter(runs),
      queued: open.filter((task) => !runs(task)),
      inbox: [...inbox.keys()].filter((id) => !ledger.has(id)).length + dropped.size,
      triggers: this.agenda.triggers,
      questions: this.agenda.questions,
    };
  }
}

function attemptLookups(attempts: Mirror["attempts"]) {
  return {
    runningClaimOf: (id: string) => runningClaim(attempts.get(id)),
    attemptsOf: (id: string) => countAttempts(attempts.get(id)),
  };
}

/** The claim of the attempt that runs now, as far as the disk says. */
function runningClaim(attempts: readonly AttemptRecord[] | undefined): Claim | undefined {
  const newest = attempts?.at(-1);
  return newest === undefined || newest.failed !== undefined ? undefined : newest.claim;
}
