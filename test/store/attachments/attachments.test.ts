import { existsSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { messagesOf } from "@mimikit/core/views/history";
import { Message } from "@mimikit/protocol/records/inbox";
import {
  assertKept,
  findAttachment,
  keepAttachments,
  storeAttachment,
  sweepAttachments,
  UNNAMED_MS_MAX,
  UnknownAttachment,
} from "@mimikit/store/attachments/attachments";
import { createRecord } from "@mimikit/store/disk/record";
import { attachmentPath, goingAttachmentPath, inboxPath, longTextPath, recordIn } from "@mimikit/store/disk/state";
import { StateCache } from "@mimikit/store/state-cache/state-cache";
import { appendHistory, HistoryPartitions } from "@mimikit/store/views/history-partitions";
import { expect, test } from "vitest";
import { NamedAttachments } from "../../../apps/supervisor/src/upkeep/named-attachments.ts";
import { layOutTexts } from "../../../apps/worker-pool/src/run/lay-out-texts.ts";
import { archive, NOON, queue, resultOf, taskOf } from "../../http-gateway/records.ts";
import { temporaryState } from "../home.ts";
import { pausedAt } from "../power-cut.ts";

async function* inPieces(...pieces: Buffer[]) {
  yield* pieces;
}

async function* broken() {
  yield Buffer.from("half");
  throw new Error("the client is gone");
}

function prepare() {
  const { home, fs } = temporaryState();
  const store = (text: string) => storeAttachment(home, fs, inPieces(Buffer.from(text)));
  const age = (id: string) => {
    for (const path of [attachmentPath(id), recordIn("attachments", id)])
      utimesSync(join(home, path), 0, (Date.now() - UNNAMED_MS_MAX - 1_000) / 1_000);
  };
  return { home, fs, store, age, names: () => readdirSync(join(home, "attachments")).sort() };
}

test("a file that comes in pieces is the file that comes at once", async () => {
  const { home, fs, store, names } = prepare();
  const whole = await store("héllo");
  const [first, second] = [Buffer.from("héllo").subarray(0, 2), Buffer.from("héllo").subarray(2)];
  expect(await storeAttachment(home, fs, inPieces(first, second))).toEqual(whole);
  expect(whole).toMatchObject({ type: "text/plain", bytes: 6 });
  expect(names()).toEqual([whole.id, `${whole.id}.json`]);
});

test("what was cut off between its bytes and its record is not there, and storing it again completes it", async () => {
  const { home, fs, store } = prepare();
  const { id } = await store("cut off");
  await fs.unlink(recordIn("attachments", id));
  expect(await findAttachment(fs, id)).toBeNull();
  writeFileSync(join(home, recordIn("attachments", id)), "{torn");
  expect(await findAttachment(fs, id)).toBeNull();
  await store("cut off");
  expect(await findAttachment(fs, id)).toMatchObject({ id });
});

test("all of them together have a limit, which what is there already does not meet again", async () => {
  const { home, fs, names } = prepare();
  const { id } = await storeAttachment(home, fs, inPieces(Buffer.alloc(900, "a")), 2_000);
  await expect(storeAttachment(home, fs, inPieces(Buffer.alloc(1_000, "b")), 2_000)).rejects.toMatchObject({
    reason: "full",
  });
  await expect(storeAttachment(home, fs, inPieces(Buffer.alloc(900, "a")), 10)).resolves.toMatchObject({ id });
  expect(names()).toEqual([id, `${id}.json`]);
});

test("what a client breaks off leaves nothing behind", async () => {
  const { home, fs, names } = prepare();
  await expect(storeAttachment(home, fs, broken())).rejects.toThrow("the client is gone");
  expect([...names(), ...readdirSync(join(home, "tmp/test-1-1"))]).toEqual([]);
});

test("what no message names for a day goes; what one names stays, and so does what is new or wanted again", async () => {
  const { fs, store, age, names } = prepare();
  const [old, named, wanted, fresh] = await Promise.all(["old", "named", "wanted", "fresh"].map(store));
  if (!old || !named || !wanted || !fresh) throw new Error("not stored");
  for (const { id } of [old, named, wanted]) age(id);
  await keepAttachments(fs, [{ id: wanted.id }]);
  expect(await sweepAttachments(fs, async () => new Set([named.id]), Date.now())).toBe(1);
  expect(names()).toEqual([named, wanted, fresh].flatMap(({ id }) => [id, `${id}.json`]).sort());
});

test("nobody is asked what is named while nothing is old enough to go, and what is wanted meanwhile stays", async () => {
  const { fs, store, age, names } = prepare();
  const { id } = await store("fresh");
  const mustNotAsk = () => Promise.reject(new Error("asked, and nothing is old"));
  expect(await sweepAttachments(fs, mustNotAsk, Date.now())).toBe(0);
  age(id);
  let times = 0;
  const wantedMeanwhile = async () => {
    if (times++ === 0) await keepAttachments(fs, [{ id }]);
    return new Set<string>();
  };
  expect(await sweepAttachments(fs, wantedMeanwhile, Date.now())).toBe(0);
  expect(names()).toEqual([id, `${id}.json`]);
});

test("the files of an acknowledged message stay, whenever it becomes durable during a sweep by a clock that is ahead", async () => {
  for (let k = 0, isOver = false; !isOver; k++) {
    const { fs, store } = prepare();
    const { id } = await store("kept");
    await keepAttachments(fs, [{ id }]);
    const named = new Set<string>();
    let acknowledged: Promise<boolean> | undefined;
    const meanwhile = async () => {
      named.add(id);
      acknowledged = assertKept(fs, [{ id }]).then(
        () => true,
        (error: unknown) => {
          if (!(error instanceof UnknownAttachment)) throw error;
          return false;
        },
      );
      await acknowledged;
    };
    const ahead = Date.now() + 2 * UNNAMED_MS_MAX;
    await sweepAttachments(pausedAt(fs, k, meanwhile), async () => new Set(named), ahead);
    isOver = acknowledged === undefined;
    if (await acknowledged) expect(await findAttachment(fs, id), `before operation ${k}`).not.toBeNull();
  }
});

test("what is wanted at any moment of a sweep is there afterwards, or is refused", async () => {
  let isOver = false;
  for (let k = 0; !isOver; k++) {
    const { home, fs, store, age } = prepare();
    const { id } = await store("old");
    age(id);
    let wanted: Promise<string> | undefined;
    const meanwhile = async () => {
      wanted = keepAttachments(fs, [{ id }]).then(
        () => "kept",
        (error: unknown) => {
          if (!(error instanceof UnknownAttachment)) throw error;
          return "refused";
        },
      );
      await wanted;
    };
    await sweepAttachments(pausedAt(fs, k, meanwhile), async () => new Set(), Date.now());
    isOver = wanted === undefined;
    const isThere = existsSync(join(home, attachmentPath(id))) && (await findAttachment(fs, id)) !== null;
    if ((await wanted) === "kept") expect(isThere, `before operation ${k}`).toBe(true);
  }
});

test("what is swept at any moment while it is wanted or stored is refused, and can be stored anew", async () => {
  for (const isStored of [true, false])
    for (let k = 0, isOver = false; !isOver; k++) {
      const { home, fs, store, age } = prepare();
      const { id } = await store("old");
      age(id);
      let isSwept = false;
      const meanwhile = async () => {
        isSwept = true;
        await sweepAttachments(fs, async () => new Set(), Date.now());
      };
      const paused = pausedAt(fs, k, meanwhile);
      const done = await (isStored
        ? storeAttachment(home, paused, inPieces(Buffer.from("old")))
        : keepAttachments(paused, [{ id }])
      ).then(
        () => true,
        () => false,
      );
      isOver = !isSwept;
      const isThere = existsSync(join(home, attachmentPath(id))) && (await findAttachment(fs, id)) !== null;
      if (done) expect(isThere, `before operation ${k}`).toBe(true);
      await store("old");
      expect(await keepAttachments(fs, [{ id }])).toMatchObject([{ id }]);
    }
});

test("what a killed sweep has left behind may be stored and wanted again from the next sweep on", async () => {
  const { fs, store, age, names } = prepare();
  const { id } = await store("old");
  await fs.link(attachmentPath(id), goingAttachmentPath(id));
  await expect(store("old")).rejects.toThrow("send it again");
  await expect(keepAttachments(fs, [{ id }])).rejects.toThrow(UnknownAttachment);
  expect(await sweepAttachments(fs, async () => new Set(), Date.now())).toBe(0);
  await store("old");
  expect(await keepAttachments(fs, [{ id }])).toMatchObject([{ id }]);
  age(id);
  expect(await sweepAttachments(fs, async () => new Set(), Date.now())).toBe(1);
  expect(names()).toEqual([]);
});

test("a long message's file goes when no run has wanted it for a day, and nothing else that lies there does", async () => {
  const { home, fs, names } = prepare();
  const aged = (path: string) => utimesSync(join(home, path), 0, (Date.now() - UNNAMED_MS_MAX - 1_000) / 1_000);
  const others = ["README.txt", `${"c".repeat(63)}.txt`, `${"d".repeat(64)}.md`].map((name) => `attachments/${name}`);
  for (const path of [longTextPath("a".repeat(64)), ...others]) {
    writeFileSync(join(home, path), "text");
    aged(path);
  }
  const runDir = join(home, "runs/t-000001.a1");
  const message = { kind: "message", id: "m-long", at: NOON, text: "x".repeat(8_001) } as const;
  const { "m-long": wanted = "" } = await layOutTexts([message], "teller", { fs, runDir });
  aged(wanted);
  await layOutTexts([message], "teller", { fs, runDir });
  expect(await sweepAttachments(fs, async () => new Set(), Date.now())).toBe(0);
  expect(names()).toEqual([wanted, ...others].map((path) => path.replace("attachments/", "")).sort());
});

test("named is what waits in the inbox, what an open or a settled turn answers, and what the conversation shows", async () => {
  const { home, fs, store } = prepare();
  const [waiting, open, settled, shown] = await Promise.all(["1", "2", "3", "4"].map(store));
  if (!waiting || !open || !settled || !shown) throw new Error("not stored");
  const message = (id: string, file: typeof open): Message => ({
    kind: "message",
    id,
    at: NOON,
    text: "look",
    attachments: [file],
  });
  const turnWith = (id: string, file: typeof open) =>
    taskOf(id, {
      role: "teller",
      prompt: "",
      consumer: "supervisor",
      turn: { messages: [message(`m-${id}`, file)], events: [], results: [] },
    });
  await createRecord(fs, Message, inboxPath("m-waits"), message("m-waits", waiting));
  const first = resultOf(turnWith("t-000001", shown));
  await appendHistory(home, "2026-11", [{ turn: 1, messages: messagesOf(first) }]);
  await archive(fs, first);
  await archive(fs, resultOf(turnWith("t-000002", settled)));
  await queue(fs, turnWith("t-000003", open));
  const cache = new StateCache(fs, { token: "", durable: false, onBadArchive: () => undefined });
  await cache.archiveIndex.load();
  await cache.refresh(Date.now(), true);
  const named = new NamedAttachments(fs, cache, () => new HistoryPartitions(home));
  const all = [waiting, open, settled, shown].map(({ id }) => id).sort();
  expect([...(await named.ids())].sort()).toEqual(all);
  expect([...(await named.ids())].sort()).toEqual(all);
  // The supervisor has not looked into the inbox since.
  const { id } = await store("5");
  await createRecord(fs, Message, inboxPath("m-new"), message("m-new", { ...open, id }));
  writeFileSync(join(home, inboxPath("broken")), "{torn");
  expect([...(await named.ids())].sort()).toEqual([...all, id].sort());
});

test("an upload asks for the sizes of the stored files once, not each time", async () => {
  const { home, fs: disk, store } = prepare();
  for (let number = 0; number < 20; number++) await store(`file ${number}`);
  let calls = 0;
  const counted = new Proxy(disk, {
    get(target, key) {
      const value = Reflect.get(target, key);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        if (key === "list" || key === "info") calls++;
        return value.apply(target, args);
      };
    },
  });
  await storeAttachment(home, counted, inPieces(Buffer.from("one more")));
  expect(calls).toBe(0);
  // A limit that is reached is measured anew: of what was stored, only new names are asked.
  const small = storeAttachment(home, counted, inPieces(Buffer.from("another")), 10);
  await expect(small).rejects.toMatchObject({ reason: "full" });
  const whole = calls;
  await expect(storeAttachment(home, counted, inPieces(Buffer.from("a third")), 10)).rejects.toMatchObject({
    reason: "full",
  });
  expect(calls - whole).toBe(1);
});
