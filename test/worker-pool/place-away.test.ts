import type { PoolRecord } from "@mimikit/protocol/pools/pool";
import { blankTask, PRIORITY_DEFAULT, type Task } from "@mimikit/protocol/records/task";
import { describe, expect, test } from "vitest";
import type { Allotted } from "../../apps/worker-pool/src/claim/allot.ts";
import { placeAway } from "../../apps/worker-pool/src/claim/place-away.ts";

const AT = "2026-11-26T12:00:00.000Z";
const epoch = "0123456789abcdef";

function candidate(id: string, pool: string, company: Allotted["company"] = "all"): Allotted {
  const task: Task = {
    ...blankTask("work"),
    id,
    title: id,
    prompt: id,
    priority: PRIORITY_DEFAULT,
    createdAt: AT,
    traceId: id,
    pool,
  };
  return { task, attempt: 1, earlier: [], outages: [], interrupted: false, company };
}

const machine = (name: string, slots: number, ...labels: string[]): PoolRecord => ({
  name,
  slots,
  labels,
  key: "",
  at: AT,
});

function placed(wanted: string[], pools: PoolRecord[], load: Record<string, number> = {}) {
  const candidates = wanted.map((pool, k) => candidate(`t-${k}`, pool));
  const placement = placeAway(candidates, pools, new Map(Object.entries(load)), { epoch });
  return {
    where: placement.placed.map(({ candidate, owner }) => `${candidate.task.id} ${owner.pool}`),
    nowhere: placement.nowhere.map(({ task }) => task.id),
  };
}

test("a task goes to the machine of its name, or to that of its label with the most room", () => {
  const pools = [machine("a", 1, "gpu"), machine("b", 3, "gpu"), machine("c", 9)];
  expect(placed(["a", "gpu", "gpu", "c"], pools).where).toEqual(["t-0 a", "t-1 b", "t-2 b", "t-3 c"]);
});

test("a machine never gets more than it has slots for; what has no room waits, and what is behind it does not", () => {
  const pools = [machine("a", 2), machine("b", 1)];
  expect(placed(["a", "a", "b"], pools, { a: 1 })).toEqual({ where: ["t-0 a", "t-2 b"], nowhere: [] });
  expect(placed(["a"], pools, { a: 2 })).toEqual({ where: [], nowhere: [] });
});

test("a task whose machine there is not is told apart from one that waits", () => {
  expect(placed(["a", "elsewhere"], [machine("a", 1)])).toEqual({ where: ["t-0 a"], nowhere: ["t-1"] });
});

describe("a task that is suspected to take its machine down", () => {
  const place = (candidates: Allotted[], load: Record<string, number> = {}) =>
    placeAway(candidates, [machine("a", 2), machine("b", 2)], new Map(Object.entries(load)), { epoch }).placed.map(
      ({ candidate, owner }) => `${candidate.task.id} ${owner.pool}`,
    );
  const suspect = candidate("suspect", "a", "turns");

  test("gets the machine for itself, and other machines go on", () => {
    expect(place([suspect, candidate("t-1", "a"), candidate("t-2", "b")])).toEqual(["suspect a", "t-2 b"]);
  });

  test("waits until the machine has nothing else, and nothing more begins there meanwhile", () => {
    expect(place([suspect, candidate("t-1", "a")], { a: 1 })).toEqual([]);
    expect(place([candidate("t-1", "a"), suspect])).toEqual(["t-1 a"]);
  });
});
