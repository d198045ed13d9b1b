/** The trigger that a sub-command is about, and the sentence about a change that waits. */
import type { Trigger } from "@mimikit/protocol/records/trigger";
import type { Argv } from "yargs";
import type { CommonOptions } from "../../arguments/command.ts";
import { t } from "../../i18n/language.ts";
import { found, type State } from "../../instance/state.ts";
import type { CommandAnswer } from "../../instance/write-command.ts";

export function triggerArgument(yargs: Argv<CommonOptions>) {
  return yargs.positional("trigger", {
    type: "string",
    demandOption: true,
    describe: "its title, its id or the beginning of its id",
  });
}

/** @throws Failure if there is none, or several. */
export function triggerIn({ triggers }: State, given: string): Trigger {
  return found(given, triggers.values(), "trigger");
}

export function laterText({ outcome }: CommandAnswer): string {
  return outcome === null ? t(" (queued; it is applied when Mimikit runs)") : "";
}
