/** A backup taken while work goes on, and what becomes of it. It takes its time, so it is no part of `npm test`. */
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { findViolations } from "../../apps/cli/src/checks/find-violations.ts";
import { withState } from "../../apps/cli/src/instance/state.ts";
import { type CliPlace, runCli } from "../cli/run-cli.ts";
import { Instance, ROLE_NAMES } from "../support/instance.ts";

const scratch = mkdtempSync(join(tmpdir(), "mimikit-backup-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

async function runJson<T>(place: CliPlace, words: string[]): Promise<T> {
  const said = await runCli(place, [...words, "--json"]);
  if (said.code !== 0) throw new Error(`${words.join(" ")}: ${said.error}`);
  return JSON.parse(said.out) as T;
}

interface Replay {
  tasks: { id: string; state: string }[];
  unanswered: string[];
  lastReply: { text: string } | null;
  processes: Record<string, string>;
}

test("a backup that is taken while work goes on brings back every message and every answer", async () => {
  const instance = await Instance.start();
  try {
    const first = await instance.send("run `printf fir; printf st`");
    await instance.replyTo(first);
    await instance.drained();
    const betweenMs = Date.now();
    const before = [first, await instance.send("run `echo one` then `wc -c`"), await instance.send("run `echo two`")];
    const file = join(scratch, "home.tar.gz");
    const [written] = await Promise.all([
      runJson<{ files: number; bytes: number }>(instance, ["backup", file]),
      ...["help", "run `echo three`", "status", "help"].map((text) => instance.send(text)),
    ]);
    expect(statSync(file)).toMatchObject({ size: written.bytes });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(instance.home, "tmp")).filter((name) => name.startsWith("backup-"))).toEqual([]);

    expect(await runCli(instance, ["restore", file])).toMatchObject({
      code: 1,
      error: expect.stringMatching(/Mimikit runs in/),
    });
    expect(await runCli(instance, ["audit", "verify"])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/supervisor: whole from line 1 /),
    });

    // The state at that time, out of the log: the first order is done, and none of the later ones was there yet.
    const then = await runJson<Replay>(instance, ["audit", "replay", "--at", new Date(betweenMs).toISOString()]);
    expect(then.lastReply?.text).toContain("first");
    expect(then.unanswered).toEqual([]);
    expect(then.tasks.filter(({ state }) => state !== "ended")).toEqual([]);
    expect(then.processes).toEqual({ supervisor: "up", workers: "up", gateway: "up" });

    await instance.stop("SIGKILL");
    const { token } = instance;
    writeFileSync(join(instance.home, "memory.md"), "changed after the backup\n");
    const restored = await runJson<{ before: string; manifest: { hasSecrets: boolean } }>(instance, ["restore", file]);
    expect(restored.manifest.hasSecrets).toBe(false);
    expect(readdirSync(restored.before)).toContain("memory.md");
    expect(instance.token).toBe(token);

    for (const role of ROLE_NAMES) instance.startRole(role);
    await instance.ready();
    for (const id of before) await instance.replyTo(id);
    await instance.drained();
    const place = { home: instance.home, workDir: instance.workDir };
    expect((await findViolations((look) => withState(look, place))).violations).toEqual([]);
  } finally {
    await instance.dispose();
  }
});
