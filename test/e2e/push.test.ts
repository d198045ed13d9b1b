/**
 * Web Push through the three real processes and a push service of the test's own, over real HTTPS with real encryption: what arrives
 * while no page is open, whatever is killed meanwhile (docs/notifications.md#web-push).
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { DevicesAnswer, QuestionsAnswer, TriggersAnswer } from "@mimikit/protocol/wire/api";
import { execa } from "execa";
import { expect, onTestFinished, test } from "vitest";
import type { z } from "zod";
import { Device } from "../support/device.ts";
import { Instance, type InstanceOptions } from "../support/instance.ts";
import { CLI } from "../support/programs.ts";
import { PushService } from "../support/push-service.ts";

const OF_PUSH = /web-push|http_ece|push\/(?:sender|deliver|keys|subscriptions|items|payload)/;

async function start(options: InstanceOptions = {}) {
  const service = await PushService.start();
  onTestFinished(() => service.dispose());
  const mimikit = await Instance.start({ ...options, env: { NODE_EXTRA_CA_CERTS: service.certificate } });
  onTestFinished(async () => {
    await mimikit.dispose();
    expect(service.mistakes).toEqual([]);
  });
  return { service, mimikit };
}

const mimikitCommand = ({ home, workDir, port }: Instance, ...args: string[]) =>
  execa(process.execPath, [CLI, ...args], {
    env: { MIMIKIT_HOME: home, MIMIKIT_WORK_DIR: workDir, MIMIKIT_PORT: String(port) },
  });

/** Resolves when the reminder is in the archive, whether or not the gateway has looked. */
function isSettled(mimikit: Instance, text: string): Promise<true> {
  const archive = join(mimikit.home, "archive");
  return mimikit.until(`"${text}" in the archive`, () => {
    const turns = readdirSync(archive).filter((name) => /^t-\d+\.json$/.test(name));
    const isReminder = ({ task, effects }: { task: { turn: { messages: unknown[] } }; effects: unknown[] }) =>
      task.turn.messages.length === 0 && JSON.stringify(effects).includes(text);
    return turns.some((name) => isReminder(JSON.parse(readFileSync(join(archive, name), "utf8")))) || undefined;
  });
}

/** Resolves when the push is noted as sent. */
function isNoted(mimikit: Instance, device: Device, id: string): Promise<true> {
  return mimikit.until(`${id} noted as sent`, () => {
    const { sent } = JSON.parse(readFileSync(join(mimikit.home, "push", `${device.id}.json`), "utf8"));
    return sent.includes(id) || undefined;
  });
}

/** Sets a reminder in the terminal for later, and has it fire now. */
async function remind(mimikit: Instance, text: string): Promise<void> {
  await mimikitCommand(mimikit, "ask", `remind me in 1 hour to ${text}`);
  await mimikit.until(`the reminder "${text}" has fired`, async () => {
    const { triggers } = await mimikit.api<z.infer<typeof TriggersAnswer>>("/api/triggers");
    const id = triggers.find(({ prompt }) => prompt.includes(text))?.id;
    return id && mimikit.api(`/api/triggers/${id}/run`, { method: "POST", key: text });
  });
}

const devicesOf = async (device: Device) =>
  ((await device.ask("GET", "/api/devices")).json as z.infer<typeof DevicesAnswer>).devices;

test("a reminder that was set in the terminal arrives while no page is open, signed and encrypted, once", async () => {
  const { service, mimikit } = await start();
  const device = await Device.pair(mimikit);
  const path = await device.subscribe(service, "zh");
  expect(statSync(join(mimikit.home, "push")).mode & 0o777).toBe(0o700);
  for (const name of readdirSync(join(mimikit.home, "push")))
    expect(statSync(join(mimikit.home, "push", name)).mode & 0o777).toBe(0o600);
  // On a loaded machine it takes seconds until it is read.
  await mimikitCommand(mimikit, "ask", "remind me in 10 seconds to stretch");
  const push = await service.next();
  expect(push).toMatchObject({ path, payload: { title: "Mimikit", page: "./", always: false } });
  expect(push.payload.body).toContain("stretch");
  expect(Number(push.headers.ttl)).toBeGreaterThan(86_000);
  expect(push.headers.topic).toMatch(/^[\w-]{32}$/);
  await isNoted(mimikit, device, push.payload.id);
  // The answer to who set it is no news; what follows is.
  await remind(mimikit, "drink");
  expect((await service.next()).payload.body).toContain("drink");
  expect(service.received).toHaveLength(2);
  const keys = JSON.parse(readFileSync(join(mimikit.home, "push/keys.json"), "utf8"));
  for (const secret of [keys.privateKey, keys.answerSecret]) {
    expect(mimikit.output).not.toContain(secret);
    expect(readFileSync(join(mimikit.home, "log.gateway.jsonl"), "utf8")).not.toContain(secret);
  }
  expect((await mimikitCommand(mimikit, "devices")).stdout).toMatch(/a browser.* yes /);
});

test("what is settled while the gateway is held up and then killed is pushed by the next one", async () => {
  const { service, mimikit } = await start();
  const device = await Device.pair(mimikit);
  await device.subscribe(service);
  await remind(mimikit, "stretch");
  process.kill(mimikit.pidOf("gateway"), "SIGSTOP");
  await isSettled(mimikit, "stretch");
  await mimikit.kill("gateway");
  expect((await service.next()).payload.body).toContain("stretch");
});

test("killed before the push service answers, after it has answered, and after that was noted: nothing is lost, and a repeat has the same id", async () => {
  const { service, mimikit } = await start();
  const device = await Device.pair(mimikit);
  await device.subscribe(service);
  // Killed while the request waits for its answer.
  service.answers.push(async (response) => {
    await mimikit.kill("gateway");
    response.destroy();
  });
  await remind(mimikit, "stretch");
  const [first, second] = [await service.next(), await service.next()];
  expect([second.payload, second.headers.topic]).toEqual([first.payload, first.headers.topic]);
  await isNoted(mimikit, device, first.payload.id);
  // Held up, so that it cannot note what the push service says before it is killed.
  service.answers.push(async (response) => {
    process.kill(mimikit.pidOf("gateway"), "SIGSTOP");
    response.writeHead(201).end();
    await mimikit.kill("gateway");
  });
  await remind(mimikit, "drink");
  const [third, fourth] = [await service.next(), await service.next()];
  expect(third.payload.body).toContain("drink");
  expect([fourth.payload, fourth.headers.topic]).toEqual([third.payload, third.headers.topic]);
  // Killed when all is noted: nothing of it comes again, and what is new comes.
  await isNoted(mimikit, device, third.payload.id);
  await mimikit.kill("gateway");
  await mimikit.ready();
  await remind(mimikit, "rest");
  expect((await service.next()).payload.body).toContain("rest");
  expect(service.received).toHaveLength(5);
});

test("a push service that is gone for a while, or asks to wait, gets it later; one device waits for no other", async () => {
  const { service, mimikit } = await start();
  const slow = await Device.pair(mimikit);
  const slowPath = await slow.subscribe(service);
  const device = await Device.pair(mimikit);
  const path = await device.subscribe(service);
  // Never answered: the gateway gives up by itself.
  service.answer = (response, { path: to }) => {
    if (to !== slowPath) response.writeHead(201).end();
  };
  for (const text of ["stretch", "drink"]) await remind(mimikit, text);
  const bodies: string[] = [];
  while (bodies.length < 2) {
    const { path: to, payload } = await service.next();
    if (to === path) bodies.push(payload.body);
  }
  expect(bodies).toEqual([expect.stringContaining("stretch"), expect.stringContaining("drink")]);
  await slow.ask("DELETE", "/api/push");

  service.answer = 201;
  service.answers.push((response) => void response.writeHead(503, { "Retry-After": "1" }).end());
  await remind(mimikit, "rest");
  const [busy, taken] = [await service.next(), await service.next()];
  expect(taken.payload).toEqual(busy.payload);
  await isNoted(mimikit, device, taken.payload.id);

  await service.stop();
  await remind(mimikit, "sleep");
  await isSettled(mimikit, "sleep");
  await service.listen();
  expect((await service.next()).payload.body).toContain("sleep");
});

test("410 ends a subscription for good; what a push service refuses is said of the device, and asked again", async () => {
  const { service, mimikit } = await start();
  const gone = await Device.pair(mimikit);
  const gonePath = await gone.subscribe(service);
  const refused = await Device.pair(mimikit);
  await refused.subscribe(service);
  service.answer = (response, { path }) => void response.writeHead(path === gonePath ? 410 : 403).end();
  await remind(mimikit, "stretch");
  const devices = await mimikit.until("what came of both", async () => {
    const all = await devicesOf(refused);
    const of = (device: Device) => all.find(({ id }) => id === device.id)?.push;
    return of(gone) === null && of(refused)?.refused === 403 ? all : undefined;
  });
  expect(devices).toHaveLength(2);
  await mimikit.until("both in the audit", () => {
    const audit = readFileSync(join(mimikit.home, "log.gateway.jsonl"), "utf8");
    return (/"push_removed".*"HTTP 410"/.test(audit) && /"push_refused".*"status":403/.test(audit)) || undefined;
  });
  expect(existsSync(join(mimikit.home, "push", `${gone.id}.json`))).toBe(false);
  // A start asks again.
  service.answer = 201;
  await mimikit.kill("gateway");
  await mimikit.until("it is taken", async () =>
    (await devicesOf(refused)).some(({ push }) => push?.refused === null) ? true : undefined,
  );
});

test("a device that is signed out hears nothing more", async () => {
  const { service, mimikit } = await start();
  const out = await Device.pair(mimikit);
  const outPath = await out.subscribe(service);
  const device = await Device.pair(mimikit);
  await device.subscribe(service);
  await mimikitCommand(mimikit, "devices", "sign-out", out.id);
  expect(readdirSync(join(mimikit.home, "push")).sort()).toEqual([`${device.id}.json`, "keys.json"].sort());
  for (const text of ["stretch", "drink"]) {
    await remind(mimikit, text);
    await isNoted(mimikit, device, (await service.next()).payload.id);
  }
  expect(service.received.filter(({ path }) => path === outPath)).toEqual([]);
});

test("a question comes with its answers as buttons; the proof in it answers that question, on that device, once", async () => {
  const { service, mimikit } = await start();
  const device = await Device.pair(mimikit);
  const path = await device.subscribe(service);
  const other = await Device.pair(mimikit);
  await other.subscribe(service);
  await mimikit.send("run `false` then `echo went on`");
  const pushes = new Map<string, Awaited<ReturnType<PushService["next"]>>>();
  while (pushes.size < 2) {
    const push = await service.next();
    if (push.payload.proof !== undefined) pushes.set(push.path, push);
  }
  const { payload, headers } = pushes.get(path) ?? {};
  const { questions } = await mimikit.api<z.infer<typeof QuestionsAnswer>>("/api/questions");
  expect(payload).toMatchObject({ id: questions[0]?.id, title: "Mimikit asks", options: questions[0]?.options });
  expect(headers?.urgency).toBe("high");
  const body = { questionId: payload?.id, option: 0, proof: payload?.proof };
  const answer = (by: Device, changed = {}) => by.askAsWorker("/api/push/answer", { ...body, ...changed });
  expect((await answer(other)).status).toBe(401);
  expect((await answer(device, { questionId: "t-000009.0" })).status).toBe(401);
  expect((await device.askAsWorker("/api/input", { text: "hello" })).status).toBe(401);
  const [first, again] = [await answer(device), await answer(device)];
  expect([first.status, again]).toEqual([202, first]);
  await mimikit.replyWith("went on");
  expect((await answer(device, { option: 1 })).status).toBe(410);
});

test("finished and failed work arrives with its title and outcome; a reply to what was said does not", async () => {
  const { service, mimikit } = await start();
  const device = await Device.pair(mimikit);
  await device.subscribe(service);
  await mimikit.replyTo(await mimikit.send("hello"));
  await mimikit.send("run `echo fine`");
  const done = await service.next();
  expect(done.payload.title).toMatch(/^Done: .*echo fine/);
  expect(done.payload.page).toMatch(/^\.\/#\/tasks\/t-\d+/);
  expect(done.headers.urgency).toBe("normal");
  await mimikit.send("run `false`");
  expect((await service.next()).payload.title).toMatch(/^Failed: .*false/);
});

test("a gateway that notifies nobody has loaded nothing for it, and the state directory holds nothing of it", async () => {
  const { service, mimikit } = await start({ countsCalls: true });
  const loaded = async () => (await mimikit.calls("gateway")).modules.filter((path) => OF_PUSH.test(path));
  await remind(mimikit, "stretch");
  await isSettled(mimikit, "stretch");
  expect(await loaded()).toEqual([]);
  expect(existsSync(join(mimikit.home, "push"))).toBe(false);
  const device = await Device.pair(mimikit);
  await device.subscribe(service);
  await remind(mimikit, "drink");
  expect((await service.next()).payload.body).toContain("drink");
  expect(await loaded()).toEqual(expect.arrayContaining([expect.stringContaining("web-push")]));
  expect((await device.ask("DELETE", "/api/push")).status).toBe(200);
  await mimikit.kill("gateway");
  await mimikit.ready();
  expect(await loaded()).toEqual([]);
});
