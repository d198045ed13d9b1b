/** A trigger that a reply has made: when it fires next, for as long as it stands. */
import { useSignal } from "@preact/signals";
import { cardWords } from "../../i18n/card-words.ts";
import { triggerWords } from "../../i18n/trigger-words.ts";
import { momentText } from "../../i18n/words.ts";
import { nowMs } from "../../model/clock.ts";
import { connection } from "../../model/connection.ts";
import { addressOf } from "../../model/place.ts";
import { overTriggers, status, triggers } from "../../model/state.ts";
import { pauseTrigger } from "../../model/trigger-calls.ts";
import { CodedText } from "../../ui/coded-text.tsx";
import { Clock } from "../../ui/icons.tsx";

interface ScheduleCardProps {
  id: string;
  /** As it was called when it was made. */
  title: string;
  /** The moment of the reply. */
  madeAt: string;
}

/** So long after the reply, its triggers and the count of them have come. */
const SETTLED_MS = 60_000;

export function ScheduleCard({ id, title: firstTitle, madeAt }: ScheduleCardProps) {
  const isAtWork = useSignal(false);
  const trigger = triggers.value.get(id);
  const title = trigger?.title ?? firstTitle;
  const isOver = trigger === undefined && isKnownOver(id, madeAt);
  const paused = trigger?.paused === true;
  const pause = async () => {
    isAtWork.value = true;
    try {
      await pauseTrigger(id, !paused);
    } finally {
      isAtWork.value = false;
    }
  };
  return (
    <article class="work schedule" data-schedule={id} data-over={isOver} aria-label={title}>
      <Clock />
      <p class="schedule-title">
        <span class="unseen">{cardWords.scheduled}: </span>
        {isOver ? (
          <CodedText text={title} />
        ) : (
          <a class="work-title" href={addressOf("triggers", id)}>
            <CodedText text={title} />
          </a>
        )}
      </p>
      <p class="schedule-next">
        <Next id={id} isOver={isOver} />
      </p>
      {trigger !== undefined && (
        <button
          type="button"
          class="link"
          disabled={isAtWork.value || connection.value.state !== "connected"}
          aria-label={paused ? triggerWords.resumeOf(title) : triggerWords.pauseOf(title)}
          onClick={() => void pause()}
        >
          {paused ? triggerWords.resume : triggerWords.pause}
        </button>
      )}
    </article>
  );
}

/** A snapshot has only the soonest triggers: one that is not among them is over only where it has all of them. */
function isKnownOver(id: string, madeAt: string): boolean {
  if (overTriggers.value.has(id)) return true;
  return status.value?.counts.triggers === triggers.value.size && nowMs.value - Date.parse(madeAt) > SETTLED_MS;
}

/** In the viewer's own zone, whatever the schedule's is. */
function Next({ id, isOver }: { id: string; isOver: boolean }) {
  const trigger = triggers.value.get(id);
  if (trigger === undefined) return <>{isOver && cardWords.over}</>;
  const { paused, next, type } = trigger;
  if (paused) return <>{triggerWords.paused}</>;
  if (next === null) return <>{type === "conditional" ? triggerWords.waitsForCondition : triggerWords.neverAgain}</>;
  return (
    <>
      {triggerWords.next} <time dateTime={next}>{momentText(next, nowMs.value)}</time>
    </>
  );
}
