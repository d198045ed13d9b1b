/** A file that is dropped into inbox/ again under the same name is another command, at whatever moment it is written. */
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AuditEvent } from "@mimikit/protocol/records/audit";
import { archivePath, INBOX, inboxPath, QUARANTINE } from "@mimikit/store/disk/state";
import { StateCache } from "@mimikit/store/state-cache/state-cache";
import { expect, test } from "vitest";
import { adopt } from "../../apps/supervisor/src/execute/commands.ts";
import { remove } from "../../apps/supervisor/src/execute/remove.ts";
import { NOON_MS } from "../core/facts.ts";
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
  const look = async () => {
    await cache.refresh(NOON_MS);
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
  return { look, takeUp, said, drop, once };
}

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
