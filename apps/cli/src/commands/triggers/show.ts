/** `mimikit triggers show` */
import { durationText, momentText, whenText } from "@mimikit/core/schedule/trigger-words";
import { triggerSummary } from "@mimikit/core/views/board";
import type { Past, Standing } from "@mimikit/protocol/records/trigger";
import { command } from "../../arguments/command.ts";
import { terminalZone } from "../../arguments/trigger-options.ts";
import { withState } from "../../instance/state.ts";
import { plainLine, plainText, printJson, printLine, printTable, styled } from "../../io/print.ts";
import { triggerArgument, triggerIn } from "./trigger-argument.ts";

export const show = command({
  usage: "show <trigger>",
  summary: "one trigger in full, with its last firings",
  examples: [["mimikit triggers show standup", "by its title"]],
  options: triggerArgument,
  async run({ json, trigger: given }) {
    const trigger = await withState(async (state) => triggerIn(state, given));
    const summary = triggerSummary(trigger);
    if (json) {
      printJson({
        ...summary,
        prompt: trigger.prompt,
        onInterrupt: trigger.onInterrupt,
        timeoutSec: trigger.timeoutSec,
      });
      return;
    }
    const timeZone = terminalZone();
    const { id, title, prompt, target, pool, priority, budget, recent, paused, createdAt } = trigger;
    printLine(styled("bold", `${plainLine(title)}  ${id}`));
    const next = summary.next === null ? "" : `, next ${momentText(Date.parse(summary.next), timeZone)}`;
    printLine(`${plainLine(whenText(trigger, timeZone))}${paused ? ", paused" : next}`);
    const where = pool === undefined ? "" : ` on ${pool}`;
    printLine(`for the ${target}${where}, priority ${priority}, made ${momentText(Date.parse(createdAt), timeZone)}`);
    if (trigger.type !== "conditional") printLine(`missed: ${trigger.missed}`);
    else if (trigger.cooldownSec > 0) printLine(`rests ${durationText(trigger.cooldownSec)} after each firing`);
    if (budget !== undefined) printLine(`budget a day: ${budgetText(budget)}`);
    printLine();
    printLine(plainText(prompt));
    if (recent.length === 0) return;
    printLine();
    printTable(
      ["when", "what happened", "id"],
      recent.toReversed().map((past) => pastRow(past, timeZone)),
      "",
    );
  },
});

function budgetText({ tokens, costUsd }: NonNullable<Standing["budget"]>): string {
  const parts = [tokens === undefined ? [] : [`${tokens} tokens`], costUsd === undefined ? [] : [`${costUsd} USD`]];
  return parts.flat().join(", ");
}

function pastRow(past: Past, timeZone: string): string[] {
  if (past.outcome === "fired") return [momentText(Date.parse(past.at), timeZone), "fired", past.id];
  const [from, to] = [past.from, past.to].map((at) => momentText(Date.parse(at), timeZone));
  const count = past.count === null ? "many" : String(past.count);
  return [from === to ? `${from}` : `${from} – ${to}`, `skipped ${count}: ${past.reason}`, past.id];
}
