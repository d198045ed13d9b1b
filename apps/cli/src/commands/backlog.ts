/** The checkboxes of backlog.md. Reads the file itself and leaves a wish for each change, so it works with everything down. */

import { BadJson } from "@mimikit/protocol/base/json";
import { BACKLOG_ITEM_CHARS_MAX } from "@mimikit/protocol/records/effect";
import type { BacklogBody, BacklogEntry } from "@mimikit/protocol/wire/api";
import { BACKLOG_PATH } from "@mimikit/store/disk/state";
import { readBacklog } from "@mimikit/store/documents/backlog";
import { actions, command } from "../arguments/command.ts";
import { readText } from "../arguments/text-argument.ts";
import { withState } from "../instance/state.ts";
import { ask } from "../instance/write-wish.ts";
import { Failure } from "../io/failure.ts";
import { currentPlace } from "../io/place.ts";
import { plainLine, printJson, printLine, printTable } from "../io/print.ts";

export const backlog = command({
  usage: "backlog [action] [item..]",
  summary: "what is to be done some day",
  examples: [
    ["mimikit backlog", "the items with their numbers"],
    ["mimikit backlog add write the release notes", "one more"],
    ["mimikit backlog done 2", "ticks off the second"],
    ["mimikit backlog remove write the release notes", "takes an item out, by its text or its number"],
  ],
  options: (yargs) =>
    yargs.positional("action", actions("list", "add", "done", "remove")).positional("item", {
      type: "string",
      array: true,
      describe: "the item; done and remove: its text, or its number in the list; - reads it from the pipe",
    }),
  async run({ json, action, item: words }) {
    if (action === "list") await list(words, json);
    else await edit(action, words, json);
  },
});

async function list(words: readonly string[] | undefined, json: boolean): Promise<void> {
  if ((words ?? []).length > 0) throw new Failure("usage", "mimikit backlog list takes no words");
  const items = await withState(({ fs }) => readBacklog(fs)).catch((error: unknown) => {
    if (error instanceof BadJson) throw new Failure("failed", `${BACKLOG_PATH} cannot be read: ${error.message}`);
    throw error;
  });
  if (json) printJson({ items });
  else printTable(["", "done", "item"], items.map(rowOf), "the backlog is empty");
}

function rowOf({ number, item, done }: BacklogEntry): string[] {
  return [String(number), done ? "x" : "", item];
}

async function edit(op: BacklogBody["op"], words: readonly string[] | undefined, json: boolean): Promise<void> {
  if ((words ?? []).length === 0) throw new Failure("usage", `say which item: mimikit backlog ${op} <item>`);
  const item = await readText(words, `backlog ${op}`);
  if (item.length > BACKLOG_ITEM_CHARS_MAX)
    throw new Failure(
      "usage",
      `an item has at most ${BACKLOG_ITEM_CHARS_MAX} characters, and this one has ${item.length}`,
    );
  const asked = await ask(currentPlace().home, { kind: "backlog-edit", op, item });
  if (json) printJson({ ...asked, item });
  else printLine(`${plainLine(item)}: ${asked.outcome ?? "kept; it is taken up when Mimikit runs"}`);
}
