/** `mimikit triggers add` */
import { momentText } from "@mimikit/core/schedule/trigger-words";
import { triggerIdOf } from "@mimikit/core/triggers/of-command";
import { triggerSummary } from "@mimikit/core/views/board";
import { command } from "../../arguments/command.ts";
import { readTextIfAny } from "../../arguments/text-argument.ts";
import { definitionFrom, orderOptions } from "../../arguments/trigger-options.ts";
import { t } from "../../i18n/language.ts";
import { assertTasksKnown, withState } from "../../instance/state.ts";
import { ask } from "../../instance/write-command.ts";
import { personZoneHere } from "../../io/person-zone.ts";
import { currentPlace } from "../../io/place.ts";
import { printJson, printLine } from "../../io/print.ts";
import { assertPoolOf } from "./assert-pool-of.ts";
import { laterText } from "./trigger-argument.ts";

export const add = command({
  usage: "add [words..]",
  summary: "add a trigger: a prompt, and when it runs",
  examples: [
    ["mimikit triggers add --every 2h 'run `npm test`'", "each two hours from now on"],
    ["mimikit triggers add --cron '0 0 9 * * 1-5' --title standup 'write the standup notes'", "at 9 on weekdays, here"],
    ["mimikit triggers add --at 2026-12-24T18:00:00+01:00 'remind me of the presents'", "once"],
    ["mimikit triggers add --when-file-changes 'src/**/*.ts' --cooldown 5m 'run `npm test`'", "on a condition"],
    ["mimikit triggers add --when-file-exists maintenance --stable-for 10m 'say so'", "once it has held so long"],
  ],
  takesText: true,
  options: (yargs) => orderOptions(yargs.positional("words", { type: "string", array: true, describe: "the prompt" })),
  async run(options) {
    const definition = definitionFrom(options, (await readTextIfAny(options.words)) ?? "", Date.now());
    await assertTasksKnown(definition.when);
    await assertPoolOf(definition.order.pool);
    const asked = await ask(currentPlace().home, { kind: "trigger-put", definition });
    const triggerId = triggerIdOf(asked.id);
    const next = await nextOfNew(triggerId);
    if (options.json) return printJson({ ...asked, triggerId, next });
    const fires = next === null ? "" : t(", next {moment}", { moment: momentText(Date.parse(next), personZoneHere()) });
    printLine(`${triggerId}${fires}${laterText(asked)}`);
  },
});

async function nextOfNew(triggerId: string): Promise<string | null> {
  return withState(async (state) => {
    const trigger = state.triggers.get(triggerId);
    return trigger === undefined ? null : triggerSummary(trigger).next;
  });
}
