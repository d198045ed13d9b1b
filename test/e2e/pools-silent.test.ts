/** A machine that is silent for long, with a real redis-server and real processes (docs/pools.md). */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { QuestionView } from "@mimikit/protocol/wire/api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findProgram } from "../../scripts/bench/measure/find-program.ts";
import { type Machine, type Pools, startPools } from "../support/pools.ts";

describe.runIf(findProgram("redis-server") !== null)("work for a machine that is silent", () => {
  let pools: Pools;
  let machine: Machine;
  beforeAll(async () => {
    pools = await startPools({ env: { MIMIKIT_POOLS_ASK_SEC: "10" } });
    machine = await pools.join("box");
  });
  afterAll(() => pools.dispose());

  /** An order for the machine, which is off, with the question that comes of it. */
  async function orderAndAsk(file: string): Promise<{ id: string; question: QuestionView }> {
    const { mimikit } = pools;
    const body = { text: `run \`echo done > ${file}\``, pool: "box" };
    const { id } = await mimikit.api<{ id: string }>("/api/input", { method: "POST", body });
    const task = `${(await mimikit.replyTo(id)).taskIds?.[0]}.0`;
    const question = await mimikit.until("the question", async () =>
      (await asked()).find(({ taskId }) => taskId === task),
    );
    return { id: task, question };
  }
  const asked = async () => (await pools.mimikit.api<{ questions: QuestionView[] }>("/api/questions")).questions;
  const ended = (id: string) =>
    pools.mimikit.until(`${id} has ended`, async () => {
      const task = await pools.mimikit.task(id);
      return task.completedAt === undefined ? undefined : task;
    });

  test("the owner is asked; a yes ends the task, and nothing of it runs when the machine is back", async () => {
    await machine.stop();
    const { id, question } = await orderAndAsk("given-up");
    expect(question.question).toContain("was given to box, which has not been heard of");
    const { stdout } = await pools.command(["questions", "answer", question.id, "yes"]);
    expect(stdout).toContain("yes");
    const task = await ended(id);
    expect(task).toMatchObject({ state: "failed", error: expect.stringContaining("you gave the task up") });
    machine.start();
    expect((await pools.command(["ask", "--pool", "box", "run `echo after > after`"])).exitCode).toBe(0);
    expect(existsSync(join(machine.workDir, "given-up"))).toBe(false);
  });

  test("the question closes by itself when the machine is back, and the work is done once", async () => {
    await machine.stop();
    const { id } = await orderAndAsk("waited");
    machine.start();
    expect(await ended(id)).toMatchObject({ state: "done", attempts: 1 });
    await pools.mimikit.until("no question", async () => (await asked()).length === 0 || undefined);
    expect(machine.read("waited")).toBe("done\n");
  });
});
