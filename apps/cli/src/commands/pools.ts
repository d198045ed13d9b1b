/** Says which machines work for this home, and how each does. It needs no running process. */
import { readPools, readSeen } from "@mimikit/runtime/pools/registry";
import { command } from "../arguments/command.ts";
import { withDisk } from "../instance/state.ts";
import { currentPlace } from "../io/place.ts";
import { printJson, printTable } from "../io/print.ts";

/** A pool that says nothing for so long is told as away: it says that it is there every few seconds, and that is noted every ten. */
const AWAY_MS = 30_000;
const MS_PER_SEC = 1_000;

export const pools = command({
  usage: "pools",
  summary: "the other machines that work for this one, and when each was heard of last",
  examples: [
    ["mimikit pools", "their names, labels, slots, and what each does now"],
    ["mimikit pools --json", "the same as one JSON document"],
  ],
  options: (yargs) => yargs,
  async run({ json }) {
    const found = await withDisk(currentPlace().home, async (fs) =>
      Promise.all((await readPools(fs)).map(async (pool) => ({ pool, seen: await readSeen(fs, pool.name) }))),
    );
    const told = found.map(({ pool: { name, labels, slots, at }, seen }) => ({
      name,
      labels,
      slots,
      invitedAt: at,
      state: seen === null ? "invited" : Date.now() - Date.parse(seen.at) < AWAY_MS ? "there" : "away",
      ...(seen !== null && { seenAt: seen.at, version: seen.version, running: seen.running }),
    }));
    if (json) return printJson({ pools: told });
    printTable(
      ["name", "labels", "tasks", "state"],
      told.map(({ name, labels, slots, state, seenAt, running }) => [
        name,
        labels.join(", "),
        `${running ?? 0} of ${slots}`,
        seenAt === undefined || state === "there" ? state : `${state} for ${agoText(seenAt)}`,
      ]),
      "No other machine works for this one: mimikit pool invite <name>",
    );
  },
});

function agoText(at: string): string {
  return `${Math.round((Date.now() - Date.parse(at)) / MS_PER_SEC)} s`;
}
