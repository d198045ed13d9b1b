/** Approvals of the owner, and their end, outlive a power loss, and a yes that was used stays used. */
import { existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Config } from "@mimikit/runtime/config/config";
import { createOnce } from "@mimikit/store/disk/record";
import { APPROVALS, ARCHIVE, approvalPath, archivePath, runPath } from "@mimikit/store/disk/state";
import { Ledger } from "@mimikit/store/mirror/ledger";
import { expect, test } from "vitest";
import type { Hands } from "../../apps/supervisor/src/execute/hands.ts";
import { permit, revoke } from "../../apps/supervisor/src/execute/questions.ts";
import { keepHouse } from "../../apps/supervisor/src/upkeep/housekeeping.ts";
import { NOON, NOON_MS } from "../core/facts.ts";
import { temporaryState } from "../store/home.ts";

const ID = "t-000001.0.a1.approve";
const PERMIT = { kind: "permit", id: "t-000001.0.a1.approved", at: NOON, taskId: "t-000001.0", attempt: 1 } as const;
const WISH = { kind: "revoke", id: "revoke-00000001", at: NOON, approvalId: ID, mac: "sealed" } as const;

async function handsOnDisk() {
  const { home, fs } = temporaryState();
  const synced: string[] = [];
  const noting = {
    ...fs,
    async syncDir(dir: string) {
      await fs.syncDir(dir);
      synced.push(dir);
    },
  };
  const ledger = new Ledger(noting, () => undefined);
  await ledger.load();
  const hands: Hands = {
    fs: noting,
    ledger,
    token: "a token",
    nowMs: () => NOON_MS,
    lock: (_path, work) => work(),
    audit: () => undefined,
    restart: async () => undefined,
  };
  return { home, fs, ledger, hands, synced };
}

test("what is allowed for good has a durable name in a durable folder before its permit is archived", async () => {
  const { home, hands, synced } = await handsOnDisk();
  const approval = { kind: "approval", id: ID, at: NOON, tool: "bash", title: "push it" } as const;
  const allowed = { ...approval, prefix: ["git", "push"], reaches: ["command" as const] };
  await permit({ type: "permit", permit: { ...PERMIT, verdict: "always" }, approval: allowed }, hands);
  expect(existsSync(join(home, approvalPath(ID)))).toBe(true);
  expect([...new Set(synced)]).toEqual([".", APPROVALS, ARCHIVE]);
});

test("what was allowed for good and taken back is not made again by one who comes late to its permit", async () => {
  const { home, hands } = await handsOnDisk();
  const approval = { kind: "approval", id: ID, at: NOON, tool: "bash", title: "push it" } as const;
  const allowed = { ...approval, prefix: ["git", "push"], reaches: ["command" as const] };
  const late = { type: "permit", permit: { ...PERMIT, verdict: "always" }, approval: allowed } as const;
  await permit(late, hands);
  await revoke({ type: "revoke", wish: WISH }, hands);
  await permit(late, hands);
  expect(existsSync(join(home, approvalPath(ID)))).toBe(false);
});

test("what somebody else has removed is gone durably before it is said to be taken back", async () => {
  const { home, fs, hands, synced } = await handsOnDisk();
  mkdirSync(join(home, APPROVALS));
  await createOnce(fs, approvalPath(ID), "{}");
  // A supervisor that was killed here has not synced it.
  await fs.unlink(approvalPath(ID));
  await revoke({ type: "revoke", wish: WISH }, hands);
  expect(existsSync(join(home, archivePath(WISH.id)))).toBe(true);
  expect([...new Set(synced)]).toEqual([APPROVALS, ARCHIVE]);
});

test("a wish to take back is answered where nothing was ever allowed", async () => {
  const { home, hands } = await handsOnDisk();
  await revoke({ type: "revoke", wish: WISH }, hands);
  expect(existsSync(join(home, archivePath(WISH.id)))).toBe(true);
});

test("that a yes was used stays known for as long as its task is open, however old it is", async () => {
  const { home, fs, ledger, hands } = await handsOnDisk();
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
  await ledger.load();
  const config = Config.parse({});
  const namedAttachments = async () => new Set<string>();
  await keepHouse({ home, fs, ledger, config, nowMs: NOON_MS, namedAttachments, audit: hands.audit });
  expect(existsSync(join(home, runPath("t-000001.0", 1), "used-yes"))).toBe(true);
  expect(existsSync(unasked)).toBe(false);
  expect(existsSync(join(home, runPath("t-000002.0", 1)))).toBe(false);
});
