/**
 * Takes an entry out of memory, and what was said out of what a model is shown. It is found when the tool is called, so that
 * the caller hears where it is not there.
 */
import { findSaid } from "@mimikit/memory/forgotten/find-said";
import { findEntries } from "@mimikit/memory/sources/find-entries";
import { isMessage } from "@mimikit/protocol/records/memory-entry";
import { z } from "zod";
import { meantEntry, nearestLines, notThere, SaidEntry } from "./meant-entry.ts";
import { tool } from "./tool.ts";

export const forget = tool({
  name: "forget",
  level: "local-write",
  input: z.strictObject({ line: SaidEntry }).describe("Forget a line."),
  effect: async ({ line }, { task, reads }) => {
    const entries = await findEntries(line, reads.memoryPlace);
    if (entries.some(({ entry }) => !isMessage(entry)))
      return { type: "forget", ...(await meantEntry(line, reads.memoryPlace)) };
    const current = (task.turn?.messages ?? []).map((message) => ({ role: "user" as const, ...message }));
    const found = await findSaid(line, reads.said, current);
    if ("said" in found) return { type: "forget", said: found.said };
    if (entries.length > 0) return { type: "forget", ...(await meantEntry(line, reads.memoryPlace)) };
    const nearest = [...(await nearestLines(line, reads.memoryPlace)), ...found.nearest];
    throw new Error(notThere("nothing in memory says so, and nobody has said it", nearest));
  },
});
