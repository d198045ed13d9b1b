/** The tasks that a role is told of: the same as a list made again, and made again only where something has changed. */
import { boardOf } from "@mimikit/core/views/board";
import { Claim } from "@mimikit/protocol/records/claim";
import { Result } from "@mimikit/protocol/records/result";
import { Task } from "@mimikit/protocol/records/task";
import { TriggerRecord } from "@mimikit/protocol/records/trigger";
import { createRecord } from "@mimikit/store/disk/record";
import { claimPath, queuePath, resultPath, triggerPath } from "@mimikit/store/disk/state";
import { StateCache } from "@mimikit/store/state-cache/state-cache";
import { lookups } from "@mimikit/store/views/attempts-told";
import { expect, test } from "vitest";
import { OpenTasks } from "../../apps/worker-pool/src/run/open-tasks.ts";
import { dependentOn, done, NOON, NOON_MS, task, turn } from "../core/facts.ts";
import { temporaryState } from "../store/home.ts";

const OWNER = { pid: 1, startTime: "1", bootId: "b" };

test("the list is as one that is made anew, and a line whose records stay is not made again", async () => {
  const { fs } = temporaryState();
  const cache = new StateCache(fs, { token: "token", durable: false, isAlive: () => true, onBadArchive: () => {} });
  const [first, second, third] = [task("t-000001.0.0"), task("t-000001.0.1"), task("t-000001.0.2")];
  await createRecord(fs, Task, queuePath("worker", first.id), first);
  await cache.archiveIndex.load();
  const open = new OpenTasks(cache);
  const look = async () => {
    await cache.refresh(NOON_MS);
    const { queue, dependents: links, results, attempts } = cache;
    const of = (id: string) => lookups(attempts.get(id));
    const anew = boardOf({
      queue,
      dependents: links,
      results,
      runningClaimOf: (id) => of(id).runningClaimOf(id),
      attemptsOf: (id) => of(id).attemptsOf(id),
      limitedUntilOf: (id) => of(id).limitedUntilOf(id),
    });
    expect(open.list).toEqual(anew);
    return open.list;
  };
  const one = await look();
  expect(one).toMatchObject([{ id: first.id, state: "queued" }]);

  await createRecord(fs, Task, queuePath("worker", second.id), second);
  await createRecord(fs, Task, queuePath("teller", "t-000002"), turn("t-000002", {}));
  await createRecord(
    fs,
    TriggerRecord,
    triggerPath(third.id, 1),
    dependentOn(third, { type: "task_done", params: { taskId: first.id } }),
  );
  const three = await look();
  expect(three.map(({ state }) => state)).toEqual(["waiting", "queued", "queued"]);
  expect(three.at(-1)).toBe(one[0]);
  expect(await look()).toBe(three);

  await createRecord(fs, Claim, claimPath("worker", first.id, 1), { id: first.id, attempt: 1, owner: OWNER, at: NOON });
  expect((await look()).at(-1)).toMatchObject({ state: "running", attempts: 1 });
  await createRecord(fs, Result, resultPath("worker", second.id), done(second));
  await fs.unlink(queuePath("worker", first.id));
  await fs.unlink(claimPath("worker", first.id, 1));
  expect((await look()).map(({ id, state }) => [id, state])).toEqual([
    [third.id, "waiting"],
    [second.id, "done"],
  ]);
});
