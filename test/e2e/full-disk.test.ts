/** A full disk: some space is reserved for PM2, and a role that starts waits for space (docs/operations.md#a-full-disk). */
import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Status } from "@mimikit/protocol/wire/api";
import { expect, onTestFinished, test } from "vitest";
import { Instance } from "../support/instance.ts";

const MIB = 1_048_576;

test("the ballast is deleted, roles that start wait for free space, and nothing is lost", async ({ skip }) => {
  let isMounted = false;
  const mimikit = await Instance.start({
    async prepare(home) {
      mkdirSync(home, { mode: 0o700 });
      isMounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=40m,mode=700", "tmpfs", home]).status === 0;
    },
  });
  onTestFinished(async () => {
    await mimikit.stop("SIGKILL");
    if (isMounted) execFileSync("umount", ["-l", mimikit.home]);
    await mimikit.dispose();
  });
  if (!isMounted) skip("a small disk can only be mounted by root");
  const ballast = join(mimikit.home, "locks/ballast");
  const filler = join(mimikit.home, "tmp/filler");
  await mimikit.until("ballast", () => existsSync(ballast) || undefined);
  expect(statSync(ballast).size).toBe(2 * MIB);
  const first = await mimikit.send("hello");
  await mimikit.replyTo(first);

  fill(filler);
  await mimikit.until("space for PM2", () => !existsSync(ballast) || undefined);
  const audit = () => readFileSync(join(mimikit.home, "log.jsonl"), "utf8");
  await mimikit.until("its line", () => audit().includes('"ballast_given_back"') || undefined);

  fill(filler);
  await mimikit.until("it is said", async () => {
    const { problems } = await mimikit.api<Status>("/api/status");
    return problems.some((problem) => problem.startsWith("the disk of ")) || undefined;
  });
  await expect(mimikit.send("hello again")).rejects.toThrow(/^507 /);
  await Promise.all([mimikit.kill("supervisor"), mimikit.kill("workers")]);
  const waiting = () => mimikit.output.match(/is full; waiting until there is room/g)?.length;
  await mimikit.until("both wait", () => waiting() === 2 || undefined);
  const pids = [mimikit.pidOf("supervisor"), mimikit.pidOf("workers")];

  rmSync(filler);
  await mimikit.ready();
  expect([mimikit.pidOf("supervisor"), mimikit.pidOf("workers")]).toEqual(pids);
  await mimikit.replyTo(await mimikit.send("hello once more"));
  expect((await mimikit.messages()).filter(({ answers }) => answers?.includes(first))).toHaveLength(1);
  await mimikit.until("ballast again", () => existsSync(ballast) || undefined);
});

/** Fills the disk. */
function fill(path: string): void {
  for (let bytes = MIB; bytes >= 1; bytes /= 4) {
    try {
      for (;;) appendFileSync(path, Buffer.alloc(bytes));
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
    }
  }
}
