/** Nothing that a kill or a power failure leaves of chains that witness each other is taken for tampering. */
import { appendFileSync, existsSync, readFileSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { auditFile } from "@mimikit/runtime/audit/audit-files";
import { verifyTrail } from "@mimikit/runtime/audit/verify-audit";
import { ACTORS, type ProcessRole } from "@mimikit/runtime/process/role-record";
import { expect, test, vi } from "vitest";
import { type Started, startProcess } from "../start-process.ts";
import { temporaryHome } from "../temporary-home.ts";

const PATIENCE = { timeout: 60_000, interval: 5 };
const random = (below: number) => Math.floor(Math.random() * below);

function problems(home: string): string[] {
  return verifyTrail(home).chains.flatMap((chain) => chain.problems);
}

/** All four roles, each writing without end. */
function startAll(home: string) {
  const noted = `${home}.durable`;
  const start = (role: ProcessRole) => startProcess("witness-log", [home, role, noted], {});
  const running = new Map<ProcessRole, Started>(ACTORS.map((role) => [role, start(role)]));
  const wrote = (role: ProcessRole, lines: number) =>
    vi.waitFor(() => expect(running.get(role)?.lines.length).toBeGreaterThan(lines), PATIENCE);
  const kill = async (role: ProcessRole) => {
    running.get(role)?.process.kill("SIGKILL");
    await running.get(role)?.ended;
  };
  return { noted, wrote, kill, restart: (role: ProcessRole) => void running.set(role, start(role)) };
}

test("sixty kills of roles that write and witness each other break no chain, while the others write and at rest", async () => {
  const home = temporaryHome();
  const { wrote, kill, restart } = startAll(home);
  for (const role of ACTORS) await wrote(role, 5);
  for (let kills = 0; kills < 60; kills += 2) {
    // Two at once, any two.
    const one = random(ACTORS.length);
    const roles = [one, one + 1 + random(ACTORS.length - 1)].map((at) => ACTORS[at % ACTORS.length] ?? "workers");
    for (const role of roles) await wrote(role, 1 + random(20));
    await Promise.all(roles.map(kill));
    if (kills % 6 === 0) expect(problems(home)).toEqual([]);
    for (const role of roles) restart(role);
  }
  for (const role of ACTORS) await kill(role);
  const { chains } = verifyTrail(home);
  expect(chains.flatMap((chain) => chain.problems)).toEqual([]);
  for (const { witnessedTo, lines, to } of chains) {
    expect(to).toBe(lines);
    expect(witnessedTo).toBeGreaterThan(lines / 2);
  }
}, 300_000);

test("power failures that take any part of what was not synced, or leave zeros in it, break no chain", async () => {
  const home = temporaryHome();
  let lost = 0;
  for (let failures = 0; failures < 8; failures++) {
    const { noted, wrote, kill } = startAll(home);
    for (const role of ACTORS) await wrote(role, 5 + random(30));
    await Promise.all(ACTORS.map(kill));
    for (const role of ACTORS) lost += losePower(join(home, auditFile(role)), noted);
    expect(problems(home)).toEqual([]);
  }
  // Else there was nothing to lose, and nothing was tried.
  expect(lost).toBeGreaterThan(0);
}, 300_000);

/** Takes off a part of what no sync has made durable. @returns how many bytes. */
function losePower(path: string, noted: string): number {
  const { ino, size } = statSync(path);
  const notes = existsSync(noted) ? readFileSync(noted, "utf8").split("\n") : [];
  const durable = Math.max(
    0,
    ...notes.filter((note) => note.startsWith(`${ino} `)).map((note) => Number(note.split(" ")[1])),
  );
  const kept = durable + random(size - durable + 1);
  truncateSync(path, kept);
  const zeros = random(3) === 0 ? size - kept : 0;
  if (zeros > 0) appendFileSync(path, Buffer.alloc(zeros));
  return size - kept;
}
