/** The cost of the models, day by day, and the budgets. */
import type { UsageRow } from "@mimikit/protocol/wire/api";
import { useSignal } from "@preact/signals";
import { Empty } from "../first-run/empty.tsx";
import { Budgets } from "../frame/overview.tsx";
import { providerTitle } from "../i18n/answerer-of.ts";
import { firstWords } from "../i18n/first-words.ts";
import { TARGETS, viewWords } from "../i18n/view-words.ts";
import { costText, dateText, numberText, titleOf, words } from "../i18n/words.ts";
import { nowMs } from "../model/clock.ts";
import { addressOf } from "../model/place.ts";
import { status } from "../model/state.ts";
import { useAnswer } from "../model/use-answer.ts";
import { BarChart } from "../ui/bar-chart.tsx";
import { Choice } from "../ui/choice.tsx";
import "./usage.css";

const SPANS_DAYS = [7, 30, 90] as const;
const DAY_MS = 86_400_000;

type Measure = "tokens" | "cost";

export function Usage() {
  const days = useSignal<number>(SPANS_DAYS[1]);
  const chosen = useSignal<Measure>("tokens");
  // The cost of a turn is known when it is over, and then the total of the day is another.
  const today = status.value?.usage.today;
  const version = `${today?.inputTokens} ${today?.outputTokens}`;
  const { answer, isLooking } = useAnswer<{ rows: UsageRow[] }>(`api/usage?days=${days.value}`, version);
  const rows = answer?.rows.filter((row) => amountOf(row, "tokens") > 0 || row.costUsd > 0) ?? [];
  const hasCost = rows.some(({ costUsd }) => costUsd > 0);
  const measure = hasCost ? chosen.value : "tokens";
  return (
    <div class="usage" aria-busy={isLooking}>
      <Budgets />
      {status.value?.usage.budget.day === null && status.value.usage.budget.month === null && (
        <p class="quiet">{viewWords.noBudget}</p>
      )}
      <div class="usage-top">
        <Choice
          name={viewWords.daysShown}
          options={SPANS_DAYS.map((span) => ({ value: span, text: viewWords.lastDays(span) }))}
          chosen={days.value}
          onChoose={(span) => {
            days.value = span;
          }}
        />
        {hasCost && (
          <Choice<Measure>
            name={viewWords.cost}
            options={[
              { value: "tokens", text: viewWords.measureTokens },
              { value: "cost", text: viewWords.measureCost },
            ]}
            chosen={measure}
            onChoose={(one) => {
              chosen.value = one;
            }}
          />
        )}
      </div>
      {answer === undefined && isLooking && <p class="quiet">{words.looking}</p>}
      {answer !== undefined && rows.length === 0 && (
        <Empty action={firstWords.setBudget} does={addressOf("settings", "budget")}>
          <p>{viewWords.usageTeach}</p>
        </Empty>
      )}
      {rows.length > 0 && (
        <>
          <BarChart
            title={measure === "tokens" ? viewWords.tokensByDay : viewWords.costByDay}
            bars={barsOf(rows, days.value, measure)}
            textOf={measure === "tokens" ? numberText : costText}
          />
          <Totals rows={rows} />
        </>
      )}
    </div>
  );
}

/** One bar for each day up to today, also for those on which nothing was spent. */
function barsOf(rows: readonly UsageRow[], days: number, measure: Measure) {
  const byDay = Map.groupBy(rows, ({ day }) => day);
  // The server's calendar names the days; the last of them is never later than the newest row.
  const lastMs = Math.max(dayMs(new Date(nowMs.peek())), ...rows.map(({ day }) => Date.parse(day)));
  return Array.from({ length: days }, (_, i) => {
    const day = new Date(lastMs - (days - 1 - i) * DAY_MS).toISOString().slice(0, 10);
    const own = byDay.get(day) ?? [];
    const partOf = (role: string) =>
      own.reduce((sum, row) => (row.role === role ? sum + amountOf(row, measure) : sum), 0);
    return {
      name: day,
      text: dateText(day, nowMs.peek()),
      parts: TARGETS.map((role) => ({
        key: role,
        name: titleOf(role),
        amount: partOf(role),
      })),
    };
  });
}

/** The calendar day of a moment where the reader is, as midnight UTC. */
function dayMs(date: Date): number {
  return Date.UTC(date.getFullYear(), date.getMonth(), date.getDate());
}

function amountOf({ inputTokens, outputTokens, costUsd }: UsageRow, measure: Measure): number {
  return measure === "tokens" ? inputTokens + outputTokens : costUsd;
}

/** The sums of the whole span, by who has answered for what. */
function Totals({ rows }: { rows: readonly UsageRow[] }) {
  const groups = Map.groupBy(rows, ({ role, provider, model }) => [role, provider, model ?? ""].join("\n"));
  const hasCost = rows.some(({ costUsd }) => costUsd > 0);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region needs focus to be scrolled by keyboard
    <section class="table-scroll" tabIndex={0} aria-label={viewWords.byRole}>
      <table class="totals">
        <thead>
          <tr>
            <th scope="col">{viewWords.role}</th>
            <th scope="col">{viewWords.provider}</th>
            <th scope="col">{viewWords.model}</th>
            <th scope="col">{viewWords.runs}</th>
            <th scope="col">{viewWords.tokensIn}</th>
            <th scope="col">{viewWords.tokensCached}</th>
            <th scope="col">{viewWords.tokensOut}</th>
            {hasCost && <th scope="col">{viewWords.cost}</th>}
          </tr>
        </thead>
        <tbody>
          {[...groups].map(([key, own]) => (
            <tr key={key}>
              <Names row={own[0]} />
              <Amounts rows={own} hasCost={hasCost} />
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" colSpan={3}>
              {viewWords.total}
            </th>
            <Amounts rows={rows} hasCost={hasCost} />
          </tr>
        </tfoot>
      </table>
    </section>
  );
}

function Names({ row }: { row: UsageRow | undefined }) {
  if (row === undefined) return null;
  return (
    <>
      <td>{titleOf(row.role)}</td>
      <td>{providerTitle(row.provider)}</td>
      <td>{row.model}</td>
    </>
  );
}

function Amounts({ rows, hasCost }: { rows: readonly UsageRow[]; hasCost: boolean }) {
  const sum = (of: (row: UsageRow) => number) => rows.reduce((total, row) => total + of(row), 0);
  return (
    <>
      <td>{numberText(sum(({ runs }) => runs))}</td>
      <td>{numberText(sum(({ inputTokens }) => inputTokens))}</td>
      <td>{numberText(sum(({ cachedTokens }) => cachedTokens))}</td>
      <td>{numberText(sum(({ outputTokens }) => outputTokens))}</td>
      {hasCost && <td>{costText(sum(({ costUsd }) => costUsd))}</td>}
    </>
  );
}
