import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startProcess } from "./start-process.ts";
import { temporaryDirectory } from "./temporary-home.ts";

const auditOf = (home: string) => readFileSync(join(home, "log.jsonl"), "utf8");

test.each(["SIGINT", "SIGTERM"] as const)("%s lets a role leave in order, once, with 0", async (signal) => {
  const home = join(temporaryDirectory(), "home");
  const role = startProcess("run-role", [home]);
  expect(await role.nextLine()).toBe('{"ready":true}');
  role.process.kill(signal);
  role.process.kill(signal);
  expect(await role.ended).toBe(0);
  expect(auditOf(home).match(/"event":"left"/g)).toHaveLength(1);
  expect(auditOf(home)).toContain(`"reason":"${signal}"`);
});

test("a role whose daemon died leaves in order too, with nobody left to read its output", async () => {
  const home = join(temporaryDirectory(), "home");
  const role = startProcess("run-role", [home], { ipc: true });
  expect(await role.nextLine()).toBe('{"ready":true}');
  const exited = once(role.process, "exit");
  role.process.stdout?.destroy();
  role.process.disconnect();
  expect(await exited).toEqual([0, null]);
  expect(auditOf(home)).toContain('"reason":"disconnect"');
});

test.each(["throw", "reject"])("an error that nobody caught (%s) is told and ends the process with 1", async (how) => {
  const role = startProcess("run-role", [join(temporaryDirectory(), "home"), how]);
  expect(await role.ended).toBe(1);
  expect(role.lines.join("\n")).toMatch(/nobody (caught|awaited) this/);
});
