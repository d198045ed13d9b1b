/** The report of an improvement is never older than its last applied step, whenever it is read (SPEC J1). */
import { cancelMark } from "@mimikit/protocol/base/id";
import { stepId } from "@mimikit/protocol/records/improvement";
import { Result } from "@mimikit/protocol/records/result";
import { createRecord } from "@mimikit/store/disk/record";
import { archivePath } from "@mimikit/store/disk/state";
import { StateCache } from "@mimikit/store/state-cache/state-cache";
import { readImprovement } from "@mimikit/store/views/improvements";
import { expect, test } from "vitest";
import { done, task } from "../../core/facts.ts";
import { temporaryState } from "../home.ts";

const FOUND = { found: true, kind: "docs", title: "a typo", prompt: "Correct it.", why: "It is wrong." } as const;
const look = task(stepId(1, "look"), { role: "worker", improve: { number: 1, step: "look" } });

test("between a step that is settled and one that was not seen yet, the improvement goes on, unless it was cancelled", async () => {
  const { fs } = temporaryState();
  const cache = new StateCache(fs, { token: "token", durable: false, onBadArchive: () => undefined });
  // The look at the directories is older than the end of the step.
  const found = done(look, { resultType: "finding", result: FOUND });
  await createRecord(fs, Result, archivePath(look.id), found);
  const seen = await readImprovement(cache, 1);
  expect(seen).toMatchObject({ state: "working", title: "a typo" });
  expect(seen).not.toHaveProperty("endedAt");
  await fs.write(archivePath(cancelMark("imp-000001")), "{}");
  expect(await readImprovement(cache, 1)).toMatchObject({ state: "failed", error: "it was cancelled" });
});
