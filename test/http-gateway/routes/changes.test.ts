/** `/api/changes` and `/api/undo`: what can be undone, and the command that does it. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Undone } from "@mimikit/protocol/records/archive";
import { UndoableChange } from "@mimikit/protocol/records/change";
import { InboxCommand } from "@mimikit/protocol/records/inbox";
import type { ChangeView } from "@mimikit/protocol/wire/api";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { createRecord, readRecord } from "@mimikit/store/disk/record";
import { isSigned } from "@mimikit/store/disk/sign";
import { archivePath, changePath, INBOX, inboxPath } from "@mimikit/store/disk/state";
import { expect, test } from "vitest";
import { startGateway } from "../gateway.ts";
import { NOON } from "../records.ts";

async function remembered(fs: FileSystem, n: number): Promise<string> {
  const id = `memory-${n}`;
  await createRecord(fs, UndoableChange, changePath(id), {
    kind: "change",
    id,
    at: new Date(Date.parse(NOON) + n).toISOString(),
    by: "user",
    title: `fact ${n}`,
    what: "memory",
    op: "add",
    document: "memory.md",
    text: `- fact ${n} <!-- ${id} -->`,
  });
  return id;
}

test("changes are listed, the newest first, with what has become of them", async () => {
  const gateway = await startGateway();
  for (const n of [1, 2, 3]) await remembered(gateway.fs, n);
  writeFileSync(join(gateway.home, "memory.md"), "- fact 2 <!-- memory-2 -->\n- my fact <!-- memory-3 -->\n");
  const at = NOON;
  const undone = { kind: "undone" as const, id: "memory-1.undone", at, changeId: "memory-1", wishId: "undo-1" };
  await createRecord(gateway.fs, Undone, archivePath(undone.id), { ...undone, outcome: "undone in memory.md" });
  const list = async (query = "") =>
    ((await gateway.ask(`/api/changes${query}`)).json as { changes: ChangeView[] }).changes;
  expect(await list()).toEqual([
    expect.objectContaining({ id: "memory-3", state: "gone", problem: expect.stringContaining("line 2 of memory.md") }),
    expect.objectContaining({ id: "memory-2", state: "open", what: "memory", op: "add", by: "user", title: "fact 2" }),
    expect.objectContaining({ id: "memory-1", state: "undone" }),
  ]);
  expect((await list("?limit=1")).map(({ id }) => id)).toEqual(["memory-3"]);
  for (const query of ["?limit=0", "?limit=1001", "?limit=x", "?surprise=1"])
    expect((await gateway.ask(`/api/changes${query}`)).status, query).toBe(400);
  const stranger = { headers: { Authorization: "Bearer nobody" } };
  expect((await gateway.ask("/api/changes", stranger)).status).toBe(401);
});

test("taking back is a signed command, once for each key; what cannot be taken back is none", async () => {
  const gateway = await startGateway();
  const id = await remembered(gateway.fs, 1);
  writeFileSync(join(gateway.home, "memory.md"), "- fact 1 <!-- memory-1 -->\n");
  const key = { headers: { "Idempotency-Key": "k" } };
  const first = await gateway.post("/api/undo", { id }, key);
  expect(first.status).toBe(202);
  expect((await gateway.post("/api/undo", { id }, key)).json).toEqual(first.json);
  const command = await readRecord(gateway.fs, InboxCommand, inboxPath((first.json as { id: string }).id));
  expect(command).toMatchObject({ kind: "undo", changeId: id });
  expect(command !== null && isSigned(gateway.token, command)).toBe(true);
  writeFileSync(join(gateway.home, "memory.md"), "- my fact <!-- memory-1 -->\n");
  expect((await gateway.post("/api/undo", { id })).status).toBe(409);
  expect((await gateway.post("/api/undo", { id: "memory-2" })).status).toBe(404);
  for (const body of [{}, { id: "../x" }, { id, force: true }])
    expect((await gateway.post("/api/undo", body)).status).toBe(400);
  expect(await gateway.fs.list(INBOX)).toHaveLength(1);
});
