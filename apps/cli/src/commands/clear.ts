/** Begins a new conversation: nothing from before is told to a model again. The old one is kept, and memory stays (SPEC F3). */

import { command } from "../arguments/command.ts";
import { t } from "../i18n/language.ts";
import { handOver, printHanded } from "../instance/hand-over.ts";
import { confirm } from "../io/confirm.ts";
import { Failure } from "../io/failure.ts";

export const clear = command({
  usage: "clear",
  summary: "start a new conversation; history and memory are kept",
  examples: [
    ["mimikit clear", "asks first"],
    ["mimikit clear --yes", "for scripts"],
  ],
  options: (yargs) =>
    yargs.option("yes", { alias: "y", type: "boolean", default: false, describe: "begin without asking" }),
  async run({ json, yes }) {
    if (!yes && !(await confirm(t("Begin a new conversation?"), "mimikit clear --yes")))
      throw new Failure("failed", t("nothing was changed"));
    printHanded(await handOver({ kind: "clear" }), json);
  },
});
