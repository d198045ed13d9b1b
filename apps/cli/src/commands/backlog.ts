/** The checkboxes of backlog.md. Reads the file itself and leaves a command for each change, so it works with everything down. */

import { BadJson } from "@mimikit/protocol/base/json";
import { BACKLOG_ITEM_CHARS_MAX } from "@mimikit/protocol/records/effect";
import type { BacklogBody, BacklogEntry } from "@mimikit/protocol/wire/api";
import { BACKLOG_PATH } from "@mimikit/store/disk/state";
import { readBacklog } from "@mimikit/store/documents/backlog";
import { type Command, command, commandGroup } from "../arguments/command.ts";
import { readText } from "../arguments/text-argument.ts";
import { t } from "../i18n/language.ts";
import { withState } from "../instance/state.ts";
import { ask } from "../instance/write-command.ts";
import { Failure } from "../io/failure.ts";
import { currentPlace } from "../io/place.ts";
import { plainLine, printJson, printLine, printTable } from "../io/print.ts";

const list = command({
  usage: "list",
  summary: "the items, with their numbers",
  examples: [["mimikit backlog list --json", "as one JSON document; mimikit backlog alone is the same as list"]],
  async run({ json }) {
    const items = await withState(({ fs }) => readBacklog(fs)).catch((error: unknown) => {
      if (error instanceof BadJson)
        throw new Failure(
          "failed",
          t("{path} cannot be read: {message}", { path: BACKLOG_PATH, message: error.message }),
        );
      throw error;
    });
    if (json) printJson({ items });
    else printTable(["", "done", "item"], items.map(rowOf), t("the backlog is empty"));
  },
});

function rowOf({ number, item, done }: BacklogEntry): string[] {
  return [String(number), done ? "x" : "", item];
}

/** A sub-command that changes one item. */
function change(op: BacklogBody["op"], texts: Pick<Command, "summary" | "examples"> & { item: string }): Command {
  const { item: describe, ...rest } = texts;
  return command({
    ...rest,
    usage: `${op} <item..>`,
    takesText: true,
    options: (yargs) => yargs.positional("item", { type: "string", array: true, demandOption: true, describe }),
    run: ({ json, item }) => edit(op, item, json),
  });
}

async function edit(op: BacklogBody["op"], words: readonly string[], json: boolean): Promise<void> {
  const item = await readText(words, `backlog ${op}`);
  if (item.length > BACKLOG_ITEM_CHARS_MAX)
    throw new Failure(
      "usage",
      t("an item has at most {max} characters, and this one has {count}", {
        max: BACKLOG_ITEM_CHARS_MAX,
        count: item.length,
      }),
    );
  const asked = await ask(currentPlace().home, { kind: "backlog-edit", op, item });
  if (json) printJson({ ...asked, item });
  else printLine(`${plainLine(item)}: ${asked.outcome ?? t("queued; it is applied when Mimikit runs")}`);
}

const ITEM = "its text, or its number in the list; - reads it from the pipe";

export const backlog = commandGroup({
  name: "backlog",
  summary: "the to-do list: list, add, tick off and remove items",
  subCommands: [
    list,
    change("add", {
      summary: "add an item",
      examples: [["mimikit backlog add write the release notes", "at the end of the list"]],
      item: "its text; - reads it from the pipe",
    }),
    change("done", {
      summary: "tick an item off",
      examples: [["mimikit backlog done 2", "the second of the list"]],
      item: ITEM,
    }),
    change("remove", {
      summary: "remove an item",
      examples: [["mimikit backlog remove write the release notes", "by its text; its number does, too"]],
      item: ITEM,
    }),
  ],
  alone: list,
});
