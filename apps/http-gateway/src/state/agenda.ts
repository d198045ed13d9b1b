/**
 * What will happen and what waits for the user: standing triggers and open questions, as they are once every wish that is
 * durable is granted. Who has just changed or answered something never sees it as it was.
 */

import { expectedStanding } from "@mimikit/core/triggers/expected";
import { triggerSummary } from "@mimikit/core/views/board";
import { questionView } from "@mimikit/core/views/question-view";
import type { EndedTrigger } from "@mimikit/protocol/records/archive";
import type { Question } from "@mimikit/protocol/records/question";
import type { Standing } from "@mimikit/protocol/records/trigger";
import type { QuestionView, TriggerSummary } from "@mimikit/protocol/wire/api";
import type { Mirror } from "@mimikit/store/mirror/mirror";
import { Problem } from "../http/problem.ts";

export class Agenda {
  private readonly mirror: Mirror;
  private standing: ReadonlyMap<string, Standing> = new Map();
  private open: ReadonlyMap<string, Question> = new Map();
  /** Questions that are there, and those of before that an answer on its way is about: it may outlast its question by a look. */
  asked: ReadonlyMap<string, Question> = new Map();
  /** A version never changes, and neither does its line. */
  private readonly lines = new WeakMap<Standing, TriggerSummary>();

  constructor(mirror: Mirror) {
    this.mirror = mirror;
  }

  /**
   * Call after the mirror has looked. What closes a question is in archive/ before anything of it is dropped: looked for
   * there afterwards, a closed one is never seen open again. A trigger that is over says so in its newest version.
   */
  async refresh(nowMs: number): Promise<void> {
    const { inbox, questions, ledger, standing } = this.mirror;
    for (const id of questions.keys()) await ledger.confirm(id);
    const wishes = [...inbox.values()];
    const isArchived = (id: string) => ledger.has(id);
    this.standing = expectedStanding({ standing, wishes, isArchived }, nowMs);
    const answered = new Set(wishes.flatMap((wish) => (wish.kind === "answer" ? [wish.questionId] : [])));
    this.asked = new Map([...[...this.asked].filter(([id]) => answered.has(id)), ...questions]);
    this.open = new Map([...questions].filter(([id]) => !answered.has(id) && !isArchived(id)));
  }

  /** The soonest first; those that wait for a condition or rest come last, in the order in which they were made. */
  get triggers(): TriggerSummary[] {
    return [...this.standing.values()].map((trigger) => this.lineOf(trigger)).sort(bySoonest);
  }

  /** Every trigger that stands. */
  get versions(): readonly Standing[] {
    return [...this.standing.values()];
  }

  /** The oldest first. */
  get questions(): QuestionView[] {
    return [...this.open.values()].map(questionView).sort((a, b) => compare(a.at, b.at) || compare(a.id, b.id));
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
    throw new Problem(404, "there is no trigger with this id");
  }

  /** A question that is open. @throws Problem 404 for an unknown one, 410 for one that is closed. */
  async questionOf(id: string): Promise<Question> {
    const { inbox, ledger, questions } = this.mirror;
    const hint = "What you want to say about it can be sent as a message.";
    const record = (await ledger.confirm(id)) ? await ledger.read(id) : null;
    if (record !== null && "kind" in record && record.kind === "question")
      throw new Problem(410, `this question is closed (${record.outcome})`, { hint });
    const question = this.open.get(id);
    if (question !== undefined) return question;
    const isAnswered = [...inbox.values()].some((wish) => wish.kind === "answer" && wish.questionId === id);
    if (isAnswered && questions.has(id)) throw new Problem(410, "this question is closed (answered)", { hint });
    throw new Problem(404, "there is no question with this id");
  }

  private lineOf(trigger: Standing): TriggerSummary {
    const line = this.lines.get(trigger) ?? triggerSummary(trigger);
    this.lines.set(trigger, line);
    return line;
  }
}

function over(outcome: EndedTrigger["outcome"], trigger: Standing | undefined): Problem {
  const last = trigger?.recent.at(-1);
  const past = last?.outcome === "skipped" ? `skipped ${last.from}: ${last.reason}` : last && `fired as ${last.id}`;
  return new Problem(410, `this trigger is over (${outcome})`, past === undefined ? {} : { hint: `It ${past}.` });
}

function bySoonest(a: TriggerSummary, b: TriggerSummary): number {
  if (a.next !== b.next) return a.next === null ? 1 : b.next === null ? -1 : compare(a.next, b.next);
  return compare(a.createdAt, b.createdAt) || compare(a.id, b.id);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
