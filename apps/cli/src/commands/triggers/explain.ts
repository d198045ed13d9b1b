/** `mimikit triggers explain` */

import { momentText } from "@mimikit/core/schedule/trigger-words";
import { explainTrigger } from "@mimikit/core/triggers/explain";
import { systemTimeZone } from "@mimikit/runtime/clock/system-zone";
import { triggerFacts } from "@mimikit/runtime/workspace/trigger-facts";
import { WorkspaceFiles } from "@mimikit/runtime/workspace/workspace-files";
import { command } from "../../arguments/command.ts";
import { told } from "../../i18n/language.ts";
import { whenIn } from "../../i18n/words.ts";
import { connect, mayPass } from "../../instance/client.ts";
import { type State, withState } from "../../instance/state.ts";
import { personZoneHere } from "../../io/person-zone.ts";
import { plainLine, printJson, printLine, styled } from "../../io/print.ts";
import { explanationTree } from "../../terminal/explanation-tree.ts";
import { triggerArgument, triggerIn } from "./trigger-argument.ts";

export const explain = command({
  usage: "explain <trigger>",
  summary: "why a trigger fires, or why not",
  examples: [["mimikit triggers explain 3fa29c01", "with each part of its condition as it is now"]],
  options: triggerArgument,
  async run({ json, trigger: given }) {
    const { trigger, explanation } = await withState(async (state) => {
      const trigger = triggerIn(state, given);
      const files = new WorkspaceFiles({ home: state.home, workDir: await workspaceOf(state) });
      const facts = await triggerFacts(trigger, { cache: state.cache, files, timeZone: systemTimeZone() }, Date.now());
      return { trigger, explanation: explainTrigger(trigger, facts) };
    });
    if (json) {
      printJson(explanation);
      return;
    }
    printLine(`${styled("bold", plainLine(trigger.title))}  ${trigger.id}`);
    printLine(`${plainLine(whenIn(trigger, personZoneHere()))}`);
    printLine(plainLine(told(explanation.text).replace(ISO_MOMENT, localMoment)));
    if (explanation.condition === undefined) return;
    printLine();
    for (const line of explanationTree(explanation.condition)) printLine(line);
  },
});

/** That of the running instance, which may have been started elsewhere; the one here if none runs. */
async function workspaceOf({ workDir }: State): Promise<string> {
  try {
    return (await connect().status()).workDir;
  } catch (error) {
    if (mayPass(error)) return workDir;
    throw error;
  }
}

const ISO_MOMENT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** The same moment on the clock of this terminal. */
function localMoment(iso: string): string {
  return momentText(Date.parse(iso), personZoneHere());
}
