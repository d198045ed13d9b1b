/** A machine that works from boot on: what the unit says is started as systemd does it, and works for its home (docs/pools.md). */
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { expect, onTestFinished, test } from "vitest";
import { findProgram } from "../../scripts/bench/measure/find-program.ts";
import { readUnit, startProgram } from "../pm2/unit.ts";
import { startPools } from "../support/pools.ts";
import { CLI } from "../support/programs.ts";

const canRun = findProgram("redis-server") !== null && findProgram("systemctl") !== null;

test.runIf(canRun)(
  "the unit of a machine holds no key, does its work after each end, and goes with --remove",
  async () => {
    const pools = await startPools();
    onTestFinished(() => pools.dispose());
    const machine = await pools.join("box");
    await machine.stop();
    const user = join(machine.workDir, "user");
    mkdirSync(join(user, "run"), { recursive: true });
    const env = {
      HOME: user,
      XDG_CONFIG_HOME: join(user, ".config"),
      // No systemd of whoever runs the tests is asked.
      XDG_RUNTIME_DIR: join(user, "run"),
      DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(user, "run/none")}`,
      MIMIKIT_PROVIDER: "offline",
    };
    const service = (workDir: string, ...words: string[]) =>
      execa(process.execPath, [CLI, "pool", "service", "--json", "--work-dir", workDir, ...words], {
        env,
        reject: false,
      });

    const stranger = await service(join(machine.workDir, "elsewhere"));
    expect(stranger.exitCode).toBe(1);
    expect(stranger.stderr).toContain("this machine has joined no home");

    const installed = await service(machine.workDir);
    expect(installed.exitCode).toBe(0);
    const { unit } = JSON.parse(installed.stdout) as { unit: string };
    const text = readFileSync(unit, "utf8");
    const { key } = JSON.parse(readFileSync(join(machine.home, "pool.json"), "utf8")) as { key: string };
    expect(text).not.toContain(key);
    expect(text).not.toContain(pools.redis.url);
    expect(text).toContain("Restart=always");

    for (const round of ["one", "two"]) {
      const started = startProgram(readUnit(unit), user);
      const body = { text: `run \`echo ${round} > ${round}.txt\``, pool: "box" };
      await pools.mimikit.api("/api/input", { method: "POST", body });
      await pools.mimikit.until(`round ${round}`, () => machine.read(`${round}.txt`) || undefined);
      expect(await started.stop()).toBe(0);
    }

    expect(JSON.parse((await service(machine.workDir, "--remove")).stdout)).toMatchObject({ removed: unit });
    expect(existsSync(unit)).toBe(false);
    expect(existsSync(join(machine.home, "pool.json"))).toBe(true);
  },
);
