/** Recent changes, and which of them can still be undone: the same for the command line, the API and the page. */

import { createHash } from "node:crypto";
import { namesOf, obstacleTo } from "@mimikit/core/triggers/take-back-trigger";
import { undoneId, unmergeId, wholeOfSaidEdit } from "@mimikit/protocol/base/id";
import type { MergeChange, UndoableChange } from "@mimikit/protocol/records/change";
import { Unmerging } from "@mimikit/protocol/records/improvement";
import { sentence } from "@mimikit/protocol/texts/coded";
import type { ChangeView } from "@mimikit/protocol/wire/api";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { FORGOTTEN_PATH } from "@mimikit/store/disk/state";
import { readIfDocument } from "@mimikit/store/documents/document";
import { takenBack } from "@mimikit/store/documents/take-back";
import type { StateCache } from "@mimikit/store/state-cache/state-cache";
import { CONFIG_FILE } from "./config-file.ts";

/** Where changes are looked up; call `cache.refresh()` before. */
export interface ChangePlace {
  fs: FileSystem;
  cache: StateCache;
}

/**
 * The newest `limit` changes, the newest first.
 * @param nowMs wall clock, milliseconds since the epoch.
 */
export async function listChanges(place: ChangePlace, nowMs: number, limit: number): Promise<ChangeView[]> {
  const newest = [...place.cache.changes.values()]
    .filter(({ id }) => !place.cache.changes.has(wholeOfSaidEdit(id) ?? ""))
    .sort((a, b) => (`${a.at} ${a.id}` > `${b.at} ${b.id}` ? -1 : 1))
    .slice(0, limit);
  const texts = new Map<string, string | null>();
  const views: ChangeView[] = [];
  for (const change of newest) views.push(await changeView(change, place, nowMs, texts));
  return views;
}

/** One change as it is now. @param texts what was read of the documents already. */
export async function changeView(
  change: UndoableChange,
  place: ChangePlace,
  nowMs: number,
  texts = new Map<string, string | null>(),
): Promise<ChangeView> {
  const { id, at, what, by, title } = change;
  // To be named in forgotten.md is to go.
  const op = change.what === "memory" && change.document === FORGOTTEN_PATH ? "remove" : change.op;
  const view = { id, at, what, op, by, title };
  if (await place.cache.archiveIndex.confirm(undoneId(id))) return { ...view, state: "undone" };
  if (change.what === "improvement") {
    const refusal = await refusalOf(change, place);
    return refusal === null ? { ...view, state: "open" } : { ...view, state: "open", problem: refusal };
  }
  const problem = await problemOf(change, place, nowMs, texts);
  return problem === null ? { ...view, state: "open" } : { ...view, state: "gone", problem };
}

/** Why the last try to take a merge back came to nothing; null before the first. Only a try tells git's present answer. */
async function refusalOf({ number }: MergeChange, { cache: { archiveIndex } }: ChangePlace): Promise<string | null> {
  let last = 0;
  while (await archiveIndex.confirm(unmergeId(number, last + 1))) last++;
  if (last === 0) return null;
  const ended = await archiveIndex.readResult(unmergeId(number, last));
  return Unmerging.safeParse(ended?.result).data?.note ?? ended?.error ?? null;
}

async function problemOf(
  change: Exclude<UndoableChange, MergeChange>,
  { fs, cache }: ChangePlace,
  nowMs: number,
  texts: Map<string, string | null>,
): Promise<string | null> {
  if (change.what === "trigger") {
    const { triggers, changes, archiveIndex } = cache;
    const first = change.op === "delete" ? change.trigger.id : change.triggerId;
    for (const id of namesOf(first, changes)) await archiveIndex.confirm(id);
    return obstacleTo(change, { triggers, changes, isArchived: (id) => archiveIndex.has(id) }, nowMs);
  }
  const path = change.what === "config" ? CONFIG_FILE : change.document;
  const known = texts.get(path);
  const text = known === undefined ? await readIfDocument(fs, path) : known;
  texts.set(path, text);
  if (text === null) return sentence("undo_unreadable", { document: path });
  if (change.what === "config") {
    const isAsLeft = createHash("sha256").update(text).digest("hex") === change.after;
    return isAsLeft ? null : sentence("undo_config_changed");
  }
  const back = takenBack(change, text);
  return typeof back === "string" ? null : back.problem;
}
