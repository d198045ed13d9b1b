/** A trigger that a reply has made: when it fires next, for as long as it stands. */
import { useSignal } from "@preact/signals";
import { nowMs } from "../clock.ts";
import { CodedText } from "../coded-text.tsx";
import { comingText } from "../coming-text.ts";
import { link } from "../connection.ts";
import { Clock } from "../icons.tsx";
import { addressOf } from "../place.ts";
import { triggers } from "../state.ts";
import { pauseTrigger } from "../trigger-calls.ts";
import { words } from "../words.ts";
import { cardWords } from "./card-words.ts";

interface ScheduleCardProps {
  id: string;
  /** As it was called when it was made. */
  title: string;
}

export function ScheduleCard({ id, title: firstTitle }: ScheduleCardProps) {
  const isAtWork = useSignal(false);
  const trigger = triggers.value.get(id);
  const title = trigger?.title ?? firstTitle;
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
    <article class="work schedule" data-schedule={id} data-over={trigger === undefined} aria-label={title}>
      <Clock />
      <p class="schedule-title">
        <span class="unseen">{cardWords.scheduled}: </span>
        {trigger === undefined ? (
          <CodedText text={title} />
        ) : (
          <a class="work-title" href={addressOf("triggers", id)}>
            <CodedText text={title} />
          </a>
        )}
      </p>
      <p class="schedule-next">
        <Next id={id} />
      </p>
      {trigger !== undefined && (
        <button
          type="button"
          class="link"
          disabled={isAtWork.value || link.value.state !== "connected"}
          aria-label={paused ? words.resumeOf(title) : words.pauseOf(title)}
          onClick={() => void pause()}
        >
          {paused ? words.resume : words.pause}
        </button>
      )}
    </article>
  );
}

/** In the viewer's own zone, whatever the schedule's is. */
function Next({ id }: { id: string }) {
  const trigger = triggers.value.get(id);
  if (trigger === undefined) return <>{cardWords.over}</>;
  const { paused, next, type } = trigger;
  if (paused) return <>{words.paused}</>;
  if (next === null) return <>{type === "conditional" ? words.waitsForCondition : words.neverAgain}</>;
  return (
    <>
      {words.next} <time dateTime={next}>{comingText(next, nowMs.value, words.language)}</time>
    </>
  );
}
