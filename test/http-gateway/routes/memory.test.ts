/** `/api/memory` and `/api/backlog`: what is remembered, and the commands that add to it. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { noteId } from "@mimikit/protocol/base/id";
import { Note } from "@mimikit/protocol/records/archive";
import { InboxCommand } from "@mimikit/protocol/records/inbox";
import type { MemoryAnswer, MemoryFiles, MemoryStatus, Status } from "@mimikit/protocol/wire/api";
import { createRecord, readRecord } from "@mimikit/store/disk/record";
import { isSigned } from "@mimikit/store/disk/sign";
import { archivePath, inboxPath } from "@mimikit/store/disk/state";
import { expect, test } from "vitest";
import { startGateway, temporaryHome } from "../gateway.ts";
import { NOON, settleTurn } from "../records.ts";

test("memory is found by what it says, and by the days and files that it is in", async () => {
  const gateway = await startGateway();
  writeFileSync(join(gateway.home, "memory/summary/2026-03.md"), "- 部署改为蓝绿发布\n");
  writeFileSync(join(gateway.home, "memory/summary/2025-03.md"), "- 部署靠手工\n");
  const search = async (query: string) => (await gateway.ask(`/api/memory/search?${query}`)).json as MemoryAnswer;
  const words = `q=${encodeURIComponent("部署")}`;
  expect(await search(`${words}&limit=1&after=2026-01-01`)).toMatchObject({
    method: "bm25",
    hits: [{ source: "memory/summary/2026-03.md", text: "部署改为蓝绿发布", score: 1 }],
  });
  expect((await search(`${words}&source=memory.md`)).hits).toEqual([]);
  for (const query of ["", "q=", "q=x&limit=0", "q=x&limit=51", "q=x&after=spring", "q=x&surprise=1"])
    expect((await gateway.ask(`/api/memory/search?${query}`)).status, query).toBe(400);
  const stranger = { headers: { Authorization: "Bearer nobody" } };
  expect((await gateway.ask("/api/memory/search?q=x", stranger)).status).toBe(401);
});

test("the status of memory says what there is, and what was said since the last note", async () => {
  const gateway = await startGateway();
  writeFileSync(join(gateway.home, "memory.md"), "- one\n");
  for (const n of [1, 2, 3]) {
    const { id } = (await gateway.post("/api/input", { text: `message ${n}` })).json as { id: string };
    await settleTurn(gateway.fs, n, [id], "noted");
  }
  const status = async () => (await gateway.ask("/api/memory/status")).json as MemoryStatus;
  expect(await status()).toMatchObject({
    sources: [{ source: "memory.md", files: 1, bytes: 6 }],
    newestNote: null,
    unarchived: 6,
    index: { files: 1, units: 1 },
  });
  const note = { kind: "note", number: 1, at: NOON, fromTurn: 1, throughTurn: 2, isFlush: false } as const;
  await createRecord(gateway.fs, Note, archivePath(noteId(1)), { ...note, id: noteId(1), path: "memory/a.md" });
  expect(await status()).toMatchObject({ unarchived: 2 });
});

test("memory is listed file by file, and read by name and by nothing else", async () => {
  const gateway = await startGateway();
  writeFileSync(join(gateway.home, "memory.md"), "- one\n");
  writeFileSync(join(gateway.home, "user_profile.md"), "- 短\n");
  for (const name of ["2026-03-01.md", "2026-03-02.md", "secret.txt"])
    writeFileSync(join(gateway.home, "memory", name), `- ${name}\n`);
  writeFileSync(join(gateway.home, "memory/2026-02-01.md"), "x".repeat(1_048_577));
  symlinkSync(join(gateway.home, "secrets/token"), join(gateway.home, "memory/2026-03-03.md"));
  const { files } = (await gateway.ask("/api/memory/files")).json as MemoryFiles;
  expect(files.map(({ name }) => name)).toEqual([
    "user_profile.md",
    "memory.md",
    "memory/2026-03-02.md",
    "memory/2026-03-01.md",
    "memory/2026-02-01.md",
  ]);
  const read = (name: string) => gateway.ask(`/api/memory/file?${new URLSearchParams({ name })}`);
  expect((await read("user_profile.md")).json).toEqual({ ...files[0], bytes: 6, text: "- 短\n" });
  expect((await read("memory/2026-03-01.md")).json).toMatchObject({ text: "- 2026-03-01.md\n" });
  const others = ["memory/2026-03-03.md", "memory/2026-02-01.md", "memory/secret.txt", "secrets/token"];
  for (const name of [...others, "memory/../secrets/token", "/etc/passwd", "memory", "\0"])
    expect((await read(name)).status, name).toBe(404);
  expect((await gateway.ask("/api/memory/file")).status).toBe(400);
});

test("memory that cannot be read is a problem that the status names", async () => {
  const gateway = await startGateway();
  rmSync(join(gateway.home, "memory"), { recursive: true });
  const problems = async () => ((await gateway.ask("/api/status")).json as Status).problems.join();
  expect(await problems()).not.toContain("memory");
  // It is there again, as each directory of the state.
  rmSync(join(gateway.home, "memory"), { recursive: true });
  writeFileSync(join(gateway.home, "memory"), "");
  expect(await problems()).toContain("memory/ cannot be read, so searches do not find its content");
});

test("what is to be written down is a signed command, once for each key", async () => {
  const gateway = await startGateway();
  const remember = { content: "we deploy on Thursdays", longTerm: true };
  const key = { headers: { "Idempotency-Key": "k" } };
  const first = await gateway.post("/api/memory", remember, key);
  expect(first.status).toBe(202);
  expect((await gateway.post("/api/memory", remember, key)).json).toEqual(first.json);
  const second = await gateway.post("/api/backlog", { op: "add", item: "notes" }, key);
  const idOf = ({ json }: typeof first) => (json as { id: string }).id;
  const added = await readRecord(gateway.fs, InboxCommand, inboxPath(idOf(first)));
  const edited = await readRecord(gateway.fs, InboxCommand, inboxPath(idOf(second)));
  expect(added).toMatchObject({ kind: "memory-add", ...remember });
  expect(edited).toMatchObject({ kind: "backlog-edit", op: "add", item: "notes" });
  const third = await gateway.post("/api/memory/edit", { document: "memory.md", entry: "tea", to: "milk" }, key);
  const changed = await readRecord(gateway.fs, InboxCommand, inboxPath(idOf(third)));
  expect(changed).toMatchObject({ kind: "memory-edit", document: "memory.md", entry: "tea", to: "milk" });
  for (const command of [added, edited, changed])
    expect(command !== null && isSigned(gateway.token, command)).toBe(true);
  for (const [path, body] of [
    ["/api/memory", {}],
    ["/api/memory", { content: "x".repeat(2_001) }],
    ["/api/memory", { content: "x", target: "passwd" }],
    ["/api/backlog", { op: "burn", item: "x" }],
    ["/api/backlog", { op: "add", item: "" }],
    ["/api/backlog", { op: "add", item: " \n " }],
    ["/api/memory", { content: " " }],
    ["/api/memory/edit", { document: "config.yaml", entry: "x" }],
    ["/api/memory/edit", { document: "memory/../secrets/token.md", entry: "x" }],
    ["/api/memory/edit", { document: "memory.md", entry: "" }],
    ["/api/memory/edit", { document: "memory.md", entry: "x", to: " " }],
  ] as const)
    expect((await gateway.post(path, body)).status).toBe(400);
});

test("the backlog is what its file says", async () => {
  const home = temporaryHome();
  const gateway = await startGateway({ home });
  expect((await gateway.ask("/api/backlog")).json).toEqual({ items: [] });
  writeFileSync(join(home, "backlog.md"), "# Mine\n- [ ] first <!-- t-1.0 -->\n\n* [X] second\n");
  expect((await gateway.ask("/api/backlog")).json).toEqual({
    items: [
      { number: 1, item: "first", done: false },
      { number: 2, item: "second", done: true },
    ],
  });
  rmSync(join(home, "backlog.md"));
  mkdirSync(join(home, "backlog.md"));
  expect((await gateway.ask("/api/backlog")).status).toBe(503);
});
