/**
 * Self-improvement: what it did and why, and an order to look now. It reads and writes the state directory itself, so it works
 * with everything down.
 */

import { improvementId, improvementNumber } from "@mimikit/protocol/base/id";
import type { Improvement } from "@mimikit/protocol/wire/api";
import { readImprovement, readImprovements } from "@mimikit/store/views/improvements";
import { actions, command } from "../arguments/command.ts";
import { withState } from "../instance/state.ts";
import { ask } from "../instance/write-wish.ts";
import { Failure } from "../io/failure.ts";
import { currentPlace } from "../io/place.ts";
import { plainLine, plainText, printJson, printLine, printTable, styled } from "../io/print.ts";

const LIST_DEFAULT = 20;
const LIST_MAX = 500;

export const improve = command({
  usage: "improve [action] [id]",
  summary: "self-improvement: what it did and why, and look now",
  examples: [
    ["mimikit improve", "the newest first, with what came of each"],
    ["mimikit improve show 12", "everything about imp-000012: why, diff, checks, reasons"],
    ["mimikit improve now", "look for something to improve now, whatever the clock says"],
  ],
  options: (yargs) =>
    yargs
      .positional("action", actions("list", "show", "now"))
      .positional("id", { type: "string", describe: "show: the improvement, or its number" })
      .option("limit", { type: "number", default: LIST_DEFAULT, describe: `list: how many, at most ${LIST_MAX}` }),
  async run({ json, action, id, limit }) {
    if (action === "now") {
      const asked = await ask(currentPlace().home, { kind: "improve" });
      if (json) printJson(asked);
      else printLine(asked.outcome === null ? "kept; it is taken up when Mimikit runs" : `${asked.outcome} begins`);
      return;
    }
    if (action === "list") {
      const limited = Math.min(LIST_MAX, Math.max(1, Math.floor(limit)));
      const improvements = await withState(({ mirror }) => readImprovements(mirror, limited));
      if (json) printJson({ improvements });
      else list(improvements);
      return;
    }
    if (id === undefined) throw new Failure("usage", "say which: mimikit improve show <id>");
    const number = /^\d{1,15}$/.test(id) ? Number(id) : improvementNumber(id);
    const improvement = await withState(({ mirror }) => readImprovement(mirror, number));
    if (improvement === null) throw new Failure("failed", `there is no improvement ${id}`);
    if (json) printJson(improvement);
    else show(improvement);
  },
});

function list(improvements: readonly Improvement[]): void {
  const rows = improvements.map(({ id, state, at, kind, title, error }) => [
    id,
    state,
    new Date(at).toLocaleString(),
    kind ?? "–",
    title ?? error ?? "",
  ]);
  printTable(["id", "state", "begun", "kind", "what"], rows, "nothing was improved yet");
}

function show(improvement: Improvement): void {
  const { number, state, at, endedAt, kind, title, why, change, reasons = [], branch, note, error } = improvement;
  printLine(styled("bold", `${improvementId(number)}  ${plainLine(title ?? "")}`));
  const until = endedAt === undefined ? "" : ` – ${new Date(endedAt).toLocaleString()}`;
  printLine(`${state}, ${new Date(at).toLocaleString()}${until}`);
  if (branch !== undefined) printLine(`branch ${branch}: git diff ${change?.base ?? "HEAD"} ${branch}`);
  if (note !== undefined) printLine(plainLine(note));
  if (error !== undefined) printLine(plainLine(error));
  if (why !== undefined) section(`why (${kind})`, why);
  if (reasons.length > 0) section("review", reasons.map((reason) => `- ${reason}`).join("\n"));
  for (const { command: line, ended, output } of change?.checks ?? []) section(`${plainLine(line)}: ${ended}`, output);
  if (change !== undefined && change.diff !== "") section("diff", change.diff);
  if (change?.artifact !== undefined) printLine(`(the whole diff is in ${change.artifact})`);
}

function section(title: string, text: string): void {
  printLine();
  printLine(styled("bold", title));
  printLine(plainText(text.trimEnd()));
}
