/** `mimikit triggers show` */

import { momentText } from "@mimikit/core/schedule/trigger-words";
import { triggerSummary } from "@mimikit/core/views/board";
import type { PastOccurrence, Trigger } from "@mimikit/protocol/records/trigger";
import { command } from "../../arguments/command.ts";
import { nameIn, t, told } from "../../i18n/language.ts";
import { durationIn, whenIn } from "../../i18n/words.ts";
import { withState } from "../../instance/state.ts";
import { personZoneHere } from "../../io/person-zone.ts";
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
    const timeZone = personZoneHere();
    const { id, title, prompt, target, pool, priority, budget, recent, paused, createdAt } = trigger;
    printLine(styled("bold", `${plainLine(title)}  ${id}`));
    const next =
      summary.next === null ? "" : t(", next {moment}", { moment: momentText(Date.parse(summary.next), timeZone) });
    printLine(`${plainLine(whenIn(trigger, timeZone))}${paused ? t(", paused") : next}`);
    const where = pool === undefined ? "" : t(" on {pool}", { pool });
    printLine(
      t("for the {target}{where}, priority {priority}, made {moment}", {
        target,
        where,
        priority,
        moment: momentText(Date.parse(createdAt), timeZone),
      }),
    );
    if (trigger.type !== "conditional") printLine(t("missed: {missed}", { missed: nameIn(trigger.missed) }));
    else if (trigger.cooldownSec > 0)
      printLine(t("at least {duration} between firings", { duration: durationIn(trigger.cooldownSec) }));
    if (budget !== undefined) printLine(t("budget a day: {budget}", { budget: budgetText(budget) }));
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

function budgetText({ tokens, costUsd }: NonNullable<Trigger["budget"]>): string {
  const parts = [
    tokens === undefined ? [] : [t("{count} tokens", { count: tokens })],
    costUsd === undefined ? [] : [t("{cost} USD", { cost: costUsd })],
  ];
  return parts.flat().join(t(", "));
}

function pastRow(past: PastOccurrence, timeZone: string): string[] {
  if (past.outcome === "fired") return [momentText(Date.parse(past.at), timeZone), t("fired"), past.id];
  const [from, to] = [past.from, past.to].map((at) => momentText(Date.parse(at), timeZone));
  const count = past.count === null ? t("many") : String(past.count);
  return [
    from === to ? `${from}` : `${from} – ${to}`,
    t("skipped {count}: {reason}", { count, reason: told(past.reason) }),
    past.id,
  ];
}
