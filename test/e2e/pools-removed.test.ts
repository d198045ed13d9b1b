/** A machine that was removed, and is invited anew under its name, joins in the same folder; with a real redis-server (docs/pools.md). */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findProgram } from "../../scripts/bench/measure/find-program.ts";
import { type Machine, type Pools, startPools } from "../support/pools.ts";
import { CLI } from "../support/programs.ts";

const hasRedis = findProgram("redis-server") !== null;

describe.runIf(hasRedis)("a machine", () => {
  let pools: Pools;
  let box: Machine;
  const joinAgain = (input?: string) =>
    execa(process.execPath, [CLI, "pool", "join", "--work-dir", box.workDir, "--no-start"], {
      reject: false,
      ...(input === undefined ? { stdin: "ignore" } : { input }),
    });
  const invite = async (...words: string[]) => {
    const { stdout } = await pools.command(["pool", "invite", "box", ...words, "--json"]);
    return (JSON.parse(stdout) as { code: string }).code;
  };
  const order = (text: string) =>
    pools.mimikit.api("/api/input", { method: "POST", body: { text: `run \`${text}\``, pool: "gpu" } });
  beforeAll(async () => {
    pools = await startPools();
    box = await pools.join("box", ["--label", "gpu"]);
    await pools.mimikit.until("it works", () => box.output.includes("works as box") || undefined);
  });
  afterAll(() => pools.dispose());

  test("that works is told that it was removed, ends what it runs, and works for nobody", async () => {
    await order("echo once >> runs.txt; sleep $(test -e again && echo 0 || echo 600)");
    await pools.mimikit.until("its run", () => box.read("runs.txt") || undefined);
    expect((await pools.command(["pool", "remove", "box"])).exitCode).toBe(0);
    await pools.mimikit.until("it is told", () => box.output.includes("was removed from its home") || undefined);
    await box.stop();
    expect(await box.children()).toEqual([]);
    const refused = await joinAgain();
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining("the code comes on stdin")]);
  });

  test("that joins in the same folder with the code of a new invitation has its work again", async () => {
    const code = await invite("--label", "gpu");
    expect((await joinAgain(code)).exitCode).toBe(0);
    box.start();
    await order("echo twice >> runs.txt");
    await pools.mimikit.until("its work", () => box.read("runs.txt").includes("twice") || undefined);
    await pools.mimikit.drained();
  });

  test("that was removed and invited again while it was off uses the new code, and what it had goes on elsewhere", async () => {
    await order("echo thrice >> runs.txt; sleep $(test -e again && echo 0 || echo 600)");
    await pools.mimikit.until("its run", () => box.read("runs.txt").includes("thrice") || undefined);
    const spare = await pools.join("spare", ["--label", "gpu"]);
    writeFileSync(join(spare.workDir, "again"), "");
    await box.stop("SIGKILL");
    await pools.command(["pool", "remove", "box"]);
    const joined = await joinAgain(await invite());
    expect([joined.exitCode, joined.stderr]).toEqual([0, expect.stringContaining("it needs another code")]);
    await pools.mimikit.until("it is run again", () => spare.read("runs.txt") || undefined);
    await pools.mimikit.drained();
    expect([spare.read("runs.txt"), box.read("runs.txt").match(/thrice/g)]).toEqual(["thrice\n", ["thrice"]]);
    box.start();
  });

  test("that has joined goes on with the code of the first time, and joins with a better one", async () => {
    const before = existsSync(join(box.home, "pool.json"));
    const again = await joinAgain("bm8gY29kZQ");
    expect([before, again.exitCode, again.stderr]).toEqual([
      true,
      0,
      expect.stringContaining("this machine goes on as box: this is no code"),
    ]);
    const { stdout } = await pools.command(["pool", "invite", "other", "--json"]);
    const { code } = JSON.parse(stdout) as { code: string };
    expect((await joinAgain(code)).stderr).toBe("");
    await box.kill();
    await pools.mimikit.until("it works", () => box.output.includes("works as other") || undefined);
  });
});
