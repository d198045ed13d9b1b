/** The triggers: their future, their reasons, and how to create, change, pause, fire or delete them. */

import { AHEAD_MS_MIN } from "@mimikit/protocol/triggers/clock-ahead";
import type { Explanation, TriggerDetail, TriggerSummary } from "@mimikit/protocol/wire/api";
import { computed, signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Empty } from "../../first-run/empty.tsx";
import { conditionWords, foundWords } from "../../i18n/condition-words.ts";
import { cronWords } from "../../i18n/cron-words.ts";
import { triggerWords } from "../../i18n/trigger-words.ts";
import { viewWords } from "../../i18n/view-words.ts";
import { durationText, everyText, momentText, words } from "../../i18n/words.ts";
import { nowMs } from "../../model/clock.ts";
import { connection } from "../../model/connection.ts";
import { go, type ViewProps } from "../../model/place.ts";
import { status, triggers } from "../../model/state.ts";
import {
  beginAnew,
  deleteTrigger,
  type Insight,
  inspectTrigger,
  pauseTrigger,
  readTrigger,
  runTrigger,
} from "../../model/trigger-calls.ts";
import { CodedText } from "../../ui/coded-text.tsx";
import { lazily } from "../../ui/lazily.tsx";
import { Calendar } from "./calendar.tsx";
import "./triggers.css";

const RECENT_SHOWN_MAX = 5;

/** Most who look at triggers change none. */
const TriggerForm = lazily(async () => (await import("./trigger-form.tsx")).TriggerForm);

/** The soonest first; those that rest or wait for a condition come last. */
const inOrder = computed(() =>
  [...triggers.value.values()].sort(
    (a, b) =>
      Number(a.next === null) - Number(b.next === null) ||
      (a.next ?? "").localeCompare(b.next ?? "") ||
      a.createdAt.localeCompare(b.createdAt),
  ),
);
/** The trigger whose reasons are shown. */
const opened = signal<string | undefined>(undefined);

/** The calendar of what is to come, and every trigger that stands; `detail` is `new`, or the one that is changed. */
export function Triggers({ detail }: ViewProps) {
  const list = inOrder.value;
  const unlisted = (status.value?.counts.triggers ?? 0) - list.length;
  return (
    <div class="triggers">
      {detail !== undefined && <Form key={detail} detail={detail} />}
      {detail === undefined && list.length > 0 && (
        <button type="button" class="primary new-trigger" onClick={() => go("triggers", "new")}>
          {viewWords.newTrigger}
        </button>
      )}
      {list.length > 0 && <Calendar />}
      {detail === undefined && list.length === 0 && (
        <Empty action={viewWords.newTrigger} does={() => go("triggers", "new")}>
          <p>{triggerWords.noTriggers}</p>
          <p>{viewWords.triggersTeach}</p>
        </Empty>
      )}
      <ul>
        {list.map((trigger) => (
          <li key={trigger.id} class="trigger" data-trigger={trigger.id} data-paused={trigger.paused}>
            <TriggerRow trigger={trigger} />
          </li>
        ))}
      </ul>
      {unlisted > 0 && <p class="quiet">{triggerWords.moreTriggers(unlisted)}</p>}
    </div>
  );
}

/** The form, once it is known what it changes. */
function Form({ detail }: { detail: string }) {
  const trigger = useSignal<TriggerDetail | undefined>(undefined);
  const isNew = detail === "new";
  const close = () => go("triggers");
  useEffect(() => {
    if (isNew) return;
    void readTrigger(detail).then((found) => {
      if (found === undefined) close();
      else trigger.value = found;
    });
  }, []);
  if (!isNew && trigger.value === undefined) return <p class="quiet">{words.looking}</p>;
  return <TriggerForm trigger={trigger.value} onDone={close} />;
}

function TriggerRow({ trigger }: { trigger: TriggerSummary }) {
  const { id, title, paused } = trigger;
  const isOpen = opened.value === id;
  const isAtWork = useSignal(false);
  const hasStarted = useSignal(false);
  const isAhead = Date.parse(trigger.last ?? "") > nowMs.value + AHEAD_MS_MIN;
  const isLocked = isAtWork.value || connection.value.state !== "connected";
  const act = async (work: () => Promise<boolean>) => {
    isAtWork.value = true;
    try {
      return await work();
    } finally {
      isAtWork.value = false;
    }
  };
  const remove = () => {
    if (confirm(triggerWords.deleteQuestion(title))) void act(() => deleteTrigger(id));
  };
  return (
    <>
      <p class="trigger-title" title={trigger.prompt}>
        <CodedText text={title} />
      </p>
      <p class="trigger-when" title={patternOf(trigger)}>
        {whenText(trigger)}
      </p>
      <p class="trigger-next" role="status">
        <Next trigger={trigger} />
        {isAhead && <span class="ahead"> · {triggerWords.clockWasAhead}</span>}
        {hasStarted.value && <span class="started"> · {triggerWords.started}</span>}
      </p>
      <div class="trigger-actions">
        <button
          type="button"
          class="link"
          aria-expanded={isOpen}
          aria-label={triggerWords.whyOf(title)}
          onClick={() => {
            opened.value = isOpen ? undefined : id;
          }}
        >
          {triggerWords.why}
        </button>
        <button
          type="button"
          class="link"
          disabled={isLocked}
          aria-label={paused ? triggerWords.resumeOf(title) : triggerWords.pauseOf(title)}
          onClick={() => void act(() => pauseTrigger(id, !paused))}
        >
          {paused ? triggerWords.resume : triggerWords.pause}
        </button>
        {isAhead && (
          <button
            type="button"
            class="link"
            disabled={isLocked}
            aria-label={triggerWords.beginAnewOf(title)}
            onClick={() => void act(() => beginAnew(id))}
          >
            {triggerWords.beginAnew}
          </button>
        )}
        <button
          type="button"
          class="link"
          disabled={isLocked}
          aria-label={triggerWords.runNowOf(title)}
          onClick={async () => {
            hasStarted.value = await act(() => runTrigger(id));
          }}
        >
          {triggerWords.runNow}
        </button>
        <button type="button" class="link" aria-label={viewWords.editOf(title)} onClick={() => go("triggers", id)}>
          {viewWords.edit}
        </button>
        <button
          type="button"
          class="link"
          disabled={isLocked}
          aria-label={triggerWords.deleteOf(title)}
          onClick={remove}
        >
          {triggerWords.delete}
        </button>
      </div>
      {isOpen && <Reasons trigger={trigger} />}
    </>
  );
}

/** In the viewer's own zone, whatever the schedule's is. */
function Next({ trigger: { next, paused, type } }: { trigger: TriggerSummary }) {
  if (paused) return <>{triggerWords.paused}</>;
  if (next === null) return <>{type === "conditional" ? triggerWords.waitsForCondition : triggerWords.neverAgain}</>;
  return (
    <>
      {triggerWords.next} <time dateTime={next}>{momentText(next, nowMs.value)}</time>
    </>
  );
}

/** Why it fires or does not, when it fires next and what it did lately; asked again whenever it has changed. */
function Reasons({ trigger }: { trigger: TriggerSummary }) {
  const insight = useSignal<Insight | undefined>(undefined);
  const isLooking = useSignal(true);
  useEffect(() => {
    let isWanted = true;
    isLooking.value = true;
    void inspectTrigger(trigger.id).then((found) => {
      if (!isWanted) return;
      isLooking.value = false;
      if (found !== undefined) insight.value = found;
    });
    return () => {
      isWanted = false;
    };
  }, [trigger]);
  // Why nothing was found is said by the notice.
  if (insight.value === undefined) return isLooking.value ? <p class="quiet">{words.looking}</p> : null;
  const { detail, explanation } = insight.value;
  const { state, text, next, until: moment = next } = explanation;
  const { upcoming } = detail;
  const recent = detail.recent.slice(-RECENT_SHOWN_MAX).reverse();
  return (
    <div class="reasons">
      <p>{triggerWords.explained(state, text, moment === null ? "" : momentText(moment, nowMs.value))}</p>
      {explanation.condition !== undefined && (
        <ul class="truth">
          <Truth of={explanation.condition} />
        </ul>
      )}
      {upcoming.length > 0 && (
        <>
          <h3>{triggerWords.upcoming}</h3>
          <ol class="moments">
            {upcoming.map((at) => (
              <li key={at}>
                <time dateTime={at}>{momentText(at, nowMs.value)}</time>
              </li>
            ))}
          </ol>
        </>
      )}
      {recent.length > 0 && (
        <>
          <h3>{triggerWords.lately}</h3>
          <ol class="moments">
            {recent.map((past) => (
              <li key={past.id}>
                <Past past={past} />
              </li>
            ))}
          </ol>
        </>
      )}
    </div>
  );
}

function Past({ past }: { past: TriggerDetail["recent"][number] }) {
  if (past.outcome === "fired") {
    const state = past.state === undefined ? triggerWords.fired : words.state(past.state);
    return (
      <>
        <time dateTime={past.at}>{momentText(past.at, nowMs.value)}</time> {state}
      </>
    );
  }
  return (
    <>
      <time dateTime={past.from}>{momentText(past.from, nowMs.value)}</time>{" "}
      {triggerWords.skipped(past.count, past.reason)}
    </>
  );
}

/** A condition with its parts: a mark and a word say whether it holds. */
function Truth({ of: { type, holds, atom, text = type, at, unanswered, parts } }: { of: Explanation }) {
  const mark = holds === null ? "?" : holds ? "✓" : "✗";
  return (
    <li>
      <span class="verdict" data-holds={holds} aria-hidden="true">
        {mark}
      </span>
      <span class="unseen">{triggerWords.holds(holds)}: </span>
      {parts !== undefined && triggerWords.combination(type)}
      {parts === undefined && (atom === undefined ? text : foundWords(atom, holds, text, unanswered?.count))}
      {at !== undefined && (
        <time dateTime={at}>
          {" "}
          ({unanswered !== undefined && unanswered.count > 1 && `${momentText(unanswered.since, nowMs.value)} – `}
          {momentText(at, nowMs.value)})
        </time>
      )}
      {parts !== undefined && (
        <ul class="truth">
          {parts.map((part, i) => (
            <Truth key={i} of={part} />
          ))}
        </ul>
      )}
    </li>
  );
}

function whenText({ schedule, runAt, condition, stableSec, type }: TriggerSummary): string {
  if (schedule !== undefined)
    return "interval" in schedule
      ? everyText(schedule.interval)
      : triggerWords.cron(cronWords(schedule.cron) ?? schedule.cron, schedule.timezone);
  if (runAt !== undefined) return triggerWords.once(momentText(runAt, nowMs.value));
  const time = stableSec === undefined ? undefined : durationText(stableSec * 1_000);
  return condition === undefined ? type : viewWords.whenSo(conditionWords(condition), time);
}

/** The pattern itself, for those who want to know. */
function patternOf({ schedule }: TriggerSummary): string | undefined {
  return schedule !== undefined && "cron" in schedule ? schedule.cron : undefined;
}
