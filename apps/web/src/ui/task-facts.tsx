/** Facts about a task in a word: its state, its duration, its progress; and how to end it. */

import type { TaskState, TaskSummary } from "@mimikit/protocol/wire/api";
import { cardWords } from "../i18n/card-words.ts";
import { costText, durationText, momentText, words } from "../i18n/words.ts";
import { nowMs } from "../model/clock.ts";
import { connection } from "../model/connection.ts";
import { cancelling, tasks } from "../model/state.ts";
import { elapsedMs, isOpen, membersOf, overallState, type TaskNode } from "../model/task-tree.ts";
import { cancellationOf, cancelSoon, takeBack } from "./cancel-soon.ts";
import { Cross } from "./icons.tsx";

export function StateLabel({ state }: { state: TaskState }) {
  return (
    <span class="state" data-state={state}>
      {words.state(state)}
    </span>
  );
}

/** How long it has taken so far, or took; nothing before it has begun. */
export function Elapsed({ node }: { node: TaskNode }) {
  const state = overallState(node);
  if (state === "waiting" || state === "queued") return null;
  return <span class="elapsed">{durationText(elapsedMs(node, isOpen(state) ? nowMs.value : 0))}</span>;
}

/** A rate limit that a task waits for, or tasks by title; empty if there is nothing, or nothing that the page knows. */
export function waitsText({ state, after = [], limitedUntil }: TaskSummary): string {
  if (state === "queued" && limitedUntil !== undefined && Date.parse(limitedUntil) > nowMs.value)
    return words.limitedUntil(momentText(limitedUntil, nowMs.value));
  const before = state === "waiting" ? after.flatMap((id) => tasks.value.get(id) ?? []) : [];
  return before.length === 0 ? "" : words.after(before.map(({ title }) => title));
}

/** The cost of several tasks together: `1,234 tokens · $0.02`; empty if it is nothing, or unknown. */
export function spentText(work: readonly Pick<TaskSummary, "usage">[]): string {
  const usages = work.flatMap(({ usage }) => usage ?? []);
  const tokens = usages.reduce((sum, { inputTokens, outputTokens }) => sum + inputTokens + outputTokens, 0);
  const costUsd = usages.reduce((sum, usage) => sum + usage.costUsd, 0);
  return [tokens > 0 && words.tokens(tokens), costUsd > 0 && costText(costUsd)].filter(Boolean).join(" · ");
}

/** How many members of a plan are done. */
export function MemberCount({ node }: { node: TaskNode }) {
  const members = node.children.flatMap(membersOf);
  if (members.length === 0) return null;
  const done = members.filter((task) => task.state === "done").length;
  return <span class="member-count">{words.membersDone(done, members.length)}</span>;
}

interface CancelButtonProps {
  id: string;
  title: string;
  /** Says what it does in a word, not by a cross. */
  isWord?: boolean;
}

/** Cancels a task, and takes that back as long as it can be: the same button, so that it keeps the focus. */
export function CancelButton({ id, title, isWord = false }: CancelButtonProps) {
  const soon = cancellationOf(id);
  if (cancelling.value.has(id)) return <span class="elapsed">{words.cancelling}</span>;
  return (
    <button
      type="button"
      class={isWord || soon !== undefined ? "link" : "plain small"}
      aria-label={soon === undefined ? words.cancelTask(title) : words.undoCancelOf(title)}
      title={soon === undefined ? words.cancel : undefined}
      disabled={connection.value.state !== "connected"}
      onClick={() => (soon === undefined ? cancelSoon([id], title) : takeBack(soon))}
    >
      {soon !== undefined ? words.undoCancel : isWord ? words.cancel : <Cross />}
    </button>
  );
}

/** Why a task failed: in the words of the page, then its error as the program or the model told it. */
export function Failure({ task: { failureReason = "error", error } }: { task: TaskSummary }) {
  // A newer gateway may know more reasons.
  const reason = (cardWords.failed as Record<string, string>)[failureReason] ?? failureReason;
  return <p class="task-error">{error === undefined ? reason : cardWords.because(reason, error)}</p>;
}
