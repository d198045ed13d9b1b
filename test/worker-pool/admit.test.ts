import { type Asked, Circuits } from "@mimikit/agent/run/circuit";
import type { Candidate } from "@mimikit/core/tasks/dispatch";
import { byRole } from "@mimikit/protocol/base/kind";
import type { Role } from "@mimikit/protocol/base/role";
import { expect, test } from "vitest";
import { admit } from "../../apps/worker-pool/src/claim/admit.ts";
import { message, NOON, task, turn } from "../core/facts.ts";

const [MODEL, OTHER] = [{ name: "model" }, { name: "other" }];
const CHAINS: Record<Role, Asked[]> = { ...byRole(() => [MODEL]), worker: [MODEL, OTHER], reviewer: [] };

const candidate = (of: Candidate["task"], outages: Candidate["outages"] = []): Candidate => ({
  task: of,
  attempt: outages.length + 1,
  company: "all",
  earlier: [],
  outages,
  interrupted: false,
});
const TOLD = { id: "t-000001", attempt: 1, failureReason: "provider", error: "", at: NOON, retryAt: NOON } as const;
const asked = turn("t-000001", { messages: [message("m-1")] });
const plan = task("t-000001.0");
const work = task("t-000001.0.0");

function circuitsWith(...names: string[]): Circuits {
  const circuits = new Circuits(() => ({ first: 5_000, max: 60_000 }));
  for (const name of names) circuits.of(name).enter(0)?.("outage", 0, { error: "away" });
  return circuits;
}

function ids(candidates: Candidate[], circuits: Circuits, nowMs = 0): string[] {
  return admit(candidates, ({ role }) => CHAINS[role], circuits, nowMs).map((each) => each.task.id);
}

test("everybody begins while everybody can be reached", () => {
  expect(ids([candidate(asked), candidate(plan), candidate(work)], circuitsWith())).toEqual([
    asked.id,
    plan.id,
    work.id,
  ]);
});

test("whoever's whole chain is away waits; a stand-in is enough to begin", () => {
  const waiting = [candidate(asked, [TOLD]), candidate(plan), candidate(work)];
  expect(ids(waiting, circuitsWith("model"))).toEqual([work.id]);
  expect(ids(waiting, circuitsWith("model", "other"))).toEqual([]);
});

test("a turn begins once in any case, because its user must be told", () => {
  expect(ids([candidate(asked)], circuitsWith("model"))).toEqual([asked.id]);
});

test("of all who wait for a provider one may try it, the first", () => {
  expect(ids([candidate(asked, [TOLD]), candidate(plan)], circuitsWith("model"), 5_000)).toEqual([asked.id]);
  expect(ids([candidate(plan), candidate(plan)], circuitsWith("model"), 5_000)).toHaveLength(1);
});

test("where the settings name nobody who can answer, everything waits until they do, but a turn that tells so", () => {
  const waiting = [candidate(asked), candidate(plan), candidate(work)];
  expect(admit(waiting, () => [], circuitsWith(), 0)).toEqual([waiting[0]]);
});

test("whose model has reached its limit waits, and another model of the same provider begins", () => {
  const chainOf = ({ role }: Candidate["task"]) => [{ name: "vendor", model: role === "planner" ? "large" : "small" }];
  const circuits = circuitsWith();
  const limit = { error: "slow down", retryAfterMs: 3_600_000 };
  circuits.enter({ name: "vendor", model: "small" }, 0)?.("limited", 0, limit);
  const begins = (nowMs: number) =>
    admit([candidate(plan), candidate(work)], chainOf, circuits, nowMs).map((each) => each.task.id);
  expect(begins(3_599_000)).toEqual([plan.id]);
  expect(begins(3_600_000)).toEqual([plan.id, work.id]);
});
