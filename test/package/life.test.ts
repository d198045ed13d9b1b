/** The whole life of an installed package, as docs/install.md says it, in folders of the test's own. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { endProcesses } from "@mimikit/runtime/process/process-table";
import { PROCESS_ROLES } from "@mimikit/runtime/process/role-record";
import { expect, test } from "vitest";
import { isReadyAt } from "../pm2/pm2-instance.ts";
import { readUnit, startProgram } from "../pm2/unit.ts";
import { ownDirectory } from "./installation.ts";
import { ownNode, user } from "./npm.ts";

const TEST_MS_MAX = 580_000;
const BACK = { timeout: 60_000, interval: 100 };
const BEFORE = "0.0.9";

const { packed, folder, packageOf, owner, processes, runNpm } = ownDirectory();

/** Every file below a folder, with its path from there. */
const filesBelow = (root: string) =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => join(relative(root, parentPath), name));

test("a package is installed, killed, brought back by its unit, updated while work runs, and removed: only state and workspace stay", {
  timeout: TEST_MS_MAX,
}, async () => {
  const before = await packageOf(BEFORE);
  const { home, workDir, tmp, env, json, install } = await owner("user 包", ownNode);
  const prefix = folder("user 包", "prefix");
  const mimikit = join(prefix, "bin/mimikit");
  await install("--global", "--prefix", prefix, before);
  // No systemd of whoever runs the tests is asked.
  Object.assign(env, { XDG_RUNTIME_DIR: tmp, DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(tmp, "none")}` });
  const said = async () =>
    ((await json(mimikit, "history")).messages as { role: string; text: string }[]).map(({ text }) => text);

  expect((await json(mimikit, "up")).status).toMatchObject({ version: BEFORE, workDir });
  expect((await json(mimikit, "ask", "run `echo $((40+2))`")).replies.at(-1).text).toContain("42");
  const { unit } = await json(mimikit, "service", "install", "--no-linger");
  expect(readUnit(unit).program.slice(1)).toEqual([expect.stringContaining(prefix), "service", "run"]);

  expect(await endProcesses(processes, 0)).toEqual([]);
  expect(await processes()).toEqual([]);
  const service = startProgram(readUnit(unit), home, user);
  await expect.poll(() => isReadyAt(join(workDir, ".mimikit"), env.MIMIKIT_PORT), BACK).toBe(true);
  expect((await json(mimikit, "service", "status")).running).toHaveLength(PROCESS_ROLES.length);

  const ran = () => (existsSync(join(workDir, "ran.txt")) ? readFileSync(join(workDir, "ran.txt"), "utf8") : "");
  await json(mimikit, "send", "run `echo begun >> ran.txt; test -e go && echo ended >> ran.txt || sleep 600`");
  await expect.poll(ran, BACK).toBe("begun\n");
  writeFileSync(join(workDir, "go"), "");
  const updated = await json(mimikit, "update", "--from", packed.tarball);
  expect(updated).toMatchObject({ version: BEFORE, updated: true, restarted: true });

  expect(await json(mimikit, "status")).toMatchObject({ version: updated.newVersion, ready: true });
  // A file costs nothing to look at; each command that looks takes half a second of what is waited for.
  await expect.poll(ran, BACK).toBe("begun\nbegun\nended\n");
  await expect.poll(async () => (await said()).at(-1), BACK).toMatch(/^Done\.[\s\S]*ran\.txt/);
  expect(await said()).not.toContain("hello");
  expect((await json(mimikit, "ask", "run `echo $((40+3))`")).replies.at(-1).text).toContain("43");
  expect(await json(mimikit, "service", "status")).toMatchObject({ watched: true, program: null });

  // As `systemctl stop` does, which the command calls where systemd runs.
  expect(await service.stop()).toBe(0);
  expect(await json(mimikit, "service", "uninstall")).toMatchObject({ removed: unit, running: [] });
  expect(await json(mimikit, "down")).toMatchObject({ ended: 0 });
  expect(await json(mimikit, "adopt", "--revoke")).toEqual({ revoked: true });
  const removed = await runNpm(ownNode, ["uninstall", "--global", "--prefix", prefix, "mimikit"], home);
  expect(removed.code, removed.error).toBe(0);
  expect(await processes()).toEqual([]);
  expect(readdirSync(workDir).sort()).toEqual([".mimikit", "go", "ran.txt"]);
  expect([prefix, tmp, home].flatMap(filesBelow)).toEqual([]);
});
