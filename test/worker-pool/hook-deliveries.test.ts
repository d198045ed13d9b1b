/** Deliveries of hooks that other versions, dead and living pools, and damage have left. */
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DELIVERIES, endedDeliveryPath } from "@mimikit/store/disk/state";
import { StateCache } from "@mimikit/store/state-cache/state-cache";
import { expect, test } from "vitest";
import { HookRunner } from "../../apps/worker-pool/src/hooks/hooks.ts";
import { temporaryState } from "../store/home.ts";

const DAY_MS = 86_400_000;
const idAt = (number: number) => `d-${number.toString(16).padStart(32, "0")}`;
const deliveryOf = (id: string, type = "task_done") => ({
  id,
  hook: "done",
  at: "2026-11-21T12:00:00.000Z",
  event: {
    type,
    timestamp: "2026-11-21T12:00:00.000Z",
    data: { id: `t-${id}`, title: "x", text: "y", role: "worker" },
  },
});
const endOf = (id: string) => ({
  id,
  hook: "done",
  at: "2026-11-21T12:00:00.000Z",
  outcome: "ran",
  detail: "",
  tries: 1,
});
const OWNER = { pid: 7, startTime: "1", bootId: "b" };

function runner(isAlive: () => boolean = () => false) {
  const { home, fs } = temporaryState();
  mkdirSync(join(home, DELIVERIES), { recursive: true });
  const problems: string[] = [];
  const hooks = new HookRunner({
    home,
    workDir: home,
    env: {},
    fs,
    cache: new StateCache(fs, { token: "token", durable: false, onBadArchive: () => undefined }),
    identity: { pid: process.pid, startTime: "1", bootId: "b" },
    isAlive,
    nowMs: () => Date.now(),
    monotonicMs: () => performance.now(),
    sandbox: () => "off",
    audit: () => undefined,
    onProblem: ({ place }) => problems.push(place),
    onError: (error) => expect(error).toBeUndefined(),
    onRoom: () => undefined,
  });
  const names = () => readdirSync(join(home, DELIVERIES)).sort();
  const write = (name: string, value: unknown, daysAgo = 0) => {
    const path = join(home, DELIVERIES, name);
    writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value));
    const at = new Date(Date.now() - daysAgo * DAY_MS);
    utimesSync(path, at, at);
  };
  const outcomeOf = (id: string) =>
    JSON.parse(readFileSync(join(home, endedDeliveryPath(id)), "utf8")).outcome as string;
  return { hooks, names, write, outcomeOf, problems };
}

test("a delivery that is damaged, or is of a version with other events, goes with the others when its time is over", async () => {
  const { hooks, names, write } = runner();
  for (let number = 0; number < 20; number++) {
    const id = idAt(number);
    const kinds = ["{", deliveryOf(id, "of_another_version"), ""];
    write(`${id}.json`, kinds[number - 3] ?? deliveryOf(id), 40);
    write(`${id}.ended.json`, endOf(id), number === 19 ? 1 : 40);
  }
  await hooks.tick();
  expect(names()).toEqual([`${idAt(19)}.ended.json`, `${idAt(19)}.json`]);
  await hooks.stop();
});

test("a command that a pool has begun which still lives is waited for, and interrupted when that one dies without its end", async () => {
  let isAlive = true;
  const { hooks, names, write, outcomeOf } = runner(() => isAlive);
  const [left, done] = [idAt(1), idAt(2)];
  for (const id of [left, done]) {
    write(`${id}.json`, deliveryOf(id));
    write(`${id}.begun.json`, { id, at: "2026-11-21T12:00:00.000Z", owner: OWNER });
  }
  await hooks.tick();
  await hooks.tick();
  expect(names().filter((name) => name.includes("ended"))).toEqual([]);
  write(`${done}.ended.json`, endOf(done));
  isAlive = false;
  await hooks.tick();
  expect([outcomeOf(left), outcomeOf(done)]).toEqual(["interrupted", "ran"]);
  await hooks.stop();
});

test("a damaged note of a begin is a begin that nobody goes on with, and a damaged count of tries is none", async () => {
  const { hooks, names, write, outcomeOf, problems } = runner();
  const [begun, tried] = [idAt(1), idAt(2)];
  for (const id of [begun, tried]) write(`${id}.json`, deliveryOf(id));
  write(`${begun}.begun.json`, "{");
  write(`${tried}.tries.json`, "{");
  await hooks.tick();
  await hooks.tick();
  expect(outcomeOf(begun)).toBe("interrupted");
  // There is no such hook, so it is given up like every other.
  expect([outcomeOf(tried), problems]).toEqual(["gave_up", []]);
  expect(names()).toHaveLength(6);
  await hooks.stop();
});
