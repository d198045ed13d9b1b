/** Says what the last days have cost, by day, role, provider and model. Reads the files itself: works with everything down. */

import { addUsage, NO_USAGE } from "@mimikit/protocol/base/usage";
import { USAGE_DAYS_MAX, type UsageRow } from "@mimikit/protocol/wire/api";
import { UsageLog } from "@mimikit/store/views/usage-log";
import { command } from "../arguments/command.ts";
import { t } from "../i18n/language.ts";
import { withState } from "../instance/state.ts";
import { Failure } from "../io/failure.ts";
import { printJson, printLine, printTable } from "../io/print.ts";

const DAYS_DEFAULT = 7;
const USD_DIGITS = 4;

export const usage = command({
  usage: "usage",
  summary: "the usage and cost of the last days",
  examples: [
    ["mimikit usage", "tokens and dollars of the last seven days, by role, provider and model"],
    ["mimikit usage --days 31 --json", "the same as GET /api/usage?days=31"],
  ],
  options: (yargs) =>
    yargs.option("days", {
      type: "number",
      default: DAYS_DEFAULT,
      describe: t("how many days, at most {max}", { max: USAGE_DAYS_MAX }),
    }),
  async run({ json, days }) {
    if (!Number.isInteger(days) || days < 1 || days > USAGE_DAYS_MAX)
      throw new Failure("usage", t("--days is a whole number from 1 to {max}", { max: USAGE_DAYS_MAX }));
    const rows = await withState(async ({ home }) => new UsageLog(home).readDays(days, Date.now()));
    if (json) printJson({ rows });
    else show(rows);
  },
});

function show(rows: readonly UsageRow[]): void {
  printTable(
    ["day", "role", "provider", "model", "runs", "input", "cached", "output", "USD"],
    rows.map(({ day, role, provider, model, runs, inputTokens, cachedTokens, outputTokens, costUsd }) => [
      day,
      role,
      provider,
      model ?? "–",
      ...[runs, inputTokens, cachedTokens, outputTokens].map(String),
      costUsd.toFixed(USD_DIGITS),
    ]),
    t("no usage recorded"),
  );
  if (rows.length === 0) return;
  const { inputTokens, outputTokens, costUsd } = rows.reduce(addUsage, NO_USAGE);
  printLine();
  printLine(
    t("total: {inputTokens} tokens in, {outputTokens} out, {costUsd} USD", {
      inputTokens,
      outputTokens,
      costUsd: costUsd.toFixed(USD_DIGITS),
    }),
  );
}
