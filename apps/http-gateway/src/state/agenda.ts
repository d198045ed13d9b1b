/**
 * Upcoming work and open questions: triggers and questions as they are once every durable command is granted. A user who
 * has just changed or answered something never sees it as it was.
 */

import { expectedTriggers } from "@mimikit/core/triggers/expected";
import { triggerIdOf } from "@mimikit/core/triggers/of-command";
import { triggerSummary } from "@mimikit/core/views/board";
import { questionView } from "@mimikit/core/views/question-view";
import type { EndedTrigger } from "@mimikit/protocol/records/archive";
import type { InboxCommand } from "@mimikit/protocol/records/inbox";
import type { ClosedQuestion, Question } from "@mimikit/protocol/records/question";
import type { Trigger } from "@mimikit/protocol/records/trigger";
import { coded, withCodes } from "@mimikit/protocol/texts/coded";
import type { QuestionView, TriggerSummary } from "@mimikit/protocol/wire/api";
import type { StateCache } from "@mimikit/store/state-cache/state-cache";
import { OrderedList } from "@mimikit/store/views/ordered-list";
import { HttpProblem } from "../http/problem.ts";

export class Agenda {
  private readonly cache: StateCache;
  private readonly byId = new Map<string, Trigger>();
  private readonly lines = new OrderedList<TriggerSummary>(bySoonest);
  /** The triggers that the commands of the last look were about. */
  private requested: readonly string[] = [];
  private open: ReadonlyMap<string, Question> = new Map();
  /** Those that are open, the oldest first. */
  questions: readonly QuestionView[] = [];
  /** Questions that are there, and those that an answer on its way is about: it may outlast its question, or come after it was closed. */
  asked: ReadonlyMap<string, Question> = new Map();

  constructor(cache: StateCache) {
    this.cache = cache;
  }

  /**
   * Call after the state cache has looked. The closing of a question is in archive/ before anything of it is dropped: looked
   * for there afterwards, a closed one is never seen open again.
   */
  async confirmQuestions(): Promise<void> {
    const { questions, inbox, archiveIndex } = this.cache;
    for (const id of questions.keys()) await archiveIndex.confirm(id);
    for (const command of inbox.values()) {
      if (command.kind !== "answer" || questions.has(command.questionId) || this.asked.has(command.questionId))
        continue;
      const closed = await this.closedQuestion(command.questionId);
      if (closed !== null) this.asked = new Map([...this.asked, [closed.id, closed.question]]);
    }
  }

  /** Call after that. @param touched the triggers of which a record came or went since the last call, among others. */
  refresh(touched: ReadonlySet<string>, nowMs: number): void {
    const commands = [...this.cache.inbox.values()];
    this.refreshQuestions(commands);
    this.refreshTriggers(touched, commands, nowMs);
  }

  private refreshQuestions(commands: readonly InboxCommand[]): void {
    const { questions, archiveIndex } = this.cache;
    const answered = new Set(commands.flatMap((command) => (command.kind === "answer" ? [command.questionId] : [])));
    this.asked = new Map([...[...this.asked].filter(([id]) => answered.has(id)), ...questions]);
    this.open = new Map([...questions].filter(([id]) => !answered.has(id) && !archiveIndex.has(id)));
    this.questions = [...this.open.values()]
      .map(questionView)
      .sort((a, b) => compare(a.at, b.at) || compare(a.id, b.id));
  }

  /** A trigger that is over says so in its newest version. */
  private refreshTriggers(touched: ReadonlySet<string>, commands: readonly InboxCommand[], nowMs: number): void {
    const { triggers: all, archiveIndex } = this.cache;
    const requested = commands.flatMap(triggersOf);
    const triggers = new Map<string, Trigger>();
    const ids = new Set([...touched, ...this.requested, ...requested]);
    for (const id of ids) {
      const trigger = all.get(id);
      if (trigger !== undefined) triggers.set(id, trigger);
    }
    const expected = expectedTriggers({ triggers, commands, isArchived: (id) => archiveIndex.has(id) }, nowMs);
    const lines = new Map<string, TriggerSummary | undefined>();
    for (const id of ids) {
      const trigger = expected.get(id);
      if (trigger === undefined) this.byId.delete(id);
      else this.byId.set(id, trigger);
      lines.set(id, trigger && withCodes(triggerSummary(trigger)));
    }
    this.lines.patch(lines);
    this.requested = requested;
  }

  /** The soonest first; those that wait for a condition or rest come last, in the order in which they were made. */
  get triggers(): readonly TriggerSummary[] {
    return this.lines.list;
  }

  /** Every trigger that stands. */
  get versions(): readonly Trigger[] {
    return [...this.byId.values()];
  }

  /** A trigger that stands. @throws HttpProblem 404 for an unknown one, 410 for one that is over. */
  async triggerOf(id: string): Promise<Trigger> {
    const { inbox, archiveIndex, triggers } = this.cache;
    const trigger = this.byId.get(id);
    if (trigger !== undefined && !(await archiveIndex.confirm(id))) return trigger;
    const record = (await archiveIndex.confirm(id)) ? await archiveIndex.read(id) : null;
    if (record !== null && "kind" in record && record.kind === "trigger") throw over(record.outcome, record.trigger);
    const last = triggers.get(id);
    if (last?.over !== undefined) throw over(last.over, last);
    const isUnwanted = [...inbox.values()].some(
      (command) => command.kind === "trigger-delete" && command.triggerId === id,
    );
    if (isUnwanted) throw over("deleted", last);
    throw new HttpProblem(404, coded("no_such_trigger"));
  }

  /** A question that is open. @throws HttpProblem 404 for an unknown one, 410 for one that is closed. */
  async questionOf(id: string): Promise<Question> {
    const { inbox, questions } = this.cache;
    const hint = "What you want to say about it can be sent as a message.";
    const closed = await this.closedQuestion(id);
    if (closed !== null) throw new HttpProblem(410, coded("question_closed", { how: closed.outcome }), { hint });
    const question = this.open.get(id);
    if (question !== undefined) return question;
    const isAnswered = [...inbox.values()].some((command) => command.kind === "answer" && command.questionId === id);
    if (isAnswered && questions.has(id))
      throw new HttpProblem(410, coded("question_closed", { how: "answered" }), { hint });
    throw new HttpProblem(404, coded("no_such_question"));
  }

  private async closedQuestion(id: string): Promise<ClosedQuestion | null> {
    const { archiveIndex } = this.cache;
    const record = (await archiveIndex.confirm(id)) ? await archiveIndex.read(id) : null;
    return record !== null && "kind" in record && record.kind === "question" ? record : null;
  }
}

/** The triggers that a command is about. */
function triggersOf(command: InboxCommand): string[] {
  if (command.kind === "trigger-put") return [triggerIdOf(command.id)];
  return command.kind === "trigger-patch" || command.kind === "trigger-delete" ? [command.triggerId] : [];
}

function over(outcome: EndedTrigger["outcome"], trigger: Trigger | undefined): HttpProblem {
  const last = trigger?.recent.at(-1);
  const past = last?.outcome === "skipped" ? `skipped ${last.from}: ${last.reason}` : last && `fired as ${last.id}`;
  return new HttpProblem(
    410,
    coded("trigger_over", { how: outcome }),
    past === undefined ? {} : { hint: `It ${past}.` },
  );
}

/** The order of `triggers`. */
export function bySoonest(a: TriggerSummary, b: TriggerSummary): number {
  if (a.next !== b.next) return a.next === null ? 1 : b.next === null ? -1 : compare(a.next, b.next);
  return compare(a.createdAt, b.createdAt) || compare(a.id, b.id);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
