/** The three real processes with a budget: what is used up holds work back, is told once, and ends with its day. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dayOf } from "@mimikit/protocol/base/usage";
import type { Status, TriggerSummary } from "@mimikit/protocol/wire/api";
import { usagePath } from "@mimikit/store/disk/state";
import { afterEach, expect, test } from "vitest";
import { Instance } from "../support/instance.ts";
import { call, section } from "../support/main-job.ts";
import { ModelServer, type Script } from "../support/model-server.ts";

/** The tokens of one answer of the scripted model: 100 in, 7 out. */
const ANSWER_TOKENS = 107;
const NOON_HOUR = 12;
const SEC_MS = 1_000;
const MINUTE_MS = 60_000;

const opened: { dispose(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.dispose();
});

/** An instance with a model, at noon: a test that runs at midnight would see two days. */
async function start(script: Script, env: Record<string, string>) {
  const model = await ModelServer.start(script);
  opened.push({ dispose: () => model.close() });
  const settings = { MIMIKIT_PROVIDER: "openai", MIMIKIT_MODEL: "scripted", OPENAI_BASE_URL: model.baseUrl };
  const mimikit = await Instance.start({ env: { ...settings, ...env }, hasClock: true });
  opened.unshift(mimikit);
  const noon = new Date();
  noon.setDate(noon.getDate() + 1);
  noon.setHours(NOON_HOUR, 0, 0, 0);
  const clock = clockOf(mimikit);
  clock.moveTo(noon.getTime());
  return { mimikit, model, clock };
}

function clockOf(mimikit: Instance) {
  let aheadMs = 0;
  const set = (ms: number) => {
    aheadMs = ms;
    mimikit.setClock(ms);
  };
  return {
    moveTo: (ms: number) => set(ms - Date.now()),
    moveBy: (ms: number) => set(aheadMs + ms),
    today: () => dayOf(Date.now() + aheadMs),
  };
}

const budgetOf = async (mimikit: Instance) => (await mimikit.api<Status>("/api/status")).usage.budget.day;
const noticesOf = async (mimikit: Instance) =>
  (await mimikit.replies()).filter(({ text }) => text.startsWith("The budget of the day"));

/** A Teller that delegates what it is asked to do and answers everything else, and a Planner that makes two tasks. */
const TWO_TASKS: Script = {
  teller: (request) => {
    const results = section("results", request);
    if (results !== "") return { say: `This came of it:\n\n${results}` };
    if (!section("inputs", request).includes("work")) return { say: "I am here." };
    return request.turn === 0 ? call("delegate", { prompt: "do both" }) : { say: "I am on it." };
  },
  planner: ({ results }) => {
    const title = ["First", "Second"][results.length];
    return title === undefined ? { say: "" } : call("delegate", { title, prompt: `the ${title} step` });
  },
  worker: (request) => ({ say: `It was ${/the \w+ step/.exec(section("task", request))?.[0]}.` }),
};

test("a day that is used up holds work back, is told once over every death, answers the user, and ends at midnight", async () => {
  // The turn and the plan take five answers; one task begins, and there is nothing left for the other.
  const { mimikit, model, clock } = await start(TWO_TASKS, { MIMIKIT_BUDGET_DAY_TOKENS: String(6 * ANSWER_TOKENS) });
  expect(await budgetOf(mimikit)).toMatchObject({ spent: { tokens: 0 }, isReached: false });
  const order = await mimikit.send("work on both");
  const plan = (await mimikit.replyTo(order)).taskIds?.[0] ?? "";
  const [notice] = await mimikit.until("the notice", async () => {
    const notices = await noticesOf(mimikit);
    return notices.length > 0 ? notices : undefined;
  });
  expect(notice?.text).toMatch(/is used up: 642 of 642 tokens\. 1 task waits until .* 00:00 /);
  const waiting = async () => (await mimikit.tasks()).filter(({ state }) => state === "queued").map(({ id }) => id);
  const held = await waiting();
  expect([[`${plan}.0`], [`${plan}.1`]]).toContainEqual(held);

  for (const role of ["supervisor", "workers"] as const) await mimikit.kill(role);
  await mimikit.ready();
  const question = await mimikit.send("are you there?");
  expect((await mimikit.replyTo(question)).text).toBe("I am here.");
  expect(await noticesOf(mimikit)).toHaveLength(1);
  expect(await waiting()).toEqual(held);
  expect(model.of("worker")).toHaveLength(1);
  const { resumesAt = "", ...used } = (await budgetOf(mimikit)) ?? {};
  expect(used).toMatchObject({ spent: { tokens: 7 * ANSWER_TOKENS }, reserved: { tokens: 0 }, isReached: true });

  clock.moveTo(Date.parse(resumesAt) - MINUTE_MS);
  await mimikit.replyTo(await mimikit.send("still there?"));
  expect(model.of("worker")).toHaveLength(1);
  clock.moveTo(Date.parse(resumesAt) + SEC_MS);
  const report = await mimikit.replyWith("This came of it");
  expect(report.text).toContain("It was the First step.");
  expect(report.text).toContain("It was the Second step.");
  await mimikit.drained();
  expect(await budgetOf(mimikit)).toMatchObject({
    spent: { tokens: 2 * ANSWER_TOKENS },
    reserved: { tokens: 0, costUsd: 0 },
    isReached: false,
  });
  expect(await noticesOf(mimikit)).toHaveLength(1);
});

test("a run that dies before it can say what it cost counts for what was reserved for it, once", async () => {
  const { mimikit, clock } = await start(
    {
      ...TWO_TASKS,
      planner: ({ turn }) => (turn === 0 ? call("delegate", { prompt: "one step" }) : { say: "" }),
      worker: ({ results }) =>
        results.some((result) => result.includes("at last"))
          ? { say: "done" }
          : { calls: [{ shell: "touch started; until [ -e go ]; do sleep 0.05; done; echo at last" }] },
    },
    { MIMIKIT_BUDGET_DAY_TOKENS: "1000000", MIMIKIT_BUDGET_RESERVE_WORKER: "5000" },
  );
  await mimikit.send("work");
  await mimikit.until("the command", () => existsSync(join(mimikit.workDir, "started")) || undefined);
  expect(await budgetOf(mimikit)).toMatchObject({ reserved: { tokens: 5_000 } });
  for (const role of ["workers", "supervisor", "workers"] as const) await mimikit.kill(role);
  writeFileSync(join(mimikit.workDir, "go"), "");
  await mimikit.replyWith("This came of it");
  await mimikit.drained();
  const lines = readFileSync(join(mimikit.home, usagePath(clock.today())), "utf8")
    .trim()
    .split("\n");
  const estimates = lines.filter((line) => line.includes('"isEstimate":true'));
  const attempts = lines.map((line) => JSON.parse(line) as { taskId: string; attempt: number });
  expect(new Set(attempts.map(({ taskId, attempt }) => `${taskId}.a${attempt}`)).size).toBe(lines.length);
  const told = (lines.length - estimates.length) * ANSWER_TOKENS;
  const { spent, reserved } = (await budgetOf(mimikit)) ?? {};
  expect(estimates.length).toBeGreaterThan(0);
  expect(spent?.tokens).toBeGreaterThanOrEqual(estimates.length * 5_000 + told);
  expect(reserved).toEqual({ tokens: 0, costUsd: 0 });
});

test("a trigger whose day is used up, or reserved by its own work, skips and says why; the next day it goes on", async () => {
  const { mimikit, clock } = await start(
    {
      ...TWO_TASKS,
      worker: ({ results }) =>
        results.length > 0
          ? { say: "It is done." }
          : { calls: [{ shell: "touch started; until [ -e go ]; do sleep 0.05; done" }] },
    },
    {},
  );
  const { id } = await mimikit.api<{ id: string }>("/api/triggers", {
    method: "POST",
    body: { prompt: "the daily step", interval: 600, target: "worker", budget: { tokens: 2 * ANSWER_TOKENS } },
  });
  const outcomes = async () => {
    const { triggers } = await mimikit.api<{ triggers: TriggerSummary[] }>("/api/triggers");
    return triggers.find((trigger) => trigger.id === id)?.recent ?? [];
  };
  const afterNext = async (minutes: number) => {
    const before = (await outcomes()).length;
    clock.moveBy(minutes * MINUTE_MS);
    return mimikit.until("the next occurrence", async () => {
      const past = await outcomes();
      return past.length > before ? past.at(-1) : undefined;
    });
  };
  await mimikit.until("the trigger", async () =>
    (await mimikit.api<Status>("/api/status")).counts.triggers === 1 ? true : undefined,
  );
  const skipped = { outcome: "skipped", reason: expect.stringContaining("budget of 214 tokens a day") };
  expect(await afterNext(11)).toMatchObject({ outcome: "fired" });
  await mimikit.until("its work", () => existsSync(join(mimikit.workDir, "started")) || undefined);
  expect(await afterNext(10)).toMatchObject(skipped);
  writeFileSync(join(mimikit.workDir, "go"), "");
  await mimikit.replyWith("This came of it");
  expect(await afterNext(10)).toMatchObject(skipped);
  expect(await afterNext(24 * 60)).toMatchObject({ outcome: "fired" });
});

test("a task that has taken what it may ends before the next request, and the user is told", async () => {
  const { mimikit, model } = await start(
    {
      ...TWO_TASKS,
      planner: ({ turn }) => (turn === 0 ? call("delegate", { prompt: "one step" }) : { say: "" }),
      worker: ({ turn }) => ({ calls: [{ name: "bash", args: { command: `echo ${turn}` } }] }),
    },
    { MIMIKIT_BUDGET_TASK_TOKENS: String(3 * ANSWER_TOKENS) },
  );
  const plan = (await mimikit.replyTo(await mimikit.send("work"))).taskIds?.[0] ?? "";
  const report = await mimikit.replyWith("This came of it");
  expect(report.text).toContain("its budget is used up: it has taken 321 of 321 tokens");
  expect(await mimikit.task(`${plan}.0`)).toMatchObject({ state: "failed", failureReason: "budget", attempts: 1 });
  expect(model.of("worker")).toHaveLength(3);
});
