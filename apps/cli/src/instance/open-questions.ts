/**
 * The questions that wait for the person at the terminal. The oldest that was not put aside is the one that the prompt
 * asks for; what was put aside is still open, and can be answered elsewhere.
 */
import type { QuestionView, ServerFrame } from "@mimikit/protocol/wire/api";

export class OpenQuestions {
  private readonly open = new Map<string, QuestionView>();
  private readonly aside = new Set<string>();

  /** Takes a frame of the gateway. @returns what is news: questions that are asked, and questions that are over. */
  hear(frame: ServerFrame): { asked: QuestionView[]; over: QuestionView[] } {
    if (frame.type === "snapshot") return this.replace(frame.questions);
    if (frame.type !== "question") return { asked: [], over: [] };
    const { isOpen, ...question } = frame.data;
    const isKnown = this.open.has(question.id);
    if (isOpen) this.open.set(question.id, question);
    else this.open.delete(question.id);
    if (isOpen) return { asked: isKnown ? [] : [question], over: [] };
    return { asked: [], over: isKnown && !this.aside.has(question.id) ? [question] : [] };
  }

  /** The one that a line answers; null where a line is a message. */
  get current(): QuestionView | null {
    return [...this.open.values()].find(({ id }) => !this.aside.has(id)) ?? null;
  }

  /** A line is no answer to it any more: it has one, or the user wants to talk of something else. */
  putAside(id: string): void {
    this.aside.add(id);
  }

  /** A line is an answer to it again. */
  takeUp(id: string): void {
    this.aside.delete(id);
  }

  private replace(questions: readonly QuestionView[]): { asked: QuestionView[]; over: QuestionView[] } {
    const asked = questions.filter(({ id }) => !this.open.has(id));
    this.open.clear();
    for (const question of questions) this.open.set(question.id, question);
    return { asked, over: [] };
  }
}
