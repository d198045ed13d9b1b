/** Memories, items, schedules and settings are undone, whoever asks, through the real processes (SPEC J3). */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BacklogEntry, ChangeView, TriggerSummary } from "@mimikit/protocol/wire/api";
import { afterEach, expect, test } from "vitest";
import { runCli } from "../cli/run-cli.ts";
import { Instance } from "../support/instance.ts";

const opened: Instance[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.dispose();
});

test("memory, backlog, triggers and settings are taken back, once, from the command line and over HTTP", async () => {
  const mimikit = await Instance.start();
  opened.push(mimikit);
  const read = (path: string) => readFileSync(join(mimikit.home, path), "utf8");
  const say = async (text: string) => mimikit.replyTo(await mimikit.send(text));
  const changes = async () => (await mimikit.api<{ changes: ChangeView[] }>("/api/changes?limit=50")).changes;
  const newest = (what: ChangeView["what"], op: ChangeView["op"]) =>
    mimikit.until(`a change: ${what} ${op}`, async () =>
      (await changes()).find((change) => change.what === what && change.op === op && change.state === "open"),
    );
  const stateOf = (id: string, state: ChangeView["state"]) =>
    mimikit.until(`${id} is ${state}`, async () =>
      (await changes()).find((change) => change.id === id && change.state === state),
    );
  const undoByApi = (id: string) => mimikit.api("/api/undo", { method: "POST", body: { id } });

  // The Teller remembers; it is undone over HTTP, and once more, which is harmless.
  await say("remember I like pnpm");
  const remembered = await newest("memory", "add");
  expect(remembered).toMatchObject({ by: "teller", title: expect.stringContaining("pnpm") });
  await undoByApi(remembered.id);
  await stateOf(remembered.id, "undone");
  await undoByApi(remembered.id);
  await mimikit.drained();
  expect(read("memory.md")).not.toContain("pnpm");

  // So is what is kept of the Teller's manner and of the user.
  for (const [target, path] of [
    ["persona", "agent_persona.md"],
    ["profile", "user_profile.md"],
  ] as const) {
    const body = { content: `short answers, for the ${target}`, target };
    const { id } = await mimikit.api<{ id: string }>("/api/memory", { method: "POST", body });
    await stateOf(id, "open");
    expect(read(path)).toContain(body.content);
    await undoByApi(id);
    await stateOf(id, "undone");
    expect(read(path)).not.toContain(body.content);
  }

  // A line that the user has edited stays, and everybody is told where it is.
  await say("remember the printer is upstairs");
  const edited = await newest("memory", "add");
  writeFileSync(join(mimikit.home, "memory.md"), read("memory.md").replace("upstairs", "downstairs"));
  expect((await runCli(mimikit, ["undo"])).error).toContain("undo one with  mimikit undo <id>");
  const line = /line \d+ of memory.md was edited since, so it was kept/;
  expect(await runCli(mimikit, ["undo", edited.id])).toMatchObject({ code: 1, error: expect.stringMatching(line) });
  await expect(undoByApi(edited.id)).rejects.toThrow(/^409 /);
  expect(read("memory.md")).toContain("downstairs");
  expect(await stateOf(edited.id, "gone")).toMatchObject({ problem: expect.stringMatching(line) });

  // A ticked-off item is open again.
  await say("backlog add write the notes");
  const added = await newest("backlog", "add");
  const done = await mimikit.api<{ id: string }>("/api/backlog", {
    method: "POST",
    body: { op: "done", item: "write the notes" },
  });
  await stateOf(done.id, "open");
  await undoByApi(done.id);
  await stateOf(done.id, "undone");
  const { items } = await mimikit.api<{ items: BacklogEntry[] }>("/api/backlog");
  expect(items).toEqual([{ number: 1, item: "write the notes", done: false }]);

  // A trigger that was made is gone; one that was deleted is there again.
  await say("every 2 hours run `npm test`");
  const triggers = async () => (await mimikit.api<{ triggers: TriggerSummary[] }>("/api/triggers")).triggers;
  const [made] = await triggers();
  const created = await newest("trigger", "create");
  await mimikit.api(`/api/triggers/${made?.id}`, { method: "PATCH", body: { title: "tests" } });
  const renamed = await newest("trigger", "change");
  await mimikit.api(`/api/triggers/${made?.id}`, { method: "DELETE" });
  const deleted = await newest("trigger", "delete");
  expect(await stateOf(renamed.id, "gone")).toMatchObject({ problem: expect.stringContaining("undo that first") });
  await mimikit.until("no trigger", async () => ((await triggers()).length === 0 ? true : undefined));
  await undoByApi(deleted.id);
  await stateOf(deleted.id, "undone");
  expect(await triggers()).toMatchObject([{ id: `trg-${deleted.id}`, title: "tests", schedule: { interval: 7_200 } }]);
  // All that was done to it before can be undone, too, where it is now.
  await stateOf(renamed.id, "open");
  await stateOf(created.id, "open");

  const { id: pausedId } = await mimikit.api<{ id: string }>(`/api/triggers/trg-${deleted.id}`, {
    method: "PATCH",
    body: { paused: true },
  });
  const paused = await stateOf(pausedId, "open");
  await undoByApi(paused.id);
  await stateOf(paused.id, "undone");
  await say("every 3 hours run `npm audit`");
  const second = await newest("trigger", "create");
  await undoByApi(second.id);
  await stateOf(second.id, "undone");
  expect(await triggers()).toMatchObject([{ id: `trg-${deleted.id}`, paused: false }]);

  // A setting that somebody edits is noticed, and can be undone like every other.
  const config = join(mimikit.home, "config.yaml");
  await mimikit.until(
    "the settings, noticed",
    () => existsSync(join(mimikit.home, "config.noticed.yaml")) || undefined,
  );
  writeFileSync(config, "retryDelaySec: 5\n");
  const set = await newest("config", "edit");
  expect(set).toMatchObject({ by: "user", title: "retryDelaySec" });
  await undoByApi(set.id);
  await stateOf(set.id, "undone");
  expect(read("config.yaml")).toBe("");
  // A user who saves is seen while saving: that is no failure, after which the next look would come late.
  expect(mimikit.output).not.toContain("config.yaml could not be recorded");

  // With everything down it is kept, and carried out at the next start; no gateway is needed for that.
  await mimikit.stop();
  const listed = JSON.parse((await runCli(mimikit, ["undo", "--json"])).out) as { changes: ChangeView[] };
  expect(listed.changes.find(({ id }) => id === added.id)).toMatchObject({ state: "open", by: "teller" });
  expect(listed.changes.filter(({ what }) => what === "config")).toHaveLength(1);
  const kept = await runCli(mimikit, ["undo", added.id]);
  expect(kept).toMatchObject({ code: 0, out: expect.stringContaining("it is undone when Mimikit runs") });
  mimikit.startRole("supervisor");
  await mimikit.until("the item, taken back", () => !read("backlog.md").includes("write the notes") || undefined);
  await mimikit.drained();
});

test("the whole history of a trigger is taken back, the newest first, also when it was deleted twice", async () => {
  const mimikit = await Instance.start();
  opened.push(mimikit);
  const triggers = async () => (await mimikit.api<{ triggers: TriggerSummary[] }>("/api/triggers")).triggers;
  const changes = async () => (await mimikit.api<{ changes: ChangeView[] }>("/api/changes?limit=50")).changes;
  const isThere = (fits: (all: TriggerSummary[]) => boolean) =>
    mimikit.until("the triggers", async () => {
      const all = await triggers();
      return fits(all) ? all : undefined;
    });
  const undoNewest = async (op: ChangeView["op"]) => {
    // Each listing says what can be undone now: the newest that is open is what a person would choose.
    const newest = await mimikit.until(`an open change: ${op}`, async () => {
      const first = (await changes()).find(({ state }) => state === "open");
      return first?.op === op ? first : undefined;
    });
    await mimikit.api("/api/undo", { method: "POST", body: { id: newest.id } });
    await mimikit.until(`${newest.id} is undone`, async () =>
      (await changes()).find(({ id, state }) => id === newest.id && state === "undone"),
    );
    return newest;
  };

  const body = { prompt: "run `true`", title: "first", interval: 7_200 };
  const { id } = await mimikit.api<{ id: string }>("/api/triggers", { method: "POST", body });
  await isThere(([one]) => one?.title === "first");
  await mimikit.api(`/api/triggers/${id}`, { method: "PATCH", body: { title: "second" } });
  await isThere(([one]) => one?.title === "second");
  await mimikit.api(`/api/triggers/${id}`, { method: "DELETE" });
  await isThere((all) => all.length === 0);

  const deleted = await undoNewest("delete");
  const [back] = await isThere(([one]) => one?.title === "second");
  expect(back?.id).toBe(`trg-${deleted.id}`);
  await mimikit.api(`/api/triggers/${back?.id}`, { method: "DELETE" });
  await isThere((all) => all.length === 0);

  await undoNewest("delete");
  await isThere(([one]) => one?.title === "second");
  await undoNewest("change");
  await isThere(([one]) => one?.title === "first");
  await mimikit.kill("supervisor");
  await undoNewest("create");
  expect(await isThere((all) => all.length === 0)).toEqual([]);
  expect((await changes()).map(({ op, state }) => [op, state])).toEqual([
    ["delete", "undone"],
    ["delete", "undone"],
    ["change", "undone"],
    ["create", "undone"],
  ]);
});
