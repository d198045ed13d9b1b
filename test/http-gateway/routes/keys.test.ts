/** A key means what it was first used for: the same again is the same command, anything else is refused (docs/decisions/0059). */
import { readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { CommandOutcome } from "@mimikit/protocol/records/archive";
import { InboxCommand, Message } from "@mimikit/protocol/records/inbox";
import { type CommandInput, commandId, createCommand } from "@mimikit/store/disk/create-command";
import { createRecord, readRecord } from "@mimikit/store/disk/record";
import { archivePath, inboxPath } from "@mimikit/store/disk/state";
import { ArchiveIndex } from "@mimikit/store/state-cache/archive-index";
import { describe, expect, test } from "vitest";
import { ROUTES } from "../../../apps/http-gateway/src/routes.ts";
import { compactArchive } from "../../../apps/supervisor/src/upkeep/compact-archive.ts";
import { connect } from "../client.ts";
import { type Answer, type Started, startGateway } from "../gateway.ts";
import { settleTurn } from "../records.ts";

const KEY = "my key";
const headers = { "Idempotency-Key": KEY };

interface Case {
  route: string;
  /** The command that the first request has become. */
  said: CommandInput;
  path: string;
  same: object;
  /** Requests that ask for something else. */
  others: { path?: string; body?: object }[];
}

const definition = { order: { prompt: "water" }, when: { type: "recurring" as const, schedule: { interval: 600 } } };

const CASES: Case[] = [
  {
    route: "post /api/input",
    said: { kind: "message", text: "pay A", client: { timeZone: "UTC", now: "2026-11-21T13:00:00Z" } },
    path: "/api/input",
    // A retry may tell another time of day.
    same: { text: "pay A", client: { timeZone: "Europe/Berlin", now: "2026-11-21T13:00:30Z" } },
    others: [{ body: { text: "pay B" } }, { body: { text: "pay A", mode: "next" } }],
  },
  {
    route: "post /api/steer",
    said: { kind: "steer", text: "use pnpm" },
    path: "/api/steer",
    same: { text: "use pnpm" },
    others: [{ body: { text: "use yarn" } }, { path: "/api/tasks/t-000001.0/steer" }],
  },
  { route: "post /api/stop", said: { kind: "stop" }, path: "/api/stop", same: {}, others: [] },
  { route: "post /api/clear", said: { kind: "clear" }, path: "/api/clear", same: {}, others: [] },
  {
    route: "post /api/conversation/retry",
    said: { kind: "retry", turnId: "t-000001", edit: { messageId: "m-1", text: "hello" } },
    path: "/api/conversation/retry",
    same: { text: "hello" },
    others: [{ body: {} }, { body: { text: "goodbye" } }, { body: { text: "hello", answerBy: { provider: "codex" } } }],
  },
  {
    route: "post /api/tasks/:id/again",
    said: { kind: "again", taskId: "t-000001.0" },
    path: "/api/tasks/t-000001.0/again",
    same: {},
    others: [{ body: { text: "otherwise" } }],
  },
  {
    route: "post /api/tasks/:id/steer",
    said: { kind: "steer", text: "use pnpm", taskId: "t-000001.0" },
    path: "/api/tasks/t-000001.0/steer",
    same: { text: "use pnpm" },
    others: [{ path: "/api/tasks/t-000002.0/steer" }, { path: "/api/steer" }],
  },
  {
    route: "post /api/questions/:id/answer",
    said: { kind: "answer", questionId: "t-000001.1", answer: "yes, once" },
    path: "/api/questions/t-000001.1/answer",
    same: { answer: "Yes, once" },
    others: [{ body: { answer: "no" } }, { path: "/api/questions/t-000002.1/answer" }],
  },
  {
    route: "delete /api/approvals/:id",
    said: { kind: "revoke", approvalId: "t-000001.0.a1.approve" },
    path: "/api/approvals/t-000001.0.a1.approve",
    same: {},
    others: [{ path: "/api/approvals/t-000002.0.a1.approve" }],
  },
  {
    route: "post /api/triggers",
    said: { kind: "trigger-put", definition },
    path: "/api/triggers",
    same: { prompt: "water", interval: 600 },
    others: [{ body: { prompt: "water", interval: 601 } }, { body: { prompt: "wine", interval: 600 } }],
  },
  {
    route: "post /api/triggers",
    // The owner was in another zone when the first request came.
    said: {
      kind: "trigger-put",
      definition: {
        order: { prompt: "water" },
        when: { type: "recurring", schedule: { cron: "0 9 * * *", timezone: "Asia/Tokyo" } },
      },
    },
    path: "/api/triggers",
    same: { prompt: "water", cron: "0 9 * * *" },
    others: [{ body: { prompt: "water", cron: "0 9 * * *", timezone: "Europe/Berlin" } }],
  },
  {
    route: "patch /api/triggers/:id",
    said: { kind: "trigger-patch", triggerId: "trg-1", patch: { order: {}, paused: true } },
    path: "/api/triggers/trg-1",
    same: { paused: true },
    others: [{ body: { paused: false } }, { path: "/api/triggers/trg-2" }],
  },
  {
    route: "delete /api/triggers/:id",
    said: { kind: "trigger-delete", triggerId: "trg-1" },
    path: "/api/triggers/trg-1",
    same: {},
    others: [{ path: "/api/triggers/trg-2" }],
  },
  {
    route: "post /api/triggers/:id/run",
    said: { kind: "trigger-run", triggerId: "trg-1" },
    path: "/api/triggers/trg-1/run",
    same: {},
    others: [{ path: "/api/triggers/trg-2/run" }],
  },
  {
    route: "post /api/memory",
    said: { kind: "memory-add", content: "tea, not coffee", longTerm: true },
    path: "/api/memory",
    same: { content: "tea, not coffee", longTerm: true },
    others: [{ body: { content: "coffee, not tea", longTerm: true } }, { body: { content: "tea, not coffee" } }],
  },
  {
    route: "post /api/memory/edit",
    said: { kind: "memory-edit", document: "memory.md", entry: "tea" },
    path: "/api/memory/edit",
    same: { document: "memory.md", entry: "tea" },
    others: [{ body: { document: "memory.md", entry: "tea", to: "coffee" } }],
  },
  {
    route: "post /api/backlog",
    said: { kind: "backlog-edit", op: "done", item: "1" },
    path: "/api/backlog",
    same: { op: "done", item: "1" },
    others: [{ body: { op: "done", item: "2" } }, { body: { op: "remove", item: "1" } }],
  },
  {
    route: "post /api/undo",
    said: { kind: "undo", changeId: "memory-1" },
    path: "/api/undo",
    same: { id: "memory-1" },
    others: [{ body: { id: "memory-2" } }],
  },
];

test("every route that takes a key is tried below", () => {
  const taking = ROUTES.filter(({ takesKey }) => takesKey).map(({ method, path }) => `${method} ${path}`);
  expect([...new Set(CASES.map(({ route }) => route))].sort()).toEqual(taking.sort());
});

/** Archives what waits under this id, as the supervisor does. */
async function settle({ fs }: Started, id: string): Promise<void> {
  const command = await readRecord(fs, InboxCommand, inboxPath(id));
  if (command === null || command.kind === "event") throw new Error(`${id} does not wait`);
  if (command.kind === "message") await createRecord(fs, Message, archivePath(id), command);
  else {
    const outcome = { kind: "wish" as const, id, at: command.at, wish: command, outcome: "done" };
    await createRecord(fs, CommandOutcome, archivePath(id), outcome);
  }
  await fs.unlink(inboxPath(id));
}

const DAY_MS = 86_400_000;

/** Moves the archive into the file of its month. */
async function compact({ fs, home }: Started): Promise<void> {
  const longAgo = new Date(Date.now() - 100 * DAY_MS);
  for (const name of readdirSync(join(home, "archive"))) utimesSync(join(home, "archive", name), longAgo, longAgo);
  const index = new ArchiveIndex(fs, () => undefined);
  await index.load();
  expect(await compactArchive(fs, index, Date.now(), 30)).toBe(1);
}

describe.each(CASES)("$route", ({ route, said, path, same, others }) => {
  const method = route.split(" ")[0]?.toUpperCase() ?? "";
  const asked = (gateway: Started, to: string, body: object): Promise<Answer> =>
    method === "DELETE" ? gateway.ask(to, { method, headers }) : gateway.post(to, body, { method, headers });

  test("takes the same again, and refuses another under its key: while it waits, when it is archived, and compacted", async () => {
    const gateway = await startGateway();
    const id = commandId(said.kind, KEY);
    await createCommand(gateway.fs, gateway.token, said, id);
    const check = async (names: number) => {
      const again = await asked(gateway, path, same);
      expect([again.status, again.text]).toEqual([
        202,
        expect.stringContaining(id.slice(id.lastIndexOf("-") + 1).slice(0, 12)),
      ]);
      for (const other of others) {
        const answer = await asked(gateway, other.path ?? path, other.body ?? same);
        expect([other, answer.status, answer.json]).toEqual([
          other,
          422,
          { error: expect.objectContaining({ code: "key_reused" }) },
        ]);
      }
      expect(gateway.names("inbox")).toHaveLength(names);
    };
    await check(1);
    await settle(gateway, id);
    await check(0);
    await compact(gateway);
    await check(0);
  });
});

test("of two requests at the same time under one key, one is taken and the other refused, and never both", async () => {
  const gateway = await startGateway();
  const answers = await Promise.all(["A", "B"].map((text) => gateway.post("/api/input", { text }, { headers })));
  expect(answers.map(({ status }) => status).sort()).toEqual([202, 422]);
  expect(gateway.names("inbox")).toHaveLength(1);
});

test("a file under another id, or another name, is other content", async () => {
  const gateway = await startGateway();
  const upload = async (bytes: string) => {
    const type = { headers: { "Content-Type": "text/plain" } };
    const answer = await gateway.ask("/api/attachments", { method: "POST", body: bytes, ...type });
    return (answer.json as { id: string }).id;
  };
  const [a, b] = [await upload("first"), await upload("second")];
  const send = (attachments: unknown[]) => gateway.post("/api/input", { text: "read", attachments }, { headers });
  const first = await send([{ id: a, name: "a.txt" }]);
  expect(first.status).toBe(202);
  expect(await send([{ id: a, name: "a.txt" }])).toMatchObject({ status: 202, json: first.json });
  for (const other of [[b], [{ id: a, name: "b.txt" }], [], [a]]) expect((await send(other)).status).toBe(422);
});

test("a frame of a socket under the id of another one is an error that names it, and the socket goes on", async () => {
  const gateway = await startGateway();
  const client = await connect(gateway);
  client.send({ type: "input", id: "a", text: "pay A" });
  const { messageId } = await client.next("accepted");
  client.send({ type: "input", id: "a", text: "pay B" });
  expect(await client.next("error")).toMatchObject({ id: "a", code: "key_reused" });
  client.send({ type: "input", id: "a", text: "pay A" });
  expect((await client.next("accepted")).messageId).toBe(messageId);
  expect(gateway.names("inbox")).toHaveLength(1);
});

test("a client of /v1 is told that its key was used for other words, in the form of that API", async () => {
  const gateway = await startGateway();
  const ask = (content: string) =>
    gateway.post("/v1/chat/completions", { model: "mimikit", messages: [{ role: "user", content }] }, { headers });
  const first = ask("pay A");
  await expect.poll(() => gateway.names("inbox").length).toBe(1);
  expect(await ask("pay B")).toMatchObject({
    status: 422,
    json: { error: { type: "invalid_request_error", code: "key_reused", param: null } },
  });
  const [name = ""] = gateway.names("inbox");
  await settleTurn(gateway.fs, 1, [name.replace(".json", "")], "Paid A.");
  expect((await first).text).toContain("Paid A.");
  expect(await ask("pay B")).toMatchObject({ status: 422 });
  expect((await ask("pay A")).text).toContain("Paid A.");
});
