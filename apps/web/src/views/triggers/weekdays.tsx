/** Days of the week to choose from. */
import { viewWords } from "../../i18n/view-words.ts";

interface WeekdaysProps<Day> {
  days: readonly Day[];
  chosen: readonly Day[];
  wordOf: (day: Day) => string;
  change: (chosen: Day[]) => void;
}

export function Weekdays<Day extends string | number>({ days, chosen, wordOf, change }: WeekdaysProps<Day>) {
  return (
    <fieldset class="weekdays">
      <legend>{viewWords.onDays}</legend>
      {days.map((day) => (
        <label key={day}>
          <input
            type="checkbox"
            checked={chosen.includes(day)}
            onInput={() => change(days.filter((one) => (one === day) !== chosen.includes(one)))}
          />
          {wordOf(day)}
        </label>
      ))}
    </fieldset>
  );
}
