/** A process that hangs does not stay "ready, alive": it is reported, and another process kills it (docs/operations.md#a-process-that-hangs). */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Status } from "@mimikit/protocol/wire/api";
import { execa } from "execa";
import { expect, onTestFinished, test } from "vitest";
import { Instance, ROLE_NAMES } from "../support/instance.ts";
import { call, section } from "../support/main-job.ts";
import { CLI } from "../support/programs.ts";
import { startWithModel } from "../support/start-with-model.ts";

/** Long enough for the report to come first. */
const LIMIT_SEC = 15;

async function start(limitSec: number): Promise<Instance> {
  const mimikit = await Instance.start({ env: { MIMIKIT_WATCHDOG_SEC: String(limitSec) } });
  onTestFinished(() => mimikit.dispose());
  // All loops have started: the watchdog ignores a role before that.
  await mimikit.replyTo(await mimikit.send("hello"));
  return mimikit;
}

const linesOf = (mimikit: Instance, file: string) =>
  readFileSync(join(mimikit.home, file), "utf8")
    .split("\n")
    .flatMap((line) => (line.endsWith("}") ? [JSON.parse(line)] : []));

const command = ({ home, workDir, port }: Instance, ...args: string[]) =>
  execa(process.execPath, [CLI, ...args], {
    env: { MIMIKIT_HOME: home, MIMIKIT_WORK_DIR: workDir, MIMIKIT_PORT: String(port) },
    reject: false,
  });

test("a supervisor that hangs is reported and killed by the pool, and a message sent meanwhile is answered once", async () => {
  const mimikit = await start(LIMIT_SEC);
  const stopped = mimikit.pidOf("supervisor");
  process.kill(stopped, "SIGSTOP");
  const id = await mimikit.send("hello again");
  const status = await mimikit.until("the report", async () => {
    const now = await mimikit.api<Status>("/api/status");
    return now.processes.supervisor.silentSec === undefined ? undefined : now;
  });
  expect(status).toMatchObject({ ready: false, processes: { supervisor: { pid: stopped, alive: true } } });
  expect(status.problems).toContainEqual(expect.stringMatching(/^supervisor has not responded for \d+ s$/));
  expect((await command(mimikit, "doctor")).stdout).toMatch(/supervisor has not responded for \d+ s/);
  const said = (await command(mimikit, "status")).stdout;
  expect(said).toContain(`supervisor ${stopped} hangs`);
  expect(said).toMatch(/^! supervisor has not responded for \d+ s$/m);
  const figures = await fetch(`http://127.0.0.1:${mimikit.port}/metrics`, {
    headers: { authorization: `Bearer ${mimikit.token}` },
  });
  expect(await figures.text()).toMatch(/^mimikit_process_silent_seconds\{process="supervisor"\} [1-9]\d*$/m);

  await mimikit.until("another supervisor", () => mimikit.pidOf("supervisor") !== stopped || undefined);
  await mimikit.replyTo(id);
  await mimikit.drained();
  expect((await mimikit.messages()).filter(({ answers }) => answers?.includes(id))).toHaveLength(1);
  const ended = linesOf(mimikit, "log.workers.jsonl").filter(({ event }) => event === "watchdog");
  expect(ended).toMatchObject([{ detail: { role: "supervisor", pid: stopped } }]);
  expect(ended[0].detail.silentSec).toBeGreaterThanOrEqual(LIMIT_SEC);
  expect((await mimikit.ready()).processes.supervisor.silentSec).toBe(undefined);
});

test("a pool that hangs is killed by the supervisor; a gateway that hangs right after it is left alone", async () => {
  const mimikit = await start(1);
  const [pool, gateway] = [mimikit.pidOf("workers"), mimikit.pidOf("gateway")];
  process.kill(pool, "SIGSTOP");
  await mimikit.until("another pool", () => mimikit.pidOf("workers") !== pool || undefined);
  process.kill(gateway, "SIGSTOP");
  // Two more looks of the supervisor at least.
  const looks = () => linesOf(mimikit, "log.workers.jsonl").filter(({ event }) => event === "task_done").length;
  const before = looks();
  await command(mimikit, "send", "hello");
  await mimikit.until("work goes on", () => looks() > before || undefined);
  expect(mimikit.pidOf("gateway")).toBe(gateway);
  process.kill(gateway, "SIGCONT");
  const ended = linesOf(mimikit, "log.jsonl").filter(({ event }) => event === "watchdog");
  expect(ended.map(({ detail }) => detail.role)).toEqual(["workers"]);
});

/** The pool stands still in the code of the run whose model says this. */
const WORDS = "words-without-an-end";
/** The answer is streamed in three pieces, and one of them holds the words. */
const SAID = WORDS.repeat(6);
const HANGS = {
  HANG_ON: WORDS,
  NODE_OPTIONS: `--import=${join(import.meta.dirname, "../support/hang-on-words.ts")}`,
  MIMIKIT_WATCHDOG_SEC: "1",
  MIMIKIT_MAX_CONCURRENCY: "3",
};
const killsIn = (mimikit: Instance) =>
  linesOf(mimikit, "log.jsonl").flatMap(({ event, detail }) => (event === "watchdog" ? [detail] : []));
const kills = (mimikit: Instance, n: number) =>
  mimikit.until(`kill ${n}`, () => killsIn(mimikit).length >= n || undefined);
const HUNG = { role: "workers", isHung: true };
const GIVEN_UP = "the worker pool died or hung 3 times while it ran, the last time with nothing else running";

test("a task in whose code the pool hangs is given up after three kills without a pause; its neighbour finishes, and the next message is answered", async () => {
  const { mimikit } = await startWithModel(
    {
      teller: (request) => {
        const results = section("results", request);
        if (results !== "") return { say: `It came to this: ${results}` };
        if (request.prompt.includes("how are you")) return { say: "Well again." };
        return request.turn === 0 ? call("delegate", { prompt: "do both" }) : { say: "I am on it." };
      },
      planner: ({ turn }) =>
        turn === 0
          ? {
              calls: [
                { name: "delegate", args: { title: "hang", prompt: "hang" } },
                { name: "delegate", args: { title: "wait", prompt: "wait" } },
              ],
            }
          : { say: "" },
      worker: (request) => {
        const { results } = request;
        if (section("task", request).includes("hang")) return { say: SAID };
        if (results.length > 0) return { say: "The neighbour is done." };
        return { calls: [{ shell: "until [ -e go ]; do sleep 0.05; done; echo waited" }] };
      },
    },
    { env: HANGS },
  );
  const plan = (await mimikit.replyTo(await mimikit.send("do both"))).taskIds?.[0] ?? "";
  for (const n of [1, 2]) await kills(mimikit, n);
  writeFileSync(join(mimikit.workDir, "go"), "");
  await kills(mimikit, 3);
  const failed = await mimikit.until("the end of the task", async () => {
    const task = await mimikit.task(`${plan}.0`);
    return task.state === "failed" ? task : undefined;
  });
  expect(failed).toMatchObject({ failureReason: "poison", attempts: 3 });
  expect(failed.error).toBe(GIVEN_UP);
  await mimikit.replyWith("The neighbour is done.");
  expect(killsIn(mimikit)).toMatchObject([HUNG, HUNG, HUNG]);
  expect((await mimikit.replyTo(await mimikit.send("how are you?"))).text).toBe("Well again.");
  await mimikit.drained();
});

test("a turn in whose code the pool hangs ends with a reply that says so, and the message after it is answered", async () => {
  const { mimikit } = await startWithModel(
    { teller: (request) => ({ say: section("inputs", request).includes("hang") ? SAID : "Well again." }) },
    { env: HANGS },
  );
  const id = await mimikit.send("hang");
  for (const n of [1, 2, 3]) await kills(mimikit, n);
  const reply = await mimikit.replyTo(id);
  expect(reply.text).toContain(GIVEN_UP);
  expect(killsIn(mimikit)).toMatchObject([HUNG, HUNG, HUNG]);
  expect((await mimikit.replyTo(await mimikit.send("how are you?"))).text).toBe("Well again.");
  await mimikit.drained();
});

test("with a limit of 0 nothing is killed, and an idle role is not reported", async () => {
  const mimikit = await start(0);
  const pids = ROLE_NAMES.map((role) => mimikit.pidOf(role));
  process.kill(mimikit.pidOf("supervisor"), "SIGSTOP");
  await mimikit.until("the report", async () => {
    const { processes } = await mimikit.api<Status>("/api/status");
    expect(processes.workers.silentSec).toBe(undefined);
    return (processes.supervisor.silentSec ?? 0) > LIMIT_SEC || undefined;
  });
  expect(ROLE_NAMES.map((role) => mimikit.pidOf(role))).toEqual(pids);
  process.kill(mimikit.pidOf("supervisor"), "SIGCONT");
  await mimikit.ready();
});
