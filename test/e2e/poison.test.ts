/** A task that takes its pool down is given up; those that ran beside it are not, nor any for what was no fault of theirs (SPEC C5). */
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TaskSummary } from "@mimikit/protocol/wire/api";
import { afterEach, expect, test } from "vitest";
import { Instance, ROLE_NAMES } from "../support/instance.ts";
import { call, KEY, section } from "../support/main-job.ts";
import { ModelServer } from "../support/model-server.ts";

const opened: { dispose(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.dispose();
});

async function start(env: Record<string, string> = {}): Promise<Instance> {
  const mimikit = await Instance.start({ env });
  opened.unshift(mimikit);
  // A pool that dies in the moment in which another role starts is excused.
  await mimikit.until("a pool that has outlived the start of the others", () => {
    const startedMs = ROLE_NAMES.map((role) => recordOf(mimikit, role).startedMs);
    const deadlineMs = statSync(pathOf(mimikit, "workers")).mtimeMs;
    return deadlineMs < 1e12 && deadlineMs > Math.max(...startedMs) + 2_000 ? true : undefined;
  });
  return mimikit;
}

const pathOf = ({ home }: Instance, role: string) => join(home, "locks", `${role}.json`);
const recordOf = (mimikit: Instance, role: string) => JSON.parse(readFileSync(pathOf(mimikit, role), "utf8"));

const linesOf = ({ home }: Instance) =>
  readFileSync(join(home, "log.workers.jsonl"), "utf8")
    .split("\n")
    .flatMap((line) => (line.endsWith("}") ? [JSON.parse(line)] : []));

/** How the pool died, by the id of each task that ran. */
function deathsOf(mimikit: Instance): Record<string, string[]> {
  const deaths: Record<string, string[]> = {};
  for (const { event, taskId, detail } of linesOf(mimikit))
    if (event === "task_cut_off") deaths[taskId] = [...(deaths[taskId] ?? []), detail.death];
  return deaths;
}

/** Which tasks began while another ran that began alone, as the log of the pools tells it. */
function intrusions(mimikit: Instance): string[] {
  let alone: string | undefined;
  const wrong: string[] = [];
  for (const { event, taskId, detail, parentId } of linesOf(mimikit)) {
    if (event === "workers_started" || taskId === alone) alone = undefined;
    if (event !== "task_started") continue;
    if (alone !== undefined && parentId !== undefined) wrong.push(`${taskId} beside ${alone}`);
    if (detail?.alone) alone = taskId;
  }
  return wrong;
}

/** The file appears whenever the task begins. It is taken away, so that the next attempt makes it again. */
async function begun(mimikit: Instance, name: string): Promise<void> {
  const path = join(mimikit.workDir, name);
  await mimikit.until(`${name}`, () => existsSync(path) || undefined);
  rmSync(path);
}

test("a task that takes its pool down ends as poison by its third death, alone; its neighbours finish, and the user is answered meanwhile", async () => {
  const mimikit = await start({ MIMIKIT_MAX_CONCURRENCY: "3" });
  const neighbour = (n: number) =>
    `\`touch begun-${n}; until [ -e go ]; do sleep 0.05; done; echo neighbour $((40 + ${n}))\``;
  const greedy = "`touch greed; sleep 600`";
  const order = await mimikit.send(`run ${neighbour(1)} and ${greedy} and ${neighbour(2)}`);
  const plan = (await mimikit.replyTo(order)).taskIds?.[0] ?? "";
  for (const _death of [1, 2]) {
    for (const name of ["begun-1", "begun-2", "greed"]) await begun(mimikit, name);
    await mimikit.kill("workers");
  }
  await begun(mimikit, "begun-1");
  const running = async () => (await mimikit.tasks()).filter(({ state }) => state === "running");
  expect((await running()).map(({ id }: TaskSummary) => id)).toEqual([`${plan}.0`]);
  await mimikit.replyTo(await mimikit.send("status"));
  writeFileSync(join(mimikit.workDir, "go"), "");
  await begun(mimikit, "greed");
  await mimikit.kill("workers");
  const report = await mimikit.replyWith("neighbour 42");
  expect(report.text).toContain("neighbour 41");
  expect(await mimikit.task(`${plan}.1`)).toMatchObject({ state: "failed", failureReason: "poison", attempts: 3 });
  for (const id of [`${plan}.0`, `${plan}.2`])
    expect(await mimikit.task(id)).toMatchObject({ state: "done", attempts: 3 });
  await mimikit.drained();
  const shared = ["shared", "shared"];
  expect(deathsOf(mimikit)).toEqual({
    [`${plan}.0`]: shared,
    [`${plan}.1`]: [...shared, "alone"],
    [`${plan}.2`]: shared,
  });
  expect(intrusions(mimikit)).toEqual([]);
  expect(await mimikit.children()).toEqual([]);
});

test("deaths together with other roles, by a reboot, by the watchdog and with the parent of the pool never count", async () => {
  const mimikit = await start({ MIMIKIT_WATCHDOG_SEC: "1" });
  await mimikit.replyTo(await mimikit.send("hello"));
  const order = await mimikit.send("run `touch begun; until [ -e go ]; do sleep 0.05; done; echo at last`");
  const plan = (await mimikit.replyTo(order)).taskIds?.[0] ?? "";
  const startAll = async () => {
    for (const role of ROLE_NAMES) mimikit.startRole(role);
    await mimikit.ready();
  };
  const edit = (path: string, change: (record: { bootId: string; owner?: object; parent?: object }) => object) => {
    const { mtimeMs } = statSync(path);
    writeFileSync(path, `${JSON.stringify(change(JSON.parse(readFileSync(path, "utf8"))))}\n`);
    utimesSync(path, mtimeMs / 1_000, mtimeMs / 1_000);
  };

  await begun(mimikit, "begun");
  await mimikit.stop("SIGKILL");
  await startAll();

  await begun(mimikit, "begun");
  await mimikit.stop("SIGKILL");
  const running = join(mimikit.home, "worker/running");
  const last = readdirSync(running).find((name) => name.endsWith(".a2.json")) ?? "";
  edit(join(running, last), (claim) => ({ ...claim, owner: { ...claim.owner, bootId: "before" } }));
  for (const role of ROLE_NAMES) edit(pathOf(mimikit, role), (record) => ({ ...record, bootId: "before" }));
  await startAll();

  await begun(mimikit, "begun");
  const hanging = mimikit.pidOf("workers");
  process.kill(hanging, "SIGSTOP");
  await mimikit.until("another pool", () => mimikit.pidOf("workers") !== hanging || undefined);

  await begun(mimikit, "begun");
  edit(pathOf(mimikit, "workers"), (record) => ({ ...record, parent: { ...record.parent, startTime: "1" } }));
  await mimikit.kill("workers");

  await begun(mimikit, "begun");
  writeFileSync(join(mimikit.workDir, "go"), "");
  await mimikit.replyWith("at last\n");
  expect(await mimikit.task(`${plan}.0`)).toMatchObject({ state: "done", attempts: 5 });
  expect(deathsOf(mimikit)).toEqual({ [`${plan}.0`]: ["role", "reboot", "watchdog", "pm2"] });
  await mimikit.drained();
});

test("a message that takes the pool down is answered, with the reason, before the work that ran beside it goes on", async () => {
  let greedy = 0;
  const model = await ModelServer.start({
    teller: (request) => {
      const results = section("results", request);
      if (results !== "") return { say: `It came to this: ${results}` };
      if (request.prompt.includes("the poisonous words")) {
        greedy++;
        return { hang: true };
      }
      return request.turn === 0 ? call("delegate", { prompt: "wait long" }) : { say: "I am on it." };
    },
    planner: ({ turn }) => (turn === 0 ? call("delegate", { title: "wait", prompt: "wait long" }) : { say: "" }),
    worker: ({ results }) =>
      results.some((result) => result.includes("waited"))
        ? { say: "It has waited." }
        : { calls: [{ shell: "touch begun; until [ -e go ]; do sleep 0.05; done; echo waited" }] },
  });
  opened.push({ dispose: () => model.close() });
  const mimikit = await start({
    MIMIKIT_PROVIDER: "openai",
    OPENAI_BASE_URL: model.baseUrl,
    OPENAI_API_KEY: KEY,
    MIMIKIT_MODEL: "scripted",
  });
  const plan = (await mimikit.replyTo(await mimikit.send("wait long"))).taskIds?.[0] ?? "";
  await begun(mimikit, "begun");
  const poisonous = await mimikit.send("the poisonous words");
  for (const death of [1, 2, 3]) {
    // The third time it begins first, and alone.
    if (death === 2) await begun(mimikit, "begun");
    await mimikit.until(`attempt ${death} of the turn`, () => (greedy >= death ? true : undefined));
    await mimikit.kill("workers");
  }
  const reply = await mimikit.replyTo(poisonous);
  expect(reply.text).toContain(
    "the worker pool died or hung 3 times while it ran, the last time with nothing else running",
  );
  expect(greedy).toBe(3);
  await begun(mimikit, "begun");
  writeFileSync(join(mimikit.workDir, "go"), "");
  await mimikit.replyWith("It came to this");
  await mimikit.drained();
  expect(deathsOf(mimikit)[`${plan}.0`]).toEqual(["shared", "shared"]);
});
