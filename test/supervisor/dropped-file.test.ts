/** A file that is dropped into inbox/ again under the same name is another command, at whatever moment it is written. */
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { decide } from "@mimikit/core/decide";
import type { AuditEvent } from "@mimikit/protocol/records/audit";
import { archivePath, INBOX, inboxPath, QUARANTINE } from "@mimikit/store/disk/state";
import { StateCache } from "@mimikit/store/state-cache/state-cache";
import { expect, test } from "vitest";
import { adopt } from "../../apps/supervisor/src/execute/commands.ts";
import { remove } from "../../apps/supervisor/src/execute/remove.ts";
import { NOON_MS, snapshot } from "../core/facts.ts";
import { temporaryState } from "../store/home.ts";
import { contextOf } from "./context.ts";
import { interruptedDisk } from "./interrupted-disk.ts";

const NOTE = "inbox/note.json";

/** A state in which a person drops files, and the supervisor takes them up. */
async function dropping() {
  const { home, fs: disk } = temporaryState();
  const { fs, once } = interruptedDisk(disk);
  const cache = new StateCache(fs, { token: "a token", durable: true, onBadArchive: () => undefined });
  const context = await contextOf(fs);
  const look = async (nowMs = NOON_MS) => {
    await cache.refresh(nowMs);
    return [...cache.dropped.values()].map((command) => (command.kind === "message" ? command.text : command.kind));
  };
  const takeUp = async () => {
    for (const [path, command] of cache.dropped) await adopt(path, command, context);
  };
  const said = () =>
    readdirSync(join(home, INBOX))
      .filter((name) => name.startsWith("m-"))
      .map((name) => JSON.parse(readFileSync(join(home, INBOX, name), "utf8")).text)
      .sort();
  /** In place, as a shell writes, or as a new file that takes the name. */
  const drop = (text: string, inPlace: boolean) => {
    const path = join(home, NOTE);
    const content = JSON.stringify({ kind: "message", text });
    if (inPlace) return writeFileSync(path, content);
    mkdirSync(join(home, "tmp/person"), { recursive: true });
    writeFileSync(join(home, "tmp/person/note"), content);
    renameSync(join(home, "tmp/person/note"), path);
  };
  /** The files that are set aside at this moment, each with its reason. */
  const setAside = async (nowMs: number) => {
    await cache.refresh(nowMs, true);
    const actions = decide(snapshot({ unreadable: cache.unreadable() }), nowMs);
    return actions.flatMap((each) => (each.type === "quarantine" ? [[each.path, each.reason]] : []));
  };
  const write = (name: string, content: string | Uint8Array) => writeFileSync(join(home, INBOX, name), content);
  const rename = (from: string, to: string) => renameSync(join(home, INBOX, from), join(home, INBOX, to));
  return { look, takeUp, said, drop, once, setAside, write, rename };
}

const WHOLE = Buffer.from(JSON.stringify({ kind: "message", text: "größer", note: undefined }));

test.each([
  ["within a string", WHOLE.subarray(0, 30)],
  ["within a character", WHOLE.subarray(0, WHOLE.indexOf("ö") + 1)],
  ["before its last bracket", WHOLE.subarray(0, -1)],
  ["before it has begun", ""],
])("a writer that pauses for 14 s %s is waited for, and the whole is taken up once", async (_where, half) => {
  const { look, takeUp, said, setAside, write } = await dropping();
  write("note.json", half);
  expect(await look()).toEqual([]);
  expect(await setAside(NOON_MS + 14_000)).toEqual([]);
  write("note.json", WHOLE);
  expect(await look(NOON_MS + 14_000)).toEqual(["größer"]);
  await takeUp();
  expect(await look(NOON_MS + 60_000)).toEqual([]);
  expect(await setAside(NOON_MS + 60_000)).toEqual([]);
  expect(said()).toEqual(["größer"]);
});

test("a file under a temporary name is waited for until it has its own, and half a file that stays so is set aside whole", async () => {
  const { look, setAside, write, rename } = await dropping();
  write(".note.json.part", WHOLE);
  write("half.json", '{"kind":"mess');
  write("wrong.json", "hello");
  await look();
  expect(await setAside(NOON_MS + 4_000)).toEqual([["inbox/wrong.json", "not valid JSON"]]);
  rename(".note.json.part", "note.json");
  expect(await look(NOON_MS + 4_000)).toEqual(["größer"]);
  expect(await setAside(NOON_MS + 15_000)).toContainEqual(["inbox/half.json", "not valid JSON"]);
});

test("a byte order mark is dropped, and U+FFFD that was written is kept", async () => {
  const { look, write } = await dropping();
  write("mark.json", `\ufeff${WHOLE}`);
  write("replaced.json", JSON.stringify({ kind: "message", text: "a \ufffd b" }));
  expect((await look()).sort()).toEqual(["a \ufffd b", "größer"]);
});

test.each([
  ["Latin-1", Buffer.from('{"kind":"message","text":"caf\u00e9"}', "latin1")],
  ["UTF-16", Buffer.from('\ufeff{"kind":"message","text":"hi"}', "utf16le")],
])("JSON in %s is set aside as no UTF-8, never taken with other characters", async (_encoding, bytes) => {
  const { look, setAside, write } = await dropping();
  write("note.json", bytes);
  expect(await look()).toEqual([]);
  expect(await setAside(NOON_MS + 2_000)).toEqual([["inbox/note.json", "no text in UTF-8"]]);
});

const MOMENTS = [
  ["before its command is created", (call: string) => call.startsWith("link tmp/")],
  ["before the file is looked at for the last time", (call: string) => call === `info ${NOTE}`],
  ["before the file is moved aside", (call: string) => call.startsWith(`rename ${NOTE}`)],
] as const;

for (const inPlace of [true, false])
  test.each(MOMENTS)(
    `a file that is written again ${inPlace ? "in place" : "as a new file"} %s is taken up as well`,
    async (_when, isThen) => {
      const { look, takeUp, said, drop, once } = await dropping();
      drop("first", inPlace);
      expect(await look()).toEqual(["first"]);
      once(isThen, () => drop("the second", inPlace));
      await takeUp();
      expect(await look()).toEqual(["the second"]);
      await takeUp();
      expect(await look()).toEqual([]);
      expect(said()).toEqual(["first", "the second"]);
    },
  );

test("a file that is written while it is read is taken up as it is then, once", async () => {
  const { look, takeUp, said, drop, once } = await dropping();
  drop("first", true);
  once(
    (call) => call === `info ${NOTE}`,
    () => drop("the second", true),
  );
  await look();
  expect(await look()).toEqual(["the second"]);
  await takeUp();
  expect(await look()).toEqual([]);
  expect(said()).toEqual(["the second"]);
});

test("two files that take the name one after the other while the first is moved aside are both taken up", async () => {
  const { look, takeUp, said, drop, once } = await dropping();
  drop("first", false);
  await look();
  once(
    (call) => call.startsWith(`rename ${NOTE}`),
    () => {
      drop("the second", false);
      once(
        (call) => call.startsWith("link tmp/"),
        () => drop("the third", false),
      );
    },
  );
  await takeUp();
  expect((await look()).sort()).toEqual(["the second", "the third"]);
  await takeUp();
  expect(said()).toEqual(["first", "the second", "the third"]);
});

test("a message that is dropped under the id of an archived one is put aside if its words are others, and a repeat just goes", async () => {
  const { home, fs } = temporaryState();
  const events: AuditEvent[] = [];
  const context = await contextOf(fs, (event) => events.push(event));
  const id = "m-mine";
  const record = (text: string) => JSON.stringify({ kind: "message", id, at: "2026-11-21T12:00:00.000Z", text });
  writeFileSync(join(home, archivePath(id)), record("pay A"));
  context.archiveIndex.add(id);
  const drop = async (text: string) => {
    writeFileSync(join(home, inboxPath(id)), record(text));
    await remove([{ from: "inbox", id }], context);
    return readdirSync(join(home, INBOX));
  };
  expect([await drop("pay A"), events]).toEqual([[], []]);
  expect(await drop("pay B")).toEqual([]);
  const [name = ""] = readdirSync(join(home, QUARANTINE));
  expect(readFileSync(join(home, QUARANTINE, name), "utf8")).toContain("pay B");
  expect(events).toMatchObject([{ event: "quarantined", detail: { reason: expect.stringContaining("used before") } }]);
});
