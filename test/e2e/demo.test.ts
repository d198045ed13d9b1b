/** `mimikit demo`, as people run it: real processes, killed for show, and nothing left behind. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { ChatMessage, Status, TaskSummary } from "@mimikit/protocol/wire/api";
import { identityOf, isAlive } from "@mimikit/runtime/process/identity";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { type Demo, endDemo, startDemo } from "../support/demo.ts";
import { Instance, ROLE_NAMES } from "../support/instance.ts";

let place: string;
const demos: Demo[] = [];
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), "mimikit-e2e-demo-"));
});
afterEach(async () => {
  await Promise.all(demos.splice(0).map((demo) => endDemo(demo)));
  rmSync(place, { recursive: true, force: true });
});

async function start(): Promise<Demo> {
  const demo = await startDemo(place);
  demos.push(demo);
  return demo;
}

async function statusOf(demo: Demo): Promise<Status> {
  return (await demo.ask("/api/status")).json() as Promise<Status>;
}

async function pidsOf(demo: Demo): Promise<number[]> {
  const { processes } = await statusOf(demo);
  return Object.values(processes).map(({ pid = 0 }) => pid);
}

/** The ids of everything that was said, and of every task. */
async function idsIn(demo: Demo): Promise<{ said: ChatMessage[]; tasks: string[] }> {
  const { messages } = (await (await demo.ask("/api/messages?limit=200")).json()) as { messages: ChatMessage[] };
  const { tasks } = (await (await demo.ask("/api/tasks?limit=200")).json()) as { tasks: TaskSummary[] };
  return { said: messages, tasks: tasks.map(({ id }) => id) };
}

test("a demo shows a household at work, loses nothing when each process is killed, and leaves nothing behind", async () => {
  const demo = await start();
  const code = new URL(demo.pairingUrl).hash.replace("#pair=", "");
  expect((await demo.ask("/api/pair", { code })).status).toBe(200);
  expect(await statusOf(demo)).toMatchObject({ demo: true, ready: true, counts: { questions: 1, triggers: 4 } });
  const { said, tasks } = await idsIn(demo);
  expect(said.length).toBeGreaterThanOrEqual(10);

  const pids = await pidsOf(demo);
  for (const role of ROLE_NAMES) {
    const before = (await statusOf(demo)).processes[role].pid;
    const { after, ...kill } = await demo.kill(role);
    expect(kill.role).toBe(role);
    expect(after).toMatchObject({ broken: [], givenUp: 0, goOn: kill.running });
    expect(after?.tasks.there).toBe(after?.tasks.before);
    expect(after?.messages.there).toBe(after?.messages.before);
    const now = (await statusOf(demo)).processes[role];
    expect(now).toMatchObject({ alive: true });
    expect(now.pid).not.toBe(before);
    pids.push(now.pid ?? 0);
  }
  // The same once more, told by the gateway and not by the demo itself.
  const later = await idsIn(demo);
  expect(later.tasks).toEqual(expect.arrayContaining(tasks));
  expect(later.said.map(({ id }) => id)).toEqual(expect.arrayContaining(said.map(({ id }) => id)));
  const answered = later.said.flatMap(({ answers = [] }) => answers);
  expect(answered).toEqual([...new Set(answered)]);

  expect(await endDemo(demo)).toBe(0);
  expect(pids.map(identityOf).filter((identity) => identity !== null)).toEqual([]);
  expect(existsSync(demo.directory)).toBe(false);
  expect(readdirSync(demo.userHome)).toEqual([]);
});

test("the next demo ends and removes what a killed one has left, and touches no demo that is alive", async () => {
  const killed = await start();
  const pids = await pidsOf(killed);
  // A process that stands still does not notice that its demo is gone.
  const stopped = pids.flatMap((pid) => identityOf(pid) ?? []);
  onTestFinished(() => {
    for (const each of stopped) if (isAlive(each)) process.kill(each.pid, "SIGKILL");
  });
  for (const pid of pids) process.kill(pid, "SIGSTOP");
  await endDemo(killed, "SIGKILL");
  expect(pids.map(identityOf)).not.toContain(null);

  const second = await start();
  expect(pids.map(identityOf).filter((identity) => identity !== null)).toEqual([]);
  const third = await start();
  const folders = readdirSync(join(place, "tmp")).filter((name) => name.startsWith("mimikit-demo-"));
  expect(folders.toSorted()).toEqual([second, third].map(({ directory }) => basename(directory)).toSorted());
  expect(await statusOf(second)).toMatchObject({ demo: true, ready: true });
});

test("an instance of somebody's own has no route that kills, whatever it is told", async () => {
  const mimikit = await Instance.start();
  try {
    const ask = (path: string, method: string) =>
      fetch(`http://127.0.0.1:${mimikit.port}${path}`, {
        method,
        headers: { authorization: `Bearer ${mimikit.token}`, "content-type": "application/json" },
        ...(method === "POST" && { body: JSON.stringify({ kill: "workers" }) }),
      });
    const pid = mimikit.pidOf("workers");
    expect((await ask("/api/demo/kill", "POST")).status).toBe(404);
    expect((await ask("/api/demo/kill", "GET")).status).toBe(404);
    expect((await ask("/api/demo", "GET")).status).toBe(404);
    expect(await mimikit.api<Status>("/api/status")).not.toHaveProperty("demo");
    expect(mimikit.pidOf("workers")).toBe(pid);
  } finally {
    await mimikit.dispose();
  }
});
