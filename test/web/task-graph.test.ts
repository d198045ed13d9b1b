import type { TaskSummary } from "@mimikit/protocol/wire/api";
import { expect, test } from "vitest";
import { graphOf } from "../../apps/web/src/views/tasks/task-graph.ts";

/** Tasks by what they wait for, in the order of their plan. */
function planOf(waits: Record<string, string[]>): TaskSummary[] {
  return Object.entries(waits).map(([id, after]) => ({
    id,
    role: "worker",
    type: "oneshot",
    title: id,
    prompt: "",
    state: "waiting",
    priority: 5,
    attempts: 0,
    createdAt: "2026-11-22T10:00:00.000Z",
    ...(after.length > 0 && { after }),
  }));
}

function drawn(waits: Record<string, string[]>) {
  const { nodes, lines } = graphOf(planOf(waits));
  const columns = [...new Set(nodes.map(({ x }) => x))].sort((a, b) => a - b);
  return {
    columns: Object.fromEntries(nodes.map(({ task, x }) => [task.id, columns.indexOf(x)])),
    lines: lines.map(({ from, to }) => `${from} → ${to}`).sort(),
  };
}

test("a task that waits for several is joined to each of them, in the column behind the last", () => {
  expect(drawn({ a: [], b: [], c: ["a", "b"] })).toEqual({ columns: { a: 0, b: 0, c: 1 }, lines: ["a → c", "b → c"] });
  expect(drawn({ a: [], b: ["a"], c: ["a", "b"], d: ["c"] })).toEqual({
    columns: { a: 0, b: 1, c: 2, d: 3 },
    lines: ["a → b", "a → c", "b → c", "c → d"],
  });
});

test("what is not of the plan, and a circle, draw no endless line", () => {
  expect(drawn({ a: ["elsewhere"], b: ["a", "elsewhere"] })).toEqual({ columns: { a: 0, b: 1 }, lines: ["a → b"] });
  expect(drawn({ a: ["b"], b: ["a"] }).lines).toEqual(["a → b", "b → a"]);
});

test("a plan in which each task waits for all before it is drawn", () => {
  const ids = Array.from({ length: 64 }, (_, k) => `t${k}`);
  const { columns, lines } = drawn(Object.fromEntries(ids.map((id, k) => [id, ids.slice(0, k)])));
  expect(columns.t63).toBe(63);
  expect(lines).toHaveLength((64 * 63) / 2);
});
