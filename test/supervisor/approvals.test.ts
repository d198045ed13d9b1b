/** Approvals of the owner, and their end, outlive a power loss, and a yes that was used stays used. */
import { existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Approval } from "@mimikit/protocol/approvals/approval";
import { Config } from "@mimikit/runtime/config/config";
import { createOnce, createRecord } from "@mimikit/store/disk/record";
import { APPROVALS, ARCHIVE, approvalPath, archivePath, runPath } from "@mimikit/store/disk/state";
import { ArchiveIndex } from "@mimikit/store/state-cache/archive-index";
import { readApprovals } from "@mimikit/store/views/approvals";
import { expect, test } from "vitest";
import type { ExecContext } from "../../apps/supervisor/src/execute/exec-context.ts";
import { permit, revoke } from "../../apps/supervisor/src/execute/questions.ts";
import { runMaintenance } from "../../apps/supervisor/src/upkeep/maintenance.ts";
import { NOON, NOON_MS } from "../core/facts.ts";
import { temporaryState } from "../store/home.ts";

const ID = "t-000001.0.a1.approve";
const PERMIT = { kind: "permit", id: "t-000001.0.a1.approved", at: NOON, taskId: "t-000001.0", attempt: 1 } as const;
const COMMAND = { kind: "revoke", id: "revoke-00000001", at: NOON, approvalId: ID, mac: "sealed" } as const;

async function contextOnDisk() {
  const { home, fs } = temporaryState();
  const synced: string[] = [];
  const noting = {
    ...fs,
    async syncDir(dir: string) {
      await fs.syncDir(dir);
      synced.push(dir);
    },
  };
  const archiveIndex = new ArchiveIndex(noting, () => undefined);
  await archiveIndex.load();
  const context: ExecContext = {
    fs: noting,
    archiveIndex,
    token: "a token",
    nowMs: () => NOON_MS,
    lock: (_path, work) => work(),
    audit: () => undefined,
    restart: async () => undefined,
  };
  return { home, fs, archiveIndex, context, synced };
}

test("what is allowed for good has a durable name in a durable folder before its permit is archived", async () => {
  const { home, context, synced } = await contextOnDisk();
  const approval = { kind: "approval", id: ID, at: NOON, tool: "bash", title: "push it" } as const;
  const allowed = { ...approval, prefix: ["git", "push"], reaches: ["command" as const] };
  await permit({ type: "permit", permit: { ...PERMIT, verdict: "always" }, approval: allowed }, context);
  expect(existsSync(join(home, approvalPath(ID)))).toBe(true);
  expect([...new Set(synced)]).toEqual([".", APPROVALS, ARCHIVE]);
});

test("what was allowed for good and taken back is not made again by one who comes late to its permit", async () => {
  const { home, context } = await contextOnDisk();
  const approval = { kind: "approval", id: ID, at: NOON, tool: "bash", title: "push it" } as const;
  const allowed = { ...approval, prefix: ["git", "push"], reaches: ["command" as const] };
  const late = { type: "permit", permit: { ...PERMIT, verdict: "always" }, approval: allowed } as const;
  await permit(late, context);
  await revoke({ type: "revoke", command: COMMAND }, context);
  await permit(late, context);
  expect(existsSync(join(home, approvalPath(ID)))).toBe(false);
});

test("what was revoked is not allowed by a supervisor that had looked for its permit before, and was held up", async () => {
  const { fs, context } = await contextOnDisk();
  const approval = { kind: "approval", id: ID, at: NOON, tool: "bash", title: "push it" } as const;
  const allowed = { ...approval, prefix: ["git", "push"], reaches: ["command" as const] };
  await permit({ type: "permit", permit: { ...PERMIT, verdict: "always" }, approval: allowed }, context);
  expect((await readApprovals(fs)).map(({ id }) => id)).toEqual([ID]);
  await revoke({ type: "revoke", command: COMMAND }, context);
  await createRecord(fs, Approval, approvalPath(ID), allowed);
  expect(await readApprovals(fs)).toEqual([]);
});

test("what somebody else has removed is gone durably before it is said to be taken back", async () => {
  const { home, fs, context, synced } = await contextOnDisk();
  mkdirSync(join(home, APPROVALS));
  await createOnce(fs, approvalPath(ID), "{}");
  // A supervisor that was killed here has not synced it.
  await fs.unlink(approvalPath(ID));
  await revoke({ type: "revoke", command: COMMAND }, context);
  expect(existsSync(join(home, archivePath(COMMAND.id)))).toBe(true);
  expect([...new Set(synced)]).toEqual([APPROVALS, ARCHIVE]);
});

test("a command to take back is answered where nothing was ever allowed", async () => {
  const { home, context } = await contextOnDisk();
  await revoke({ type: "revoke", command: COMMAND }, context);
  expect(existsSync(join(home, archivePath(COMMAND.id)))).toBe(true);
});

test("that a yes was used stays known for as long as its task is open, however old it is", async () => {
  const { home, fs, archiveIndex, context } = await contextOnDisk();
  const old = new Date(NOON_MS - 100 * 86_400_000);
  for (const id of ["t-000001.0", "t-000002.0"]) {
    const run = join(home, runPath(id, 1));
    mkdirSync(run);
    writeFileSync(join(run, "used-yes"), "");
    utimesSync(run, old, old);
  }
  const unasked = join(home, runPath("t-000001.0", 2));
  mkdirSync(unasked);
  utimesSync(unasked, old, old);
  writeFileSync(join(home, archivePath("t-000002.0")), "{}");
  await archiveIndex.load();
  const config = Config.parse({});
  const namedAttachments = async () => new Set<string>();
  await runMaintenance({ home, fs, archiveIndex, config, nowMs: NOON_MS, namedAttachments, audit: context.audit });
  expect(existsSync(join(home, runPath("t-000001.0", 1), "used-yes"))).toBe(true);
  expect(existsSync(unasked)).toBe(false);
  expect(existsSync(join(home, runPath("t-000002.0", 1)))).toBe(false);
});
