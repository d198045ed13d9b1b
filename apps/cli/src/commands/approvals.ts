/**
 * Lists the commands that models may run without asking, and takes one back. It reads the state directory itself and leaves a
 * command, so it works with everything down (docs/autonomy.md).
 */

import { momentText } from "@mimikit/core/schedule/trigger-words";
import { withHolds } from "@mimikit/core/tasks/lasting-commands";
import { readApprovals } from "@mimikit/store/views/approvals";
import { command, commandGroup } from "../arguments/command.ts";
import { nameIn, t, told } from "../i18n/language.ts";
import { found, withState } from "../instance/state.ts";
import { ask } from "../instance/write-command.ts";
import { personZoneHere } from "../io/person-zone.ts";
import { currentPlace } from "../io/place.ts";
import { plainLine, printJson, printLine, printTable } from "../io/print.ts";

const list = command({
  usage: "list",
  summary: "the commands that run without asking, and what they may reach",
  examples: [["mimikit approvals list", "by how they begin; mimikit approvals alone is the same"]],
  async run({ json }) {
    const all = withHolds(await withState(({ fs }) => readApprovals(fs)));
    if (json) return printJson({ approvals: all });
    const timeZone = personZoneHere();
    const rows = all.map((each) => [
      each.id,
      momentText(Date.parse(each.at), timeZone),
      plainLine(`${each.prefix.join(" ")} …`),
      each.holds ? each.reaches.map((what) => nameIn(what)).join(t(", ")) : t("nothing: it asks again"),
      plainLine(each.title),
    ]);
    printTable(
      ["id", "since", "command", "may reach", "asked by"],
      rows,
      t("no command is allowed for good; the setting autonomy says which commands run without asking"),
    );
    if (all.some(({ holds }) => !holds))
      printLine(
        t(
          "a program that runs others is allowed for good no longer: its commands ask again, and its entry can be removed",
        ),
      );
  },
});

const remove = command({
  usage: "remove <id>",
  summary: "make such commands ask again",
  examples: [["mimikit approvals remove t-000042.0.a1.approve", "the beginning of an id is enough"]],
  options: (yargs) =>
    yargs.positional("id", {
      type: "string",
      demandOption: true,
      describe: "the approval: mimikit approvals lists them",
    }),
  async run({ json, id }) {
    const all = await withState(({ fs }) => readApprovals(fs));
    const { id: approvalId } = found(
      id,
      all.map(({ id: each }) => ({ id: each })),
      "approval",
    );
    const asked = await ask(currentPlace().home, { kind: "revoke", approvalId });
    if (json) printJson({ ...asked, approvalId });
    else
      printLine(
        `${approvalId}: ${plainLine(told(asked.outcome ?? "") || t("queued; it is removed when Mimikit runs"))}`,
      );
  },
});

export const approvals = commandGroup({
  name: "approvals",
  summary: "commands that run without asking: list them, remove one",
  subCommands: [list, remove],
  alone: list,
});
