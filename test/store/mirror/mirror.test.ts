import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "@mimikit/core/tasks/target";
import { Claim } from "@mimikit/protocol/records/claim";
import { Message } from "@mimikit/protocol/records/inbox";
import { Result } from "@mimikit/protocol/records/result";
import { Task } from "@mimikit/protocol/records/task";
import { NO_EVIDENCE, Trigger } from "@mimikit/protocol/records/trigger";
import { isAlive } from "@mimikit/runtime/process/identity";
import { wishId } from "@mimikit/store/disk/create-wish";
import { openDisk } from "@mimikit/store/disk/disk";
import { createRecord } from "@mimikit/store/disk/record";
import { seal } from "@mimikit/store/disk/seal";
import { archivePath, claimPath, inboxPath, queuePath, resultPath, triggerPath } from "@mimikit/store/disk/state";
import { Heard, overheard } from "@mimikit/store/mirror/heard";
import { Mirror } from "@mimikit/store/mirror/mirror";
import { describe, expect, test } from "vitest";
import { done, message, NOON, NOON_MS, task } from "../../core/facts.ts";
import { temporaryState } from "../home.ts";

const TOKEN = "a token";
const OWNER = { pid: 1, startTime: "1", bootId: "one" };

function mirrored() {
  const state = temporaryState();
  const mirror = new Mirror(state.fs, { token: TOKEN, durable: true, onBadArchive: () => undefined });
  const drop = (path: string, text: string) => writeFileSync(join(state.home, path), text);
  return { ...state, mirror, drop };
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
      mirror: new Mirror(counting, { token: TOKEN, durable, onBadArchive: () => 0 }),
    };
  }
  const create = (fs: Parameters<typeof createRecord>[0], id: string) =>
    createRecord(fs, Task, queuePath("worker", id), task(id));

  test("syncs no directory in which everything that is new was made durable by this process", async () => {
    const { fs, mirror, synced } = counted();
    await create(fs, "t-000001.0.0");
    await mirror.refresh(NOON_MS);
    expect(mirror.queue.has("t-000001.0.0")).toBe(true);
    expect(synced).toEqual(["worker/queue"]);
  });

  test("waits for what this process is making durable, and does it itself where that fails", async () => {
    const { fs, mirror, synced } = counted();
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
    const looked = mirror.refresh(NOON_MS);
    cut.reject(new Error("the disk is broken"));
    await expect(created).rejects.toThrow("the disk is broken");
    await looked;
    expect(synced).toEqual(["worker/queue"]);
  });

  test("syncs what another process has made, whatever this one has made beside it", async () => {
    const { fs, home, mirror, synced } = counted();
    await create(fs, "t-000001.0.0");
    await create(openDisk(home, "another-1"), "t-000001.0.1");
    await mirror.refresh(NOON_MS);
    expect(synced).toEqual(["worker/queue", "worker/queue"]);
  });

  test("syncs neither for a message, which its turn holds whole, nor for an attempt, which may run again", async () => {
    const { home, mirror, synced } = counted();
    const another = openDisk(home, "another-1");
    await createRecord(another, Message, inboxPath("m-1"), message("m-1"));
    const claim = { id: "t-000001.0.0", attempt: 1, owner: OWNER, at: NOON };
    await createRecord(another, Claim, claimPath("worker", "t-000001.0.0", 1), claim);
    await mirror.refresh(NOON_MS);
    expect(mirror.inbox.has("m-1")).toBe(true);
    expect(mirror.attempts.has("t-000001.0.0")).toBe(true);
    expect(synced).toEqual([]);
  });

  test("syncs nothing where nothing is done that does not hold what it presupposes", async () => {
    const { home, mirror, synced } = counted(false);
    await create(openDisk(home, "another-1"), "t-000001.0.0");
    await mirror.refresh(NOON_MS);
    expect(mirror.queue.has("t-000001.0.0")).toBe(true);
    expect(synced).toEqual([]);
  });
});

describe("a claim that a power loss has torn", () => {
  const PATH = claimPath("worker", "t-000001.0", 1);

  test.each(["", "\0\0\0", "{", '{"id":"t-000001.0","attempt":1,"owner":{"pi'])(
    "is that of an owner who is dead: %j",
    async (text) => {
      const { home, drop } = mirrored();
      drop(PATH, text);
      const fs = openDisk(home, "reader-1");
      const mirror = new Mirror(fs, { token: TOKEN, durable: true, isAlive, onBadArchive: () => undefined });
      await mirror.refresh(NOON_MS);
      await mirror.refresh(NOON_MS);
      expect(mirror.attemptFacts.get("t-000001.0")).toMatchObject([{ attempt: 1, ownerAlive: false }]);
      expect(mirror.unreadable()).toMatchObject([]);
    },
  );

  test("is not what somebody else has put there", async () => {
    const { mirror, drop } = mirrored();
    drop(PATH, '{"id":"t-000009.0","attempt":1');
    await mirror.refresh(NOON_MS);
    expect(mirror.unreadable()).toMatchObject([{ path: PATH }]);
    expect(mirror.attempts.size).toBe(0);
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
    const mirror = new Mirror(counting, { token: TOKEN, durable: true, onBadArchive: () => 0 });
    await mirror.refresh(NOON_MS);
    asked.splice(0);
    const heard = new Heard();
    const another = overheard(openDisk(home, "another-1"), (dir, name) => heard.note(dir, name));
    const look = () => mirror.refresh(NOON_MS, false, heard.take());
    return { mirror, another, home, asked, look, counting };
  }
  const create = (fs: Parameters<typeof createRecord>[0], id: string) =>
    createRecord(fs, Task, queuePath("worker", id), task(id));

  test("reads the names that came, and no directory", async () => {
    const { mirror, another, asked, look } = await listening();
    await create(another, "t-000001.0.0");
    expect(await look()).toBe(true);
    expect(mirror.queue.has("t-000001.0.0")).toBe(true);
    expect(asked).toEqual([]);
    expect(await look()).toBe(false);
  });

  test("lets go of what has left and is settled, and looks at no more", async () => {
    const { mirror, another, asked, look } = await listening();
    await create(another, "t-000001.0.0");
    await look();
    await another.link(queuePath("worker", "t-000001.0.0"), archivePath("t-000001.0.0"));
    await another.unlink(queuePath("worker", "t-000001.0.0"));
    expect(await look()).toBe(true);
    expect(mirror.queue.size).toBe(0);
    expect(asked).toEqual([]);
  });

  test("follows what has left and is not settled into the directories behind", async () => {
    const { mirror, another, home, asked, look } = await listening();
    await create(another, "t-000001.0.0");
    await look();
    const result = done(task("t-000001.0.0"));
    await createRecord(openDisk(home, "unheard-1"), Result, resultPath("worker", result.id), result);
    await another.unlink(queuePath("worker", result.id));
    await look();
    expect(mirror.results.has(result.id)).toBe(true);
    expect(asked).not.toContain(QUEUE);
  });

  test("is made up for by a look at all where it was cut off", async () => {
    const { mirror, another, look, counting } = await listening();
    await create(another, "t-000001.0.0");
    const { read } = counting;
    counting.read = () => Promise.reject(new Error("EIO"));
    await expect(look()).rejects.toThrow("EIO");
    counting.read = read;
    await look();
    expect(mirror.queue.has("t-000001.0.0")).toBe(true);
  });
});

describe("the mirror", () => {
  test("sees records come and go, and says whether anything did", async () => {
    const { fs, mirror, home } = mirrored();
    await createRecord(fs, Message, inboxPath("m-1"), message("m-1"));
    expect(await mirror.refresh(NOON_MS)).toBe(true);
    expect([...mirror.inbox.keys()]).toEqual(["m-1"]);
    expect(await mirror.refresh(NOON_MS)).toBe(false);
    rmSync(join(home, inboxPath("m-1")));
    expect(await mirror.refresh(NOON_MS)).toBe(true);
    expect(mirror.inbox.size).toBe(0);
  });

  test("sees a record that moves while it looks, whenever it moves", async () => {
    const link = task("t-000001.0.1");
    const trigger = {
      id: link.id,
      version: 1,
      type: "link" as const,
      evidence: NO_EVIDENCE,
      condition: { type: "task_done" as const, params: { taskId: "t-000001.0.0" } },
      task: link,
    };
    for (let move = 0; ; move++) {
      const { fs } = temporaryState();
      await createRecord(fs, Trigger, triggerPath(link.id, 1), trigger);
      let lists = 0;
      const moving = {
        ...fs,
        async list(dir: string) {
          if (lists++ === move) {
            await createRecord(fs, Task, queuePath("worker", link.id), link);
            await fs.unlink(triggerPath(link.id, 1));
          }
          return fs.list(dir);
        },
      };
      const mirror = new Mirror(moving, { token: TOKEN, durable: true, onBadArchive: () => undefined });
      await mirror.refresh(NOON_MS);
      expect(mirror.links.has(link.id) || mirror.queue.has(link.id), `moved before list ${move}`).toBe(true);
      if (lists <= move) break;
    }
  });

  test("calls an owner dead only if it was dead before the look began", async () => {
    const { fs, home } = temporaryState();
    const claim = { id: "t-000001.0.0", attempt: 1, owner: { pid: 1, startTime: "1", bootId: "b" }, at: NOON };
    writeFileSync(join(home, "worker/running/t-000001.0.0.a1.json"), JSON.stringify(claim));
    const mirror = new Mirror(fs, { token: TOKEN, durable: true, isAlive: () => false, onBadArchive: () => undefined });
    await mirror.refresh(NOON_MS);
    expect(mirror.attemptFacts.get(claim.id)).toMatchObject([{ ownerAlive: true }]);
    await mirror.refresh(NOON_MS);
    expect(mirror.attemptFacts.get(claim.id)).toMatchObject([{ ownerAlive: false }]);
  });

  test("completes a dropped file, with the same id each time it is looked at", async () => {
    const { mirror, drop, home } = mirrored();
    drop("inbox/From Me.json", '{"kind":"message","text":"hi"}');
    await mirror.refresh(NOON_MS);
    const [path, wish] = [...mirror.dropped][0] ?? [];
    expect(path).toBe("inbox/From Me.json");
    expect(wish).toMatchObject({ kind: "message", text: "hi", id: expect.stringMatching(/^m-f-[0-9a-f]{32}$/) });
    const again = new Mirror((await import("@mimikit/store/disk/disk")).openDisk(home, "test-1-2"), {
      token: TOKEN,
      durable: false,
      onBadArchive: () => undefined,
    });
    await again.refresh(NOON_MS);
    expect(again.dropped.get("inbox/From Me.json")?.id).toBe(wish?.id);
  });

  test.each([
    ["cancel", { taskId: "t-000001.0" }],
    ["steer", { text: "use pnpm" }],
    ["stop", {}],
  ])("takes a dropped %s for what it is once it has its id: it is not adopted again", async (kind, rest) => {
    const { mirror, drop } = mirrored();
    drop("inbox/note.json", JSON.stringify({ kind, ...rest }));
    await mirror.refresh(NOON_MS);
    const wish = mirror.dropped.get("inbox/note.json");
    drop(`inbox/${wish?.id}.json`, JSON.stringify(wish));
    await mirror.refresh(NOON_MS);
    expect(mirror.inbox.get(wish?.id ?? "")).toEqual(wish);
    expect([...mirror.dropped.keys()]).toEqual(["inbox/note.json"]);
  });

  test("gives a steer whose id leaves no room for that of its message another one", async () => {
    const { mirror, drop } = mirrored();
    const id = `s-${"x".repeat(126)}`;
    drop(`inbox/${id}.json`, JSON.stringify({ kind: "steer", id, at: NOON, text: "use pnpm" }));
    await mirror.refresh(NOON_MS);
    const wish = mirror.dropped.get(`inbox/${id}.json`);
    expect(() => Message.parse(messageOf({ id: wish?.id ?? id, at: NOON, text: "use pnpm" }))).not.toThrow();
    expect(mirror.inbox.size).toBe(0);
  });

  test("does not believe a new conversation that is not sealed", async () => {
    const { mirror, drop } = mirrored();
    drop("inbox/clear-1.json", JSON.stringify({ kind: "clear", id: "clear-1", at: NOON, mac: "forged" }));
    await mirror.refresh(NOON_MS);
    expect(mirror.inbox.size).toBe(0);
    expect(mirror.unreadable()[0]?.reason).toContain("signature");
  });

  test("tells what is no record, and since when it has been like that", async () => {
    const { mirror, drop } = mirrored();
    drop("worker/queue/half.json", '{"id":');
    await mirror.refresh(NOON_MS);
    await mirror.refresh(NOON_MS + 1_000);
    expect(mirror.unreadable()).toMatchObject([
      { path: "worker/queue/half.json", reason: "not valid JSON", sinceMs: NOON_MS },
    ]);
    drop("worker/queue/half.json", '{"id":"now longer"');
    await mirror.refresh(NOON_MS + 1_500);
    expect(mirror.unreadable()[0]?.sinceMs).toBe(NOON_MS + 1_500);
  });

  test("takes a file that was half-written once it is whole", async () => {
    const { mirror, drop } = mirrored();
    const whole = JSON.stringify(task("t-000001.0"));
    drop("planner/queue/t-000001.0.json", whole.slice(0, 40));
    await mirror.refresh(NOON_MS);
    expect(mirror.queue.size).toBe(0);
    drop("planner/queue/t-000001.0.json", whole);
    await mirror.refresh(NOON_MS);
    expect(mirror.queue.get("t-000001.0")?.role).toBe("planner");
    expect(mirror.unreadable()).toMatchObject([]);
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
    const { mirror, drop } = mirrored();
    drop(path, text);
    await mirror.refresh(NOON_MS);
    expect(mirror.unreadable().map((each) => each.path)).toEqual([path]);
    expect([mirror.inbox.size, mirror.dropped.size, mirror.queue.size]).toEqual([0, 0, 0]);
  });

  test.each(["t-000001", "t-000001.0", "t-99999999999999999999999", "t-000001.cancelled", "c-1"])(
    "takes a message under the id %s for a dropped file, so that it can never stand for something else",
    async (id) => {
      const { mirror, drop } = mirrored();
      drop(`inbox/${id}.json`, JSON.stringify({ ...message(id), text: "I am a task" }));
      await mirror.refresh(NOON_MS);
      expect(mirror.inbox.size).toBe(0);
      expect(mirror.dropped.get(`inbox/${id}.json`)?.id).toMatch(/^m-f-/);
    },
  );

  test("believes a wish that is sealed with the token", async () => {
    const { mirror, drop } = mirrored();
    const wish = { kind: "restart", id: "r-1", at: NOON };
    drop("inbox/r-1.json", JSON.stringify({ ...wish, mac: seal(TOKEN, wish) }));
    await mirror.refresh(NOON_MS);
    expect(mirror.inbox.get("r-1")?.kind).toBe("restart");
  });

  test("knows an attempt by its claim, its end, or both", async () => {
    const { mirror, drop } = mirrored();
    const owner = { pid: 1, startTime: "1", bootId: "b" };
    drop("worker/running/t-000001.0.0.a1.json", JSON.stringify({ id: "t-000001.0.0", attempt: 1, owner, at: NOON }));
    const failed = { id: "t-000001.0.0", failureReason: "timeout", error: "", at: NOON, retryAt: NOON };
    drop("worker/running/t-000001.0.0.a1.failed.json", JSON.stringify({ ...failed, attempt: 1 }));
    drop("worker/running/t-000001.0.0.a2.failed.json", JSON.stringify({ ...failed, attempt: 2 }));
    await mirror.refresh(NOON_MS);
    expect(mirror.attemptFacts.get("t-000001.0.0")).toMatchObject([
      { attempt: 1, ownerAlive: true, failed: { attempt: 1 } },
      { attempt: 2, ownerAlive: false, failed: { attempt: 2 } },
    ]);
  });
});

describe("the ledger", () => {
  test("finds by name what another process archived since", async () => {
    const { mirror, fs } = mirrored();
    await mirror.ledger.load();
    await createRecord(fs, Message, "archive/m-1.json", message("m-1"));
    expect(mirror.ledger.has("m-1")).toBe(false);
    expect(await mirror.ledger.confirm("m-1")).toBe(true);
    expect(mirror.ledger.has("m-1")).toBe(true);
  });

  test("reads a fold once, however many ask at the same time", async () => {
    const { fs, home } = temporaryState();
    const reads: string[] = [];
    const counting = {
      ...fs,
      read(path: string, bytesMax?: number) {
        reads.push(path);
        return fs.read(path, bytesMax);
      },
    };
    const { ledger } = new Mirror(counting, { token: TOKEN, durable: true, onBadArchive: () => undefined });
    await ledger.load();
    const header = { kind: "fold", month: "2026-08", ids: ["m-1"] };
    const lines = [header, message("m-1")].map((line) => `${JSON.stringify(line)}\n`);
    writeFileSync(join(home, "archive/folded/2026-08.jsonl"), lines.join(""));
    const found = await Promise.all(Array.from({ length: 20 }, () => ledger.confirm("m-1")));
    expect(found.every(Boolean)).toBe(true);
    expect(reads).toEqual(["archive/folded/2026-08.jsonl"]);
  });

  test("does not mind what else somebody put there", async () => {
    const { mirror, fs, home, drop } = mirrored();
    drop("archive/folded/.DS_Store", "junk");
    drop("archive/t-000001 (copy).json", "{}");
    mkdirSync(join(home, "archive/x.json"));
    await createRecord(fs, Message, "archive/m-1.json", message("m-1"));
    await mirror.ledger.load();
    expect(mirror.ledger.has("m-1")).toBe(true);
    expect([...mirror.ledger.names()]).not.toContain("t-000001 (copy)");
  });

  test("a damaged record keeps its name, and is reported", async () => {
    const { fs, home } = temporaryState();
    const told: string[] = [];
    const { ledger } = new Mirror(fs, { token: TOKEN, durable: false, onBadArchive: (path) => told.push(path) });
    writeFileSync(join(home, "archive/m-1.json"), "torn");
    expect(await ledger.read("m-1")).toBeNull();
    expect(told).toEqual(["archive/m-1.json"]);
    expect(readFileSync(join(home, "archive/m-1.json"), "utf8")).toBe("torn");
  });
});

test("the id of a wish follows from its key, and is never the same without one", () => {
  expect(wishId("message", "key")).toBe("m-2c70e12b7a0646f92279f427c7b38e73");
  expect(wishId("clear", "key")).toBe("clear-2c70e12b7a0646f92279f427c7b38e73");
  expect(wishId("message")).not.toBe(wishId("message"));
});

test("a queue path is where the mirror looks", async () => {
  const { mirror, fs } = mirrored();
  await createRecord(fs, Task, queuePath("worker", "t-000001.0.0"), task("t-000001.0.0"));
  await mirror.refresh(NOON_MS);
  expect([...mirror.queue.keys()]).toEqual(["t-000001.0.0"]);
});

test("a directory that vanishes is an error, not an empty state", async () => {
  const { mirror, home } = mirrored();
  rmSync(join(home, "inbox"), { recursive: true });
  await expect(mirror.refresh(NOON_MS)).rejects.toThrow("ENOENT");
  mkdirSync(join(home, "inbox"));
  await mirror.refresh(NOON_MS);
});
