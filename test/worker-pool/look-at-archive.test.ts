/** The hooks look at each record of archive/ once, however many there are. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ARCHIVE } from "@mimikit/store/disk/state";
import { StateCache } from "@mimikit/store/state-cache/state-cache";
import { expect, test } from "vitest";
import { HookRunner } from "../../apps/worker-pool/src/hooks/hooks.ts";
import { temporaryState } from "../store/home.ts";

const NAMES = 200_500;
const nameAt = (number: number) => `m-${number.toString(16).padStart(32, "0")}.json`;

test("of an archive with more than 200,000 names, only those that came since are looked at", async () => {
  const { home, fs: disk } = temporaryState();
  mkdirSync(join(home, "hooks"), { recursive: true });
  writeFileSync(join(home, "hooks", "done.yaml"), 'on: task_done\nrun: ["true"]\n');
  const names = Array.from({ length: NAMES }, (_, number) => nameAt(number));
  let looks = 0;
  const fs = new Proxy(disk, {
    get(target, key) {
      if (key === "list") return async (dir: string) => (dir === ARCHIVE ? [...names] : target.list(dir));
      if (key === "version") return async (dir: string) => (dir === ARCHIVE ? `${names.length}` : target.version(dir));
      if (key === "info")
        return async (path: string) => {
          if (!path.startsWith(`${ARCHIVE}/`)) return target.info(path);
          looks++;
          return null;
        };
      const value = Reflect.get(target, key);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const runner = new HookRunner({
    home,
    workDir: home,
    env: {},
    fs,
    cache: new StateCache(fs, { token: "token", durable: false, onBadArchive: () => undefined }),
    identity: { pid: process.pid, startTime: "1" } as never,
    isAlive: () => true,
    nowMs: () => Date.now(),
    monotonicMs: () => performance.now(),
    sandbox: () => "none" as never,
    audit: () => undefined,
    onProblem: ({ reason }) => expect(reason).toBe(""),
    onError: (error) => expect(error).toBeUndefined(),
    onRoom: () => undefined,
  });
  await runner.tick();
  expect(looks).toBe(NAMES);
  names.push(nameAt(NAMES));
  await runner.tick();
  await runner.tick();
  expect(looks).toBe(NAMES + 1);
  await runner.stop();
});
