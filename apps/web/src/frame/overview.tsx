/** The models, today's cost and the budgets: all that is behind one word in the top line. */

import type { Role } from "@mimikit/protocol/base/kind";
import type { BudgetState, Status } from "@mimikit/protocol/wire/api";
import { answererOf, providerTitle } from "../i18n/answerer-of.ts";
import { overviewWords } from "../i18n/overview-words.ts";
import { viewTitle } from "../i18n/view-names.ts";
import { costText, momentText, numberText, pauseText, titleOf, words } from "../i18n/words.ts";
import { nowMs } from "../model/clock.ts";
import { addressOf } from "../model/place.ts";
import { status } from "../model/state.ts";

/** The sheet behind the word in the top line. */
export function Overview({ close }: { close: () => void }) {
  const now = status.value;
  if (now === undefined) return null;
  return (
    <>
      <Answerers status={now} />
      <Today status={now} />
      <Budgets />
      <p class="overview-more">
        <a href={addressOf("settings", "connect")} onClick={close}>
          {overviewWords.connectModel}
        </a>
        {(["usage", "settings"] as const).map((view) => (
          <a key={view} href={addressOf(view)} onClick={close}>
            {viewTitle(view)}
          </a>
        ))}
      </p>
    </>
  );
}

export function Answerers({ status }: { status: Status }) {
  const { providers, models, passedOver } = status;
  return (
    <>
      <h2>{words.whoAnswers}</h2>
      <table>
        <tbody>
          {(Object.entries(providers) as [Role, string][]).map(([role, name]) => (
            <tr key={role}>
              <th scope="row">{titleOf(role)}</th>
              <td>
                {answererOf(status, role)}
                {models[role] !== null && <span class="quiet"> {providerTitle(name)}</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {providers.teller === "offline" && <p class="quiet">{overviewWords.offlineEngine}</p>}
      {passedOver.length > 0 && (
        <>
          <h3>{overviewWords.passedOver}</h3>
          <ul class="quiet">
            {passedOver.map((one) => (
              <li key={one}>{one}</li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function Today({ status: { usage, tools } }: { status: Status }) {
  const { inputTokens, outputTokens, costUsd } = usage.today;
  const called = Object.entries(tools);
  return (
    <>
      <h2>{words.today}</h2>
      <p class="spent">
        <span>{overviewWords.tokensInOut(numberText(inputTokens), numberText(outputTokens))}</span>
        {/* Without a price the cost is not known, which is not the same as nothing. */}
        {costUsd > 0 && <span>{costText(costUsd)}</span>}
      </p>
      {called.length > 0 && (
        <table class="tools">
          <thead>
            <tr>
              <th scope="col">{overviewWords.tool}</th>
              <th scope="col">{overviewWords.calls}</th>
              <th scope="col">{overviewWords.failedCalls}</th>
              <th scope="col">{overviewWords.meanTime}</th>
            </tr>
          </thead>
          <tbody>
            {called.map(([tool, { calls, failed, meanMs }]) => (
              <tr key={tool}>
                <th scope="row">
                  <code>{tool}</code>
                </th>
                <td>{numberText(calls)}</td>
                <td data-failed={failed > 0}>{numberText(failed)}</td>
                <td>{pauseText(meanMs)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

/** The budgets, if the settings have some. */
export function Budgets() {
  const budget = status.value?.usage.budget;
  if (budget === undefined) return null;
  return (
    <>
      <Budget title={overviewWords.budgetOfDay} budget={budget.day} />
      <Budget title={overviewWords.budgetOfMonth} budget={budget.month} />
    </>
  );
}

function Budget({ title, budget }: { title: string; budget: BudgetState | null }) {
  if (budget === null) return null;
  const { limit, spent, reserved, isReached, resumesAt } = budget;
  const lines = [
    limit.tokens !== undefined && overviewWords.tokensOf(numberText(spent.tokens), numberText(limit.tokens)),
    limit.costUsd !== undefined && overviewWords.costOf(costText(spent.costUsd), costText(limit.costUsd)),
    reserved.tokens > 0 && overviewWords.reserved(numberText(reserved.tokens)),
  ];
  return (
    <div class="budget" data-reached={isReached}>
      <h2>{title}</h2>
      <Meter share={shareOf(budget)} title={title} />
      <p class="spent">{lines.map((line) => line !== false && <span key={line}>{line}</span>)}</p>
      {isReached && <p class="reached">{overviewWords.budgetReached(momentText(resumesAt, nowMs.value))}</p>}
    </div>
  );
}

/** How much of the narrower limit is spent, from 0 to 1. */
function shareOf({ limit, spent }: BudgetState): number {
  const tokens = limit.tokens === undefined ? 0 : spent.tokens / limit.tokens;
  const cost = limit.costUsd === undefined ? 0 : spent.costUsd / limit.costUsd;
  return Math.min(1, Math.max(tokens, cost));
}

function Meter({ share, title }: { share: number; title: string }) {
  return <meter min={0} max={1} high={0.8} optimum={0} value={share} aria-label={title} />;
}
