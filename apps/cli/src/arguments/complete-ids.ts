/** The ids and names that Tab offers, where one comes next. Looking changes nothing, and works with everything down. */
import { existsSync } from "node:fs";
import { readApprovals } from "@mimikit/store/views/approvals";
import { type State, shortId, withState } from "../instance/state.ts";
import { listTasks, openTasks } from "../instance/task-list.ts";
import { currentPlace } from "../io/place.ts";

/** More of them are no help. */
const IDS_MAX = 50;

/** After which words an id comes, and which ids there are. */
const IDS: readonly { after: RegExp; list: (state: State) => Promise<string[]> }[] = [
  { after: /^tasks show$/, list: async (state) => (await listTasks(state)).map(({ id }) => id) },
  {
    after: /^tasks again$/,
    list: async (state) => (await listTasks(state)).flatMap(({ id, completedAt }) => (completedAt ? [id] : [])),
  },
  { after: /^tasks cancel$|^steer --task$/, list: async (state) => openTasks(state).map(({ id }) => id) },
  {
    after: /^triggers (show|change|pause|resume|run|delete|explain|simulate)$/,
    list: async ({ triggers }) => [...triggers.keys()].map(shortId),
  },
  { after: /^questions answer$/, list: async ({ questions }) => questions.map(({ id }) => id) },
  { after: /^approvals remove$/, list: async ({ fs }) => (await readApprovals(fs)).map(({ id }) => id) },
  { after: /^undo$/, list: async ({ cache }) => [...cache.changes.keys()].reverse() },
];

/** After which words a name comes that is the same in each instance. */
const NAMES: readonly { after: RegExp; list: () => Promise<readonly string[]> }[] = [
  {
    after: /^config (show|set|unset)$/,
    list: async () => (await import("@mimikit/runtime/config/fields")).CONFIG_FIELDS.map(({ path }) => path.join(".")),
  },
  { after: /^connect$/, list: async () => (await import("@mimikit/runtime/config/providers")).PROVIDER_IDS },
];

/** @param words what stands before the word that is completed. @returns null where none of them comes next. */
export async function completeIds(words: readonly string[]): Promise<readonly string[] | null> {
  const line = words.join(" ");
  const names = NAMES.find(({ after }) => after.test(line));
  if (names !== undefined) return names.list();
  const place = IDS.find(({ after }) => after.test(line));
  if (place === undefined) return null;
  if (!existsSync(currentPlace().home)) return [];
  return (await withState(place.list)).slice(0, IDS_MAX);
}
