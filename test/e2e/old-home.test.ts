/**
 * A home that an earlier commit left behind goes on: test/fixtures has state directories as c22618c leaves them when it is killed,
 * with open and ended records of every kind (test/fixtures/README.md). They are restored with the real command line, and the three
 * real processes go on with them, at a time that is as far from the making of the backup as the test says, whenever it runs.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findSandbox } from "@mimikit/agent/shell/sandbox";
import { turnNumber } from "@mimikit/protocol/base/id";
import { Role } from "@mimikit/protocol/base/role";
import { TriggerRecord } from "@mimikit/protocol/records/trigger";
import type { Status, TriggerSummary } from "@mimikit/protocol/wire/api";
import { archivePath, HISTORY_PATH, queueOf } from "@mimikit/store/disk/state";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { findViolations } from "../../apps/cli/src/checks/find-violations.ts";
import { withState } from "../../apps/cli/src/instance/state.ts";
import { runCli } from "../cli/run-cli.ts";
import { Instance } from "../support/instance.ts";
import { ModelServer } from "../support/model-server.ts";
import { oldHomeScript } from "../support/old-home-script.ts";
import { git, leftIn } from "../support/user-tree.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures");
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Longer than every schedule of the homes that is due at all, and than every question is open. */
const A_YEAR_LATER_MS = 400 * DAY_MS;
/** Questions are open still, and what waits for a retry is due. */
const SOON_MS = 5 * MINUTE_MS;

const HAS_SANDBOX = "program" in (await findSandbox());

const opened: { dispose(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.dispose();
});

const History = z.object({ messages: z.array(z.object({ id: z.string(), role: z.string(), text: z.string() })) });

const namesIn = (home: string, dir: string) => readdirSync(join(home, dir)).map((name) => name.replace(/\.json$/, ""));
const read = (home: string, path: string) => readFileSync(join(home, path), "utf8");
const said = (home: string) => History.parse(JSON.parse(read(home, HISTORY_PATH))).messages;

/** The ids of all tasks that are in a queue, and of the dependent tasks that wait to be. */
function tasksIn(home: string): string[] {
  const triggers = namesIn(home, "triggers").map((name) =>
    TriggerRecord.parse(JSON.parse(read(home, `triggers/${name}.json`))),
  );
  const links = triggers.filter(({ type }) => type === "link").map(({ id }) => id);
  return [...Role.options.flatMap((role) => namesIn(home, queueOf(role))), ...links];
}

interface Resumed {
  mimikit: Instance;
  /** As they were when nothing ran yet. */
  tasks: string[];
  inbox: string[];
  messages: { id: string; text: string }[];
  /** The files that no process has a reason to write to, by their paths. */
  kept: Record<string, string>;
}

/** Settings, rules, who is signed in, files that were sent, and what was said and done in months that are over. */
const KEPT = [
  "config.yaml",
  "rules.md",
  "sessions/web",
  "attachments",
  "history/2026-09.jsonl",
  "archive/folded/2026-09.jsonl",
];

function keptIn(home: string): Record<string, string> {
  const paths = KEPT.filter((path) => existsSync(join(home, path))).flatMap((path) =>
    path.includes(".") ? [path] : readdirSync(join(home, path)).map((name) => `${path}/${name}`),
  );
  return Object.fromEntries(paths.map((path) => [path, read(home, path)]));
}

/** @param model is asked by all roles; the offline engine answers where there is none. @param laterMs after the backup was made. */
async function goOn(name: string, { laterMs, model }: { laterMs: number; model?: ModelServer }): Promise<Resumed> {
  let madeMs = 0;
  const mimikit = await Instance.start({
    hasClock: true,
    roles: [],
    env: {
      // Budgets are counted by the days of the server.
      TZ: "UTC",
      ...(model !== undefined && {
        MIMIKIT_PROVIDER: "openai",
        OPENAI_BASE_URL: model.baseUrl,
        OPENAI_API_KEY: "sk-of-the-fixture",
        MIMIKIT_MODEL: "scripted",
      }),
    },
    prepare: async (home) => {
      const place = { home, workDir: join(home, "../work") };
      const restored = await runCli(place, ["restore", "--json", join(FIXTURES, `home-c22618c-${name}.tar.gz`)]);
      expect(restored).toMatchObject({ code: 0, error: "" });
      const { manifest } = z.object({ manifest: z.object({ createdAt: z.string() }) }).parse(JSON.parse(restored.out));
      madeMs = Date.parse(manifest.createdAt);
      unbundle(place.workDir, join(FIXTURES, `home-c22618c-${name}.bundle`));
    },
  });
  opened.unshift(mimikit);
  const { home } = mimikit;
  const before = { tasks: tasksIn(home), inbox: namesIn(home, "inbox"), messages: said(home), kept: keptIn(home) };
  mimikit.setClock(madeMs + laterMs - Date.now());
  mimikit.startRole("supervisor");
  mimikit.startRole("gateway");
  // The undoing of a merge is refused where not all is well: the pool comes last.
  await mimikit.until("the supervisor and the gateway", async () => {
    const { processes } = await mimikit.api<Status>("/api/status");
    return processes.supervisor.alive === true || undefined;
  });
  mimikit.startRole("workers");
  await mimikit.ready();
  return { mimikit, ...before };
}

/** The user's repository as it was. */
function unbundle(workDir: string, bundle: string): void {
  if (!existsSync(bundle)) return;
  git(workDir, "init", "--quiet", "--initial-branch=main");
  git(workDir, "fetch", "--quiet", "--update-head-ok", bundle, "refs/heads/*:refs/heads/*");
  git(workDir, "reset", "--quiet", "--hard");
}

/** What commands have left in the workspace, in alphabetical order: each of them ran as often as it stands there. */
function ran({ workDir }: Instance): string[] {
  const path = join(workDir, "ran.txt");
  return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n").sort() : [];
}

async function answer(mimikit: Instance, id: string, text: string): Promise<void> {
  await mimikit.api(`/api/questions/${id}/answer`, { method: "POST", body: { answer: text } });
}

async function triggers(mimikit: Instance): Promise<Record<string, string | null>> {
  const { triggers: all } = await mimikit.api<{ triggers: TriggerSummary[] }>("/api/triggers");
  return Object.fromEntries(all.map(({ title, next }) => [title, next]));
}

/** How each of the tasks has ended, by its id. */
function endsOf(place: Instance, tasks: readonly string[]): Promise<Record<string, string>> {
  return withState(async ({ cache: { archiveIndex } }) => {
    const ends = await Promise.all(
      tasks.map(async (id) => {
        const { status, failureReason } = (await archiveIndex.readResult(id)) ?? { status: "not at all" };
        return [id, [status, failureReason].filter((word) => word !== undefined).join(" ")];
      }),
    );
    return Object.fromEntries(ends);
  }, place);
}

/**
 * The Teller has been told of work, and of plans that did not go well, once each; of nothing else, which is the supervisor's own.
 */
function expectReports({ mimikit, tasks }: Resumed): Promise<void> {
  return withState(async ({ cache: { archiveIndex } }) => {
    const turns = [...archiveIndex.names()].filter((id) => turnNumber(id) > 0);
    const told: string[] = [];
    for (const id of turns)
      for (const report of (await archiveIndex.readResult(id))?.task.turn?.results ?? []) told.push(report.id);
    for (const id of tasks) {
      const result = await archiveIndex.readResult(id);
      const isWork = result?.task.consumer === "teller";
      const isTold = isWork || (result?.task.role === "planner" && result.status !== "done");
      expect([id, told.filter((each) => each === id).length]).toEqual([id, isTold ? 1 : 0]);
    }
  }, mimikit);
}

/** Ends the processes, and looks whether all promises were kept. @param texts said since, each of them once. */
async function expectAllIsWell(resumed: Resumed, texts: readonly string[]): Promise<void> {
  const { mimikit, inbox, messages, kept } = resumed;
  await mimikit.stop();
  const { home } = mimikit;
  expect(namesIn(home, "quarantine")).toEqual([]);
  expect(keptIn(home)).toMatchObject(kept);
  const look = <T>(work: Parameters<typeof withState<T>>[0]) => withState(work, mimikit);
  expect((await findViolations(look)).violations).toEqual([]);

  await expectReports(resumed);

  const isDropped = (id: string) => id.startsWith("a-") && !/^a-[0-9a-f]{32}$/.test(id);
  const unsettled = await withState(
    async ({ cache }) => inbox.filter((id) => !isDropped(id) && !cache.archiveIndex.has(id)),
    mimikit,
  );
  expect(unsettled).toEqual([]);

  const now = said(home);
  const ids = messages.map(({ id }) => id);
  expect(now.map(({ id }) => id).slice(0, ids.length)).toEqual(ids);
  expect(now.slice(0, ids.length).map(({ text }) => text)).toEqual(messages.map(({ text }) => text));
  const spoken = now.filter(({ role }) => role === "user").map(({ text }) => text);
  expect(texts.map((text) => [text, spoken.filter((each) => each === text).length])).toEqual(
    texts.map((text) => [text, 1]),
  );
}

/** Is the text in the document once? */
function expectOnce(home: string, document: string, text: string): void {
  expect(read(home, document).split(text)).toHaveLength(2);
}

describe("a home with open tasks of every kind in its queues", () => {
  /** The ends that are alike for every provider. */
  const ENDS = {
    "t-000062": "done",
    "t-000059.0": "done",
    "t-000060.0": "done",
    "trg-5250578ce289d6dc27edc9ec478930c0--run-d3089847e0d05964264ec5ff3e8fadcc": "done",
    "t-000046.0.0": "done",
    "t-000046.0.1": "done",
    "t-000048.0.0": "done",
    "t-000049.0.0": "done",
    "t-000050.0.0": "done",
    "t-000050.0.1": "done",
    "t-000052.0.0": "failed cancelled",
    "t-000053.0.0": "failed cancelled",
    "t-000053.0.1": "failed cancelled",
    "t-000058.0.0": "failed error",
    "trg-2735f4903e3d343c51ce6d7dff1c0014--run-5737ab13c00db6a00248057e076740ff": "done",
    "trg-2735f4903e3d343c51ce6d7dff1c0014--run-7e842a57b696dbb96cf32bb92e11d6ea": "done",
    "imp-000003-undo-1": "done",
  };
  const RAN = ["after", "both", "held", "leap", "leap", "often", "planned", "planned-later"];
  const RAN_TOO = ["retried", "sibling-held", "skilled", "turned", "yearly", "yearly"];
  const SAID = [
    "run `echo turned >> ran.txt`",
    "Is anybody there?",
    "In a turn of its own, please.",
    "After a new beginning.",
    "Dropped as a file.",
    "and tell me when it is done",
    "and hurry",
  ];
  const STANDS = {
    leap: "2028-02-29T00:00:00.000Z",
    century: "2099-01-01T00:00:00.000Z",
    put: "2099-02-01T00:00:00.000Z",
    plants: "2099-06-01T08:00:00.000Z",
    often: null,
    rain: null,
    seen: null,
    "both of them": null,
  };

  /** Expects the outcome of users' commands that came while nothing ran. */
  async function expectCommands({ mimikit }: Resumed): Promise<void> {
    const { home, workDir } = mimikit;
    expectOnce(home, "memory.md", "The anchor is new.");
    expect(read(home, "memory.md")).not.toContain("The mast is of oak 2.");
    expectOnce(home, "backlog.md", "weigh the anchor");
    const outcomeOf = (name: string) => withState(async ({ cache }) => cache.archiveIndex.read(name), mimikit);
    expect(await outcomeOf("improve-686c12910d692388b043a20069ab6751")).toMatchObject({
      outcome: expect.stringMatching(/^refused: imp-00000[34] is under way$/),
    });
    expect(await outcomeOf("t-000056.0")).toMatchObject({ outcome: "answered", answer: "us" });
    expect(git(workDir, "log", "-1", "--format=%an %s", "main")).toBe("Mimikit undo: note the change");
    await mimikit.until("nothing left of the improvement", () => namesIn(home, "worktrees").length === 0 || undefined);
  }

  test("ends all of it where a model answers, and each of it once", async () => {
    const model = await ModelServer.start(oldHomeScript());
    opened.push({ dispose: () => model.close() });
    const resumed = await goOn("queued", { laterMs: SOON_MS, model });
    const { mimikit } = resumed;
    await answer(mimikit, "t-000047.0.0.a1.run-again", "yes");
    await answer(mimikit, "t-000051.0.0.go-on", "go on");
    await answer(mimikit, "t-000055.0", "8080");
    const isOpen = () => tasksIn(mimikit.home).length + namesIn(mimikit.home, "inbox").length > 0;
    await mimikit.until("the end of all else", () => !isOpen() || undefined);
    // Nothing runs any more that the restart would cut off.
    await answer(mimikit, "t-000057.0", "yes");
    await mimikit.until(
      "the restart",
      () => existsSync(join(mimikit.home, archivePath("t-000057.0.restarted"))) || undefined,
    );
    await mimikit.drained();
    mkdirSync(join(mimikit.workDir, "reports"));
    writeFileSync(join(mimikit.workDir, "reports/first.md"), "");
    await mimikit.until("the report to be seen", () => ran(mimikit).includes("seen") || undefined);
    await mimikit.drained();

    expect(ran(mimikit)).toEqual([...RAN, ...RAN_TOO, "asked", "behind", "rain", "seen"].sort());
    expect(await endsOf(mimikit, resumed.tasks)).toEqual({
      ...ENDS,
      "t-000047.0.0": "done",
      "t-000051.0.1": "done",
      "eval-000003": "done",
      "sum-20261114-1": "done",
      "imp-000004.work": HAS_SANDBOX ? "done" : "failed error",
    });
    expect(await triggers(mimikit)).toMatchObject(STANDS);
    const { branches } = leftIn(mimikit.workDir);
    expect(branches.includes("self-improve/imp-000004")).toBe(HAS_SANDBOX);
    expect(read(mimikit.home, "memory/summary/2026-11-14.md")).toContain("The harbour was spoken of.");
    // A compacted record is known by its id.
    for (const id of ["t-000002.0.1", "sum-20260914-1", "imp-000001-undo-1", "eval-000001"])
      expect(await mimikit.task(id)).toMatchObject({ id, state: "done" });
    await expectCommands(resumed);
    expect(model.unknown).toEqual([]);
    await expectAllIsWell(resumed, SAID);
  });

  test("ends all of it more than a year later without a model: what needs one fails, and questions have run out", async () => {
    const resumed = await goOn("queued", { laterMs: A_YEAR_LATER_MS });
    const { mimikit } = resumed;
    await mimikit.drained();
    expect(ran(mimikit)).toEqual([...RAN, ...RAN_TOO, "yearly"].sort());
    expect(await endsOf(mimikit, resumed.tasks)).toEqual({
      ...ENDS,
      "t-000047.0.0": "failed interrupted",
      "t-000051.0.1": "failed cancelled",
      "eval-000003": "failed error",
      "sum-20261114-1": "failed error",
      "imp-000004.work": "failed error",
    });
    expect(await triggers(mimikit)).toMatchObject(STANDS);
    await expectCommands(resumed);
    await expectAllIsWell(resumed, SAID);
  });
});

describe("a home whose tasks have outcomes that nobody has taken", () => {
  test.each([
    ["minutes later", SOON_MS, []],
    ["more than a year later", A_YEAR_LATER_MS, ["often"]],
  ])("takes them %s, each once", async (_, laterMs, due) => {
    const resumed = await goOn("results", { laterMs });
    const { mimikit } = resumed;
    const { home } = mimikit;
    const asked = await mimikit.until("the questions", async () => {
      const { questions } = await mimikit.api<{ questions: { id: string }[] }>("/api/questions");
      return questions.length === 3 ? questions.map(({ id }) => id) : undefined;
    });
    expect(asked.sort()).toEqual(["t-000049.0.0.go-on", "t-000053.1", "t-000053.2"]);
    await answer(mimikit, "t-000049.0.0.go-on", "stop");
    await answer(mimikit, "t-000053.1", "8080");
    await answer(mimikit, "t-000053.2", "no");
    await mimikit.drained();

    expect(ran(mimikit)).toEqual([...due, "next", "plan", "plan-next", "snow", "told"].sort());
    expect(await endsOf(mimikit, [...resumed.tasks, "imp-000004.land"])).toEqual({
      "t-000053": "done",
      "t-000050.0": "done",
      "t-000051.0": "needs_input",
      "t-000052.0": "done",
      "t-000048.0.0": "done",
      "t-000048.0.1": "done",
      "t-000049.0.0": "failed error",
      "t-000049.0.1": "failed cancelled",
      "trg-25b04bdcd25efe1684aed30b8e42c2a3--run-60a84261ab7174fedd1a54ec4b3fb445": "done",
      "eval-000003": "done",
      "sum-20261114-1": "done",
      "imp-000003-undo-1": "done",
      "imp-000004.review": "done",
      "imp-000004.land": "done",
    });
    expect(await triggers(mimikit)).toMatchObject({
      plants: "2099-06-01T08:00:00.000Z",
      often: expect.any(String),
      "every year": expect.any(String),
      snow: null,
    });
    expect(await triggers(mimikit)).not.toHaveProperty("gone");
    for (const [document, effect] of [
      ["memory.md", 3],
      ["agent_persona.md", 5],
      ["user_profile.md", 6],
      ["backlog.md", 7],
    ] as const)
      expectOnce(home, document, `<!-- t-000053.${effect} -->`);
    expect(leftIn(mimikit.workDir).branches).toContain("self-improve/imp-000004");
    const { summary, told } = await withState(async ({ cache: { archiveIndex } }) => {
      const [undo = ""] = resumed.inbox.filter((id) => id.startsWith("undo-"));
      return { summary: await archiveIndex.read("t-000046.0.0.summary"), told: await archiveIndex.read(undo) };
    }, mimikit);
    expect(summary).toMatchObject({ summary: "It counted." });
    expect(told).toMatchObject({ outcome: expect.stringMatching(/^refused: not undone: the system is not well/) });
    expect((await mimikit.messages()).filter(({ id }) => id === "t-000053.8")).toMatchObject([
      { role: "system", text: "All of it is kept." },
    ]);
    const message = resumed.inbox.find((id) => id.startsWith("m-"));
    expect((await mimikit.replies()).filter(({ answers }) => answers?.includes(message ?? ""))).toHaveLength(1);
    await expectAllIsWell(resumed, []);
  });
});

test("a new beginning that was cut off is one line, and what was said behind it is answered", async () => {
  const resumed = await goOn("cleared", { laterMs: A_YEAR_LATER_MS });
  const { mimikit } = resumed;
  await mimikit.drained();
  expect(await endsOf(mimikit, resumed.tasks)).toEqual({ "t-000002": "done" });
  const turns = (await mimikit.messages()).map(({ role, id }) => (role === "user" ? "user" : id));
  expect(turns).toEqual(["user", "t-000001.reply", "t-000002.clear", "user", "t-000003.reply"]);
  await expectAllIsWell(resumed, ["Hello, past.", "Hello, future."]);
});

test("a used-up budget is told once, and what it holds back begins when its day is over", async () => {
  const resumed = await goOn("spent", { laterMs: SOON_MS });
  const { mimikit } = resumed;
  await mimikit.replyWith("The budget of the day (2026-11-23) is used up");
  expect(ran(mimikit)).toEqual([]);
  mimikit.setClock(Date.parse("2026-11-24T08:00:00Z") - Date.now());
  await mimikit.until("the work", () => ran(mimikit).length > 0 || undefined);
  await mimikit.drained();
  expect(ran(mimikit)).toEqual(["spent"]);
  expect(await endsOf(mimikit, resumed.tasks)).toEqual({
    "t-000001": "done",
    "t-000001.0": "done",
    "t-000002": "done",
  });
  expect((await mimikit.replies()).filter(({ text }) => text.includes("is used up"))).toHaveLength(1);
  await expectAllIsWell(resumed, ["run `echo spent >> ran.txt`"]);
});
