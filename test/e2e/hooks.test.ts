/**
 * Hooks through the three real processes: a call reaches its address at least once under one id, a command begins at most once,
 * whatever is killed (docs/hooks.md).
 */
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dayOf } from "@mimikit/protocol/base/usage";
import { EndedDelivery, FailedCalls, HookDelivery } from "@mimikit/protocol/records/hook";
import { Result } from "@mimikit/protocol/records/result";
import type { Status } from "@mimikit/protocol/wire/api";
import { readWholeTrail } from "@mimikit/runtime/audit/audit-trail";
import { setHookSecret } from "@mimikit/runtime/config/secrets";
import { openDisk } from "@mimikit/store/disk/disk";
import { createRecord } from "@mimikit/store/disk/record";
import { archivePath, resultPath, usagePath } from "@mimikit/store/disk/state";
import { afterEach, describe, expect, test } from "vitest";
import { runCli } from "../cli/run-cli.ts";
import { resultOf, taskOf } from "../http-gateway/records.ts";
import { type Answering, HookReceiver, isSigned } from "../support/hook-receiver.ts";
import { Instance, type InstanceOptions, ROLE_NAMES, type RoleName } from "../support/instance.ts";

const SECRET = `whsec_${Buffer.from("a secret of thirty-two bytes, yes").toString("base64")}`;

const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

async function start(options: InstanceOptions = {}): Promise<Instance> {
  const mimikit = await Instance.start(options);
  opened.push(() => mimikit.dispose());
  return mimikit;
}

async function receive(answer?: Answering): Promise<HookReceiver> {
  const receiver = await HookReceiver.start(answer);
  opened.push(() => receiver.close());
  return receiver;
}

/** Saves the file of a hook, and resolves when it counts. */
async function put(mimikit: Instance, name: string, yaml: string): Promise<void> {
  mkdirSync(join(mimikit.home, "hooks"), { recursive: true });
  writeFileSync(join(mimikit.home, "hooks", `${name}.yaml`), yaml);
  await mimikit.until(
    `the hook ${name}`,
    () => existsSync(join(mimikit.home, `deliveries/hook-${name}.json`)) || undefined,
  );
}

function records({ home }: Instance, end: RegExp): string[] {
  const dir = join(home, "deliveries");
  if (!existsSync(dir)) return [];
  return readdirSync(dir)
    .filter((name) => end.test(name))
    .map((name) => readFileSync(join(dir, name), "utf8"));
}

const deliveries = (mimikit: Instance) =>
  records(mimikit, /^d-[0-9a-f]+\.json$/).map((text) => HookDelivery.parse(JSON.parse(text)));
const tries = (mimikit: Instance) =>
  records(mimikit, /\.tries\.json$/).map((text) => FailedCalls.parse(JSON.parse(text)));
const ended = (mimikit: Instance) =>
  records(mimikit, /\.ended\.json$/).map((text) => EndedDelivery.parse(JSON.parse(text)));

/** Resolves with what became of the deliveries when so many have ended. */
function untilEnded(mimikit: Instance, count: number): Promise<EndedDelivery[]> {
  return mimikit.until(`${count} ended deliveries`, () => {
    const all = ended(mimikit);
    return all.length >= count ? all : undefined;
  });
}

/** Writes down a run that has taken so many tokens: today, and tomorrow, where it is about to be midnight. */
function spend({ home }: Instance, inputTokens: number): void {
  const usage = { inputTokens, cachedTokens: 0, outputTokens: 0, costUsd: 0 };
  for (const ms of [Date.now(), Date.now() + 86_400_000]) {
    const run = { at: new Date(ms).toISOString(), taskId: "t-000900", attempt: 1, role: "teller", provider: "openai" };
    appendFileSync(join(home, usagePath(dayOf(ms))), `${JSON.stringify({ ...usage, ...run })}\n`);
  }
}

/** The audit events of hooks, in their order. */
function audited({ home }: Instance): string[] {
  return readWholeTrail(home).flatMap(({ event }) => (event.startsWith("hook_") ? [event] : []));
}

describe("a call", () => {
  test("reaches its address when a task is done, signed as Standard Webhooks are, and never for the past", async () => {
    const mimikit = await start();
    const receiver = await receive();
    await setHookSecret(mimikit.home, "notify", SECRET);
    await mimikit.send("run `echo before`");
    await mimikit.drained();

    await put(mimikit, "notify", `on: task_done\nrole: worker\nurl: ${receiver.url}done\nheaders: {X-Team: ours}\n`);
    await mimikit.send("run `echo after`");
    const [outcome] = await untilEnded(mimikit, 1);

    expect(outcome).toMatchObject({ hook: "notify", outcome: "sent", tries: 1, detail: "status 204" });
    expect(receiver.received).toHaveLength(1);
    const [received] = receiver.received;
    if (received === undefined) throw new Error("nothing came");
    expect(isSigned(received, SECRET)).toBe(true);
    expect(isSigned({ ...received, body: received.body.replace("after", "later") }, SECRET)).toBe(false);
    expect(received.path).toBe("/done");
    expect(received.headers).toMatchObject({
      "content-type": "application/json",
      "x-team": "ours",
      "webhook-id": outcome?.id,
    });
    expect(received.event).toMatchObject({ type: "task_done", data: { role: "worker" } });
    expect(received.event.data.text).toContain("after");
    await expect.poll(() => audited(mimikit)).toEqual(["hook_sent"]);
  });

  test("finds an address that was down, under one id, also when the pool is killed while it waits, and is recorded once", async () => {
    const mimikit = await start();
    const receiver = await receive();
    await receiver.close();
    await put(mimikit, "notify", `on: task_done\nrole: worker\nsecret: false\nurl: ${receiver.url}\n`);
    await mimikit.send("run `echo hi`");
    const [delivery] = await mimikit.until("a delivery", () =>
      deliveries(mimikit).length > 0 ? deliveries(mimikit) : undefined,
    );
    await mimikit.kill("workers");
    await mimikit.until("two tries in vain", () => tries(mimikit).find((each) => each.tries >= 2));
    await mimikit.kill("workers");
    expect(ended(mimikit)).toEqual([]);

    await receiver.open();
    const [outcome] = await untilEnded(mimikit, 1);
    expect(outcome).toMatchObject({ id: delivery?.id, outcome: "sent" });
    expect(outcome?.tries).toBeGreaterThanOrEqual(3);
    expect(receiver.received.map(({ headers }) => headers["webhook-id"])).toEqual([delivery?.id]);
    expect(receiver.received[0]?.headers["webhook-signature"]).toBeUndefined();
    await expect.poll(() => audited(mimikit)).toEqual(["hook_sent"]);
  });

  test("does not tell of a result that is handed in after its task was cancelled", async () => {
    const mimikit = await start();
    const receiver = await receive();
    await setHookSecret(mimikit.home, "notify", SECRET);
    await put(mimikit, "notify", `on: task_done\nrole: worker\nurl: ${receiver.url}done\n`);
    const disk = openDisk(mimikit.home, "test");
    const [late, other] = [taskOf("t-000900.0.0"), taskOf("t-000901.0.0")];
    // It would remove the late one.
    process.kill(mimikit.pidOf("supervisor"), "SIGSTOP");
    const now = { completedAt: new Date().toISOString() };
    const cancelled = { status: "failed", result: null, failureReason: "cancelled", error: "cancelled" } as const;
    await createRecord(disk, Result, archivePath(late.id), resultOf(late, { ...now, ...cancelled }));
    await createRecord(disk, Result, resultPath("worker", late.id), resultOf(late, now));
    await createRecord(disk, Result, resultPath("worker", other.id), resultOf(other, now));
    await untilEnded(mimikit, 1);
    process.kill(mimikit.pidOf("supervisor"), "SIGCONT");
    expect(receiver.received.map(({ event }) => event.data.id)).toEqual([other.id]);
  });

  test("is made again with the same id and the same body when the pool is killed before it has the answer", async () => {
    const mimikit = await start();
    const receiver = await receive((_received, response, n) => {
      // The first is taken, and its answer never comes.
      if (n > 1) response.writeHead(200).end();
    });
    await setHookSecret(mimikit.home, "shared", SECRET);
    await put(mimikit, "notify", `on: [task_done]\nrole: worker\nurl: ${receiver.url}\nsecret: shared\n`);
    await mimikit.send("run `echo hi`");
    await mimikit.until("the first call", () => receiver.received[0]);
    await mimikit.kill("workers");

    await untilEnded(mimikit, 1);
    const [first, second] = receiver.received;
    expect(receiver.received).toHaveLength(2);
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
    expect(second?.body).toBe(first?.body);
    expect(receiver.received.every((each) => isSigned(each, SECRET))).toBe(true);
    await expect.poll(() => audited(mimikit)).toEqual(["hook_sent"]);
  });

  test("that hangs holds up neither other hooks nor tasks, and one that is gone for good is given up", async () => {
    const mimikit = await start();
    const hanging = await receive(() => undefined);
    const gone = await receive((_received, response) => void response.writeHead(410).end());
    await put(mimikit, "hanging", `on: task_done\nsecret: false\nurl: ${hanging.url}\n`);
    await put(mimikit, "gone", `on: task_done\nrole: worker\nsecret: false\nurl: ${gone.url}\n`);
    await mimikit.send("run `echo one`");
    await mimikit.until("the call that hangs", () => hanging.received[0]);
    await mimikit.drained();

    const [outcome] = await untilEnded(mimikit, 1);
    expect(outcome).toMatchObject({ hook: "gone", outcome: "gave_up", detail: "status 410", tries: 1 });
    expect(hanging.received).toHaveLength(1);
  });

  test("follows no redirect, waits as long as the other side says, and waits for a secret that is not there yet", async () => {
    const mimikit = await start();
    const elsewhere = await receive();
    const receiver = await receive((_received, response, n) => {
      if (n === 1) response.writeHead(307, { location: elsewhere.url }).end();
      else response.writeHead(503, { "retry-after": "3600" }).end();
    });
    await put(mimikit, "notify", `on: task_done\nrole: worker\nurl: ${receiver.url}\n`);
    await mimikit.send("run `echo hi`");
    await mimikit.until("a delivery", () => deliveries(mimikit)[0]);
    const problem = 'hooks/notify.yaml is inactive: it has no secret "notify": mimikit hooks secret notify';
    await mimikit.until("the problem", async () => {
      const { problems } = await mimikit.api<Status>("/api/status");
      return problems.includes(problem) || undefined;
    });
    expect(receiver.received).toEqual([]);

    await runCli(mimikit, ["hooks", "secret", "notify"], SECRET);
    const { retryAt, at, error } = await mimikit.until("the second try", () =>
      tries(mimikit).find((each) => each.tries === 2),
    );
    expect(error).toBe("status 503");
    expect(Date.parse(retryAt) - Date.parse(at)).toBe(3_600_000);
    expect(receiver.received.map((each) => isSigned(each, SECRET))).toEqual([true, true]);
    expect(elsewhere.received).toEqual([]);
    expect(mimikit.output).not.toContain(SECRET);
    expect(JSON.stringify(readWholeTrail(mimikit.home))).not.toContain(SECRET);
  });
});

describe("each kind of event", () => {
  test("a task that fails, a question, a trigger and a budget that is used up reach the hooks that wait for them", async () => {
    const mimikit = await start({ env: { MIMIKIT_BUDGET_DAY_TOKENS: "1000" } });
    const receiver = await receive();
    await put(
      mimikit,
      "all",
      `on: [task_failed, question_asked, trigger_fired, budget_reached]\nsecret: false\nurl: ${receiver.url}\n`,
    );
    await put(
      mimikit,
      "titled",
      `on: [task_failed]\ntitle: "run \`false*"\nsecret: false\nurl: ${receiver.url}titled\n`,
    );
    // A task that waits behind a failure makes the supervisor ask whether to go on.
    await mimikit.send("run `false` then `echo b`");
    await mimikit.api("/api/triggers", {
      method: "POST",
      body: { prompt: "look at it", title: "once", target: "worker", runAt: new Date(Date.now() + 500).toISOString() },
    });
    const of = (type: string) => receiver.received.filter(({ event, path }) => event.type === type && path === "/");
    for (const type of ["task_failed", "question_asked", "trigger_fired"]) await mimikit.until(type, () => of(type)[0]);
    spend(mimikit, 2_000);
    const { event: budget } = await mimikit.until("budget_reached", () => of("budget_reached")[0]);
    expect(budget.data.text).toContain("is used up");
    expect(of("task_failed")[0]?.event.data).toMatchObject({ role: "worker", failureReason: expect.any(String) });
    expect(of("question_asked")[0]?.event.data).toMatchObject({
      options: expect.any(Array),
      expiresAt: expect.any(String),
    });
    expect(of("trigger_fired")).toHaveLength(1);
    expect(of("trigger_fired")[0]?.event.data).toMatchObject({ title: "once", text: "look at it" });
    await mimikit.until("the one by its title", () => receiver.received.find(({ path }) => path === "/titled"));
  });
});

describe("a command", () => {
  /** Beyond one line, and with all that a shell or a terminal would obey. */
  const HOSTILE = "a'b\"c $(touch forged) `touch forged` ; touch forged\u001b[31m";

  test("is given what happened as data on its standard input, and nothing in that is obeyed", async () => {
    const mimikit = await start();
    await put(
      mimikit,
      "note",
      `on: trigger_fired\nrun: [/bin/sh, -c, "cat > got.json; echo done; id -u", "$(touch forged)"]\n`,
    );
    const prompt = `${HOSTILE}\nsecond line`;
    await mimikit.api("/api/triggers", {
      method: "POST",
      body: { prompt, target: "teller", runAt: new Date(Date.now() + 500).toISOString() },
    });
    const [outcome] = await untilEnded(mimikit, 1);
    expect(outcome).toMatchObject({ hook: "note", outcome: "ran", tries: 1, detail: "exit code 0" });
    expect(outcome?.output).toMatch(/^done\n\d+$/);
    const event = JSON.parse(readFileSync(join(mimikit.workDir, "got.json"), "utf8"));
    expect(event).toMatchObject({ type: "trigger_fired", data: { text: prompt } });
    expect(existsSync(join(mimikit.workDir, "forged"))).toBe(false);
    await expect.poll(() => audited(mimikit)).toEqual(["hook_begun", "hook_ran"]);
  });

  test("that was cut off by kill -9 is not run again, and that is said; nothing of it goes on", async () => {
    const mimikit = await start();
    await put(
      mimikit,
      "note",
      `on: task_done\nrole: worker\nrun: [/bin/sh, -c, "echo begun >> ran.txt; sleep 1000"]\n`,
    );
    await mimikit.send("run `echo hi`");
    const ran = join(mimikit.workDir, "ran.txt");
    await mimikit.until("the command", () => existsSync(ran) || undefined);
    await mimikit.kill("workers");

    const [outcome] = await untilEnded(mimikit, 1);
    expect(outcome).toMatchObject({ outcome: "interrupted", detail: expect.stringContaining("not run again") });
    await mimikit.until("the end of its processes", async () => (await mimikit.children()).length === 0 || undefined);
    await mimikit.kill("workers");
    await mimikit.ready();
    await mimikit.send("run `echo more`");
    await mimikit.until(
      "the next event",
      () => audited(mimikit).filter((event) => event === "hook_begun").length > 1 || undefined,
    );
    await mimikit.until("the next run", () => readFileSync(ran, "utf8") === "begun\nbegun\n" || undefined);
    await expect.poll(() => audited(mimikit)).toEqual(["hook_begun", "hook_interrupted", "hook_begun"]);
    const { out } = await runCli(mimikit, ["hooks", "show", "note"]);
    expect(out).toContain("it may have run, in part or not at all, and is not run again");
  });

  test("that takes too long is ended with all that it has started, and its end is kept", async () => {
    const mimikit = await start();
    await put(
      mimikit,
      "slow",
      `on: task_done\nrole: worker\ntimeout: 1\nrun: [/bin/sh, -c, "echo waits; sleep 1000 & sleep 1000"]\n`,
    );
    await mimikit.send("run `echo hi`");
    const [outcome] = await untilEnded(mimikit, 1);
    expect(outcome).toMatchObject({ outcome: "failed", detail: "stopped after 1 s", output: "waits" });
    expect(await mimikit.children()).toEqual([]);
  });
});

describe("files", () => {
  test("one that is not right is no hook, is named with its line, and counts when it is corrected", async () => {
    const mimikit = await start();
    const receiver = await receive();
    await put(mimikit, "good", `on: task_done\nrole: worker\nsecret: false\nurl: ${receiver.url}good\n`);
    writeFileSync(join(mimikit.home, "hooks/bad.yaml"), `on: task_done\nsecret: false\nurl: ftp://127.0.0.1/\n`);
    const said = "hooks/bad.yaml:3 is inactive: url: must be an address that begins with http:// or https://";
    await mimikit.until(
      "the problem",
      async () => (await mimikit.api<Status>("/api/status")).problems.includes(said) || undefined,
    );
    const doctor = await runCli(mimikit, ["doctor"]);
    expect(doctor.out).toContain("hooks/bad.yaml:3: url: must be an address that begins with http:// or https://");
    await mimikit.send("run `echo one`");
    await untilEnded(mimikit, 1);
    expect(receiver.received.map(({ path }) => path)).toEqual(["/good"]);

    await put(mimikit, "bad", `on: task_done\nrole: worker\nsecret: false\nurl: ${receiver.url}bad\n`);
    await mimikit.send("run `echo two`");
    await untilEnded(mimikit, 3);
    expect(receiver.received.map(({ path }) => path).sort()).toEqual(["/bad", "/good", "/good"]);
  });

  test("one that is taken away ends what waits for it, and one of its name is a new one", async () => {
    const mimikit = await start();
    const receiver = await receive();
    await receiver.close();
    const yaml = `on: task_done\nrole: worker\nsecret: false\nurl: ${receiver.url}\n`;
    await put(mimikit, "notify", yaml);
    await mimikit.send("run `echo one`");
    await mimikit.until("a delivery", () => deliveries(mimikit)[0]);
    rmSync(join(mimikit.home, "hooks/notify.yaml"));
    const [outcome] = await untilEnded(mimikit, 1);
    expect(outcome).toMatchObject({ outcome: "gave_up", detail: "there is no such hook any more" });

    await mimikit.send("run `echo two`");
    await mimikit.drained();
    await receiver.open();
    await put(mimikit, "notify", yaml);
    await mimikit.send("run `echo three`");
    await untilEnded(mimikit, 2);
    expect(receiver.received.map(({ event }) => event.data.text)).toEqual([expect.stringContaining("three")]);
  });

  test("where there are none, nothing of hooks is loaded; the first one is noticed while everything runs", async () => {
    const mimikit = await start({ countsCalls: true });
    await mimikit.send("run `echo hi`");
    await mimikit.drained();
    const ofHooks = async (role: RoleName) => (await mimikit.calls(role)).modules.filter((path) => /hook/.test(path));
    for (const role of ROLE_NAMES) expect([role, await ofHooks(role)]).toEqual([role, []]);
    expect(existsSync(join(mimikit.home, "deliveries"))).toBe(false);

    await put(mimikit, "note", "on: task_done\nrun: ['true']\n");
    expect(await ofHooks("workers")).toContain("apps/worker-pool/src/hooks/hooks.ts");
    expect(await ofHooks("supervisor")).toEqual([]);
  });
});

test("the command line lists hooks, tries one, and keeps a secret that no answer shows", async () => {
  const mimikit = await start();
  const receiver = await receive();
  await put(mimikit, "notify", `on: [task_done, task_failed]\nurl: ${receiver.url}\n`);
  const refused = await runCli(mimikit, ["hooks", "test", "notify"]);
  expect(refused).toMatchObject({ code: 1, error: expect.stringContaining("mimikit hooks secret notify") });
  const made = await runCli(mimikit, ["hooks", "secret", "notify", "--new"]);
  expect(made.out).toMatch(/^whsec_\S+\n$/);

  const tried = await runCli(mimikit, ["hooks", "test", "notify"]);
  expect(tried).toMatchObject({ code: 0, out: "sent: status 204\n" });
  const [received] = receiver.received;
  expect(received?.event).toMatchObject({ type: "test" });
  expect(received !== undefined && isSigned(received, made.out.trim())).toBe(true);

  const listed = await runCli(mimikit, ["hooks"]);
  expect(listed.out).toMatch(/^notify\s+task_done, task_failed\s+127\.0\.0\.1:\d+\s+0\s+sent /m);
  const { out } = await runCli(mimikit, ["hooks", "show", "notify", "--json"]);
  expect(JSON.parse(out)).toMatchObject({ name: "notify", problems: [], deliveries: [{ ended: { outcome: "sent" } }] });
  for (const said of [listed.out, out]) expect(said).not.toContain(made.out.trim());
});
