/** Work that is ended from outside, or cut off: it leaves no process behind, and runs again only where it may (SPEC C5, C9). */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { Instance } from "../support/instance.ts";
import { call, KEY, section } from "../support/main-job.ts";
import { ModelServer, type Script } from "../support/model-server.ts";

const opened: { dispose(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.dispose();
});

async function start(env: Record<string, string> = {}): Promise<Instance> {
  const mimikit = await Instance.start({ env });
  opened.unshift(mimikit);
  return mimikit;
}

async function startWith(script: Script): Promise<{ mimikit: Instance; model: ModelServer }> {
  const model = await ModelServer.start(script);
  opened.push({ dispose: () => model.close() });
  const mimikit = await start({
    MIMIKIT_PROVIDER: "openai",
    OPENAI_BASE_URL: model.baseUrl,
    OPENAI_API_KEY: KEY,
    MIMIKIT_MODEL: "scripted",
    // A command of a model asks first where there is no sandbox, and these tests run there too.
    MIMIKIT_AUTONOMY: "full",
  });
  return { mimikit, model };
}

const stateOf = async (mimikit: Instance, id: string) => (await mimikit.task(id)).state;

test("cancelling ends what runs with all that it has started, what waits behind it, and may be said again", async () => {
  const mimikit = await start();
  // The grandchild has left its process group, and does not listen.
  const deaf = "setsid sh -c 'trap \"\" TERM; touch started; sleep 600; touch late' & sleep 600";
  const id = await mimikit.send(`run \`${deaf}\` then \`touch never\``);
  const plan = (await mimikit.replyTo(id)).taskIds?.[0] ?? "";
  await mimikit.until("the grandchild", () => existsSync(join(mimikit.workDir, "started")) || undefined);
  expect(await stateOf(mimikit, `${plan}.1`)).toBe("waiting");
  for (const times of [1, 2]) {
    const reply = await mimikit.replyTo(await mimikit.send(`cancel ${plan}.0`));
    expect(reply.text).toContain(times === 1 ? "I am cancelling" : "has already ended");
    await mimikit.until("the end of the chain", async () =>
      (await stateOf(mimikit, `${plan}.1`)) === "cancelled" ? true : undefined,
    );
  }
  await mimikit.until("the end of its processes", async () =>
    (await mimikit.children()).length === 0 ? true : undefined,
  );
  await mimikit.drained();
  expect((await mimikit.task(`${plan}.0`)).failureReason).toBe("cancelled");
  for (const file of ["late", "never"]) expect(existsSync(join(mimikit.workDir, file))).toBe(false);
});

test("work that must not run twice is not begun again when its pool dies: it ends as interrupted, and that is told", async () => {
  const { mimikit, model } = await startWith({
    teller: (request) => {
      const results = section("results", request);
      if (results !== "") return { say: `It ended so: ${results}` };
      return request.turn === 0 ? call("delegate", { prompt: "pay the bill" }) : { say: "I am on it." };
    },
    planner: ({ turn }) =>
      turn === 0 ? call("delegate", { title: "pay", prompt: "pay the bill", onInterrupt: "fail" }) : { say: "" },
    worker: ({ turn }) =>
      turn === 0 ? { calls: [{ shell: "echo paid >> payments; touch started; sleep 600" }] } : { say: "Paid." },
  });
  const plan = (await mimikit.replyTo(await mimikit.send("pay my bill"))).taskIds?.[0] ?? "";
  await mimikit.until("the command", () => existsSync(join(mimikit.workDir, "started")) || undefined);
  await mimikit.kill("workers");
  const report = await mimikit.replyWith("It ended so");
  expect(report.text).toContain("reason: interrupted");
  const task = await mimikit.task(`${plan}.0`);
  expect([task.state, task.failureReason, task.attempts]).toEqual(["failed", "interrupted", 1]);
  await mimikit.until("the end of its processes", async () =>
    (await mimikit.children()).length === 0 ? true : undefined,
  );
  await mimikit.drained();
  expect(readFileSync(join(mimikit.workDir, "payments"), "utf8")).toBe("paid\n");
  expect(model.of("worker")).toHaveLength(1);
});
