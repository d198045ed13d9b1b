/** The three real processes while whoever answers cannot be reached: told once, nothing lost, answered when it is back. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ChatMessage, Status, UsageRow } from "@mimikit/protocol/wire/api";
import type { ProvidersAnswer } from "@mimikit/protocol/wire/connect";
import { readCircuits } from "@mimikit/runtime/process/circuit-record";
import { afterEach, expect, test } from "vitest";
import { freePort } from "../support/free-port.ts";
import { Instance } from "../support/instance.ts";
import { call, section } from "../support/main-job.ts";
import { ModelServer, type Script, type Step } from "../support/model-server.ts";
import { CLI } from "../support/programs.ts";

const opened: { dispose(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.dispose();
});

/** An instance whose model is at an address where nobody listens yet. */
async function startWithout(env: Record<string, string> = {}): Promise<{ mimikit: Instance; port: number }> {
  const port = await freePort();
  const mimikit = await Instance.start({
    env: {
      MIMIKIT_PROVIDER: "openai",
      MIMIKIT_MODEL: "scripted",
      OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
      MIMIKIT_CIRCUIT_COOLDOWN_SEC: "1",
      MIMIKIT_CIRCUIT_COOLDOWN_MAX_SEC: "2",
      ...env,
    },
  });
  opened.unshift(mimikit);
  return { mimikit, port };
}

async function openEndpoint(port: number, script: Script): Promise<ModelServer> {
  const model = await ModelServer.start(script, port);
  opened.push({ dispose: () => model.close() });
  return model;
}

const noticesOf = (messages: ChatMessage[]) => messages.filter((message) => message.role === "system");

function firstNotice(mimikit: Instance): Promise<ChatMessage> {
  return mimikit.until("the notice", async () => noticesOf(await mimikit.messages())[0]);
}

/** How many attempts have reached nobody, by the audit log of the pool. */
function unreached({ home }: Instance): number {
  return readFileSync(join(home, "log.workers.jsonl"), "utf8").split('"event":"task_unreached"').length - 1;
}

const status = (mimikit: Instance) => mimikit.api<Status>("/api/status");

test("an endpoint that is down is told once, over every death of a role; when it is up each message is answered once", async () => {
  const { mimikit, port } = await startWithout();
  const first = await mimikit.send("hello");
  const notice = await firstNotice(mimikit);
  expect(notice).toMatchObject({ id: "t-000001.outage", role: "system" });
  const [since = "", minute = ""] = [notice.at, notice.at.slice(0, 16).replace("T", " ")];
  expect(notice.text).toBe(
    `I cannot answer at the moment: the model "scripted" of openai cannot be reached at 127.0.0.1:${port} since ${minute} UTC (127.0.0.1:${port} cannot be reached: ECONNREFUSED). ` +
      "Your message is saved; I will answer as soon as this is resolved. Is it running? Another model can be chosen: `mimikit connect`, or Settings on the page.",
  );
  const host = `127.0.0.1:${port}`;
  expect(notice.problem).toEqual({ cause: "down", provider: "openai", model: "scripted", host, since });
  const [problem = ""] = await mimikit.until("the problem", async () => {
    const { problems } = await status(mimikit);
    return problems.length > 0 ? problems : undefined;
  });
  expect(problem).toContain("no provider of the teller has been reachable since");

  const second = await mimikit.send("are you there?");
  for (const role of ["workers", "gateway", "supervisor"] as const) await mimikit.kill(role);
  await mimikit.ready();
  const before = unreached(mimikit);
  await mimikit.until("two more tries", () => unreached(mimikit) > before + 1 || undefined);
  expect(noticesOf(await mimikit.messages())).toEqual([notice]);
  expect(await mimikit.replies()).toEqual([]);

  await openEndpoint(port, { teller: ({ prompt }) => ({ say: prompt.includes("are you there?") ? "I am." : "Hi." }) });
  await mimikit.replyTo(first);
  await mimikit.replyTo(second);
  await mimikit.drained();
  const messages = await mimikit.messages();
  expect(messages.map(({ role, id }) => (role === "user" ? id : role))).toEqual([
    first,
    "system",
    "assistant",
    second,
    "assistant",
  ]);
  const { pending, ...settled } = notice;
  expect(pending).toBe(true);
  expect(noticesOf(messages)).toEqual([settled]);
  expect((await status(mimikit)).problems).toEqual([]);
  // A week of this must not fill the disk: the attempts that reached nobody have left no folder.
  expect(readdirSync(join(mimikit.home, "runs")).length).toBeLessThanOrEqual(2);
});

/** Runs the command line against an instance until it ends by itself. */
function mimikitCli({ home, workDir }: Instance, ...args: string[]) {
  const child = spawn(process.execPath, [CLI, ...args], {
    env: { ...process.env, MIMIKIT_HOME: home, MIMIKIT_WORK_DIR: workDir },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const out = { stdout: "", stderr: "" };
  child.stdout.on("data", (data) => {
    out.stdout += data;
  });
  child.stderr.on("data", (data) => {
    out.stderr += data;
  });
  opened.unshift({ dispose: async () => void child.kill("SIGKILL") });
  return { out, ended: once(child, "close").then(([code]) => code as number | null) };
}

test("`mimikit ask` says once why it waits, and goes on waiting; `mimikit usage` and `status` say what it cost and why", async () => {
  const { mimikit, port } = await startWithout();
  const asking = mimikitCli(mimikit, "ask", "hello");
  await mimikit.until(
    "the notice on stderr",
    () => asking.out.stderr.includes("I cannot answer at the moment") || undefined,
  );
  const told = mimikitCli(mimikit, "status");
  expect(await told.ended).toBe(0);
  expect(told.out.stdout).toMatch(/! no provider of the teller has been reachable since .*ECONNREFUSED/);
  await openEndpoint(port, { teller: [{ say: "Hi." }] });
  expect(await asking.ended).toBe(0);
  expect(asking.out.stdout).toBe("Hi.\n");
  expect(asking.out.stderr.split("I cannot answer at the moment")).toHaveLength(2);
  const usage = mimikitCli(mimikit, "usage");
  expect(await usage.ended).toBe(0);
  expect(usage.out.stdout).toMatch(/teller +openai +scripted +1 +100 +60 +7 +0\.0000/);
});

test("who cannot be reached is left alone, whatever waits; new settings are tried at once", async () => {
  const patience = { MIMIKIT_CIRCUIT_COOLDOWN_SEC: "3600", MIMIKIT_CIRCUIT_COOLDOWN_MAX_SEC: "3600" };
  const { mimikit, port } = await startWithout(patience);
  const first = await mimikit.send("hello");
  await firstNotice(mimikit);
  await mimikit.until("the record", () => unreached(mimikit) === 1 || undefined);
  // A pool that has just begun knows nothing of it, and tries once.
  await mimikit.kill("workers");
  await mimikit.until("the second try", () => unreached(mimikit) === 2 || undefined);
  const second = await mimikit.send("hello again");
  await openEndpoint(port, { teller: [{ say: "Hi." }] });
  writeFileSync(join(mimikit.home, "config.yaml"), "maxConcurrency: 2\n");
  await mimikit.replyTo(first);
  await mimikit.replyTo(second);
  expect(unreached(mimikit)).toBe(2);
});

test("work that waits for its model shows it, and does not fail however often that is in vain", async () => {
  const { mimikit, port } = await startWithout({
    MIMIKIT_PROVIDER_TELLER: "offline",
    MIMIKIT_PROVIDER_PLANNER: "offline",
  });
  const interim = await mimikit.replyTo(await mimikit.send("run `echo one` then `echo two`"));
  const work = await mimikit.until("the work", async () =>
    (await mimikit.tasks()).find((task) => task.role === "worker" && task.state !== "waiting"),
  );
  await mimikit.until("the reason", async () =>
    (await mimikit.task(work.id)).timeline.find(({ event }) => event.includes("reached no provider")),
  );
  await mimikit.until("more tries than a failure has", () => unreached(mimikit) > 2 || undefined);
  const records = () => readdirSync(join(mimikit.home, "worker/running")).filter((name) => name.includes(".failed."));
  await mimikit.until("the first and the last", () => records().length <= 2 || undefined);
  expect((await mimikit.task(work.id)).state).toMatch(/queued|running/);
  await openEndpoint(port, { worker: [{ say: "It is done." }] });
  expect((await mimikit.replyWith("It is done.")).taskIds).toContain(work.id);
  expect(interim.provider).toBe("offline");
  expect((await mimikit.task(work.id)).provider).toBe("openai");
});

test("work that reaches nobody can be cancelled", async () => {
  const { mimikit } = await startWithout({ MIMIKIT_PROVIDER_TELLER: "offline", MIMIKIT_PROVIDER_PLANNER: "offline" });
  await mimikit.send("run `echo one`");
  await mimikit.until("a try", () => unreached(mimikit) > 0 || undefined);
  const work = (await mimikit.tasks()).find((task) => task.role === "worker");
  await mimikit.api(`/api/tasks/${work?.id}/cancel`, { method: "POST" });
  await mimikit.until("the end", async () =>
    (await mimikit.task(work?.id ?? "")).state === "cancelled" ? true : undefined,
  );
  await mimikit.drained();
});

test("a stand-in answers at once for who cannot be reached, and the status says who answered", async () => {
  const { mimikit } = await startWithout({ MIMIKIT_FALLBACK: "offline" });
  const reply = await mimikit.replyTo(await mimikit.send("hello"));
  expect(reply.provider).toBe("offline");
  expect(noticesOf(await mimikit.messages())).toEqual([]);
  const { providers, models, answered, answeredModels, problems } = await status(mimikit);
  expect([providers.teller, models.teller]).toEqual(["openai", "scripted"]);
  expect([answered.teller, answeredModels.teller]).toEqual(["offline", undefined]);
  expect(problems).toEqual([]);
});

test("who is left alone is told, and is asked again at once when somebody wants that, however long it would rest", async () => {
  const { mimikit, port } = await startWithout({
    MIMIKIT_CIRCUIT_COOLDOWN_SEC: "3600",
    MIMIKIT_CIRCUIT_COOLDOWN_MAX_SEC: "3600",
  });
  const id = await mimikit.send("hello");
  await firstNotice(mimikit);
  const openOnes = async () => {
    const { providers } = await mimikit.api<ProvidersAnswer>("/api/providers");
    return providers.filter(({ state }) => state === "open");
  };
  const [open] = await openOnes();
  expect(open).toMatchObject({ id: "openai", reason: expect.stringContaining("ECONNREFUSED") });
  expect(Date.parse(open?.retryAt ?? "")).toBeGreaterThan(Date.now() + 3_000_000);
  await openEndpoint(port, { teller: [{ say: "Here I am." }] });
  expect(await mimikit.api("/api/providers/try-now", { method: "POST" })).toEqual({});
  expect((await mimikit.replyTo(id)).text).toBe("Here I am.");
  expect(await openOnes()).toEqual([]);
});

test("what a dead worker pool has said of providers counts for nobody", async () => {
  const { mimikit } = await startWithout({ MIMIKIT_CIRCUIT_COOLDOWN_SEC: "3600" });
  await mimikit.send("hello");
  await firstNotice(mimikit);
  expect(readCircuits(mimikit.home)).toHaveLength(1);
  await mimikit.stop("SIGKILL");
  expect(readCircuits(mimikit.home)).toEqual([]);
});

test("a program that is gone is an outage too: the message waits until it is there", async () => {
  const { mimikit } = await startWithout({
    MIMIKIT_PROVIDER: "auto",
    MIMIKIT_PROVIDER_TELLER: "codex",
    MIMIKIT_CODEX_BIN: "/nonexistent/codex",
  });
  const id = await mimikit.send("hello");
  expect((await firstNotice(mimikit)).text).toContain('the provider "codex" for the teller lacks a program');
  writeFileSync(join(mimikit.home, "config.yaml"), "fallback: [offline]\n");
  expect((await mimikit.replyTo(id)).provider).toBe("offline");
  expect(unreached(mimikit)).toBe(1);
});

test("a rate limit of an hour keeps the message and the work waiting until it ends: told once, nothing failed, asked once", async () => {
  const limits = new Set(["teller", "worker"]);
  const limited: Step = { status: 429, headers: { "retry-after": "3600" }, body: { error: { message: "slow down" } } };
  const model = await ModelServer.start({
    teller: (request) => {
      if (limits.has("teller")) return limited;
      if (section("results", request) !== "") return { say: "It came of it." };
      return request.turn === 0 ? call("delegate", { prompt: "Do it." }) : { say: "I am on it." };
    },
    planner: ({ turn }) => (turn === 0 ? call("delegate", { title: "Do it", prompt: "Do it." }) : { say: "" }),
    worker: ({ results }) => {
      if (results.length === 0) return { calls: [{ shell: "echo one" }] };
      return limits.has("worker") ? limited : { say: "Done." };
    },
  });
  opened.push({ dispose: () => model.close() });
  const env = { MIMIKIT_PROVIDER: "openai", MIMIKIT_MODEL: "scripted", OPENAI_BASE_URL: model.baseUrl };
  const mimikit = await Instance.start({ env, hasClock: true });
  opened.unshift(mimikit);
  const HOUR_MS = 3_600_000;

  const asked = await mimikit.send("do it");
  const notice = await firstNotice(mimikit);
  expect(notice.text).toMatch(
    /^I cannot answer before \S+ \S+ UTC: .*has reached its rate limit \(.*HTTP 429: slow down\)\. Your message is saved; I will answer it then\./,
  );
  expect(notice.problem).toMatchObject({ cause: "limit", until: expect.any(String) });
  const { out, ended } = mimikitCli(mimikit, "status");
  expect(await ended).toBe(0);
  expect(out.stdout).toMatch(/! the model of the teller has reached its rate limit, until .*slow down/);
  limits.delete("teller");
  mimikit.setClock(HOUR_MS + 60_000);
  expect((await mimikit.replyTo(asked)).text).toBe("I am on it.");
  expect(model.of("teller").filter(({ turn }) => turn === 0).length).toBeLessThanOrEqual(2);

  const work = await mimikit.until("work that waits", async () =>
    (await mimikit.tasks()).find(({ role, limitedUntil }) => role === "worker" && limitedUntil !== undefined),
  );
  const event = `attempt 1 waits for the rate limit until ${work.limitedUntil}: `;
  expect((await mimikit.task(work.id)).timeline).toContainEqual({
    at: expect.any(String),
    event: expect.stringContaining(event),
  });
  const listed = mimikitCli(mimikit, "tasks");
  expect(await listed.ended).toBe(0);
  expect(listed.out.stdout).toMatch(/worker +queued, rate limit until /);
  limits.delete("worker");
  mimikit.setClock(2 * HOUR_MS + 120_000);
  expect((await mimikit.replyWith("It came of it.")).taskIds).toContain(work.id);
  // It went on where it was: the command ran once, and each limit was met once.
  expect(await mimikit.task(work.id)).toMatchObject({ state: "done", attempts: 2 });
  expect(model.of("worker")).toHaveLength(3);
  expect(noticesOf(await mimikit.messages())).toHaveLength(1);
});

test("what runs cost is written down once, with the price of the model, and added up", async () => {
  const model = await ModelServer.start({ teller: [{ say: "Hi." }] });
  opened.push({ dispose: () => model.close() });
  const mimikit = await Instance.start({
    env: {
      MIMIKIT_PROVIDER: "openai",
      MIMIKIT_MODEL: "scripted",
      OPENAI_BASE_URL: model.baseUrl,
      MIMIKIT_PRICES: JSON.stringify({ scripted: { input: 10, cached: 1, output: 100 } }),
    },
  });
  opened.unshift(mimikit);
  const reply = await mimikit.replyTo(await mimikit.send("hello"));
  // 40 fresh tokens, 60 cached ones, 7 of output.
  const costUsd = (40 * 10 + 60 * 1 + 7 * 100) / 1_000_000;
  expect(reply.usage).toEqual({ inputTokens: 100, cachedTokens: 60, outputTokens: 7, costUsd });
  await mimikit.kill("gateway");
  await mimikit.ready();
  expect((await status(mimikit)).usage.today).toEqual({ inputTokens: 100, cachedTokens: 60, outputTokens: 7, costUsd });
  const { rows } = await mimikit.api<{ rows: UsageRow[] }>("/api/usage?days=2");
  expect(rows).toMatchObject([{ role: "teller", provider: "openai", model: "scripted", runs: 1, costUsd }]);
});
