/** Homes that could be taken for each other, under a real PM2: a copy of a running one, and several in one PM2. */
import { cpSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { COMES_BACK, instance, PM2, ROOT, run } from "./pm2-instance.ts";

test("a copy of a running home neither speaks for the original nor ends it, and runs on its own", {
  timeout: 90_000,
}, async () => {
  const [original, copy] = [await instance(), await instance()];
  const { url, status } = await original.up();
  cpSync(original.home, copy.home, {
    recursive: true,
    preserveTimestamps: true,
    filter: (path) => !/\.sock$/.test(path),
  });
  expect(existsSync(join(copy.home, "locks/gateway.json"))).toBe(true);

  expect((await copy.mimikit("status")).code).toBe(3);
  const refused = await copy.mimikit("ask", "hello");
  expect([refused.code, refused.stdout]).toEqual([3, ""]);
  expect((await copy.mimikit("down")).stdout).toBe(`Mimikit is not running for ${copy.home}\n`);
  expect((await copy.mimikit("restart")).code).toBe(3);

  const own = await copy.up();
  expect(own).toMatchObject({ alreadyRunning: false, url: `http://127.0.0.1:${copy.port}`, home: copy.home });
  await copy.ask("run `echo copied`");
  expect((await original.mimikit("history")).stdout).not.toContain("copied");
  expect((await copy.mimikit("down")).stdout).toBe("Mimikit is stopped; its state is kept\n");
  expect(await copy.processes()).toEqual([]);

  const after = await original.up();
  expect(after).toMatchObject({ alreadyRunning: true, url });
  expect(after.status.processes).toEqual(status.processes);
});

test("in one PM2, two homes and an app of somebody else with the name of a process run side by side", {
  timeout: 90_000,
}, async () => {
  const [one, other] = [await instance(), await instance()];
  const ofPm2 = (env: NodeJS.ProcessEnv) => ({ ...env, PM2_HOME: join(one.workDir, "own-pm2") });
  const ECOSYSTEM = join(ROOT, "ecosystem.config.cjs");
  const pm2 = (env: NodeJS.ProcessEnv, ...args: string[]) => run(PM2, args, ofPm2(env));
  const apps = async (): Promise<Record<string, string>> => {
    const { stdout } = await pm2(one.env, "jlist", "--silent");
    const list = JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as { name: string; pid: number; pm2_env: object }[];
    return Object.fromEntries(
      list.map(({ name, pid, pm2_env }) => [name, `${pid} ${"restart_time" in pm2_env && pm2_env.restart_time}`]),
    );
  };
  const script = join(one.workDir, "shop.js");
  writeFileSync(script, "setInterval(() => undefined, 60_000);");
  expect((await pm2(one.env, "start", script, "--name", "mimikit-gateway")).code).toBe(0);
  const foreign = (await apps())["mimikit-gateway"];

  for (const { env, isReady } of [one, other]) {
    expect((await pm2(env, "start", ECOSYSTEM)).code).toBe(0);
    await expect.poll(isReady, COMES_BACK).toBe(true);
  }
  const before = await apps();
  expect(Object.keys(before)).toHaveLength(7);
  expect(before["mimikit-gateway"]).toBe(foreign);

  // The advice of `mimikit down` names the apps of its home alone.
  const words = /pm2 delete (.+)$/m.exec((await one.mimikit("down")).stderr)?.[1]?.split(" ") ?? [];
  expect(words).toHaveLength(3);
  expect((await pm2(one.env, "delete", ECOSYSTEM)).code).toBe(0);
  const after = await apps();
  expect(after).toEqual(Object.fromEntries(Object.entries(before).filter(([name]) => !words.includes(name))));
  expect(Object.keys(after)).toHaveLength(4);
  expect(await other.isReady()).toBe(true);
  await pm2(one.env, "kill");
});
