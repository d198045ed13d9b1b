import type { AttemptFacts } from "@mimikit/core/base/snapshot";
import { dispatch } from "@mimikit/core/tasks/dispatch";
import { isRetryDue, retryAtMs, timeLimitSec } from "@mimikit/core/tasks/retry";
import { byRole } from "@mimikit/protocol/base/kind";
import { describe, expect, test } from "vitest";
import { NOON, NOON_MS, task } from "../facts.ts";

const FREE = { ...byRole(() => 1), worker: 3 };

function choose(
  tasks: ReturnType<typeof task>[],
  attempts: Record<string, AttemptFacts[]> = {},
  free = FREE,
  nowMs = NOON_MS,
  permits: string[] = [],
) {
  const waiting = { attempts: new Map(Object.entries(attempts)), hasOutcome: () => false, permits: new Set(permits) };
  return dispatch({ queue: tasks, ...waiting }, free, nowMs);
}
const attempt = (more: Partial<AttemptFacts>): AttemptFacts => ({
  role: "worker",
  attempt: 1,
  ownerAlive: false,
  ...more,
});
const failure = (failureReason: "timeout" | "interrupted", retryAt = NOON) => ({
  id: "t-000001.0.0",
  attempt: 1,
  failureReason,
  error: "",
  at: NOON,
  retryAt,
});

describe("dispatch", () => {
  test("higher priority first, then older, then in the order of the plan", () => {
    const tasks = [
      task("t-000001.0.10"),
      task("t-000001.0.9"),
      task("t-000001.0.1", { createdAt: "2026-11-22T11:00:00.000Z" }),
      task("t-000001.0.2", { priority: 8 }),
    ];
    const chosen = choose(tasks, {}, { ...FREE, worker: 4 }).map(({ task: { id } }) => id);
    expect(chosen).toEqual(["t-000001.0.2", "t-000001.0.1", "t-000001.0.9", "t-000001.0.10"]);
  });

  test("semantic conditions come before all other work, however urgent and old that is", () => {
    const evaluation = [{ id: "c1", triggerId: "a", leaf: 0, prompt: "Is it late?" }];
    const urgent = task("t-000001.0.0", { priority: 10, createdAt: "2026-11-22T11:00:00.000Z" });
    const asked = task("eval-000001", { role: "worker", priority: 10, evaluation });
    const chosen = choose([urgent, asked], {}, { ...FREE, worker: 1 }).map(({ task: { id } }) => id);
    expect(chosen).toEqual(["eval-000001"]);
  });

  test("each role has a lane of its own, and a full lane takes nothing", () => {
    const tasks = [task("t-000002"), task("t-000001.0"), task("t-000001.1"), task("t-000001.0.0")];
    expect(choose(tasks, {}, { ...FREE, worker: 0 }).map(({ task: { id } }) => id)).toEqual(["t-000002", "t-000001.0"]);
  });

  test("a task with a living owner is not taken", () => {
    expect(choose([task("t-000001.0.0")], { "t-000001.0.0": [attempt({ ownerAlive: true })] })).toEqual([]);
  });

  test("a dead owner's task is taken as the next attempt, and told so, once it is recorded how its pool died", () => {
    expect(choose([task("t-000001.0.0")], { "t-000001.0.0": [attempt({})] })).toEqual([]);
    const judged = attempt({ failed: { ...failure("interrupted"), death: "shared" } });
    const [candidate] = choose([task("t-000001.0.0")], { "t-000001.0.0": [judged] });
    expect(candidate).toMatchObject({ attempt: 2, interrupted: true, earlier: [] });
  });

  test("a failed attempt is retried when its time has come, though its owner lives", () => {
    const attempts = {
      "t-000001.0.0": [attempt({ ownerAlive: true, failed: failure("timeout", "2026-11-22T12:01:00.000Z") })],
    };
    expect(choose([task("t-000001.0.0")], attempts, FREE, NOON_MS + 59_999)).toEqual([]);
    expect(choose([task("t-000001.0.0")], attempts, FREE, NOON_MS + 60_000)).toMatchObject([
      { attempt: 2, interrupted: false },
    ]);
  });

  test("an attempt that reached nobody is no failure, however often: it waits for no delay and is not poison", () => {
    const outage = { ...failure("timeout", "2026-11-22T13:00:00.000Z"), outage: true as const };
    const outages = [1, 2, 3, 4].map((nth) => attempt({ attempt: nth, failed: { ...outage, attempt: nth } }));
    const [candidate] = choose([task("t-000001.0.0", { onInterrupt: "fail" })], { "t-000001.0.0": outages });
    expect(candidate).toMatchObject({ attempt: 5, earlier: [], interrupted: false });
    expect(candidate?.outages).toHaveLength(4);
  });

  test("a suspect comes before all other work of its role, however urgent that is", () => {
    const death = { ...failure("interrupted"), death: "shared" as const };
    const suspect = [1, 2].map((nth) => attempt({ attempt: nth, failed: { ...death, attempt: nth } }));
    const tasks = [task("t-000001.0.0", { priority: 10 }), task("t-000001.0.1")];
    const chosen = choose(tasks, { "t-000001.0.1": suspect }, { ...FREE, worker: 1 });
    expect(chosen).toMatchObject([{ task: { id: "t-000001.0.1" }, company: "turns" }]);
  });

  test("an attempt that was handed back is neither a failure nor a reason to wait", () => {
    const attempts = { "t-000001.0.0": [attempt({ failed: failure("interrupted") })] };
    expect(choose([task("t-000001.0.0")], attempts)).toMatchObject([{ attempt: 2, interrupted: true, earlier: [] }]);
  });
});

describe("retry", () => {
  const worker = task("t-000001.0.0");

  test("the first passing failure is retried after the delay, the second is final", () => {
    expect(retryAtMs(worker, { retryable: true }, 0, NOON_MS, 60)).toBe(NOON_MS + 60_000);
    expect(retryAtMs(worker, { retryable: true }, 1, NOON_MS, 60)).toBeNull();
  });

  test("an outage is never final, for no role and after no failure, and is tried when somebody can be reached", () => {
    for (const each of [worker, task("t-000001")])
      expect(retryAtMs(each, { retryable: true, isOutage: true }, 1, NOON_MS, 60)).toBe(NOON_MS);
  });

  test("what the role itself reports as failed is final", () => {
    expect(retryAtMs(worker, { retryable: false }, 0, NOON_MS, 60)).toBeNull();
  });

  test("a turn is never retried silently: the user is told", () => {
    expect(retryAtMs(task("t-000001"), { retryable: true }, 0, NOON_MS, 60)).toBeNull();
  });

  test("a clock that was set back a year does not delay a retry by a year", () => {
    expect(isRetryDue({ at: NOON, retryAt: "2026-11-22T12:01:00.000Z" }, NOON_MS - 365 * 86_400_000)).toBe(true);
  });

  test("after a time-out the next attempt has twice the time", () => {
    expect(timeLimitSec(worker, 600, [])).toBe(600);
    expect(timeLimitSec(worker, 600, [{ failureReason: "timeout" }])).toBe(1_200);
    expect(timeLimitSec(task("t-000001.0.0", { timeoutSec: 30 }), 600, [{ failureReason: "timeout" }])).toBe(60);
  });
});
