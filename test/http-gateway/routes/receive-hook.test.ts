/** Which deliveries to a hook are the same: by the sender's id, or for a while by their content (docs/hooks.md#which-delivery-is-which). */
import { createHmac } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CommandOutcome } from "@mimikit/protocol/records/archive";
import { type CommandOf, InboxCommand } from "@mimikit/protocol/records/inbox";
import { setHookSecret } from "@mimikit/runtime/config/secrets";
import { createRecord, readRecord } from "@mimikit/store/disk/record";
import { archivePath, inboxPath } from "@mimikit/store/disk/state";
import { expect, test } from "vitest";
import { type Started, startGateway } from "../gateway.ts";
import { recurringOf, stand } from "../records.ts";

const SECRET = "a secret of the sender";

async function startWithHook(home?: string): Promise<Started> {
  const gateway = await startGateway(home === undefined ? {} : { home });
  if (home !== undefined) return gateway;
  const { id } = await stand(gateway.fs, recurringOf("trg-bell"));
  mkdirSync(join(gateway.home, "hooks"), { recursive: true });
  writeFileSync(join(gateway.home, "hooks/bell.yaml"), `receive: ${id}\n`);
  await setHookSecret(gateway.home, "bell", SECRET);
  return gateway;
}

interface Taken {
  id: string;
  duplicate: boolean;
}

async function send(gateway: Started, body: string, headers: Record<string, string>): Promise<Taken> {
  const answer = await gateway.ask("/hooks/bell", { method: "POST", body, headers, signedIn: false });
  expect([answer.status, answer.text]).toEqual([202, expect.stringContaining("id")]);
  return answer.json as Taken;
}

const signed = (body: string) => ({
  "x-hub-signature-256": `sha256=${createHmac("sha256", SECRET).update(body).digest("hex")}`,
});

function standard(body: string, id: string) {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signature = createHmac("sha256", SECRET).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
}

/** Ends the run of this delivery, as the supervisor does; it came so many minutes ago. */
async function settle({ fs }: Started, id: string, minutesAgo = 0): Promise<CommandOf<"trigger-run">> {
  const waiting = await readRecord(fs, InboxCommand, inboxPath(id));
  if (waiting?.kind !== "trigger-run") throw new Error(`${id} does not wait`);
  const at = new Date(Date.now() - minutesAgo * 60_000).toISOString();
  const command = { ...waiting, at };
  await createRecord(fs, CommandOutcome, archivePath(id), { kind: "wish", id, at, wish: command, outcome: "done" });
  await fs.unlink(inboxPath(id));
  return command;
}

const BELL = `{"pressed":true}`;

test("a sender whose deliveries all say the same is heard again after five minutes, and within them says it is a duplicate", async () => {
  const gateway = await startWithHook();
  const first = await send(gateway, BELL, signed(BELL));
  expect(first.duplicate).toBe(false);
  expect(await send(gateway, BELL, signed(BELL))).toEqual({ id: first.id, duplicate: true });
  await settle(gateway, first.id, 4);
  expect(await send(gateway, BELL, signed(BELL))).toEqual({ id: first.id, duplicate: true });
  expect(gateway.names("inbox")).toEqual([]);
});

test("each time it is heard again is one run, over restarts and at the same moment", async () => {
  let gateway = await startWithHook();
  const ids = new Set<string>();
  for (let n = 0; n < 4; n++) {
    const sent = await Promise.all([1, 2, 3].map(() => send(gateway, BELL, signed(BELL))));
    const [{ id } = { id: "" }] = sent;
    expect(sent.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
    expect(new Set(sent.map((each) => each.id))).toEqual(new Set([id]));
    expect(ids.has(id)).toBe(false);
    ids.add(id);
    await gateway.close();
    gateway = await startWithHook(gateway.home);
    expect(await send(gateway, BELL, signed(BELL))).toEqual({ id, duplicate: true });
    await settle(gateway, id, 6);
  }
});

test("where the sender names its deliveries, that alone says which it is, whatever the body, for ever", async () => {
  const gateway = await startWithHook();
  const named = (id: string, event = "push") => ({
    ...signed(BELL),
    "x-github-delivery": id,
    "x-github-event": event,
  });
  const first = await send(gateway, BELL, named("a"));
  await settle(gateway, first.id, 600);
  expect(await send(gateway, BELL, named("a"))).toEqual({ id: first.id, duplicate: true });
  expect(await send(gateway, `{"later":1}`, { ...named("a"), ...signed(`{"later":1}`) })).toMatchObject({
    id: first.id,
    duplicate: true,
  });
  const second = await send(gateway, BELL, named("b"));
  const third = await send(gateway, BELL, named("b", "ping"));
  expect([second.duplicate, third.duplicate, new Set([first.id, second.id, third.id]).size]).toEqual([false, false, 3]);
  // Gitea's own header does as well.
  const fourth = await send(gateway, BELL, { ...signed(BELL), "x-gitea-delivery": "c", "x-gitea-event": "push" });
  expect(fourth.duplicate).toBe(false);
});

test("the name of the event is part of what is the same, and is kept for whoever reads it", async () => {
  const gateway = await startWithHook();
  const [opened, closed] = [
    await send(gateway, BELL, { ...signed(BELL), "x-github-event": "opened" }),
    await send(gateway, BELL, { ...signed(BELL), "x-github-event": "closed" }),
  ];
  expect([opened.duplicate, closed.duplicate]).toEqual([false, false]);
  expect((await settle(gateway, opened.id)).given).toEqual({ from: "bell", text: BELL, event: "opened" });
  expect((await settle(gateway, closed.id)).given?.event).toBe("closed");
});

test("an empty webhook-id is no id: deliveries with other content are others, and the same is one for a while", async () => {
  const gateway = await startWithHook();
  const [a, b] = [`{"a":1}`, `{"b":1}`];
  const first = await send(gateway, a, standard(a, ""));
  expect((await send(gateway, b, standard(b, ""))).duplicate).toBe(false);
  expect(await send(gateway, a, standard(a, ""))).toEqual({ id: first.id, duplicate: true });
  await settle(gateway, first.id, 6);
  expect((await send(gateway, a, standard(a, ""))).duplicate).toBe(false);
  const named = await send(gateway, BELL, standard(BELL, "msg-1"));
  expect(await send(gateway, "{}", standard("{}", "msg-1"))).toEqual({ id: named.id, duplicate: true });
});
