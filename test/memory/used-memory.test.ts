/** Each memory that a reply has used is looked up where it stood: is it still there, and where did it come from? */
import { usedMemory } from "@mimikit/memory/sources/used-memory";
import { digestOf, toldOf } from "@mimikit/memory/text/told";
import type { ShownMemory } from "@mimikit/protocol/records/shown-memory";
import { expect, test } from "vitest";
import { done, NOON, turn } from "../core/facts.ts";
import { workspace, writeFiles } from "./workspace.ts";

const LONG = "the beds are dug over in autumn ".repeat(30).trim();
const PROFILE = `${"Lives in Kiel. ".repeat(40)}<!-- t-000001.0 -->`;

const shown: ShownMemory[] = [
  { source: "user_profile.md", text: toldOf(PROFILE).slice(0, 320), digest: digestOf(toldOf(PROFILE)), always: true },
  { source: "memory.md", text: "the boiler is called Ignatius" },
  { source: "memory/2026-11-20-beds.md", text: "Beds: dug over in autumn", at: "2026-11-20" },
  { source: "docs/garden.md", text: `…${LONG.slice(40, 340)}…[truncated]` },
  { message: "m-1", text: "it is loud", at: NOON },
];

/** An archive with this one turn, and the one in which the boiler was named. */
const archiveIndex = {
  readResult: (id: string) =>
    Promise.resolve(id === "t-000007" ? done(turn(id, {}), { shown }) : id === "t-000003" ? done(turn(id, {})) : null),
};

const place = () =>
  workspace({
    ".mimikit/user_profile.md": PROFILE,
    ".mimikit/memory.md": "- tea is in the shed\n- the boiler is called Ignatius <!-- t-000003.0 -->\n",
    ".mimikit/memory/2026-11-20-beds.md": "# Beds\n\ndug over\nin autumn\n",
    "docs/garden.md": `${LONG}\n`,
  });

test("what stands where it stood leads to its entry, and to the reply with which it came", async () => {
  const answer = await usedMemory("t-000007.reply", place(), archiveIndex);
  expect(answer?.used).toEqual([
    { source: "user_profile.md", text: toldOf(PROFILE).slice(0, 320), always: true, isAsShown: true },
    {
      source: "memory.md",
      text: "the boiler is called Ignatius",
      message: "t-000003.reply",
      at: NOON,
      isAsShown: true,
      entry: "the boiler is called Ignatius",
    },
    {
      source: "memory/2026-11-20-beds.md",
      text: "Beds: dug over in autumn",
      at: "2026-11-20",
      isAsShown: true,
      entry: "dug over\nin autumn",
    },
    { source: "docs/garden.md", text: shown[3]?.text, isAsShown: true, entry: LONG },
    { message: "m-1", text: "it is loud", at: NOON, isAsShown: true },
  ]);
});

test("what was changed, forgotten or removed says so, however little was changed", async () => {
  const there = place();
  writeFiles(there.workDir, {
    ".mimikit/user_profile.md": PROFILE.replace(/Kiel\. <!/, "Kassel. <!"),
    ".mimikit/memory.md": "- the boiler is called Igor <!-- t-000003.0 -->\n",
    "docs/garden.md": `${LONG.slice(0, 100)}\n`,
  });
  const answer = await usedMemory("t-000007.reply", there, archiveIndex);
  expect(answer?.used.map(({ isAsShown }) => isAsShown)).toEqual([false, false, true, false, true]);
  expect(answer?.used.map(({ text }) => text)).toEqual(shown.map(({ text }) => text));
});

test("a turn of before, which has no such list, has used nothing that is known, and what is no reply has no answer", async () => {
  expect(await usedMemory("t-000003.reply", place(), archiveIndex)).toEqual({ id: "t-000003.reply", used: [] });
  expect(await usedMemory("t-000009.reply", place(), archiveIndex)).toBeNull();
  expect(await usedMemory("t-000007", place(), archiveIndex)).toBeNull();
});
