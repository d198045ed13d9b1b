/** The process of the channels under the real PM2: it comes with the first channel and goes with the last (docs/channels.md). */
import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Status } from "@mimikit/protocol/wire/api";
import { PROCESS_ROLES } from "@mimikit/runtime/process/role-record";
import { expect, onTestFinished, test } from "vitest";
import { TelegramServer } from "../support/telegram-server.ts";
import { COMES_BACK, instance, MIMIKIT, ROOT } from "./pm2-instance.ts";

const TEST_MS_MAX = 300_000;
const ALL = [...PROCESS_ROLES, "channels"] as const;

test("channels add starts its process, PM2 brings it back, restart and down know it, and remove ends it", {
  timeout: TEST_MS_MAX,
}, async () => {
  const telegram = await TelegramServer.start();
  onTestFinished(() => telegram.dispose());
  const { up, mimikit, pid, env, processes } = await instance();
  await up();
  expect(pid("channels")).toBe(0);
  const before = PROCESS_ROLES.map(pid);

  const words = ["channels", "add", "telegram", "--set", `server=${telegram.url}`, "--json"];
  const add = spawn(process.execPath, [MIMIKIT, ...words], { cwd: ROOT, env, stdio: ["pipe", "ignore", "inherit"] });
  add.stdin.end(telegram.token);
  expect((await once(add, "close"))[0]).toBe(0);
  await expect.poll(() => pid("channels"), COMES_BACK).not.toBe(0);
  // The others are left alone.
  expect(PROCESS_ROLES.map(pid)).toEqual(before);
  const status = async () => JSON.parse((await mimikit("status", "--json")).stdout) as Status;
  await expect.poll(async () => (await status()).channels?.each.telegram?.state, COMES_BACK).toBe("connected");

  const killed = pid("channels");
  process.kill(killed, "SIGKILL");
  await expect.poll(() => [0, killed].includes(pid("channels")), COMES_BACK).toBe(false);

  expect((await mimikit("restart")).code).toBe(0);
  await expect.poll(() => ALL.every((role) => pid(role) > 0), COMES_BACK).toBe(true);
  expect((await up()).alreadyRunning).toBe(true);

  expect((await mimikit("channels", "remove", "telegram")).code).toBe(0);
  await expect.poll(() => pid("channels"), COMES_BACK).toBe(0);
  expect((await status()).channels).toBeUndefined();

  expect((await mimikit("down")).code).toBe(0);
  expect(await processes()).toEqual([]);
});
