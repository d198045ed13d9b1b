/** `mimikit triggers list` */

import { momentText } from "@mimikit/core/schedule/trigger-words";
import { triggerSummary } from "@mimikit/core/views/board";
import type { Trigger } from "@mimikit/protocol/records/trigger";
import { command } from "../../arguments/command.ts";
import { t } from "../../i18n/language.ts";
import { whenIn } from "../../i18n/words.ts";
import { type State, shortId, withState } from "../../instance/state.ts";
import { personZoneHere } from "../../io/person-zone.ts";
import { printJson, printTable } from "../../io/print.ts";

export const list = command({
  usage: "list",
  summary: "all triggers, the next to fire first",
  examples: [["mimikit triggers list", "mimikit triggers alone is the same"]],
  async run({ json }) {
    const triggers = await withState(async (state) => inOrder(state));
    if (json) {
      printJson({ triggers: triggers.map(triggerSummary) });
      return;
    }
    const timeZone = personZoneHere();
    const rows = triggers.map((trigger) => {
      const { next } = triggerSummary(trigger);
      const soon = next === null ? "–" : momentText(Date.parse(next), timeZone);
      const { id, target, title } = trigger;
      return [shortId(id), trigger.paused ? t("paused") : soon, whenIn(trigger, timeZone), target, title];
    });
    printTable(["id", "next", "when", "for", "what"], rows, t("there are no triggers"));
  },
});

/** The next to fire comes first; those without a known moment come last. */
function inOrder({ triggers }: State): Trigger[] {
  const nextOf = (trigger: Trigger) => triggerSummary(trigger).next ?? "9";
  return [...triggers.values()].sort((a, b) => {
    const [first, second] = [nextOf(a) + a.createdAt + a.id, nextOf(b) + b.createdAt + b.id];
    return first < second ? -1 : 1;
  });
}
