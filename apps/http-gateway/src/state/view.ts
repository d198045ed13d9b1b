/**
 * The view of the conversation and the tasks: one consistent state of the state directory. It only reads, and a view is
 * replaced as a whole, so that no reader sees half of a change.
 */

import { openSummary } from "@mimikit/core/views/board";
import { outageMessageOf } from "@mimikit/core/views/history";
import { ancestorsOf, cancelMark, evaluationNumber, improvementNumber, turnNumber } from "@mimikit/protocol/base/id";
import type { Role } from "@mimikit/protocol/base/role";
import type { Question } from "@mimikit/protocol/records/question";
import type { Result } from "@mimikit/protocol/records/result";
import { isTurn, type Task } from "@mimikit/protocol/records/task";
import type { Trigger } from "@mimikit/protocol/records/trigger";
import { coded } from "@mimikit/protocol/texts/coded";
import type { ChatMessage, QuestionView, TaskDetail, TaskSummary, TriggerSummary } from "@mimikit/protocol/wire/api";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { shareRuns } from "@mimikit/store/disk/share-runs";
import { type ChangedNames, PendingChanges } from "@mimikit/store/state-cache/pending-changes";
import type { StateCache } from "@mimikit/store/state-cache/state-cache";
import { lookups } from "@mimikit/store/views/attempts-told";
import { EndedTasks, tasksOf } from "@mimikit/store/views/ended-tasks";
import { endedDetail, openDetail } from "@mimikit/store/views/task-detail";
import { HttpProblem } from "../http/problem.ts";
import { Agenda } from "./agenda.ts";
import { Board, type TaskOutage } from "./board.ts";
import { ConversationView } from "./conversation.ts";

/** The state on disk at one moment. */
export interface StateView {
  /** Oldest first. */
  messages: readonly ChatMessage[];
  /** Open ones and the newest that have ended, newest first; only what is on the board. */
  tasks: readonly TaskSummary[];
  /** Tasks and turns that run now: their streams are worth reading. */
  running: readonly Task[];
  /** How many tasks and turns wait for a free place or for their next attempt. */
  queued: Readonly<Record<Role, number>>;
  /** Tasks and turns whose provider could not be reached, and that are retried until it can (SPEC G4). */
  outages: readonly TaskOutage[];
  /** Commands, events and dropped files that are not applied yet. */
  inbox: number;
  /** Triggers that stand, the soonest first. */
  triggers: readonly TriggerSummary[];
  /** Open questions, the oldest first. */
  questions: readonly QuestionView[];
}

export class View {
  private readonly fs: FileSystem;
  private readonly cache: StateCache;
  private readonly nowMs: () => number;
  private readonly ended: EndedTasks;
  private readonly agenda: Agenda;
  private readonly board: Board;
  private conversation: ConversationView | undefined;
  /** The conversation at a look that failed in the archive; the next look reads it from there again. */
  private unread: ConversationView | undefined;
  private current: StateView | undefined;
  /** Settled turns that no look shows yet: a look that failed half-way must not lose them. */
  private newTurns: Result[] = [];
  /** Tasks that applied turns have named, and that no look has found yet. */
  private readonly awaited = new Set<string>();
  /** The tasks and triggers of which something came or went that no look shows yet. */
  private touched = new Set<string>();
  private isStale = true;
  private wantsFull = false;
  private wantsAll = false;
  private readonly heard = new PendingChanges();
  private readonly look = shareRuns(() => this.lookNow());

  constructor(fs: FileSystem, cache: StateCache, nowMs: () => number = Date.now) {
    this.fs = fs;
    this.cache = cache;
    this.nowMs = nowMs;
    this.ended = new EndedTasks(cache.archiveIndex);
    this.agenda = new Agenda(cache);
    this.board = new Board(cache, this.ended);
    cache.watch((id) => this.touched.add(id));
  }

  /** The newest view so far; undefined before the first. */
  get newest(): StateView | undefined {
    return this.current;
  }

  /**
   * Looks again. Records that were durable before the call are in the answer; calls that wait for the same refresh share
   * it.
   * @param full look at every directory, whatever it seems: the safety net under its time of change.
   */
  refresh(full = false): Promise<StateView> {
    this.wantsFull ||= full;
    this.wantsAll = true;
    return this.look();
  }

  /**
   * Looks again where a notification told of a change. A durable record may be missing in the answer while its own
   * notification is on its way, but one that was there before is there, wherever it has moved.
   */
  refreshHeard(changes: ChangedNames): Promise<StateView> {
    for (const [dir, names] of changes) for (const name of names ?? [null]) this.heard.note(dir, name);
    return this.look();
  }

  /** The newest messages of the conversation, oldest first; of all that was said, only the newest are kept here. */
  async newestMessages(limit: number): Promise<ChatMessage[]> {
    return (await this.refresh()).messages.slice(-limit);
  }

  /** Everything about one task, wherever it is. @throws HttpProblem 404. */
  async taskDetail(id: string): Promise<TaskDetail> {
    await this.refresh();
    const unknown = new HttpProblem(404, coded("no_such_task"));
    if (turnNumber(id) > 0) throw unknown;
    const attempts = this.cache.attempts.get(id) ?? [];
    const task = this.cache.queue.get(id) ?? this.cache.dependents.get(id)?.task;
    if (this.board.open.has(id) && task !== undefined) {
      const summary = this.board.lineOf(id) ?? openSummary(task, lookups(attempts));
      return openDetail(summary, task, attempts);
    }
    const result = (await this.ended.find(id)) ?? this.cache.results.get(id) ?? null;
    if (result === null) throw unknown;
    return endedDetail(result, attempts);
  }

  /** @throws HttpProblem 404 for an unknown task, 409 for a turn, and when nothing of the task is open any more. */
  async assertCancellable(id: string): Promise<void> {
    await this.refresh();
    if (turnNumber(id) > 0) throw new HttpProblem(409, coded("reply_not_cancelled"));
    const isOpen = [...this.board.open].some((open) => open === id || ancestorsOf(open).includes(id));
    if (!isOpen) await this.throwEnded(id);
  }

  /** @throws HttpProblem 404 for an unknown task, 409 while it is open, and for one that was not requested. */
  async assertRepeatable(id: string): Promise<void> {
    const { completedAt } = await this.taskDetail(id);
    if (completedAt === undefined) throw new HttpProblem(409, coded("task_not_ended"));
    if (improvementNumber(id) + evaluationNumber(id) > 0) throw new HttpProblem(409, coded("only_ordered_again"));
  }

  /** @throws HttpProblem 404 for an unknown task or turn, and 409 when it takes no words: it has ended, or no turn will report it. */
  async assertSteerable(id: string): Promise<void> {
    await this.refresh();
    if (this.board.open.has(id)) {
      if (improvementNumber(id) > 0) throw new HttpProblem(409, coded("improvement_not_steered"));
      return;
    }
    if (turnNumber(id) > 0 && (await this.cache.archiveIndex.confirm(id)))
      throw new HttpProblem(409, coded("reply_given"));
    await this.throwEnded(id);
  }

  /**
   * The last reply, if it can be given again now; the supervisor decides that for good.
   * @param messageId the reply, or a message that it answers. @throws HttpProblem 404 where there is none, 409 where it cannot.
   */
  async lastReply(messageId: string | undefined): Promise<{ turnId: string; said: ChatMessage[] }> {
    const { messages, triggers, questions } = await this.refresh();
    const at = messages.findLastIndex(({ role, answers = [] }) => role === "assistant" && answers.length > 0);
    const reply = messages[at];
    const hasSaidSince = messages.slice(at + 1).some(({ role, marker }) => role === "user" || marker !== undefined);
    if (messageId !== undefined && !messages.some(({ id }) => id === messageId))
      throw new HttpProblem(404, coded("no_such_message"));
    if (reply === undefined) throw new HttpProblem(409, coded("no_reply_yet"));
    const isLast = messageId === undefined || messageId === reply.id || reply.answers?.includes(messageId);
    if (hasSaidSince || !isLast) throw new HttpProblem(409, coded("only_last_answered"));
    const turnId = ancestorsOf(reply.id).at(-1) ?? reply.id;
    const open = [...this.board.open, ...[...triggers, ...questions].map(({ id }) => id)];
    const going = open.find((id) => ancestorsOf(id).includes(turnId));
    if (going !== undefined)
      throw new HttpProblem(409, coded("reply_goes_on", { id: going }), {
        hint: "End it first: cancel it, or answer it.",
      });
    return { turnId, said: messages.filter(({ id, meanwhile }) => !meanwhile && reply.answers?.includes(id)) };
  }

  /** A trigger that stands. @throws HttpProblem 404 for an unknown one, 410 for one that is over. */
  async triggerOf(id: string): Promise<Trigger> {
    await this.refresh();
    return this.agenda.triggerOf(id);
  }

  /** Every trigger that stands. */
  async allTriggers(): Promise<readonly Trigger[]> {
    await this.refresh();
    return this.agenda.versions;
  }

  /** A question that is open. @throws HttpProblem 404 for an unknown one, 410 for one that is closed. */
  async questionOf(id: string): Promise<Question> {
    await this.refresh();
    return this.agenda.questionOf(id);
  }

  private async throwEnded(id: string): Promise<never> {
    const { state } = await this.taskDetail(id);
    throw new HttpProblem(409, coded("task_ended", { state }));
  }

  private async lookNow(): Promise<StateView> {
    const { wantsFull, isStale: wasStale } = this;
    const changes = this.heard.take();
    const heard = this.wantsAll || wasStale ? undefined : changes;
    [this.wantsFull, this.wantsAll] = [false, false];
    // A look that fails half-way is made up for by the next.
    this.isStale = true;
    let hasChanged = await this.cache.refresh(this.nowMs(), wantsFull, heard);
    // The archive is read after the queues: a task that has left them is in it.
    const conversation = this.conversation ?? (await this.begin());
    if (heard === undefined && (await this.ended.followImprovements())) hasChanged = true;
    // Turns are read after inbox/: a message that has left it is in a turn that is found now.
    this.newTurns.push(...(await this.follow()));
    this.isStale = wasStale || hasChanged || this.newTurns.length + this.awaited.size > 0;
    if (this.current !== undefined && !this.isStale) return this.current;
    for (const turn of this.newTurns) {
      conversation.settle(turn);
      for (const id of [turn.id, ...tasksOf(turn)]) this.touched.add(id);
    }
    await this.noteEnded(this.newTurns.flatMap(tasksOf));
    await this.agenda.confirmQuestions();
    // Nothing here waits, so no reader sees half of it, and nothing is touched meanwhile.
    this.agenda.refresh(this.touched, this.nowMs());
    this.board.refresh(this.touched);
    const state = this.compose(conversation);
    // A message on its way was in none of the directories: it had moved against the order in which they are read, as a steer does that
    // no run has taken, or only its removal was heard of.
    if (conversation.mayHaveLost) {
      this.wantsAll = true;
      return this.lookNow();
    }
    this.current = state;
    this.touched = new Set();
    this.newTurns = [];
    this.isStale = false;
    return this.current;
  }

  private async follow(): Promise<Result[]> {
    try {
      return await this.cache.archiveIndex.follow();
    } catch (error) {
      // Turns that were noted before the error are not reported again, so the next look reads the conversation again.
      this.unread = this.conversation;
      this.conversation = undefined;
      throw error;
    }
  }

  private async begin(): Promise<ConversationView> {
    const conversation = await ConversationView.load(this.fs, this.cache.archiveIndex, this.unread);
    await this.ended.load();
    this.conversation = conversation;
    this.unread = undefined;
    return conversation;
  }

  /**
   * A task has ended that was open at the last look and is nowhere now; a turn names those that came and went since then. Its queue may
   * have been looked at before it was archived: the archive counts. A task that is nowhere yet may come and go before the next look.
   */
  private async noteEnded(named: readonly string[]): Promise<void> {
    const { results, queue, dependents, archiveIndex } = this.cache;
    for (const id of this.touched) {
      const result = results.get(id);
      // A late one may stand beside the one in archive/, which counts.
      if (result !== undefined && !this.ended.has(id) && (await this.ended.find(id)) === null) this.ended.note(result);
    }
    const open = [...this.touched].filter((id) => this.board.open.has(id) && turnNumber(id) === 0);
    for (const id of named) this.awaited.add(id);
    for (const id of new Set([...open, ...this.awaited])) {
      const isThere = queue.has(id) || dependents.has(id);
      if (!this.ended.has(id) && (archiveIndex.has(id) || !isThere)) await this.ended.find(id);
      const isKnown = isThere || this.ended.has(id) || archiveIndex.has(id);
      if (isKnown || (await archiveIndex.confirmAny([id, ...ancestorsOf(id)].map(cancelMark)))) this.awaited.delete(id);
    }
  }

  private compose(conversation: ConversationView): StateView {
    const { agenda, board } = this;
    const { inbox, signals, archiveIndex } = this.cache;
    // Until it is removed, a dropped file is there beside the message that was made of it.
    const dropped = [...this.cache.dropped.values()].filter(({ id }) => !inbox.has(id));
    const { outages, running, tasks } = board;
    return {
      messages: conversation.with({
        commands: [...inbox.values(), ...dropped],
        questions: agenda.asked,
        signals: [...signals.values()],
        heard: board.heard,
        turns: board.turns,
        outages: outages.flatMap(({ task, outage }) =>
          isTurn(task) ? [outageMessageOf(task.id, task.turn, outage)] : [],
        ),
      }),
      tasks,
      outages,
      running,
      queued: board.queued,
      inbox: [...inbox.keys()].filter((id) => !archiveIndex.has(id)).length + dropped.length,
      triggers: agenda.triggers,
      questions: agenda.questions,
    };
  }
}
