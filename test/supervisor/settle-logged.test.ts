/** A result that is in the archive has its line in the audit log, and one, however often the disk fails on the way. */
import type { AuditEvent } from "@mimikit/protocol/records/audit";
import { Result } from "@mimikit/protocol/records/result";
import { Task } from "@mimikit/protocol/records/task";
import { createRecord } from "@mimikit/store/disk/record";
import { ARCHIVE, queuePath, resultPath } from "@mimikit/store/disk/state";
import { expect, test } from "vitest";
import { settle } from "../../apps/supervisor/src/execute/settle.ts";
import { settlementOf } from "../../packages/core/src/rules/settle.ts";
import { done, NOON_MS, snapshot, task } from "../core/facts.ts";
import { temporaryState } from "../store/home.ts";
import { contextOf } from "./context.ts";

/** Settles one plan again and again until nothing fails; the sync of the archive with this number does. @returns what was logged. */
async function settledWith(failing: number): Promise<{ events: AuditEvent[]; failures: number }> {
  const { fs } = temporaryState();
  let syncs = 0;
  const faulty = {
    ...fs,
    async syncDir(dir: string) {
      if (dir === ARCHIVE && ++syncs === failing) throw new Error("EIO");
      await fs.syncDir(dir);
    },
  };
  const plan = task("t-000001.0");
  const result = done(plan);
  await createRecord(fs, Task, queuePath("planner", plan.id), plan);
  await createRecord(fs, Result, resultPath("planner", plan.id), result);
  const events: AuditEvent[] = [];
  const context = await contextOf(faulty, (event) => void events.push(event));
  for (let failures = 0; ; failures++) {
    try {
      await settle(settlementOf(result, snapshot({ results: [result] }), NOON_MS), context);
      return { events, failures };
    } catch (error) {
      if (String(error) !== "Error: EIO") throw error;
    }
  }
}

test("a result is logged once, whichever sync of the archive fails, also the last one", async () => {
  let failed = 0;
  for (let failing = 1; failing <= 4; failing++) {
    const { events, failures } = await settledWith(failing);
    failed += failures;
    expect(events.filter(({ event }) => event === "plan_settled")).toHaveLength(1);
  }
  expect(failed).toBeGreaterThan(0);
});
