/** The actions of one look wait for the disk together if they may, and are done in order if they must. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Action } from "@mimikit/core/base/action";
import { NO_SPENDING } from "@mimikit/core/base/budget";
import { Result } from "@mimikit/protocol/records/result";
import { Task } from "@mimikit/protocol/records/task";
import { createRecord } from "@mimikit/store/disk/record";
import { ARCHIVE, inboxPath, queuePath, resultPath, triggerPath } from "@mimikit/store/disk/state";
import { ArchiveIndex } from "@mimikit/store/state-cache/archive-index";
import { expect, test } from "vitest";
import type { ExecContext } from "../../apps/supervisor/src/execute/exec-context.ts";
import { remove } from "../../apps/supervisor/src/execute/remove.ts";
import { inGroups, rootOfIndependent, sideBySide } from "../../apps/supervisor/src/execute/side-by-side.ts";
import { Supervisor } from "../../apps/supervisor/src/supervisor.ts";
import { settlementOf } from "../../packages/core/src/rules/settle.ts";
import { done, NOON_MS, NOTHING_SAID, snapshot, task } from "../core/facts.ts";
import { temporaryState } from "../store/home.ts";

/** Plans that are done, each of a turn of its own. */
const PLANS = 20;

function supervisorOn(fs: ReturnType<typeof temporaryState>["fs"]): Supervisor {
  return new Supervisor({
    fs,
    token: "a token",
    nowMs: () => NOON_MS,
    isAlive: () => true,
    lock: (_path, work) => work(),
    audit: () => undefined,
    onError: (error) => {
      throw error;
    },
    restart: async () => undefined,
    rereadMs: 30_000,
    world: {
      stampsOf: async () => new Map(),
      timeZone: "UTC",
      selfImprove: () => ({ isEnabled: false, lacks: null, idleSec: 300, limit: {}, startedMs: 0 }),
      memory: { look: async () => NOTHING_SAID },
      spending: () => ({ ceiling: null, spentByTrigger: () => NO_SPENDING }),
    },
  });
}

test("results of many orders that are settled in one look share the syncs of the archive", async () => {
  const { home, fs } = temporaryState();
  // The disk shares the syncs of those who wait at the same time: a round begins when nobody waits.
  let waiting = 0;
  let rounds = 0;
  const counting = {
    ...fs,
    async syncDir(dir: string) {
      if (dir === ARCHIVE && waiting++ === 0) rounds++;
      await fs.syncDir(dir);
      if (dir === ARCHIVE) waiting--;
    },
  };
  const supervisor = supervisorOn(counting);
  await supervisor.load();
  for (let n = 1; n <= PLANS; n++) {
    const plan = task(`t-${String(n).padStart(6, "0")}.0`);
    await createRecord(fs, Task, queuePath("planner", plan.id), plan);
    await createRecord(fs, Result, resultPath("planner", plan.id), done(plan));
  }
  await supervisor.tick();
  expect(readdirSync(join(home, ARCHIVE)).filter((name) => name.endsWith(".json"))).toHaveLength(PLANS);
  expect(rounds).toBeLessThan(PLANS / 4);
});

test("items of one key are done in their order, others at the same time, and so many at once and no more", async () => {
  const log: string[] = [];
  let atOnce = 0;
  let most = 0;
  await sideBySide(
    ["a1", "b1", "a2", "c1", "b2", "d1"],
    ([key = ""]) => key,
    3,
    async (item) => {
      most = Math.max(most, ++atOnce);
      await new Promise(setImmediate);
      log.push(item);
      atOnce--;
    },
  );
  expect(most).toBe(3);
  expect([...log].sort()).toEqual(["a1", "a2", "b1", "b2", "c1", "d1"]);
  for (const key of ["a", "b"]) expect(log.indexOf(`${key}1`)).toBeLessThan(log.indexOf(`${key}2`));
});

test("all that was begun has ended when one of them throws", async () => {
  const ended: string[] = [];
  const work = async (item: string) => {
    if (item === "bad") throw new Error("the disk is broken");
    await new Promise(setImmediate);
    ended.push(item);
  };
  await expect(sideBySide(["bad", "good", "better"], (item) => item, 2, work)).rejects.toThrow("the disk is broken");
  expect(ended).toEqual(["good", "better"]);
});

test("of one record everything goes in its order, however long each of it takes", async () => {
  const { fs } = temporaryState();
  const gone: string[] = [];
  let slowness = 4;
  const slow = {
    ...fs,
    async unlink(path: string) {
      // The first are the slowest.
      for (let turns = slowness--; turns > 0; turns--) await new Promise(setImmediate);
      gone.push(path);
    },
  };
  const versions = [1, 2, 3].map((version) => ({ from: "triggers", id: "trg-1", version }) as const);
  const context = { fs: slow, archiveIndex: new ArchiveIndex(slow, () => undefined) } as unknown as ExecContext;
  await remove([...versions, { from: "inbox", id: "m-1" }], context);
  expect(gone.filter((path) => path.startsWith("triggers/"))).toEqual(
    versions.map((each) => triggerPath("trg-1", each.version)),
  );
  expect(gone).toContain(inboxPath("m-1"));
});

test("what users ask for, and what edits documents, keeps its place among the others", () => {
  const plan = (id: string) => done(task(id));
  const settling = (result: Result) =>
    ({ type: "settle", settlement: settlementOf(result, snapshot({ results: [result] }), NOON_MS) }) as const;
  const edit = { document: "memory", id: "t-000003.0", at: "", content: "tea", longTerm: true } as const;
  const editing = settling(plan("t-000003.0"));
  const actions: Action[] = [
    { type: "remove", removals: [] },
    settling(plan("t-000001.0")),
    settling(plan("t-000002.0")),
    { ...editing, settlement: { ...editing.settlement, edits: [edit] } },
    settling(plan("t-000002.1")),
  ];
  expect(inGroups(actions).map((group) => group.map(rootOfIndependent))).toEqual([
    [null],
    ["t-000001", "t-000002"],
    [null],
    ["t-000002"],
  ]);
});
