/**
 * Lists the commands that models may run without asking, and takes one back. It reads the state directory itself and leaves a
 * wish, so it works with everything down (docs/autonomy.md).
 */
import { momentText } from "@mimikit/core/schedule/trigger-words";
import { readApprovals } from "@mimikit/store/views/approvals";
import { actions, command } from "../arguments/command.ts";
import { terminalZone } from "../arguments/trigger-options.ts";
import { found, withState } from "../instance/state.ts";
import { ask } from "../instance/write-wish.ts";
import { Failure } from "../io/failure.ts";
import { currentPlace } from "../io/place.ts";
import { plainLine, printJson, printLine, printTable } from "../io/print.ts";

export const approvals = command({
  usage: "approvals [action] [id]",
  summary: "list the commands that run without asking, take one back",
  examples: [
    ["mimikit approvals", "how they begin, and what they may reach"],
    ["mimikit approvals remove t-000042.0.a1.approve", "such commands ask again; the beginning of an id will do"],
  ],
  options: (yargs) =>
    yargs
      .positional("action", actions("list", "remove"))
      .positional("id", { type: "string", describe: "for remove: which" }),
  async run({ json, action, id }) {
    const all = await withState(({ fs }) => readApprovals(fs));
    if (action === "list") {
      if (json) return printJson({ approvals: all });
      const timeZone = terminalZone();
      const rows = all.map((each) => [
        each.id,
        momentText(Date.parse(each.at), timeZone),
        plainLine(`${each.prefix.join(" ")} …`),
        each.reaches.join(", "),
        plainLine(each.title),
      ]);
      return printTable(["id", "since", "command", "may reach", "asked by"], rows, "nothing is allowed for good");
    }
    if (id === undefined) throw new Failure("usage", "say which: mimikit approvals remove <id>");
    const { id: approvalId } = found(
      id,
      all.map(({ id: each }) => ({ id: each })),
      "approval",
    );
    const asked = await ask(currentPlace().home, { kind: "revoke", approvalId });
    if (json) printJson({ ...asked, approvalId });
    else printLine(`${approvalId}: ${plainLine(asked.outcome ?? "kept; it is removed when Mimikit runs")}`);
  },
});
