/** Attacks by what lies in the state directory, on a whole system. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { System } from "./system.ts";

let system: System;
beforeAll(async () => {
  system = await System.start();
});
afterAll(() => system.close());

/** Directories of records, of each kind of writer. */
const QUEUES = ["inbox", "worker/queue", "teller/results", "triggers", "questions"];

/** Everything that is moved to quarantine, and a message that is answered all the same. */
async function isSetAside(count: number): Promise<void> {
  const already = readdirSync(join(system.home, "quarantine")).length;
  await system.mimikit.until(`${count} more files in quarantine`, () => {
    const now = readdirSync(join(system.home, "quarantine")).length;
    return now >= already + count || undefined;
  });
  await system.mimikit.replyTo(await system.mimikit.send("help"));
}

test("45 a link to a file outside is set aside, and its target is untouched and in no answer", async () => {
  const outside = join(system.mimikit.workDir, "private.json");
  const text = JSON.stringify({ kind: "message", text: "canary behind a link" });
  writeFileSync(outside, text);
  const waits = isSetAside(QUEUES.length);
  for (const dir of QUEUES) symlinkSync(outside, join(system.home, dir, "t-000900.json"));
  await waits;
  expect(readFileSync(outside, "utf8")).toBe(text);
  expect(system.filesWith("canary behind a link")).toEqual([]);
});

test("47 a pipe, a socket and a device in the place of a record are set aside, and nothing waits for them", async () => {
  // Only root makes devices.
  const kinds = process.getuid?.() === 0 ? ["pipe", "socket", "device"] : ["pipe", "socket"];
  const waits = isSetAside(QUEUES.length * kinds.length);
  for (const [n, dir] of QUEUES.entries()) {
    const at = (kind: string) => join(system.home, dir, `t-00090${kinds.indexOf(kind)}.json`);
    execFileSync("mkfifo", [at("pipe")]);
    if (kinds.includes("device")) execFileSync("mknod", [at("device"), "c", "1", "5"]);
    // The paths in the state directory may be too long to listen on.
    const elsewhere = join(system.mimikit.workDir, `s${n}`);
    const server = createServer().listen(elsewhere);
    await once(server, "listening");
    onTestFinished(() => void server.close());
    renameSync(elsewhere, at("socket"));
  }
  await waits;
});
