/** Backups and the check of records, without processes. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { CommandOutcome } from "@mimikit/protocol/records/archive";
import { Message } from "@mimikit/protocol/records/inbox";
import { Result } from "@mimikit/protocol/records/result";
import type { TurnInput } from "@mimikit/protocol/records/task";
import { prepareHome } from "@mimikit/runtime/home/home";
import { openDisk } from "@mimikit/store/disk/disk";
import { createRecord } from "@mimikit/store/disk/record";
import { archivePath, monthIndexPath } from "@mimikit/store/disk/state";
import { describe, expect, onTestFinished, test } from "vitest";
import { unpackBackup } from "../../../apps/cli/src/backup/read-backup.ts";
import { MANIFEST, writeBackup } from "../../../apps/cli/src/backup/write-backup.ts";
import { findViolations } from "../../../apps/cli/src/checks/find-violations.ts";
import { withState } from "../../../apps/cli/src/instance/state.ts";
import { NOON, resultOf, taskOf } from "../../http-gateway/records.ts";
import { archiveOf } from "../archive-of.ts";

function temporaryHome(): { home: string; dir: string } {
  const dir = mkdtempSync(join(tmpdir(), "mimikit-backup-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const home = join(dir, "home");
  prepareHome(home);
  return { home, dir };
}

const message = (id: string): Message => ({ kind: "message", id, at: NOON, text: `text of ${id}` });

/** An applied turn that answers these messages, and the messages as the archive has them. */
async function settle(
  home: string,
  turn: string,
  said: string[],
  texts = ["done"],
  more: Partial<TurnInput> = {},
): Promise<void> {
  const fs = openDisk(home, `test-${turn}`);
  for (const id of said) await createRecord(fs, Message, archivePath(id), message(id));
  const input = { messages: said.map(message), events: [], results: [], ...more };
  const task = taskOf(turn, { role: "teller", turn: input });
  const effects = texts.map((text) => ({ type: "reply" as const, text }));
  await createRecord(fs, Result, archivePath(turn), resultOf(task, { effects }));
}

/** A command to answer the turn again, as the archive has it when it is answered. */
async function retryCommand(home: string, id: string, turnId: string, edit?: { messageId: string; text: string }) {
  const again = {
    kind: "retry" as const,
    id,
    at: NOON,
    mac: "of the token",
    turnId,
    ...(edit !== undefined && { edit }),
  };
  const answered = { kind: "wish" as const, id, at: NOON, wish: again, outcome: "done" };
  await createRecord(openDisk(home, `test-${id}`), CommandOutcome, archivePath(id), answered);
  return again;
}

const violationsOf = async (home: string) =>
  (await findViolations((look) => withState(look, { home, workDir: home }))).violations;

test("what is unpacked is what was there, without secrets and without what a start makes anew", async () => {
  const { home, dir } = temporaryHome();
  await settle(home, "t-000001", ["m-1"]);
  writeFileSync(join(home, "memory.md"), "- 喜欢 pnpm\n");
  mkdirSync(join(home, "runs/t-000001.0.a1"));
  writeFileSync(join(home, "runs/t-000001.0.a1/a\\b"), "made by a worker");
  writeFileSync(join(home, MANIFEST), "of a backup that was unpacked by hand");
  writeFileSync(join(home, "sessions/web/a.json"), "{}");
  mkdirSync(join(home, "push"));
  writeFileSync(join(home, "push/keys.json"), "{}");
  mkdirSync(join(home, "codex"));
  writeFileSync(join(home, "codex/auth.json"), "{}");
  mkdirSync(join(home, "pools"));
  writeFileSync(join(home, "pools/box.pool.json"), "the key of a machine");
  writeFileSync(join(home, "pool.json"), "the key of this machine for another home");
  mkdirSync(join(home, "pm2"));
  writeFileSync(join(home, "pm2/dump.pm2"), "[]");
  writeFileSync(join(home, monthIndexPath("2026-10")), "made anew from history/2026-10.jsonl");
  const [file, target, stage] = ["a.tar.gz", "target", "home/tmp/stage"].map((name) => join(dir, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(target);
  mkdirSync(stage);
  await writeBackup(home, file, stage, false);
  const { manifest } = await unpackBackup(file, target);
  expect(manifest).toMatchObject({ format: 1, hasSecrets: false });
  const left = readdirSync(target, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(target.length + 1));
  expect(left.sort()).toEqual(
    ["archive/m-1.json", "archive/t-000001.json", "memory.md", "runs/t-000001.0.a1/a\\b", MANIFEST].sort(),
  );
  expect(readFileSync(join(target, "memory.md"), "utf8")).toBe("- 喜欢 pnpm\n");
  await expect(writeBackup(home, file, join(stage, "1"), false)).rejects.toMatchObject({ code: "EEXIST" });
  expect(gunzipSync(readFileSync(file)).includes("auth.json")).toBe(false);

  const secret = join(dir, "secret.tar.gz");
  await writeBackup(home, secret, join(stage, "2"), true);
  const open = join(dir, "open");
  mkdirSync(open);
  expect((await unpackBackup(secret, open)).manifest.hasSecrets).toBe(true);
  // A restored home is another one to its machines, so that nothing of its former life is taken for its own.
  expect(existsSync(join(open, "pools"))).toBe(false);
  expect(readFileSync(join(open, "token"), "utf8")).toBe(readFileSync(join(home, "token"), "utf8"));
});

test("what is cut off, changed or no backup at all is refused in one line", async () => {
  const { home, dir } = temporaryHome();
  await settle(home, "t-000001", ["m-1"]);
  const whole = join(dir, "a.tar.gz");
  const stage = join(home, "tmp/stage");
  mkdirSync(stage);
  await writeBackup(home, whole, stage, false);
  const bytes = readFileSync(whole);
  const changed = Buffer.from(bytes);
  changed.writeUInt8(changed.readUInt8(bytes.length - 6) ^ 0xff, bytes.length - 6);
  const faulty = {
    short: bytes.subarray(0, bytes.length - 20),
    changed,
    words: Buffer.from("no backup"),
    empty: Buffer.alloc(0),
  };
  for (const [name, content] of Object.entries(faulty)) {
    const file = join(dir, `${name}.tar.gz`);
    const target = join(dir, name);
    writeFileSync(file, content);
    mkdirSync(target);
    await expect(unpackBackup(file, target), name).rejects.toThrow(/^.*is no whole backup: [^\n]+$/);
  }
});

describe("a backup that somebody has made up is refused", () => {
  test.each([
    ["names a file twice", ["memory.md", "memory.md"], /exists/],
    ["brings a token and says that it has none", ["memory.md", "token"], /has no secrets, and has token/],
    ["brings a signed-in browser", ["sessions/web/a.json"], /has no secrets, and has sessions\/web\/a.json/],
    ["leads out of its place", ["../memory.md"], /no name of a file inside/],
    ["brings what no backup has", ["locks/pairing.json"], /which no backup does/],
  ])("where it %s", async (_, names, reason) => {
    const { dir } = temporaryHome();
    const manifest = JSON.stringify({ format: 1, version: "0.1.0", createdAt: NOON, hasSecrets: false });
    const theirs = names.map((name) => [name, "- theirs\n".repeat(100_000)] as const);
    const file = join(dir, "hostile.tar.gz");
    const target = join(dir, "target");
    writeFileSync(file, gzipSync(await archiveOf([[MANIFEST, manifest], ...theirs])));
    mkdirSync(target);
    await expect(unpackBackup(file, target)).rejects.toThrow(reason);
    expect(readdirSync(dir).sort()).toEqual(["home", "hostile.tar.gz", "target"]);
  });
});

test("a turn that is answered again, as it was said and in other words, breaks no promise", async () => {
  const { home } = temporaryHome();
  const started = { timestamp: "2026-11-20T10:00:00.000Z", seq: 1, event: "supervisor_started", actor: "supervisor" };
  writeFileSync(join(home, "log.jsonl"), `${JSON.stringify({ ...started, previousHash: "" })}\n`);
  await settle(home, "t-000001", ["m-1", "m-2"]);
  const again = await retryCommand(home, "retry-1", "t-000001");
  await settle(home, "t-000002", ["m-1", "m-2"], ["done again"], { again });
  const edit = await retryCommand(home, "retry-2", "t-000002", { messageId: "m-2", text: "otherwise" });
  await settle(home, "t-000003", ["m-1", "m-retry-2"], ["done otherwise"], { again: edit });
  const last = await retryCommand(home, "retry-3", "t-000003");
  await settle(home, "t-000004", ["m-1", "m-retry-2"], ["done at last"], { again: last });
  expect(await violationsOf(home)).toEqual([]);

  const other = await retryCommand(home, "retry-4", "t-000003");
  await settle(home, "t-000005", ["m-1"], ["done"], { again: other });
  await settle(home, "t-000006", ["m-retry-2"], ["done"]);
  expect((await violationsOf(home)).sort()).toEqual([
    "m-retry-2 was taken up by t-000003 and by t-000006",
    "t-000003 was answered again twice",
    "t-000005 answers something else than t-000003 did",
  ]);
});

test("records that keep every promise have no violation, and each promise that is broken is named", async () => {
  const { home } = temporaryHome();
  await settle(home, "t-000001", ["m-1"]);
  expect(await violationsOf(home)).toEqual([
    "the archive has applied turns, but the log of the supervisor has no line: it was removed or emptied",
  ]);
  const started = { timestamp: "2026-11-20T10:00:00.000Z", seq: 1, event: "supervisor_started", actor: "supervisor" };
  writeFileSync(join(home, "log.jsonl"), `${JSON.stringify({ ...started, previousHash: "" })}\n`);
  expect(await violationsOf(home)).toEqual([]);
  await settle(home, "t-000002", ["m-1"]);
  await settle(home, "t-000003", ["m-3"], []);
  await settle(home, "t-000004", ["m-4"], ["one", "two"]);
  const fs = openDisk(home, "test-more");
  await createRecord(fs, Message, archivePath("m-5"), message("m-5"));
  const plan = taskOf("t-000001.0", { role: "planner", consumer: "supervisor" });
  const effects = [{ type: "delegate" as const, prompt: "p", priority: 5 }];
  await createRecord(fs, Result, archivePath(plan.id), resultOf(plan, { effects: effects as Result["effects"] }));
  writeFileSync(join(home, "archive/t-000009.json"), "{");
  expect((await violationsOf(home)).sort()).toEqual([
    expect.stringMatching(/archive\/t-000009\.json cannot be read/),
    "m-1 was taken up by t-000001 and by t-000002",
    "t-000001.0.0 was requested by t-000001.0, but is nowhere",
    "t-000003 was asked, and has no reply",
    "t-000004 has 2 replies",
    "the message m-5 is in the archive and in no turn",
  ]);
});
