/** A copy of a state directory, made while the original runs, under a real PM2. */
import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { instance } from "./pm2-instance.ts";

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
