/** Any process may die at any moment, and anything may lie in the state directory: nothing is lost, nothing happens twice. */
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DIRECTORIES } from "@mimikit/store/disk/state";
import { afterEach, describe, expect, test } from "vitest";
import { Instance, ROLE_NAMES } from "../support/instance.ts";

const instances: Instance[] = [];
async function start(options?: Parameters<typeof Instance.start>[0]): Promise<Instance> {
  const instance = await Instance.start(options);
  instances.push(instance);
  return instance;
}
afterEach(async () => {
  for (const instance of instances.splice(0)) await instance.dispose();
});

describe.each(ROLE_NAMES)("kill -9 of the %s in mid-run", (role) => {
  test("loses nothing, doubles nothing and leaves no process behind", async () => {
    const mimikit = await start();
    const id = await mimikit.send(
      "run `touch started; until [ -e go ]; do sleep 0.05; done; echo first` then `cat; echo second`",
    );
    await mimikit.until("the command", () => existsSync(join(mimikit.workDir, "started")) || undefined);
    await mimikit.kill(role);
    await mimikit.ready();
    writeFileSync(join(mimikit.workDir, "go"), "");
    const report = await mimikit.replyWith("second");
    expect(report.text).toContain("first");
    expect((await mimikit.replies()).filter((reply) => reply.answers?.includes(id))).toHaveLength(1);
    expect((await mimikit.replies()).filter((reply) => reply.text.includes("second"))).toHaveLength(1);
    await mimikit.drained();
    expect(await mimikit.children()).toEqual([]);
  });
});

test("twelve kill -9s while five orders are on their way: every order is reported once", async () => {
  const mimikit = await start();
  const orders = [1, 2, 3, 4, 5].map((n) => `run \`echo order-${n}-a\` then \`cat; echo order-${n}-b\``);
  const ids: string[] = [];
  for (const [n, order] of orders.entries()) {
    const key = `order ${n}`;
    ids.push(await mimikit.until("a durable order", () => mimikit.send(order, key)));
    await mimikit.kill("supervisor");
    // A task that runs alone when its pool dies for the third time is poison, by design.
    if (n === 1 || n === 3) await mimikit.kill("workers");
    await mimikit.kill("gateway");
  }
  await mimikit.ready();
  for (const n of [1, 2, 3, 4, 5]) await mimikit.replyWith(`order-${n}-a\norder-${n}-b`);
  await mimikit.drained();
  const replies = await mimikit.replies();
  for (const id of ids) expect(replies.filter((reply) => reply.answers?.includes(id))).toHaveLength(1);
  for (const n of [1, 2, 3, 4, 5])
    expect(replies.filter((reply) => reply.text.includes(`order-${n}-a\norder-${n}-b`))).toHaveLength(1);
});

test.each(["cancel", "stop"])(
  "a %s that somebody drops into inbox/ as a file ends the running work, once",
  async (kind) => {
    const mimikit = await start();
    await mimikit.send("run `touch started; sleep 600`");
    await mimikit.until("the command", () => existsSync(join(mimikit.workDir, "started")) || undefined);
    const worker = await mimikit.until("the work on the board", async () =>
      (await mimikit.tasks()).find((task) => task.role === "worker"),
    );
    const command = kind === "cancel" ? { kind, taskId: worker.id } : { kind };
    writeFileSync(join(mimikit.home, "inbox/my wish.json"), JSON.stringify(command));
    await mimikit.until("the end of the work", async () =>
      (await mimikit.task(worker.id)).state === "cancelled" ? true : undefined,
    );
    await mimikit.drained();
    await mimikit.until("the end of its processes", async () =>
      (await mimikit.children()).length === 0 ? true : undefined,
    );
  },
);

test("garbage in every directory is set aside and reported, and the work goes on", async () => {
  const mimikit = await start();
  const dirs = DIRECTORIES.filter(
    (dir) => ["inbox", "triggers"].includes(dir) || /\/(queue|running|results)$/.test(dir),
  );
  for (const dir of ["archive", "archive/folded", "streams", "runs", "locks", "memory"])
    writeFileSync(join(mimikit.home, dir, "t-000001 (copy).json"), "junk");
  for (const dir of dirs) {
    const at = (name: string) => join(mimikit.home, dir, name);
    writeFileSync(at("t-000900.json"), '{"half');
    writeFileSync(at("empty.json"), "");
    writeFileSync(at("deep.json"), "[".repeat(100_000));
    writeFileSync(
      at("wrong.json"),
      '{"kind":"restart","id":"wrong","at":"2026-01-01T00:00:00Z","mac":"forged","__proto__":{"a":1}}',
    );
    writeFileSync(at("no record at all"), "hello");
    mkdirSync(at("a-directory.json"));
    symlinkSync("/etc/passwd", at("a-link.json"));
  }
  await mimikit.replyTo(await mimikit.send("status"));
  await mimikit.drained();
  expect(readdirSync(join(mimikit.home, "quarantine"))).toHaveLength(dirs.length * 7);
  expect(readFileSync("/etc/passwd", "utf8")).toContain("root");
  const status = await mimikit.ready();
  expect(status.problems.join("\n")).toContain("quarantine");
  await mimikit.replyTo(await mimikit.send("help"));
});

test("a hard link in inbox/ to a file elsewhere is quarantined, and a copy of the same file is answered", async () => {
  const mimikit = await start();
  const foreign = join(mimikit.workDir, "order.json");
  writeFileSync(foreign, JSON.stringify({ kind: "message", text: "run `touch ran`" }));
  linkSync(foreign, join(mimikit.home, "inbox/linked.json"));
  copyFileSync(foreign, join(mimikit.home, "inbox/copied.json"));
  await mimikit.until("the link is set aside", () => {
    const [name] = readdirSync(join(mimikit.home, "quarantine"));
    return name;
  });
  await mimikit.until("the copy has run", () => existsSync(join(mimikit.workDir, "ran")) || undefined);
  await mimikit.drained();
  expect((await mimikit.messages()).filter(({ role }) => role === "user")).toHaveLength(1);
  expect(readFileSync(foreign, "utf8")).toContain("touch ran");
});

test("of two supervisors that are started at once one works, and the other takes over when it dies", async () => {
  const mimikit = await start({ roles: ["workers", "gateway"] });
  const first = mimikit.startSecond("supervisor");
  const second = mimikit.startSecond("supervisor");
  try {
    await mimikit.ready();
    await mimikit.replyTo(await mimikit.send("status"));
    const owner = (await mimikit.ready()).processes.supervisor.pid;
    const [working, waiting] = owner === first.pid ? [first, second] : [second, first];
    expect([working.pid, waiting.pid]).toContain(owner);
    working.kill("SIGKILL");
    await mimikit.until("the other one", async () =>
      (await mimikit.ready()).processes.supervisor.pid === waiting.pid ? true : undefined,
    );
    const id = await mimikit.send("status");
    await mimikit.replyTo(id);
    expect((await mimikit.replies()).filter((reply) => reply.answers?.includes(id))).toHaveLength(1);
    const lines = readFileSync(join(mimikit.home, "log.jsonl"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.map((line) => line.seq)).toEqual(lines.map((_, i) => i + 1));
  } finally {
    first.kill("SIGKILL");
    second.kill("SIGKILL");
  }
});

test("stopped in the middle of an order and started again, it finishes the order and the history is what it was", async () => {
  const mimikit = await start();
  await mimikit.replyTo(await mimikit.send("help"));
  await mimikit.send("run `touch started; until [ -e go ]; do sleep 0.05; done; echo after the night`");
  await mimikit.until("the command", () => existsSync(join(mimikit.workDir, "started")) || undefined);
  const before = await mimikit.messages();
  await mimikit.stop();
  expect(await mimikit.children()).toEqual([]);
  writeFileSync(join(mimikit.workDir, "go"), "");
  for (const role of ROLE_NAMES) mimikit.startRole(role);
  await mimikit.ready();
  // The reply before it has the words of the order, too.
  const report = await mimikit.until("the report", async () =>
    (await mimikit.replies()).find(
      ({ id, text }) => text.includes("after the night") && !before.some((each) => each.id === id),
    ),
  );
  const after = await mimikit.messages();
  expect(after.slice(0, before.length)).toEqual(before);
  expect(after.slice(before.length).map(({ id }) => id)).toEqual([report.id]);
});

test("a restart that is asked for over the API starts all three processes anew, once", async () => {
  const mimikit = await start();
  const pids = () => ROLE_NAMES.map((role) => mimikit.pidOf(role));
  const before = pids();
  await mimikit.api("/api/restart", { method: "POST" });
  await mimikit.until("three new processes", () => (pids().every((pid, i) => pid !== before[i]) ? true : undefined));
  const { processes } = await mimikit.ready();
  expect([processes.supervisor.pid, processes.workers.pid, processes.gateway.pid]).toEqual(pids());
  await mimikit.replyTo(await mimikit.send("help"));
  expect(readFileSync(join(mimikit.home, "log.jsonl"), "utf8").match(/"event":"restart"/g)).toHaveLength(1);
  await mimikit.drained();
});

test("settings that are saved while it runs apply at once; a mistake in them is reported and changes nothing", async () => {
  const mimikit = await start();
  const save = (text: string) => writeFileSync(join(mimikit.home, "config.yaml"), text);
  const problems = (that: (problems: string[]) => boolean) =>
    mimikit.until("the problems", async () => (that((await mimikit.ready()).problems) ? true : undefined));
  save("maxConcurrency: 0\n");
  await problems((all) => all.some((problem) => problem.includes("maxConcurrency")));
  save("maxConcurrency: 1\n");
  await problems((all) => all.length === 0);
  const workersLog = () => readFileSync(join(mimikit.home, "log.workers.jsonl"), "utf8");
  await mimikit.until("the pool's new limit", () => workersLog().includes('"maxConcurrency":1') || undefined);
  const plan = (await mimikit.replyTo(await mimikit.send("run `sleep 0.5; echo left` and `sleep 0.5; echo right`")))
    .taskIds?.[0];
  await mimikit.replyWith("right\n");
  const events = workersLog()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const ofPlan = events.filter((event) => event.parentId === plan).map((event) => event.event);
  expect(ofPlan).toEqual(["task_started", "task_done", "task_started", "task_done"]);
});

test("two instances side by side do not touch each other", async () => {
  const [left, right] = await Promise.all([start(), start()]);
  const [toLeft, toRight] = await Promise.all([
    left.send("run `echo on the left`"),
    right.send("run `echo on the right`"),
  ]);
  await Promise.all([left.replyWith("on the left\n"), right.replyWith("on the right\n")]);
  expect((await left.messages()).map((message) => message.id)).toContain(toLeft);
  expect((await left.messages()).map((message) => message.text).join()).not.toContain("on the right");
  expect((await right.messages()).map((message) => message.id)).toContain(toRight);
  await left.stop();
  await right.replyTo(await right.send("help"));
});

test("a time limit ends a command whose grandchild ignores TERM and holds the pipe; the second time it is final", async () => {
  const mimikit = await start({ env: { MIMIKIT_TIMEOUT_SEC_WORKER: "1", MIMIKIT_RETRY_DELAY_SEC: "1" } });
  const id = await mimikit.send("run `sh -c 'trap \"\" TERM; sleep 600' & echo begun; sleep 600`");
  const plan = (await mimikit.replyTo(id)).taskIds?.[0] ?? "";
  await mimikit.until("the report", async () =>
    (await mimikit.replies()).find((reply) => reply.taskIds?.includes(`${plan}.0`)),
  );
  const task = await mimikit.task(`${plan}.0`);
  expect(task).toMatchObject({ state: "failed", failureReason: "timeout", attempts: 2 });
  expect(await mimikit.children()).toEqual([]);
});
