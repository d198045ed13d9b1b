import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "@mimikit/core/tasks/target";
import { Claim, FailedAttempt } from "@mimikit/protocol/records/claim";
import { Message } from "@mimikit/protocol/records/inbox";
import { Result } from "@mimikit/protocol/records/result";
import { Task } from "@mimikit/protocol/records/task";
import { NO_EVIDENCE, TriggerRecord } from "@mimikit/protocol/records/trigger";
import { isAlive } from "@mimikit/runtime/process/identity";
import { commandId } from "@mimikit/store/disk/create-command";
import { openDisk } from "@mimikit/store/disk/disk";
import { createRecord } from "@mimikit/store/disk/record";
import { sign } from "@mimikit/store/disk/sign";
import {
  archivePath,
  claimPath,
  failedAttemptPath,
  inboxPath,
  queuePath,
  resultPath,
  triggerPath,
} from "@mimikit/store/disk/state";
import { overheard, PendingChanges } from "@mimikit/store/state-cache/pending-changes";
import { StateCache } from "@mimikit/store/state-cache/state-cache";
import { describe, expect, test } from "vitest";
import { done, message, NOON, NOON_MS, task } from "../../core/facts.ts";
import { temporaryState } from "../home.ts";

const TOKEN = "a token";
const OWNER = { pid: 1, startTime: "1", bootId: "one" };

function cached() {
  const state = temporaryState();
  const cache = new StateCache(state.fs, { token: TOKEN, durable: true, onBadArchive: () => undefined });
  const drop = (path: string, text: string) => writeFileSync(join(state.home, path), text);
  return { ...state, cache, drop };
}

describe("a look that is followed by actions", () => {
  /** A state cache, and the directories that were synced. */
  function counted(durable = true) {
    const { fs, home } = temporaryState();
    const synced: string[] = [];
    const counting = {
      ...fs,
      syncDir: async (dir: string) => {
        await fs.syncDir(dir);
        synced.push(dir);
      },
    };
    return {
      fs: counting,
      home,
      synced,
      cache: new StateCache(counting, { token: TOKEN, durable, onBadArchive: () => 0 }),
    };
  }
  const create = (fs: Parameters<typeof createRecord>[0], id: string) =>
    createRecord(fs, Task, queuePath("worker", id), task(id));

  test("syncs no directory in which everything that is new was made durable by this process", async () => {
    const { fs, cache, synced } = counted();
    await create(fs, "t-000001.0.0");
    await cache.refresh(NOON_MS);
    expect(cache.queue.has("t-000001.0.0")).toBe(true);
    expect(synced).toEqual(["worker/queue"]);
  });

  test("sees a call that the owner is to be asked about when it is durable, and other failed attempts without that", async () => {
    const { home, cache, synced } = counted();
    const another = openDisk(home, "test-2-2");
    const asks = { tool: "bash", digest: "0".repeat(64), shown: "make all", cwd: "/", reaches: ["network" as const] };
    const failed = { attempt: 1, error: "", at: NOON, retryAt: NOON };
    const fail = (id: string, record: Omit<FailedAttempt, "id" | keyof typeof failed>) =>
      createRecord(another, FailedAttempt, failedAttemptPath("worker", id, 1), { id, ...failed, ...record });
    await fail("t-000001.0", { failureReason: "timeout" });
    await cache.refresh(NOON_MS);
    expect(synced).toEqual([]);
    await fail("t-000002.0", { failureReason: "needs_approval", asks });
    await cache.refresh(NOON_MS);
    expect(synced).toEqual(["worker/running"]);
  });

  test("counts the archived one of two results of a task", async () => {
    const { fs, home, cache } = counted();
    const { id } = task("t-000001.0.0");
    await createRecord(fs, Result, resultPath("worker", id), done(task(id), { error: "the first" }));
    await fs.link(resultPath("worker", id), archivePath(id));
    await fs.unlink(resultPath("worker", id));
    await createRecord(openDisk(home, "test-2-2"), Result, resultPath("worker", id), done(task(id), { error: "late" }));
    await cache.refresh(NOON_MS);
    expect((await cache.resultOf(id))?.error).toBe("the first");
  });

  test("waits for what this process is making durable, and does it itself where that fails", async () => {
    const { fs, cache, synced } = counted();
    const cut = Promise.withResolvers<void>();
    const isNamed = Promise.withResolvers<void>();
    const { syncDir } = fs;
    fs.syncDir = () => {
      fs.syncDir = syncDir;
      isNamed.resolve();
      return cut.promise;
    };
    const created = create(fs, "t-000001.0.0");
    await isNamed.promise;
    const looked = cache.refresh(NOON_MS);
    cut.reject(new Error("the disk is broken"));
    await expect(created).rejects.toThrow("the disk is broken");
    await looked;
    expect(synced).toEqual(["worker/queue"]);
  });

  test("syncs what another process has made, whatever this one has made beside it", async () => {
    const { fs, home, cache, synced } = counted();
    await create(fs, "t-000001.0.0");
    await create(openDisk(home, "another-1"), "t-000001.0.1");
    await cache.refresh(NOON_MS);
    expect(synced).toEqual(["worker/queue", "worker/queue"]);
  });

  test("syncs neither for a message, which its turn holds whole, nor for an attempt, which may run again", async () => {
    const { home, cache, synced } = counted();
    const another = openDisk(home, "another-1");
    await createRecord(another, Message, inboxPath("m-1"), message("m-1"));
    const claim = { id: "t-000001.0.0", attempt: 1, owner: OWNER, at: NOON };
    await createRecord(another, Claim, claimPath("worker", "t-000001.0.0", 1), claim);
    await cache.refresh(NOON_MS);
    expect(cache.inbox.has("m-1")).toBe(true);
    expect(cache.attempts.has("t-000001.0.0")).toBe(true);
    expect(synced).toEqual([]);
  });

  test("syncs nothing where nothing is done that does not hold what it presupposes", async () => {
    const { home, cache, synced } = counted(false);
    await create(openDisk(home, "another-1"), "t-000001.0.0");
    await cache.refresh(NOON_MS);
    expect(cache.queue.has("t-000001.0.0")).toBe(true);
    expect(synced).toEqual([]);
  });
});

describe("a claim that a power loss has torn", () => {
  const PATH = claimPath("worker", "t-000001.0", 1);

  test.each(["", "\0\0\0", "{", '{"id":"t-000001.0","attempt":1,"owner":{"pi'])(
    "is that of an owner who is dead: %j",
    async (text) => {
      const { home, drop } = cached();
      drop(PATH, text);
      const fs = openDisk(home, "reader-1");
      const cache = new StateCache(fs, { token: TOKEN, durable: true, isAlive, onBadArchive: () => undefined });
      await cache.refresh(NOON_MS);
      await cache.refresh(NOON_MS);
      expect(cache.attemptFacts.get("t-000001.0")).toMatchObject([{ attempt: 1, ownerAlive: false }]);
      expect(cache.unreadable()).toMatchObject([]);
    },
  );

  test("is not what somebody else has put there", async () => {
    const { cache, drop } = cached();
    drop(PATH, '{"id":"t-000009.0","attempt":1');
    await cache.refresh(NOON_MS);
    expect(cache.unreadable()).toMatchObject([{ path: PATH }]);
    expect(cache.attempts.size).toBe(0);
  });
});

describe("a look at what was heard", () => {
  const QUEUE = "worker/queue";
  /** Tells which calls asked the disk, by directory. */
  async function listening() {
    const { fs, home } = temporaryState();
    const asked: string[] = [];
    const counting = {
      ...fs,
      version: (dir: string) => {
        asked.push(dir);
        return fs.version(dir);
      },
    };
    const cache = new StateCache(counting, { token: TOKEN, durable: true, onBadArchive: () => 0 });
    await cache.refresh(NOON_MS);
    asked.splice(0);
    const heard = new PendingChanges();
    const another = overheard(openDisk(home, "another-1"), (dir, name) => heard.note(dir, name));
    const look = () => cache.refresh(NOON_MS, false, heard.take());
    return { cache, another, home, asked, look, counting };
  }
  const create = (fs: Parameters<typeof createRecord>[0], id: string) =>
    createRecord(fs, Task, queuePath("worker", id), task(id));

  test("reads the names that came, and no directory", async () => {
    const { cache, another, asked, look } = await listening();
    await create(another, "t-000001.0.0");
    expect(await look()).toBe(true);
    expect(cache.queue.has("t-000001.0.0")).toBe(true);
    expect(asked).toEqual([]);
    expect(await look()).toBe(false);
  });

  test("lets go of what has left and is settled, and looks at no more", async () => {
    const { cache, another, asked, look } = await listening();
    await create(another, "t-000001.0.0");
    await look();
    await another.link(queuePath("worker", "t-000001.0.0"), archivePath("t-000001.0.0"));
    await another.unlink(queuePath("worker", "t-000001.0.0"));
    expect(await look()).toBe(true);
    expect(cache.queue.size).toBe(0);
    expect(asked).toEqual([]);
  });

  test("follows what has left and is not settled into the directories behind", async () => {
    const { cache, another, home, asked, look } = await listening();
    await create(another, "t-000001.0.0");
    await look();
    const result = done(task("t-000001.0.0"));
    await createRecord(openDisk(home, "unheard-1"), Result, resultPath("worker", result.id), result);
    await another.unlink(queuePath("worker", result.id));
    await look();
    expect(cache.results.has(result.id)).toBe(true);
    expect(asked).not.toContain(QUEUE);
  });

  test("is made up for by a look at all where it was cut off", async () => {
    const { cache, another, look, counting } = await listening();
    await create(another, "t-000001.0.0");
    const { read } = counting;
    counting.read = () => Promise.reject(new Error("EIO"));
    await expect(look()).rejects.toThrow("EIO");
    counting.read = read;
    await look();
    expect(cache.queue.has("t-000001.0.0")).toBe(true);
  });
});

describe("the state cache", () => {
  test("sees records come and go, and says whether anything did", async () => {
    const { fs, cache, home } = cached();
    await createRecord(fs, Message, inboxPath("m-1"), message("m-1"));
    expect(await cache.refresh(NOON_MS)).toBe(true);
    expect([...cache.inbox.keys()]).toEqual(["m-1"]);
    expect(await cache.refresh(NOON_MS)).toBe(false);
    rmSync(join(home, inboxPath("m-1")));
    expect(await cache.refresh(NOON_MS)).toBe(true);
    expect(cache.inbox.size).toBe(0);
  });

  test("sees a record that moves while it looks, whenever it moves", async () => {
    const dependent = task("t-000001.0.1");
    const trigger = {
      id: dependent.id,
      version: 1,
      type: "link" as const,
      evidence: NO_EVIDENCE,
      condition: { type: "task_done" as const, params: { taskId: "t-000001.0.0" } },
      task: dependent,
    };
    for (let move = 0; ; move++) {
      const { fs } = temporaryState();
      await createRecord(fs, TriggerRecord, triggerPath(dependent.id, 1), trigger);
      let lists = 0;
      const moving = {
        ...fs,
        async list(dir: string) {
          if (lists++ === move) {
            await createRecord(fs, Task, queuePath("worker", dependent.id), dependent);
            await fs.unlink(triggerPath(dependent.id, 1));
          }
          return fs.list(dir);
        },
      };
      const cache = new StateCache(moving, { token: TOKEN, durable: true, onBadArchive: () => undefined });
      await cache.refresh(NOON_MS);
      expect(cache.dependents.has(dependent.id) || cache.queue.has(dependent.id), `moved before list ${move}`).toBe(
        true,
      );
      if (lists <= move) break;
    }
  });

  test("calls an owner dead only if it was dead before the look began", async () => {
    const { fs, home } = temporaryState();
    const claim = { id: "t-000001.0.0", attempt: 1, owner: { pid: 1, startTime: "1", bootId: "b" }, at: NOON };
    writeFileSync(join(home, "worker/running/t-000001.0.0.a1.json"), JSON.stringify(claim));
    const cache = new StateCache(fs, {
      token: TOKEN,
      durable: true,
      isAlive: () => false,
      onBadArchive: () => undefined,
    });
    await cache.refresh(NOON_MS);
    expect(cache.attemptFacts.get(claim.id)).toMatchObject([{ ownerAlive: true }]);
    await cache.refresh(NOON_MS);
    expect(cache.attemptFacts.get(claim.id)).toMatchObject([{ ownerAlive: false }]);
  });

  test("completes a dropped file, with the same id each time it is looked at", async () => {
    const { cache, drop, home } = cached();
    drop("inbox/From Me.json", '{"kind":"message","text":"hi"}');
    await cache.refresh(NOON_MS);
    const [path, command] = [...cache.dropped][0] ?? [];
    expect(path).toBe("inbox/From Me.json");
    expect(command).toMatchObject({ kind: "message", text: "hi", id: expect.stringMatching(/^m-f-[0-9a-f]{32}$/) });
    const again = new StateCache((await import("@mimikit/store/disk/disk")).openDisk(home, "test-1-2"), {
      token: TOKEN,
      durable: false,
      onBadArchive: () => undefined,
    });
    await again.refresh(NOON_MS);
    expect(again.dropped.get("inbox/From Me.json")?.id).toBe(command?.id);
  });

  test.each([
    ["cancel", { taskId: "t-000001.0" }],
    ["steer", { text: "use pnpm" }],
    ["stop", {}],
  ])("takes a dropped %s for what it is once it has its id: it is not adopted again", async (kind, rest) => {
    const { cache, drop } = cached();
    drop("inbox/note.json", JSON.stringify({ kind, ...rest }));
    await cache.refresh(NOON_MS);
    const command = cache.dropped.get("inbox/note.json");
    drop(`inbox/${command?.id}.json`, JSON.stringify(command));
    await cache.refresh(NOON_MS);
    expect(cache.inbox.get(command?.id ?? "")).toEqual(command);
    expect([...cache.dropped.keys()]).toEqual(["inbox/note.json"]);
  });

  test("gives a steer whose id leaves no room for that of its message another one", async () => {
    const { cache, drop } = cached();
    const id = `s-${"x".repeat(126)}`;
    drop(`inbox/${id}.json`, JSON.stringify({ kind: "steer", id, at: NOON, text: "use pnpm" }));
    await cache.refresh(NOON_MS);
    const command = cache.dropped.get(`inbox/${id}.json`);
    expect(() => Message.parse(messageOf({ id: command?.id ?? id, at: NOON, text: "use pnpm" }))).not.toThrow();
    expect(cache.inbox.size).toBe(0);
  });

  test("does not believe a new conversation that is not signed", async () => {
    const { cache, drop } = cached();
    drop("inbox/clear-1.json", JSON.stringify({ kind: "clear", id: "clear-1", at: NOON, mac: "forged" }));
    await cache.refresh(NOON_MS);
    expect(cache.inbox.size).toBe(0);
    expect(cache.unreadable()[0]?.reason).toContain("signature");
  });

  test("tells what is no record, and since when it has been like that", async () => {
    const { cache, drop } = cached();
    drop("worker/queue/half.json", '{"id":');
    await cache.refresh(NOON_MS);
    await cache.refresh(NOON_MS + 1_000);
    expect(cache.unreadable()).toMatchObject([
      { path: "worker/queue/half.json", reason: "not valid JSON", sinceMs: NOON_MS },
    ]);
    drop("worker/queue/half.json", '{"id":"now longer"');
    await cache.refresh(NOON_MS + 1_500);
    expect(cache.unreadable()[0]?.sinceMs).toBe(NOON_MS + 1_500);
  });

  test("takes a file that was half-written once it is whole", async () => {
    const { cache, drop } = cached();
    const whole = JSON.stringify(task("t-000001.0"));
    drop("planner/queue/t-000001.0.json", whole.slice(0, 40));
    await cache.refresh(NOON_MS);
    expect(cache.queue.size).toBe(0);
    drop("planner/queue/t-000001.0.json", whole);
    await cache.refresh(NOON_MS);
    expect(cache.queue.get("t-000001.0")?.role).toBe("planner");
    expect(cache.unreadable()).toMatchObject([]);
  });

  test.each([
    ["under another id", "planner/queue/t-000009.0.json", JSON.stringify(task("t-000001.0"))],
    ["of another role", "worker/queue/t-000001.0.json", JSON.stringify(task("t-000001.0"))],
    ["that is nested too deep", "inbox/deep.json", `${"[".repeat(40)}${"]".repeat(40)}`],
    ["of no kind", "inbox/kind.json", '{"kind":"coup","text":"x"}'],
    [
      "that carries authority without a seal",
      "inbox/r-1.json",
      JSON.stringify({ kind: "restart", id: "r-1", at: NOON, mac: "forged" }),
    ],
    [
      "that speaks as the system without a seal",
      "inbox/e-1.json",
      JSON.stringify({ kind: "event", id: "e-1", at: NOON, name: "task_result", text: "", data: {} }),
    ],
    ["that does not end in .json", "inbox/readme.txt", "hello"],
  ])("takes no record %s", async (_, path, text) => {
    const { cache, drop } = cached();
    drop(path, text);
    await cache.refresh(NOON_MS);
    expect(cache.unreadable().map((each) => each.path)).toEqual([path]);
    expect([cache.inbox.size, cache.dropped.size, cache.queue.size]).toEqual([0, 0, 0]);
  });

  test.each(["t-000001", "t-000001.0", "t-99999999999999999999999", "t-000001.cancelled", "c-1"])(
    "takes a message under the id %s for a dropped file, so that it can never stand for something else",
    async (id) => {
      const { cache, drop } = cached();
      drop(`inbox/${id}.json`, JSON.stringify({ ...message(id), text: "I am a task" }));
      await cache.refresh(NOON_MS);
      expect(cache.inbox.size).toBe(0);
      expect(cache.dropped.get(`inbox/${id}.json`)?.id).toMatch(/^m-f-/);
    },
  );

  test("believes a command that is signed with the token", async () => {
    const { cache, drop } = cached();
    const command = { kind: "restart", id: "r-1", at: NOON };
    drop("inbox/r-1.json", JSON.stringify({ ...command, mac: sign(TOKEN, command) }));
    await cache.refresh(NOON_MS);
    expect(cache.inbox.get("r-1")?.kind).toBe("restart");
  });

  test("knows an attempt by its claim, its end, or both", async () => {
    const { cache, drop } = cached();
    const owner = { pid: 1, startTime: "1", bootId: "b" };
    drop("worker/running/t-000001.0.0.a1.json", JSON.stringify({ id: "t-000001.0.0", attempt: 1, owner, at: NOON }));
    const failed = { id: "t-000001.0.0", failureReason: "timeout", error: "", at: NOON, retryAt: NOON };
    drop("worker/running/t-000001.0.0.a1.failed.json", JSON.stringify({ ...failed, attempt: 1 }));
    drop("worker/running/t-000001.0.0.a2.failed.json", JSON.stringify({ ...failed, attempt: 2 }));
    await cache.refresh(NOON_MS);
    expect(cache.attemptFacts.get("t-000001.0.0")).toMatchObject([
      { attempt: 1, ownerAlive: true, failed: { attempt: 1 } },
      { attempt: 2, ownerAlive: false, failed: { attempt: 2 } },
    ]);
  });
});

describe("the archive index", () => {
  test("finds by name what another process archived since", async () => {
    const { cache, fs } = cached();
    await cache.archiveIndex.load();
    await createRecord(fs, Message, "archive/m-1.json", message("m-1"));
    expect(cache.archiveIndex.has("m-1")).toBe(false);
    expect(await cache.archiveIndex.confirm("m-1")).toBe(true);
    expect(cache.archiveIndex.has("m-1")).toBe(true);
  });

  test("reads a compacted file once, however many ask at the same time", async () => {
    const { fs, home } = temporaryState();
    const reads: string[] = [];
    const counting = {
      ...fs,
      read(path: string, bytesMax?: number) {
        reads.push(path);
        return fs.read(path, bytesMax);
      },
    };
    const { archiveIndex } = new StateCache(counting, { token: TOKEN, durable: true, onBadArchive: () => undefined });
    await archiveIndex.load();
    const header = { kind: "fold", month: "2026-08", ids: ["m-1"] };
    const lines = [header, message("m-1")].map((line) => `${JSON.stringify(line)}\n`);
    writeFileSync(join(home, "archive/folded/2026-08.jsonl"), lines.join(""));
    const found = await Promise.all(Array.from({ length: 20 }, () => archiveIndex.confirm("m-1")));
    expect(found.every(Boolean)).toBe(true);
    expect(reads).toEqual(["archive/folded/2026-08.jsonl"]);
  });

  test("does not mind what else somebody put there", async () => {
    const { cache, fs, home, drop } = cached();
    drop("archive/folded/.DS_Store", "junk");
    drop("archive/t-000001 (copy).json", "{}");
    mkdirSync(join(home, "archive/x.json"));
    await createRecord(fs, Message, "archive/m-1.json", message("m-1"));
    await cache.archiveIndex.load();
    expect(cache.archiveIndex.has("m-1")).toBe(true);
    expect([...cache.archiveIndex.names()]).not.toContain("t-000001 (copy)");
  });

  test("a damaged record keeps its name, and is reported", async () => {
    const { fs, home } = temporaryState();
    const told: string[] = [];
    const { archiveIndex } = new StateCache(fs, {
      token: TOKEN,
      durable: false,
      onBadArchive: (path) => told.push(path),
    });
    writeFileSync(join(home, "archive/m-1.json"), "torn");
    expect(await archiveIndex.read("m-1")).toBeNull();
    expect(told).toEqual(["archive/m-1.json"]);
    expect(readFileSync(join(home, "archive/m-1.json"), "utf8")).toBe("torn");
  });
});

test("the id of a command follows from its key, and is never the same without one", () => {
  expect(commandId("message", "key")).toBe("m-2c70e12b7a0646f92279f427c7b38e73");
  expect(commandId("clear", "key")).toBe("clear-2c70e12b7a0646f92279f427c7b38e73");
  expect(commandId("message")).not.toBe(commandId("message"));
});

test("a queue path is where the state cache looks", async () => {
  const { cache, fs } = cached();
  await createRecord(fs, Task, queuePath("worker", "t-000001.0.0"), task("t-000001.0.0"));
  await cache.refresh(NOON_MS);
  expect([...cache.queue.keys()]).toEqual(["t-000001.0.0"]);
});

test("a directory that vanishes is an error, not an empty state", async () => {
  const { cache, home } = cached();
  rmSync(join(home, "inbox"), { recursive: true });
  await expect(cache.refresh(NOON_MS)).rejects.toThrow("ENOENT");
  mkdirSync(join(home, "inbox"));
  await cache.refresh(NOON_MS);
});
