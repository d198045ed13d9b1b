/**
 * Upcoming work and open questions: triggers and questions as they are once every durable command is granted. A user who
 * has just changed or answered something never sees it as it was.
 */

import { expectedStanding } from "@mimikit/core/triggers/expected";
import { triggerIdOf } from "@mimikit/core/triggers/of-command";
import { triggerSummary } from "@mimikit/core/views/board";
import { questionView } from "@mimikit/core/views/question-view";
import type { EndedTrigger } from "@mimikit/protocol/records/archive";
import type { Wish } from "@mimikit/protocol/records/inbox";
import type { Question } from "@mimikit/protocol/records/question";
import type { Standing } from "@mimikit/protocol/records/trigger";
import { coded, withCodes } from "@mimikit/protocol/texts/coded";
import type { QuestionView, TriggerSummary } from "@mimikit/protocol/wire/api";
import type { Mirror } from "@mimikit/store/mirror/mirror";
import { OrderedList } from "@mimikit/store/views/ordered-list";
import { Problem } from "../http/problem.ts";

export class Agenda {
  private readonly mirror: Mirror;
  private readonly standing = new Map<string, Standing>();
  private readonly lines = new OrderedList<TriggerSummary>(bySoonest);
  /** The triggers that the commands of the last look were about. */
  private wished: readonly string[] = [];
  private open: ReadonlyMap<string, Question> = new Map();
  /** Those that are open, the oldest first. */
  questions: readonly QuestionView[] = [];
  /** Questions that are there, and those of before that an answer on its way is about: it may outlast its question by a look. */
  asked: ReadonlyMap<string, Question> = new Map();

  constructor(mirror: Mirror) {
    this.mirror = mirror;
  }

  /**
   * Call after the state cache has looked. The closing of a question is in archive/ before anything of it is dropped: looked
   * for there afterwards, a closed one is never seen open again.
   */
  async confirmQuestions(): Promise<void> {
    for (const id of this.mirror.questions.keys()) await this.mirror.ledger.confirm(id);
  }

  /** Call after that. @param touched the triggers of which a record came or went since the last call, among others. */
  refresh(touched: ReadonlySet<string>, nowMs: number): void {
    const wishes = [...this.mirror.inbox.values()];
    this.refreshQuestions(wishes);
    this.refreshTriggers(touched, wishes, nowMs);
  }

  private refreshQuestions(wishes: readonly Wish[]): void {
    const { questions, ledger } = this.mirror;
    const answered = new Set(wishes.flatMap((wish) => (wish.kind === "answer" ? [wish.questionId] : [])));
    this.asked = new Map([...[...this.asked].filter(([id]) => answered.has(id)), ...questions]);
    this.open = new Map([...questions].filter(([id]) => !answered.has(id) && !ledger.has(id)));
    this.questions = [...this.open.values()]
      .map(questionView)
      .sort((a, b) => compare(a.at, b.at) || compare(a.id, b.id));
  }

  /** A trigger that is over says so in its newest version. */
  private refreshTriggers(touched: ReadonlySet<string>, wishes: readonly Wish[], nowMs: number): void {
    const { standing: all, ledger } = this.mirror;
    const wished = wishes.flatMap(triggersOf);
    const standing = new Map<string, Standing>();
    const ids = new Set([...touched, ...this.wished, ...wished]);
    for (const id of ids) {
      const trigger = all.get(id);
      if (trigger !== undefined) standing.set(id, trigger);
    }
    const expected = expectedStanding({ standing, wishes, isArchived: (id) => ledger.has(id) }, nowMs);
    const lines = new Map<string, TriggerSummary | undefined>();
    for (const id of ids) {
      const trigger = expected.get(id);
      if (trigger === undefined) this.standing.delete(id);
      else this.standing.set(id, trigger);
      lines.set(id, trigger && withCodes(triggerSummary(trigger)));
    }
    this.lines.patch(lines);
    this.wished = wished;
  }

  /** The soonest first; those that wait for a condition or rest come last, in the order in which they were made. */
  get triggers(): readonly TriggerSummary[] {
    return this.lines.list;
  }

  /** Every trigger that stands. */
  get versions(): readonly Standing[] {
    return [...this.standing.values()];
  }

  /** A trigger that stands. @throws Problem 404 for an unknown one, 410 for one that is over. */
  async standingOf(id: string): Promise<Standing> {
    const { inbox, ledger, standing } = this.mirror;
    const trigger = this.standing.get(id);
    if (trigger !== undefined && !(await ledger.confirm(id))) return trigger;
    const record = (await ledger.confirm(id)) ? await ledger.read(id) : null;
    if (record !== null && "kind" in record && record.kind === "trigger") throw over(record.outcome, record.trigger);
    const last = standing.get(id);
    if (last?.over !== undefined) throw over(last.over, last);
    const isUnwanted = [...inbox.values()].some((wish) => wish.kind === "trigger-delete" && wish.triggerId === id);
    if (isUnwanted) throw over("deleted", last);
    throw new Problem(404, coded("no_such_trigger"));
  }

  /** A question that is open. @throws Problem 404 for an unknown one, 410 for one that is closed. */
  async questionOf(id: string): Promise<Question> {
    const { inbox, ledger, questions } = this.mirror;
    const hint = "What you want to say about it can be sent as a message.";
    const record = (await ledger.confirm(id)) ? await ledger.read(id) : null;
    if (record !== null && "kind" in record && record.kind === "question")
      throw new Problem(410, coded("question_closed", { how: record.outcome }), { hint });
    const question = this.open.get(id);
    if (question !== undefined) return question;
    const isAnswered = [...inbox.values()].some((wish) => wish.kind === "answer" && wish.questionId === id);
    if (isAnswered && questions.has(id))
      throw new Problem(410, coded("question_closed", { how: "answered" }), { hint });
    throw new Problem(404, coded("no_such_question"));
  }
}

/** The triggers that a command is about. */
function triggersOf(wish: Wish): string[] {
  if (wish.kind === "trigger-put") return [triggerIdOf(wish.id)];
  return wish.kind === "trigger-patch" || wish.kind === "trigger-delete" ? [wish.triggerId] : [];
}

function over(outcome: EndedTrigger["outcome"], trigger: Standing | undefined): Problem {
  const last = trigger?.recent.at(-1);
  const past = last?.outcome === "skipped" ? `skipped ${last.from}: ${last.reason}` : last && `fired as ${last.id}`;
  return new Problem(410, coded("trigger_over", { how: outcome }), past === undefined ? {} : { hint: `It ${past}.` });
}

/** The order of `triggers`. */
export function bySoonest(a: TriggerSummary, b: TriggerSummary): number {
  if (a.next !== b.next) return a.next === null ? 1 : b.next === null ? -1 : compare(a.next, b.next);
  return compare(a.createdAt, b.createdAt) || compare(a.id, b.id);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
