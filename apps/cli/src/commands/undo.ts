/**
 * Takes a change back, or lists those that there are. It reads the state directory itself and leaves a command, so it works
 * with everything down (SPEC J3).
 */
import { momentText } from "@mimikit/core/schedule/trigger-words";
import { CHANGES_KEPT_MAX } from "@mimikit/protocol/records/change";
import { CHANGES_LISTED_DEFAULT, type ChangeView } from "@mimikit/protocol/wire/api";
import { listChanges } from "@mimikit/runtime/config/list-changes";
import { command } from "../arguments/command.ts";
import { nameIn, t, told } from "../i18n/language.ts";
import { found, withState } from "../instance/state.ts";
import { ask } from "../instance/write-command.ts";
import { Failure } from "../io/failure.ts";
import { personZoneHere } from "../io/person-zone.ts";
import { currentPlace } from "../io/place.ts";
import { plainLine, printJson, printLine, printProgress, printTable } from "../io/print.ts";

export const undo = command({
  usage: "undo [id]",
  summary: "revert a change of memory, to-dos, triggers or settings, or a merged self-improvement",
  examples: [
    ["mimikit undo", "the last changes, the newest first"],
    ["mimikit undo t-000042.1", "reverts that change; the beginning of an id is enough"],
  ],
  options: (yargs) =>
    yargs
      .positional("id", { type: "string", describe: "the change; without one, the changes are listed" })
      .option("limit", { type: "number", default: CHANGES_LISTED_DEFAULT, describe: "how many are listed" }),
  async run({ json, id, limit }) {
    if (!Number.isInteger(limit) || limit < 1 || limit > CHANGES_KEPT_MAX)
      throw new Failure("usage", t("--limit is a whole number from 1 to {max}", { max: CHANGES_KEPT_MAX }));
    if (id === undefined) await list(limit, json);
    else await takeBack(id, json);
  },
});

async function list(limit: number, json: boolean): Promise<void> {
  const changes = await withState((state) => listChanges(state, Date.now(), limit));
  if (json) {
    printJson({ changes });
    return;
  }
  const timeZone = personZoneHere();
  const rows = changes.map(({ id, at, what, op, by, title, state, problem }) => [
    id,
    momentText(Date.parse(at), timeZone),
    `${nameIn(what)}: ${t(DONE[op])}`,
    nameIn(by),
    problem === undefined ? nameIn(state) : `${nameIn(state)}: ${told(problem)}`,
    title,
  ]);
  printTable(["id", "when", "what", "by", "state", "title"], rows, t("no changes to undo"));
  if (rows.length > 0) printProgress(t("undo one with  mimikit undo <id>"));
}

const DONE: Record<ChangeView["op"], string> = {
  add: "added",
  done: "ticked off",
  remove: "removed",
  create: "made",
  change: "changed",
  delete: "deleted",
  edit: "edited",
  merge: "merged",
};

async function takeBack(given: string, json: boolean): Promise<void> {
  const { id: changeId } = await withState(async ({ cache }) => {
    // A title may be that of many changes: only their ids name them.
    const ids = [...cache.changes.keys()].map((id) => ({ id }));
    return found(given, ids, "change");
  });
  const asked = await ask(currentPlace().home, { kind: "undo", changeId });
  if (json) printJson({ ...asked, changeId });
  else printLine(`${changeId}: ${plainLine(told(asked.outcome ?? "") || t("queued; it is undone when Mimikit runs"))}`);
}
