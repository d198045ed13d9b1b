/** A process is one of this home only if it serves this directory: what a copied directory says of processes is said of the original. */
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Identity } from "@mimikit/protocol/records/claim";
import { prepareHome } from "@mimikit/runtime/home/home";
import { claimFiles } from "@mimikit/runtime/platform/claim-files";
import { readCircuits } from "@mimikit/runtime/process/circuit-record";
import { directoryId, isAlive, isAliveFor, isOwnerAlive } from "@mimikit/runtime/process/identity";
import { readRole } from "@mimikit/runtime/process/role-record";
import { claimSingleton } from "@mimikit/runtime/process/singleton";
import { expect, onTestFinished, test } from "vitest";
import { startProcess } from "../start-process.ts";
import { temporaryHome } from "../temporary-home.ts";

/** A process that was started with this home, and what 0.3 would have recorded of it. */
async function serving(home: string, env: NodeJS.ProcessEnv = { MIMIKIT_HOME: home }) {
  const started = startProcess("hold-singleton", [home], { env });
  const identity = JSON.parse(await started.nextLine()) as Identity;
  return { ...identity, startedAt: new Date().toISOString(), version: "0.3.0" };
}

function copyOf(home: string): string {
  const copy = join(mkdtempSync(join(tmpdir(), "mimikit-copy-")), "home");
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
  cpSync(home, copy, { recursive: true, preserveTimestamps: true });
  return copy;
}

function note(home: string, role: string, record: object): void {
  writeFileSync(join(home, "locks", `${role}.json`), JSON.stringify(record));
}

test("a record in a copy of a home names no process of the copy, whichever version wrote it", async () => {
  const home = temporaryHome();
  const record = await serving(home);
  note(home, "supervisor", record);
  note(home, "gateway", { ...record, directory: directoryId(home) });
  const copy = copyOf(home);
  for (const role of ["supervisor", "gateway"] as const) {
    expect(readRole(home, role)?.pid).toBe(record.pid);
    expect(readRole(copy, role)).toBeNull();
  }
  expect(await claimSingleton(home, "supervisor")).toBe(false);
  expect(await claimSingleton(copy, "supervisor")).toBe(true);
});

test("a process whose environment does not tell its home is known by the directory in its record", async () => {
  const home = temporaryHome();
  const record = await serving(home, { MIMIKIT_HOME: "", MIMIKIT_WORK_DIR: "" });
  note(home, "supervisor", { ...record, directory: directoryId(home) });
  expect(readRole(copyOf(home), "supervisor")).toBeNull();
  expect(readRole(home, "supervisor")?.pid).toBe(record.pid);
});

test("a claim, a begun hook and the skipped providers of the original are nobody's in a copy", async () => {
  const home = temporaryHome();
  const record = await serving(home);
  const open = [{ provider: "offline", reason: "away", retryAt: new Date().toISOString() }];
  note(home, "circuits", { ...record, open });
  const copy = copyOf(home);
  expect(isAlive(record)).toBe(true);
  expect([isAliveFor(home, record), isAliveFor(copy, record)]).toEqual([true, false]);
  expect([isOwnerAlive(home, record), isOwnerAlive(copy, record)]).toEqual([true, false]);
  expect(readCircuits(home)).toEqual(open);
  expect(readCircuits(copy)).toEqual([]);
});

test("a home that is reached by another path, or was moved while its processes run, keeps them", async () => {
  const home = temporaryHome();
  const record = await serving(home);
  note(home, "supervisor", { ...record, directory: directoryId(home) });
  const moved = `${home}-moved`;
  onTestFinished(() => rmSync(moved, { recursive: true, force: true }));
  renameSync(home, moved);
  expect(readRole(moved, "supervisor")?.pid).toBe(record.pid);
  // Where it was, the process goes on with what is there now.
  prepareHome(home);
  writeFileSync(join(home, "locks/supervisor.json"), readFileSync(join(moved, "locks/supervisor.json")));
  expect(readRole(home, "supervisor")?.pid).toBe(record.pid);
});

test("a claim of files that was copied with its directory is held by nobody", () => {
  const own: Identity = { pid: 4_711, startTime: "1", bootId: "" };
  const claims = claimFiles(
    () => own,
    () => true,
  );
  const home = temporaryHome();
  expect(claims.claim({ locks: join(home, "locks"), secret: "", role: "pm2" })).toBe(true);
  expect(claims.isClaimed({ locks: join(home, "locks"), secret: "", role: "pm2" })).toBe(true);
  const copied = { locks: join(copyOf(home), "locks"), secret: "", role: "pm2" };
  expect(claims.isClaimed(copied)).toBe(false);
  expect(claims.claim(copied)).toBe(true);
});
