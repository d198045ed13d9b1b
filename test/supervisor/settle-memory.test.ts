/** A turn that corrects and forgets is cut off before each of its operations on the disk, and applied again: it is done once. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { UndoableChange } from "@mimikit/protocol/records/change";
import type { Effect } from "@mimikit/protocol/records/effect";
import { Result } from "@mimikit/protocol/records/result";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { createRecord, readRecord } from "@mimikit/store/disk/record";
import { changePath, resultPath } from "@mimikit/store/disk/state";
import { expect, test } from "vitest";
import { settle } from "../../apps/supervisor/src/execute/settle.ts";
import { settlementOf } from "../../packages/core/src/rules/settle.ts";
import { done, NOON, NOON_MS, snapshot, turn } from "../core/facts.ts";
import { temporaryState } from "../store/home.ts";
import { cutAt, wasCut } from "../store/power-cut.ts";
import { contextOf } from "./context.ts";

const MEMORY = "- lives in Kiel <!-- t-000001.0 -->\n- likes tea\n";

async function settled(effects: Effect[], fs: FileSystem): Promise<void> {
  const result = done(turn("t-000007", {}), { effects });
  await settle(settlementOf(result, snapshot({ results: [result] }), NOON_MS), await contextOf(fs));
}

/** The list items of forgotten.md. */
function forgottenIn(home: string): string[] {
  const path = join(home, "forgotten.md");
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line) => (line.startsWith("- ") ? line.slice("- ".length) : []));
}

const remembered = { type: "remember" as const, content: "lives in Jena", longTerm: true };
const inMemory = (entry: string) => ({ document: "memory.md", entry });

test.each<[string, Effect, string, object | null]>([
  [
    "a correction stands where the line was",
    { ...remembered, replaces: inMemory("lives in Kiel") },
    "- lives in Jena <!-- t-000007.0 --> <!-- t-000001.0 -->\n- likes tea\n",
    { op: "change", what: "memory", by: "teller", line: "- lives in Kiel <!-- t-000001.0 -->" },
  ],
  [
    "a forgotten line is gone, and its marks stay",
    { type: "forget", ...inMemory("lives in Kiel") },
    "- likes tea\n<!-- t-000001.0 --> <!-- t-000007.0 -->\n",
    { op: "remove", what: "memory", by: "teller", line: "- lives in Kiel <!-- t-000001.0 -->" },
  ],
  [
    "a correction of a line that somebody has taken out meanwhile is added",
    { ...remembered, replaces: inMemory("lives in Bonn") },
    `${MEMORY}- lives in Jena <!-- t-000007.0 -->\n`,
    { op: "add", what: "memory", by: "teller" },
  ],
  [
    "what is not there is not forgotten, and the turn ends",
    { type: "forget", ...inMemory("lives in Bonn") },
    MEMORY,
    null,
  ],
])("%s", async (_, effect, expected, change) => {
  for (let k = 0; ; k++) {
    const { home, fs } = temporaryState();
    writeFileSync(join(home, "memory.md"), MEMORY);
    await createRecord(fs, Result, resultPath("teller", "t-000007"), done(turn("t-000007", {}), { effects: [effect] }));
    const isCut = await wasCut(settled([effect], cutAt(fs, k)));
    await settled([effect], fs);
    expect(readFileSync(join(home, "memory.md"), "utf8")).toBe(expected);
    const recorded = await readRecord(fs, UndoableChange, changePath("t-000007.0"));
    if (change === null) expect(recorded).toBeNull();
    else expect(recorded).toMatchObject(change);
    // Where an entry is forgotten, what was said of it is forgotten with it, also where the entry is gone already.
    if (effect.type === "forget")
      expect(forgottenIn(home)).toEqual([`${NOON} ${effect.entry} <!-- t-000007.0.said -->`]);
    else expect(forgottenIn(home)).toEqual([]);
    if (!isCut) break;
  }
});

test("what was only said is forgotten once, in one line, and its record says how it is undone", async () => {
  const effect: Effect = { type: "forget", said: "my wife Anna\n\n- doesn't eat <!-- t-000001.0 --> fish" };
  for (let k = 0; ; k++) {
    const { home, fs } = temporaryState();
    await createRecord(fs, Result, resultPath("teller", "t-000007"), done(turn("t-000007", {}), { effects: [effect] }));
    const isCut = await wasCut(settled([effect], cutAt(fs, k)));
    await settled([effect], fs);
    expect(forgottenIn(home)).toEqual([
      `${NOON} my wife Anna ¶ - doesn't eat &lt;!-- t-000001.0 --> fish <!-- t-000007.0 -->`,
    ]);
    expect(await readRecord(fs, UndoableChange, changePath("t-000007.0"))).toMatchObject({
      op: "add",
      document: "forgotten.md",
      by: "teller",
    });
    if (!isCut) break;
  }
});
