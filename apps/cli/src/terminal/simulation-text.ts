/** A simulation as people read it: a picture of all of it, then the firings day by day (SPEC D7). */
import { momentText } from "@mimikit/core/schedule/trigger-words";
import type { SimulatedFiring, Simulation } from "@mimikit/protocol/wire/api";
import { t } from "../i18n/language.ts";
import { padded, plainLine, printLine, printTable, styled, widthOf } from "../io/print.ts";
import { SLICES, timelineRow, timelineScale } from "./timeline.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Midnights and whole hours of every zone are at one of these. */
const STEP_MS = HOUR_MS / 4;
const LABEL_HOURS = [1, 2, 3, 6, 12] as const;
/** `00:00` or `11-23`, and a space. */
const LABEL_CHARS = 6;
/** Rows of the picture; what else there is, is in the list. */
const ROWS_MAX = 20;
const TITLE_WIDTH_MAX = 22;
const USD_DIGITS = 4;

export interface SimulationText {
  simulation: Simulation;
  /** The IANA zone of the reader. */
  timeZone: string;
  /** How many firings are listed. */
  limit: number;
  /** No option lists more of them. */
  isBounded?: boolean;
  /** The name of a trigger in the list. */
  shortId(id: string): string;
}

export function printSimulation({ simulation, timeZone, limit, isBounded, shortId }: SimulationText): void {
  const { from, to, firings, conditional, expected, isCut } = simulation;
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
  printLine(
    t("{firings}{more} from {from} to {to} ({timeZone})", {
      firings: styled("bold", firings.length === 1 ? t("1 firing") : t("{count} firings", { count: firings.length })),
      more: isCut ? t(" and more") : "",
      from: momentText(fromMs, timeZone),
      to: momentText(toMs, timeZone),
      timeZone,
    }),
  );
  if (firings.length > 0) {
    printLine();
    printPicture(firings, fromMs, toMs, timeZone);
    printLine();
    printList(firings.slice(0, limit), timeZone, shortId);
    const more = firings.length - limit;
    const how = isBounded === true ? "" : t(": --limit {count} lists them", { count: firings.length });
    if (more > 0) printLine(styled("dim", `… ${t("and {more} more{how}", { more, how })}`));
  }
  if (expected.tokens > 0 || expected.costUsd > 0) {
    printLine();
    printLine(t("expected in all, as far as they have run before: {cost}", { cost: costText(expected) }));
  }
  if (conditional.length > 0) {
    printLine();
    printLine(t("these wait for a condition:"));
    for (const { triggerId, title } of conditional) printLine(`  ${shortId(triggerId)}  ${plainLine(title)}`);
  }
}

function printPicture(firings: readonly SimulatedFiring[], fromMs: number, toMs: number, timeZone: string): void {
  const byTrigger = Map.groupBy(firings, ({ triggerId }) => triggerId);
  const rows = [...byTrigger.values()].slice(0, ROWS_MAX).map((own) => ({
    title: padded(plainLine(own[0]?.title ?? ""), TITLE_WIDTH_MAX).trimEnd(),
    row: timelineRow(
      own.map(({ at }) => Date.parse(at)),
      fromMs,
      toMs,
    ),
  }));
  const width = Math.max(...rows.map(({ title }) => widthOf(title)));
  printLine(styled("dim", `${" ".repeat(width)}  ${timelineScale(labelsOf(fromMs, toMs, timeZone), fromMs, toMs)}`));
  for (const { title, row } of rows) printLine(`${padded(title, width)}  ${styled("cyan", row)}`);
  if (byTrigger.size > ROWS_MAX)
    printLine(styled("dim", `… ${t("and {more} more triggers", { more: byTrigger.size - ROWS_MAX })}`));
  printLine(styled("dim", `${" ".repeat(width)}  ${t("a column is {column}", { column: columnText(toMs - fromMs) })}`));
}

/** Whole hours or, where it is more than two days, dates at their midnights: as many as there is room for. */
function labelsOf(fromMs: number, toMs: number, timeZone: string): { ms: number; text: string }[] {
  const slicesPerHour = (SLICES * HOUR_MS) / (toMs - fromMs);
  const isLong = toMs - fromMs > 2 * DAY_MS;
  const everyHours = isLong ? 24 : (LABEL_HOURS.find((hours) => hours * slicesPerHour > LABEL_CHARS) ?? 24);
  const everyDays = Math.ceil(LABEL_CHARS / (24 * slicesPerHour));
  const labels: { ms: number; text: string }[] = [];
  let days = 0;
  let before = momentText(fromMs, timeZone);
  for (let ms = Math.ceil(fromMs / STEP_MS) * STEP_MS; ms < toMs; ms += STEP_MS) {
    const text = momentText(ms, timeZone);
    const isNewDay = text.slice(0, 10) !== before.slice(0, 10);
    before = text;
    if (isLong && isNewDay && days++ % everyDays === 0) labels.push({ ms, text: text.slice(5, 10) });
    const isHour = text.endsWith(":00") && Number(text.slice(11, 13)) % everyHours === 0;
    if (!isLong && isHour) labels.push({ ms, text: text.slice(11) });
  }
  return labels;
}

function columnText(spanMs: number): string {
  const minutes = Math.round(spanMs / SLICES / 60_000);
  return minutes < 120
    ? t("{count} minutes", { count: minutes })
    : t("{count} hours", { count: Math.round(minutes / 60) });
}

function printList(firings: readonly SimulatedFiring[], timeZone: string, shortId: (id: string) => string): void {
  const days = Map.groupBy(firings, ({ at }) => momentText(Date.parse(at), timeZone).slice(0, 10));
  const rows = [...days].flatMap(([day, own]) =>
    own.map(({ triggerId, title, at, local, collidesWith, expected }, i) => [
      i === 0 ? day : "",
      momentText(Date.parse(at), timeZone).slice(11),
      shortId(triggerId),
      title,
      // Its own clock is worth a look where it is another than that of the reader.
      local.endsWith(` ${timeZone}`) ? "" : local,
      expected === null ? "" : costText(expected),
      collidesWith.length === 0
        ? ""
        : `! ${t("at once with {others}", { others: collidesWith.map(shortId).join(", ") })}`,
    ]),
  );
  const titles = ["day", "time", "id", "what", "by its own clock", "expected", "collisions"];
  const shown = titles.map((_, column) => rows.some((row) => row[column] !== ""));
  const pick = (cells: readonly string[]) => cells.filter((_, column) => shown[column]);
  printTable(pick(titles), rows.map(pick), "");
}

function costText({ tokens, costUsd }: { tokens: number; costUsd: number }): string {
  return t("{tokens} tokens, {cost} USD", { tokens: Math.round(tokens), cost: costUsd.toFixed(USD_DIGITS) });
}
