/** Says which machines work for this home, and how each does. It needs no running process. */
import { describePools } from "@mimikit/runtime/pools/registry";
import { command } from "../arguments/command.ts";
import { nameIn, t } from "../i18n/language.ts";
import { withDisk } from "../instance/state.ts";
import { currentPlace } from "../io/place.ts";
import { printJson, printTable } from "../io/print.ts";

const MS_PER_SEC = 1_000;

export const pools = command({
  usage: "pools",
  summary: "the other machines that run tasks for this one, and their state",
  examples: [
    ["mimikit pools", "their labels, slots and running tasks"],
    ["mimikit pools --json", "the same as one JSON document"],
  ],
  options: (yargs) => yargs,
  async run({ json }) {
    const told = await withDisk(currentPlace().home, (fs) => describePools(fs, Date.now()));
    if (json) return printJson({ pools: told });
    printTable(
      ["name", "labels", "tasks", "state"],
      told.map(({ name, labels, slots, state, seenAt, running }) => [
        name,
        labels.join(", "),
        t("{running} of {slots}", { running: running ?? 0, slots }),
        seenAt === undefined || state === "there"
          ? nameIn(state)
          : t("{state} for {ago}", { state: nameIn(state), ago: agoText(seenAt) }),
      ]),
      t("No other machine works for this one: mimikit pool invite <name>"),
    );
  },
});

function agoText(at: string): string {
  return t("{count} s", { count: Math.round((Date.now() - Date.parse(at)) / MS_PER_SEC) });
}
