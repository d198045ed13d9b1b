/** The memories that a reply has used, looked up in the memory of now. */
import { replyId, turnOfReply } from "@mimikit/core/views/history";
import { entriesOf, entryName, type MemoryEntry, rememberedIn } from "@mimikit/protocol/records/memory-entry";
import type { Result } from "@mimikit/protocol/records/result";
import type { ShownMemory } from "@mimikit/protocol/records/shown-memory";
import type { MemoryText } from "@mimikit/protocol/wire/api";
import type { UsedAnswer, UsedMemory } from "@mimikit/protocol/wire/used-memory";
import type { ArchiveIndex } from "@mimikit/store/state-cache/archive-index";
import { digestOf, toldOf } from "../text/told.ts";
import { splitUnits } from "../text/units.ts";
import type { MemoryPlace } from "./memory-query.ts";
import { readMemory } from "./read-memory.ts";

/** The marks that a search leaves where it has cut a long paragraph. */
const CUT = /^…|…\[truncated\]$/g;

/** @returns null where `id` is not that of a reply. Throws what the disk throws. */
export async function usedMemory(
  id: string,
  place: MemoryPlace,
  archiveIndex: Pick<ArchiveIndex, "readResult">,
): Promise<UsedAnswer | null> {
  const turn = turnOfReply(id);
  const result = turn === undefined ? null : await archiveIndex.readResult(turn);
  return result === null ? null : { id, used: await looked(result, place, archiveIndex) };
}

async function looked(
  { shown = [] }: Result,
  place: MemoryPlace,
  archiveIndex: Pick<ArchiveIndex, "readResult">,
): Promise<UsedMemory[]> {
  const names = new Set(shown.flatMap(({ source }) => source ?? []));
  const files = new Map(
    await Promise.all([...names].map(async (name) => [name, await readMemory(place, name)] as const)),
  );
  const unitsOf = memoized(({ text }) => splitUnits(text).map((unit) => unit.text));
  return Promise.all(
    shown.map(async ({ digest, ...each }) => {
      if (each.source === undefined) return { ...each, isAsShown: true };
      const file = files.get(each.source) ?? null;
      if (each.always === true) return { ...each, isAsShown: file !== null && isTold(file, each.text, digest) };
      const found = file === null ? null : find(each, file, unitsOf(file));
      if (found === null) return { ...each, isAsShown: false };
      const turn = found.entry && rememberedIn(found.entry);
      const remembered = turn === undefined ? null : await archiveIndex.readResult(turn);
      return {
        ...each,
        ...(remembered !== null && { message: replyId(remembered.id), at: remembered.completedAt }),
        isAsShown: true,
        ...(found.entry !== undefined && { entry: entryName(found.entry) }),
      };
    }),
  );
}

/** A file that is shown with many of its paragraphs is split once. */
function memoized<V>(make: (file: MemoryText) => V): (file: MemoryText) => V {
  const made = new Map<MemoryText, V>();
  return (file) => {
    const value = made.get(file) ?? make(file);
    made.set(file, value);
    return value;
  };
}

function isTold({ text }: MemoryText, shown: string, digest: string | undefined): boolean {
  const told = toldOf(text);
  return digest === undefined ? told === shown : digestOf(told) === digest;
}

/** The entry that says it; a paragraph of a file that is no list of entries may belong to none. Null where nothing says it. */
function find(
  { text }: ShownMemory,
  { text: document }: MemoryText,
  units: readonly string[],
): { entry: MemoryEntry | undefined } | null {
  const shown = text.replaceAll(CUT, "");
  if (!units.some((unit) => unit.includes(shown))) return null;
  const entry = entriesOf(document).find((each) => {
    const said = each.text.replaceAll("\n", " ");
    // A paragraph is shown with the heading above it.
    return said.includes(shown) || shown.endsWith(`: ${said}`);
  });
  return { entry };
}
