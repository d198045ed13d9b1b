/**
 * Self-improvement: what it did and why, and an order to look now. It reads and writes the state directory itself, so it works
 * with everything down.
 */

import { improvementId, improvementNumber } from "@mimikit/protocol/base/id";
import { visibleDocument } from "@mimikit/protocol/texts/visible";
import type { Improvement } from "@mimikit/protocol/wire/api";
import { readImprovement, readImprovements } from "@mimikit/store/views/improvements";
import { command, commandGroup } from "../arguments/command.ts";
import { nameIn, t, told } from "../i18n/language.ts";
import { momentText } from "../i18n/moments.ts";
import { withState } from "../instance/state.ts";
import { ask } from "../instance/write-command.ts";
import { Failure } from "../io/failure.ts";
import { currentPlace } from "../io/place.ts";
import { diffText, plainLine, printJson, printLine, printTable, styled } from "../io/print.ts";

const LIST_DEFAULT = 20;
const LIST_MAX = 500;

const list = command({
  usage: "list",
  summary: "the improvements, the newest first, and how each ended",
  examples: [["mimikit improve list --limit 5", "the last five; mimikit improve alone lists more"]],
  options: (yargs) =>
    yargs.option("limit", {
      type: "number",
      default: LIST_DEFAULT,
      describe: t("how many, at most {max}", { max: LIST_MAX }),
    }),
  async run({ json, limit }) {
    const limited = Math.min(LIST_MAX, Math.max(1, Math.floor(limit)));
    const improvements = await withState(({ cache }) => readImprovements(cache, limited));
    if (json) printJson({ improvements });
    else printImprovements(improvements);
  },
});

const show = command({
  usage: "show <id>",
  summary: "one improvement in full: why, diff, checks, review",
  examples: [["mimikit improve show 12", "imp-000012"]],
  options: (yargs) =>
    yargs.positional("id", { type: "string", demandOption: true, describe: "the improvement, or its number" }),
  async run({ json, id }) {
    const number = /^\d{1,15}$/.test(id) ? Number(id) : improvementNumber(id);
    const improvement = await withState(({ cache }) => readImprovement(cache, number));
    if (improvement === null)
      throw new Failure("failed", t("there is no improvement {id}:  mimikit improve  lists them", { id }));
    if (json) printJson(improvement);
    else printImprovement(improvement);
  },
});

const now = command({
  usage: "now",
  summary: "look for something to improve now, whatever the schedule",
  examples: [["mimikit improve now", "prints the id of the improvement that starts"]],
  async run({ json }) {
    const asked = await ask(currentPlace().home, { kind: "improve" });
    if (json) printJson(asked);
    else
      printLine(
        asked.outcome === null
          ? t("queued; it starts when Mimikit runs")
          : t("{outcome} starts", { outcome: asked.outcome }),
      );
  },
});

export const improve = commandGroup({
  name: "improve",
  summary: "self-improvement: changes and their reasons; start one now",
  subCommands: [list, show, now],
  alone: list,
});

function printImprovements(improvements: readonly Improvement[]): void {
  const rows = improvements.map(({ id, state, at, kind, title, error }) => [
    id,
    nameIn(state),
    momentText(at),
    kind === undefined ? "–" : nameIn(kind),
    title ?? told(error ?? ""),
  ]);
  printTable(["id", "state", "begun", "kind", "what"], rows, t("there are no improvements yet"));
}

function printImprovement(improvement: Improvement): void {
  const { number, state, at, endedAt, kind, title, why, change, reasons = [], branch, note, error } = improvement;
  printLine(styled("bold", `${improvementId(number)}  ${plainLine(title ?? "")}`));
  const until = endedAt === undefined ? "" : ` – ${momentText(endedAt)}`;
  printLine(`${nameIn(state)}${t(", ")}${momentText(at)}${until}`);
  if (branch !== undefined)
    printLine(t("branch {branch}: git diff {base} {branch}", { branch, base: change?.base ?? "HEAD" }));
  if (note !== undefined) printLine(plainLine(told(note)));
  if (error !== undefined) printLine(plainLine(told(error)));
  if (why !== undefined) section(t("why ({kind})", { kind: nameIn(kind ?? "") }), why);
  if (reasons.length > 0) section(t("review"), reasons.map((reason) => `- ${reason}`).join("\n"));
  for (const { command: line, ended, output } of change?.checks ?? [])
    section(`${plainLine(line)}: ${told(ended)}`, output);
  if (change !== undefined && change.diff !== "") {
    printLine();
    printLine(styled("bold", t("diff")));
    printLine(diffText(change.diff));
  }
  if (change?.artifact !== undefined) printLine(t("(the whole diff is in {artifact})", { artifact: change.artifact }));
}

function section(title: string, text: string): void {
  printLine();
  printLine(styled("bold", title));
  printLine(visibleDocument(text.trimEnd()));
}
