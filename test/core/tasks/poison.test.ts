/** Which task took its pool down, and what may run beside a suspect (SPEC C5). */
import type { AttemptFacts } from "@mimikit/core/base/snapshot";
import { type Company, companyOf, deathOf, isPoison, place } from "@mimikit/core/tasks/poison";
import type { Death } from "@mimikit/protocol/records/claim";
import type { Task } from "@mimikit/protocol/records/task";
import { describe, expect, test } from "vitest";
import { NOON, task } from "../facts.ts";

const work = task("t-000001.0.0");
const other = task("t-000001.0.1");
const plan = task("t-000002.0");
const turn = task("t-000003");

function attemptsOf(deaths: readonly (Death | "handed back")[]): AttemptFacts[] {
  return deaths.map((death, i) => {
    const attempt = i + 1;
    const end = { id: work.id, attempt, failureReason: "interrupted", error: "", at: NOON, retryAt: NOON } as const;
    return {
      role: "worker",
      attempt,
      ownerAlive: false,
      failed: death === "handed back" ? end : { ...end, death },
    };
  });
}

describe("poison", () => {
  const GUILTY: (Death | "handed back")[][] = [
    ["shared", "shared", "alone"],
    ["shared", "shared", "shared", "alone"],
    ["alone", "alone", "alone"],
    ["reboot", "shared", "handed back", "shared", "role", "alone"],
  ];
  test.each(GUILTY)("a task is poison after the deaths %s", (...deaths) => {
    expect(isPoison(attemptsOf(deaths))).toBe(true);
  });

  const INNOCENT: (Death | "handed back")[][] = [
    ["shared", "shared", "shared"],
    ["shared", "alone"],
    ["alone", "alone"],
    ["shared", "shared", "alone", "shared"],
    ["shared", "shared", "reboot"],
    ["shared", "shared", "watchdog", "pm2", "role", "unknown", "handed back"],
  ];
  test.each(INNOCENT)("a task is no poison after the deaths %s", (...deaths) => {
    expect(isPoison(attemptsOf(deaths))).toBe(false);
  });

  test("a death with an excuse counts for nobody, however alone the task was", () => {
    expect(deathOf("reboot", true)).toBe("reboot");
    expect(deathOf(null, true)).toBe("alone");
    expect(deathOf(null, false)).toBe("shared");
  });
});

describe("the company of a task", () => {
  const company = (of: Task, ...deaths: Death[]) => companyOf(of, attemptsOf(deaths));

  test("is anything until its pool has died twice; then only turns, and nothing where a turn died with it", () => {
    expect(company(work, "shared")).toBe("all");
    expect(company(work, "shared", "shared")).toBe("turns");
    expect(company(work, "shared", "shared", "shared")).toBe("none");
  });

  test("is nothing for a turn whose pool has died twice", () => {
    expect(company(turn, "shared")).toBe("all");
    expect(company(turn, "shared", "shared")).toBe("none");
  });

  test("is anything, whatever died with an excuse", () => {
    expect(company(work, "reboot", "watchdog", "pm2", "role", "unknown")).toBe("all");
  });
});

describe("what begins beside what runs", () => {
  const of = (each: Task, company: Company = "all") => ({ task: each, company });
  const begin = (candidates: ReturnType<typeof of>[], running: ReturnType<typeof of>[] = []) =>
    place(candidates, running).map(({ task: { id }, company }) => [id, company]);

  test("without a suspect, everything", () => {
    expect(begin([of(turn), of(plan), of(work)], [of(other)])).toEqual([
      [turn.id, "all"],
      [plan.id, "all"],
      [work.id, "all"],
    ]);
  });

  test("of several suspects one, and a turn before work", () => {
    expect(begin([of(turn, "none"), of(plan, "turns"), of(work, "turns")])).toEqual([[turn.id, "none"]]);
    expect(begin([of(plan, "turns"), of(work, "turns"), of(other)])).toEqual([[plan.id, "turns"]]);
  });

  test("beside work that is a suspect a turn, and nothing else", () => {
    expect(begin([of(turn), of(plan), of(other, "turns")], [of(work, "turns")])).toEqual([[turn.id, "all"]]);
  });

  test("beside a suspect that a turn has died with, and beside a turn that is a suspect, nothing", () => {
    expect(begin([of(turn), of(other)], [of(work, "none")])).toEqual([]);
    expect(begin([of(plan), of(other)], [of(turn, "none")])).toEqual([]);
  });

  test("while a suspect waits for work that runs, turns but no more work: so it comes to its turn", () => {
    expect(begin([of(turn), of(plan), of(work, "turns")], [of(other)])).toEqual([[turn.id, "all"]]);
  });

  test("while a suspect waits for a turn that runs, nothing: the turn ends, and the next one is behind it", () => {
    expect(begin([of(plan), of(work, "turns")], [of(turn)])).toEqual([]);
  });

  test("a turn that is a suspect does not wait for work that runs", () => {
    expect(begin([of(turn, "none"), of(plan)], [of(other)])).toEqual([
      [turn.id, "all"],
      [plan.id, "all"],
    ]);
    expect(begin([of(turn, "none")], [of(work, "turns")])).toEqual([[turn.id, "all"]]);
  });
});
