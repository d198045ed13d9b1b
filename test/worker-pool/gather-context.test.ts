import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { triggerOf } from "@mimikit/core/triggers/triggers";
import { HistoryIndex } from "@mimikit/memory/search/history-index";
import { byRole } from "@mimikit/protocol/base/kind";
import { EndedTrigger, ResultSummary } from "@mimikit/protocol/records/archive";
import { Question } from "@mimikit/protocol/records/question";
import { Result, reportOf } from "@mimikit/protocol/records/result";
import { Task } from "@mimikit/protocol/records/task";
import { TriggerRecord } from "@mimikit/protocol/records/trigger";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { createRecord } from "@mimikit/store/disk/record";
import {
  archivePath,
  BACKLOG_PATH,
  MEMORY_PATH,
  PERSONA_PATH,
  PROFILE_PATH,
  questionPath,
  queuePath,
  RULES_PATH,
  resultPath,
  triggerPath,
} from "@mimikit/store/disk/state";
import { DOCUMENT_BYTES_MAX } from "@mimikit/store/documents/document";
import { unreadableDocuments } from "@mimikit/store/documents/unreadable-documents";
import { ArchiveIndex } from "@mimikit/store/state-cache/archive-index";
import { StateCache } from "@mimikit/store/state-cache/state-cache";
import { HistoryWindow } from "@mimikit/store/views/history";
import { describe, expect, test } from "vitest";
import { writeHistory } from "../../apps/supervisor/src/views/history-view.ts";
import { gatherContext } from "../../apps/worker-pool/src/run/gather-context.ts";
import { OpenTasks } from "../../apps/worker-pool/src/run/open-tasks.ts";
import { OwnerRules } from "../../apps/worker-pool/src/run/owner-rules.ts";
import { done, message, NOON, NOON_MS, task, turn } from "../core/facts.ts";
import { temporaryState } from "../store/home.ts";

const HOUR_MS = 3_600_000;
const client = { timeZone: "Asia/Shanghai", now: "2026-11-22T20:00:00+08:00" };
const asked = turn("t-000001", { messages: [{ ...message("m-a", "tomorrow at nine"), client }] });

async function gather(path: string, nowMs: number) {
  const { fs, home } = temporaryState();
  await createRecord(fs, Result, path, done(asked, { effects: [{ type: "reply", text: "On it." }] }));
  const cache = new StateCache(fs, { token: "token", durable: false, onBadArchive: () => undefined });
  await cache.archiveIndex.load();
  await cache.refresh(nowMs);
  const providers = byRole(() => "offline");
  return gatherContext(task("t-000001.0"), home, {
    home,
    workDir: home,
    fs,
    cache,
    openTasks: new OpenTasks(cache),
    conversation: new HistoryWindow(fs, cache.archiveIndex),
    said: new HistoryIndex(home),
    rules: new OwnerRules(fs, () => undefined),
    providers,
    listSkills: async () => [],
    zone: () => ({ timeZone: "Australia/Sydney", isSetting: false }),
    nowMs: () => nowMs,
  });
}

test.each([
  ["is settled", archivePath(asked.id)],
  ["is not settled yet", resultPath("teller", asked.id)],
])("a plan is told the user's own words, and the user's clock, when its turn %s", async (_, path) => {
  const context = await gather(path, NOON_MS);
  expect(context).toMatchObject({
    now: NOON,
    origin: [{ id: "m-a", text: "tomorrow at nine" }],
    client,
    zone: { timeZone: "Australia/Sydney" },
  });
});

test("work that runs long after its message has the place of the user's clock, and the time of now", async () => {
  const { client: later } = await gather(archivePath(asked.id), NOON_MS + 30 * HOUR_MS);
  expect(later).toEqual({ timeZone: "Asia/Shanghai", now: "2026-11-24T02:00:00+08:00" });
});

test("a conversation that began anew is all that a run is told", async () => {
  const { fs, home } = temporaryState();
  const clear = { kind: "clear" as const, id: "clear-1", at: NOON, mac: "seal" };
  const turns = [asked, turn("t-000002", { clear }), turn("t-000003", { messages: [message("m-b", "anew")] })];
  for (const each of turns) await createRecord(fs, Result, archivePath(each.id), done(each));
  const cache = new StateCache(fs, { token: "token", durable: false, onBadArchive: () => undefined });
  await cache.archiveIndex.load();
  const providers = byRole(() => "offline");
  const next = turn("t-000004", { messages: [message("m-c")] });
  const { history } = await gatherContext(next, home, {
    home,
    workDir: home,
    fs,
    cache,
    openTasks: new OpenTasks(cache),
    conversation: new HistoryWindow(fs, cache.archiveIndex),
    said: new HistoryIndex(home),
    rules: new OwnerRules(fs, () => undefined),
    providers,
    listSkills: async () => [],
    nowMs: () => NOON_MS,
  });
  expect(history.map(({ text }) => text)).toEqual(["anew"]);
});

/** A state with these turns applied, and what a run is told in it. */
async function stateWith(...turns: Result[]) {
  const { fs, home } = temporaryState();
  for (const each of turns) await createRecord(fs, Result, archivePath(each.id), each);
  const cuts: number[] = [];
  const rules = new OwnerRules(fs, (chars) => cuts.push(chars));
  const told = async (of: Task, runDir = home) => {
    const cache = new StateCache(fs, { token: "token", durable: false, onBadArchive: () => undefined });
    await cache.archiveIndex.load();
    const providers = byRole(() => "offline");
    const said = new HistoryIndex(home);
    const conversation = new HistoryWindow(fs, cache.archiveIndex);
    const listSkills = async () => [];
    const sources = {
      home,
      workDir: home,
      fs,
      cache,
      openTasks: new OpenTasks(cache),
      conversation,
      said,
      rules,
      providers,
      listSkills,
      nowMs: () => NOON_MS,
    };
    return gatherContext(of, runDir, sources);
  };
  return { fs, home, cuts, told };
}

const next = turn("t-000009", { messages: [message("m-z")] });

test("what a message quotes is told with it, also where the conversation has begun anew since", async () => {
  const clear = { kind: "clear" as const, id: "clear-1", at: NOON, mac: "seal" };
  const { told } = await stateWith(done(asked), done(turn("t-000002", { clear })));
  const quoting = turn("t-000003", { messages: [{ ...message("m-c"), quote: "m-a" }, message("m-d")] });
  const { history, quoted } = await told(quoting);
  expect(history).toEqual([]);
  expect(quoted).toEqual({ "m-a": "tomorrow at nine" });
  expect((await told(next)).quoted).toBeUndefined();
});

test("a conversation that was compressed is told as its summary, and whole from that turn on", async () => {
  const turns = [
    done(asked, { effects: [{ type: "reply", text: "On it." }] }),
    done(turn("t-000002", { messages: [message("m-b", "compress this")] }), {
      effects: [
        { type: "reply", text: "Done." },
        { type: "compress_context", summary: "At nine." },
      ],
    }),
    done(turn("t-000003", { messages: [message("m-c", "and then?")] })),
  ];
  // However far history.json has come, it says the same.
  for (let seen = 0; seen <= turns.length; seen++) {
    const { told, fs } = await stateWith(...turns.slice(0, seen));
    const archiveIndex = new ArchiveIndex(fs, () => undefined);
    await archiveIndex.load();
    await writeHistory(fs, archiveIndex);
    for (const each of turns.slice(seen)) await createRecord(fs, Result, archivePath(each.id), each);
    const { summary, history } = await told(next);
    expect(summary).toBe("At nine.");
    expect(history.map(({ text }) => text)).toEqual(["compress this", "Done.", "and then?"]);
    expect(await fs.exists("sessions/chat.summary.md")).toBe(seen >= 2);
  }
  const clear = { kind: "clear" as const, id: "clear-1", at: NOON, mac: "seal" };
  const cleared = await stateWith(...turns, done(turn("t-000004", { clear })));
  expect(await cleared.told(next)).toMatchObject({ summary: "", history: [] });
});

test("a role is told the owner's rules as they are, who it is and who the user is, without what is commented out", async () => {
  const { told, home } = await stateWith();
  writeFileSync(join(home, RULES_PATH), "Be honest. <!-- always -->\n");
  writeFileSync(join(home, PERSONA_PATH), "- calm <!-- t-000001.0 -->\n<!--\n- nervous\n-->\n");
  writeFileSync(join(home, PROFILE_PATH), "- lives in Kiel\n");
  expect(await told(next)).toMatchObject({
    rules: "Be honest. <!-- always -->\n",
    persona: "- calm",
    profile: "- lives in Kiel",
  });
});

test("rules that are too long are reported once, until they are changed", async () => {
  const { told, home, cuts } = await stateWith();
  const write = (chars: number) => writeFileSync(join(home, RULES_PATH), "x".repeat(chars));
  write(4_000);
  await told(next);
  expect(cuts).toEqual([]);
  write(4_001);
  await told(next);
  await told(next);
  expect(cuts).toEqual([4_001]);
  write(4_002);
  await told(next);
  expect(cuts).toEqual([4_001, 4_002]);
});

test("without its rules, where they are there and cannot be read, no task is run, and a turn says so and begins nothing", async () => {
  const { told, home } = await stateWith();
  mkdirSync(join(home, RULES_PATH));
  await expect(told(task("t-000001.0"))).rejects.toThrow("rules.md: not a regular file");
  const { rules } = await told(next);
  expect(rules).toContain("rules.md: not a regular file");
  expect(rules).toContain("start and change nothing");
});

const ODD: readonly (readonly [string, string, (path: string) => void])[] = [
  ["a directory", "not a regular file", (path) => mkdirSync(path)],
  ["a link to nowhere", "not a regular file", (path) => symlinkSync("/nowhere/at/all", path)],
  ["a link to a device", "not a regular file", (path) => symlinkSync("/dev/zero", path)],
  ["a pipe", "not a regular file", (path) => void execFileSync("mkfifo", [path])],
  [
    "too long",
    `longer than ${DOCUMENT_BYTES_MAX} bytes`,
    (path) => {
      writeFileSync(path, "");
      truncateSync(path, DOCUMENT_BYTES_MAX + 1);
    },
  ],
];
const OPTIONAL = [PERSONA_PATH, PROFILE_PATH, MEMORY_PATH, BACKLOG_PATH];

test.each(ODD)(
  "a document that is %s is left out of a turn, which names it, and it is a problem",
  async (_what, reason, make) => {
    const { told, home, fs } = await stateWith();
    for (const path of OPTIONAL) make(join(home, path));
    const { unread, persona, backlog } = await told(next);
    expect(unread?.toSorted()).toEqual(OPTIONAL.map((path) => `${path}: ${reason}`).sort());
    expect([persona, backlog]).toEqual(["", []]);
    expect(await unreadableDocuments(fs)).toEqual(OPTIONAL.map((path) => ({ path, reason, stopsTasks: false })));
  },
);

describe("a long message", () => {
  const paste = `${"字".repeat(8_000)}?`;
  const sha256 = createHash("sha256").update(paste).digest("hex");
  const long = turn("t-000001", { messages: [message("m-a", paste), message("m-b", "short")] });

  test("is in a file as a whole, made once, for its owner alone", async () => {
    const { told, home } = await stateWith();
    for (const _ of ["first", "again"]) {
      const { longTexts } = await told(long);
      expect(longTexts).toEqual({ "m-a": `attachments/${sha256}.txt` });
    }
    const path = join(home, "attachments", `${sha256}.txt`);
    expect(readFileSync(path, "utf8")).toBe(paste);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(home, "attachments"))).toHaveLength(1);
  });

  test("is in a file as well where only several are too long together", async () => {
    const { told } = await stateWith();
    const texts = ["a".repeat(5_000), "b".repeat(3_001), "c".repeat(2_600), "short"];
    const messages = (...of: number[]) => of.map((i) => message(`m-${i}`, texts[i] ?? ""));
    const namesOf = async (...of: number[]) =>
      Object.keys((await told(turn("t-000001", { messages: messages(...of) }))).longTexts);
    expect(await namesOf(0, 2, 3)).toEqual([]);
    expect(await namesOf(0, 1, 3)).toEqual(["m-0", "m-1"]);
  });

  test("is in the folder of a Worker's run, under the same name", async () => {
    const { told, home } = await stateWith(done(long));
    const runDir = join(home, "runs/t-000001.0.0.a1");
    mkdirSync(runDir);
    const path = join(runDir, "inputs", `${sha256}.txt`);
    expect((await told(task("t-000001.0.0"), runDir)).longTexts).toEqual({ "m-a": path });
    expect(readFileSync(path, "utf8")).toBe(paste);
    expect((await told(task("t-000001.0"), runDir)).longTexts).toEqual({ "m-a": `attachments/${sha256}.txt` });
  });
});

test("what a task has handed in is told as its summary, where the Teller has made one", async () => {
  const { told, fs } = await stateWith();
  const id = "t-000001.0.0";
  const record = { kind: "result-summary" as const, id: `${id}.summary`, at: NOON, taskId: id, summary: "Fine." };
  await createRecord(fs, ResultSummary, archivePath(record.id), record);
  const upstream = [id, "t-000001.0.1"].map((each) => reportOf(done(task(each))));
  expect((await told(task("t-000001.0.2", { upstream }))).summaries).toEqual({ [id]: "Fine." });
});

test("what has not ended has no summary, and none is looked for", async () => {
  const { home, fs: disk } = temporaryState();
  const asked: string[] = [];
  const fs: FileSystem = {
    ...disk,
    read: (path, bytesMax) => {
      asked.push(path);
      return disk.read(path, bytesMax);
    },
  };
  const ids = Array.from({ length: 20 }, (_, k) => `t-000001.0.${k}`);
  for (const id of ids) await createRecord(fs, Task, queuePath("worker", id), task(id));
  const cache = new StateCache(fs, { token: "token", durable: false, onBadArchive: () => undefined });
  await cache.archiveIndex.load();
  await cache.refresh(NOON_MS);
  const providers = byRole(() => "offline");
  const rules = new OwnerRules(fs, () => undefined);
  const said = new HistoryIndex(home);
  const conversation = new HistoryWindow(fs, cache.archiveIndex);
  const listSkills = async () => [];
  const sources = {
    home,
    workDir: home,
    fs,
    cache,
    openTasks: new OpenTasks(cache),
    conversation,
    said,
    rules,
    providers,
    listSkills,
    nowMs: () => NOON_MS,
  };
  expect((await gatherContext(next, home, sources)).tasks).toHaveLength(20);
  expect(asked.filter((path) => path.endsWith(".summary.json"))).toEqual([]);
});

test("what stands to start later and what was asked is told, the newest first; what is over is not", async () => {
  const { fs, home } = temporaryState();
  const at = (minute: number) => new Date(NOON_MS + minute * 60_000).toISOString();
  const storedTrigger = (id: string, minute: number) =>
    triggerOf(
      id,
      { order: { prompt: "x".repeat(1_000) }, when: { type: "recurring", schedule: { interval: 60 } } },
      { createdAt: at(minute), traceId: id, depth: 0, target: "teller" },
    );
  const triggers = [
    storedTrigger("trg-1", 1),
    { ...storedTrigger("trg-1", 1), version: 2, paused: true },
    storedTrigger("trg-2", 2),
  ];
  const ended = storedTrigger("trg-3", 3);
  for (const each of [...triggers, ended])
    await createRecord(fs, TriggerRecord, triggerPath(each.id, each.version), each);
  const over = { kind: "trigger" as const, id: ended.id, at: at(4), outcome: "deleted" as const, trigger: ended };
  await createRecord(fs, EndedTrigger, archivePath(ended.id), over);
  const question = (id: string, minute: number) => ({
    id,
    at: at(minute),
    expiresAt: at(minute + 60),
    question: "Which?",
    options: [],
    purpose: { type: "teller" as const },
    traceId: "t-000001",
  });
  for (const each of [question("t-000001.0", 1), question("t-000001.1", 2)])
    await createRecord(fs, Question, questionPath(each.id), each);
  const cache = new StateCache(fs, { token: "token", durable: false, onBadArchive: () => undefined });
  await cache.archiveIndex.load();
  await cache.refresh(NOON_MS);
  const providers = byRole(() => "offline");
  const rules = new OwnerRules(fs, () => undefined);
  const said = new HistoryIndex(home);
  const conversation = new HistoryWindow(fs, cache.archiveIndex);
  const listSkills = async () => [];
  const sources = {
    home,
    workDir: home,
    fs,
    cache,
    openTasks: new OpenTasks(cache),
    conversation,
    said,
    rules,
    providers,
    listSkills,
    nowMs: () => NOON_MS,
  };
  const told = await gatherContext(turn("t-000002", { messages: [message("m-b")] }), home, sources);
  expect(told.triggers.map(({ id, paused, next }) => [id, paused, next])).toEqual([
    ["trg-2", false, at(3)],
    ["trg-1", true, null],
  ]);
  expect(told.questions.map(({ id }) => id)).toEqual(["t-000001.1", "t-000001.0"]);
});

describe("the origin of work", () => {
  const turnSaying = (n: number, text: string, more: Partial<Result> = {}) =>
    done(turn(`t-00000${n}`, { messages: [message(`m-${n}`, text)] }), {
      effects: [{ type: "reply", text: "ok" }],
      ...more,
    });
  const orders = [{ type: "delegate" as const, prompt: "do it" }];
  const first = turnSaying(1, "clean up my Downloads", { effects: orders });
  const waiting = reportOf(done(task("t-000001.0"), { status: "needs_input", question: "Which?" }));
  const asks = done(turn("t-000002", { results: [waiting] }), { effects: [{ type: "ask_user", question: "Which?" }] });
  const answered = {
    kind: "event" as const,
    id: "t-000002.0.answered",
    at: NOON,
    name: "question_answered" as const,
    text: "",
    data: { questionId: "t-000002.0", question: "Which?", answer: "the old ones", wishId: "a-1", about: waiting },
  };

  test("is all that the user said since its first message, also where an event caused the turn", async () => {
    const added = turnSaying(3, "oh, and keep the photos");
    const other = turnSaying(4, "write a poem", { effects: orders });
    const next = done(turn("t-000005", { events: [answered] }), { effects: orders });
    const { told } = await stateWith(first, asks, added, other, next);
    const { origin } = await told(task("t-000005.0", { traceId: "t-000002" }));
    expect(origin.map(({ text }) => text)).toEqual([
      "clean up my Downloads",
      "oh, and keep the photos",
      "the old ones",
    ]);
    expect(origin.at(-1)).toMatchObject({ id: "a-1", quote: "t-000002.0" });
  });

  test("is also what was said before the turn that a result caused", async () => {
    const report = reportOf(done(task("t-000001.0.0", { role: "worker" })));
    const added = turnSaying(2, "wait, put Lisbon in front");
    const next = done(turn("t-000003", { results: [report] }), { effects: orders });
    const { told } = await stateWith(first, added, next);
    const { origin } = await told(task("t-000003.0", { traceId: "t-000001" }));
    expect(origin.map(({ text }) => text)).toEqual(["clean up my Downloads", "wait, put Lisbon in front"]);
  });

  test("of a trigger's work is what made the trigger, not what was said since", async () => {
    const { told } = await stateWith(first, turnSaying(2, "hello"), turnSaying(3, "hi"));
    const { origin } = await told(task("trg-1--1", { role: "planner", traceId: "t-000001", triggerId: "trg-1" }));
    expect(origin.map(({ text }) => text)).toEqual(["clean up my Downloads"]);
  });
});

test("an ended task is told by the gist of its result and the files that are there", async () => {
  const letter = task("t-000001.0.0", { role: "worker" });
  const said = done(turn("t-000002", { results: [reportOf(done(letter))] }), {
    effects: [{ type: "reply", text: "The letter is there." }],
  });
  const { home, fs, told } = await stateWith(said);
  writeFileSync(join(home, "letter.md"), "Dear Ms. Krueger");
  const result = { text: "It is in letter.md; gone.md is not there." };
  await createRecord(fs, Result, archivePath(letter.id), done(letter, { resultType: "text", result }));
  const { endings } = await told(turn("t-000003", { messages: [message("m-c")] }));
  expect(endings).toEqual({ "t-000001.0.0": { gist: result.text, paths: ["letter.md"] } });
});
