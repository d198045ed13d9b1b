/** Seven days of firings to come, as a strip: found by simulation, nothing is run. */
import type { SimulatedFiring, Simulation, TriggerSummary } from "@mimikit/protocol/wire/api";
import { computed, useSignal } from "@preact/signals";
import { viewWords } from "../../i18n/view-words.ts";
import { dateText, numberText, timeText, weekdayText } from "../../i18n/words.ts";
import { nowMs } from "../../model/clock.ts";
import { addressOf } from "../../model/place.ts";
import { triggers } from "../../model/state.ts";
import { useAnswer } from "../../model/use-answer.ts";

const DAYS = 7;
/** A trigger that fires more often than this on one day is one line with a count. */
const MOMENTS_PER_TRIGGER_MAX = 3;
const LINES_PER_DAY_MAX = 8;

/** The data that the firings follow from; a trigger that has just fired keeps its schedule. */
const schedules = computed(() =>
  JSON.stringify(
    [...triggers.value.values()].map(({ id, title, paused, schedule, runAt }: TriggerSummary) => [
      id,
      title,
      paused,
      schedule,
      runAt,
    ]),
  ),
);

export function Calendar() {
  const weeks = useSignal(0);
  const today = new Date(nowMs.value).setHours(0, 0, 0, 0);
  const days = Array.from({ length: DAYS }, (_, i) => dayAfter(today, weeks.value * DAYS + i));
  const query = new URLSearchParams({
    from: (days[0] ?? new Date()).toISOString(),
    to: dayAfter(today, (weeks.value + 1) * DAYS).toISOString(),
  });
  const { answer, isLooking } = useAnswer<Simulation>(`api/triggers/simulate?${query}`, schedules.value);
  return (
    <section class="calendar" aria-label={viewWords.week} aria-busy={isLooking}>
      <div class="calendar-top">
        <h3>{viewWords.week}</h3>
        <button
          type="button"
          class="link"
          disabled={weeks.value === 0}
          onClick={() => {
            weeks.value--;
          }}
        >
          {viewWords.weekBefore}
        </button>
        <button
          type="button"
          class="link"
          onClick={() => {
            weeks.value++;
          }}
        >
          {viewWords.weekAfter}
        </button>
      </div>
      <ol class="week">
        {days.map((day) => (
          <Day key={day.getTime()} day={day} isToday={day.getTime() === today} firings={firingsOf(day, answer)} />
        ))}
      </ol>
      {answer !== undefined && <Remarks simulation={answer} />}
    </section>
  );
}

function Day({ day, isToday, firings }: { day: Date; isToday: boolean; firings: readonly SimulatedFiring[] }) {
  const lines = linesOf(firings);
  return (
    <li class="day" data-today={isToday}>
      <h4>
        <span>{isToday ? viewWords.thisWeek : weekdayText(day)}</span>{" "}
        <span class="day-date">{dateText(day, nowMs.value)}</span>
      </h4>
      {lines.length === 0 ? (
        <p class="quiet">{viewWords.nothingDue}</p>
      ) : (
        <ul>
          {lines.slice(0, LINES_PER_DAY_MAX).map(({ firing, count }) => (
            <li key={`${firing.triggerId} ${firing.at}`} class="firing" data-firing={firing.triggerId}>
              <a href={addressOf("triggers", firing.triggerId)} title={`${firing.title} · ${firing.local}`}>
                <time dateTime={firing.at}>{count > 1 ? viewWords.times(count) : timeText(firing.at)}</time>{" "}
                {firing.title}
              </a>
              {count === 1 && firing.collidesWith.length > 0 && (
                <span class="collides" role="img" title={viewWords.collides} aria-label={viewWords.collides}>
                  ‖
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
      {lines.length > LINES_PER_DAY_MAX && <p class="quiet">+{lines.length - LINES_PER_DAY_MAX}</p>}
    </li>
  );
}

function Remarks({ simulation: { isCut, expected, conditional } }: { simulation: Simulation }) {
  const remarks = [
    isCut && viewWords.cutShort,
    expected.tokens > 0 && viewWords.expected(numberText(Math.round(expected.tokens))),
    conditional.length > 0 && viewWords.onConditions(conditional.map(({ title }) => title).join(" · ")),
  ];
  return (
    <>
      {remarks.map(
        (remark) =>
          remark !== false && (
            <p key={remark} class="quiet">
              {remark}
            </p>
          ),
      )}
    </>
  );
}

/** Midnight so many days later; days with a change of the clock are longer or shorter. */
function dayAfter(midnightMs: number, days: number): Date {
  const date = new Date(midnightMs);
  date.setDate(date.getDate() + days);
  return date;
}

function firingsOf(day: Date, simulation: Simulation | undefined): SimulatedFiring[] {
  const [from, to] = [Math.max(day.getTime(), nowMs.value), dayAfter(day.getTime(), 1).getTime()];
  return (simulation?.firings ?? []).filter(({ at }) => Date.parse(at) >= from && Date.parse(at) < to);
}

interface Line {
  firing: SimulatedFiring;
  count: number;
}

/** One line for each moment, or one for all moments of a trigger that has very many of them. */
function linesOf(firings: readonly SimulatedFiring[]): Line[] {
  const byTrigger = Map.groupBy(firings, ({ triggerId }) => triggerId);
  return [...byTrigger.values()]
    .flatMap((own): Line[] => {
      const [first] = own;
      if (first !== undefined && own.length > MOMENTS_PER_TRIGGER_MAX) return [{ firing: first, count: own.length }];
      return own.map((firing) => ({ firing, count: 1 }));
    })
    .sort((a, b) => a.firing.at.localeCompare(b.firing.at));
}
