/** Takes an entry out of memory. It is found when the tool is called, so that the caller hears where it is not there. */
import { z } from "zod";
import { meantEntry, SaidEntry } from "./meant-entry.ts";
import { tool } from "./tool.ts";

export const forget = tool({
  name: "forget",
  level: "local-write",
  input: z.strictObject({ line: SaidEntry }).describe("Take a line out of memory."),
  effect: async ({ line }, { reads }) => ({ type: "forget", ...(await meantEntry(line, reads.memoryPlace)) }),
});
