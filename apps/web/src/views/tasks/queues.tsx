/** The queues of the roles: how much waits and runs in each, and whether what waits may begin. */
import { PAUSABLE, type Pausable } from "@mimikit/protocol/base/kind";
import type { Status, TaskSummary } from "@mimikit/protocol/wire/api";
import { useState } from "preact/hooks";
import { triggerWords } from "../../i18n/trigger-words.ts";
import { viewWords } from "../../i18n/view-words.ts";
import { titleOf } from "../../i18n/words.ts";
import { call } from "../../model/call.ts";
import { connection } from "../../model/connection.ts";
import { status } from "../../model/state.ts";

export function Queues() {
  const now = status.value;
  if (now === undefined) return null;
  return (
    <section class="queues" aria-label={viewWords.queues}>
      {PAUSABLE.filter((role) => isWorthShowing(role, now)).map((role) => (
        <Queue key={role} role={role} now={now} />
      ))}
    </section>
  );
}

/** A queue that is always empty need not be paused: the Reviewer's, without self-improvement. */
function isWorthShowing(role: Pausable, { paused = [], counts }: Status): boolean {
  return role !== "reviewer" || paused.includes(role) || counts.queued[role] + counts.running[role] > 0;
}

function Queue({ role, now: { paused = [], counts } }: { role: Pausable; now: Status }) {
  const [isAsking, setAsking] = useState(false);
  const isPaused = paused.includes(role);
  const ask = async () => {
    setAsking(true);
    const answer = await call<Pick<Status, "paused">>(
      "POST",
      `api/queues/${role}/${isPaused ? "resume" : "pause"}`,
      {},
    );
    setAsking(false);
    if (answer !== undefined && status.value !== undefined) status.value = { ...status.value, paused: answer.paused };
  };
  return (
    <p data-queue={role} data-paused={isPaused}>
      <strong>{titleOf(role)}</strong>{" "}
      <span class="quiet">{viewWords.queueCounts(counts.queued[role], counts.running[role])}</span>{" "}
      {isPaused && <span class="state">{triggerWords.paused}</span>}{" "}
      <button
        type="button"
        class="link"
        disabled={isAsking || connection.value.state !== "connected"}
        aria-label={isPaused ? viewWords.resumeQueue(titleOf(role)) : viewWords.pauseQueue(titleOf(role))}
        onClick={() => void ask()}
      >
        {isPaused ? triggerWords.resume : triggerWords.pause}
      </button>
    </p>
  );
}

/** Why a task waits, where its queue is paused. */
export function HeldBack({ task: { role, state } }: { task: TaskSummary }) {
  const isHeld = state === "queued" && status.value?.paused?.some((each) => each === role) === true;
  return isHeld ? <span class="quiet">{viewWords.heldBack(titleOf(role))}</span> : null;
}
