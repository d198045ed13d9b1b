/** A state directory in which something of everything has happened: what routes tell of it has most of its fields. */

import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { KINDS } from "@mimikit/protocol/base/kind";
import { UndoableChange } from "@mimikit/protocol/records/change";
import { Result } from "@mimikit/protocol/records/result";
import type { Conditional, Scheduled } from "@mimikit/protocol/records/trigger";
import { createRecord } from "@mimikit/store/disk/record";
import { archivePath, changePath, runPath, transcriptPath } from "@mimikit/store/disk/state";
import { recordUsage } from "../../apps/worker-pool/src/usage-file.ts";
import type { Started } from "./gateway.ts";
import {
  archive,
  ask,
  claim,
  failAttempt,
  finish,
  NOON,
  queue,
  recurringOf,
  resultOf,
  settleTurn,
  stand,
  taskOf,
  wait,
} from "./records.ts";

export const FILE = Buffer.from("a file\n");
const USAGE = { inputTokens: 100, cachedTokens: 60, outputTokens: 7, costUsd: 0.5 };

/** Its content, by the names that the API has for it. */
export const LIVED_IN = {
  ended: "t-000001.0",
  queued: "t-000001.1",
  question: "t-000001.4",
  recurring: "trg-recurring",
  scheduled: "trg-scheduled",
  conditional: "trg-conditional",
  change: "memory-1",
} as const;

/** Below the home: what the ended task printed. */
export const OUTPUT = `${runPath(LIVED_IN.ended, 2)}/output.txt`;

/** Fills the home of a gateway. @returns the id of an attachment. */
export async function liveIn(gateway: Started): Promise<string> {
  const upload = { method: "POST", body: FILE, headers: { "Content-Type": "text/plain" } };
  const attachment = ((await gateway.ask("/api/attachments", upload)).json as { id: string }).id;
  await converse(gateway, attachment);
  await work(gateway);
  await plan(gateway);
  await improve(gateway);
  await writeDocuments(gateway);
  return attachment;
}

async function converse(gateway: Started, attachment: string): Promise<void> {
  const first = await gateway.post("/api/input", {
    text: "water the plants",
    client: { timeZone: "Europe/Berlin", now: NOON },
    attachments: [{ id: attachment, name: "plants.txt" }],
  });
  await settleTurn(gateway.fs, 1, [(first.json as { id: string }).id], "I water them", [
    { type: "notify", text: "the plants are dry", title: "Plants" },
    { type: "delegate", prompt: "water them" },
  ]);
  const event = { kind: "event", id: "ev-1", at: NOON, name: "restarted", text: "started anew", data: {} } as const;
  const turn = { messages: [], events: [event], results: [] };
  const second = taskOf("t-000002", { role: "teller", consumer: "supervisor", prompt: "", turn });
  const reply = { type: "reply", text: "I am back" } as const;
  const shown = [
    { source: "user_profile.md", text: "likes cats", always: true as const },
    { source: "memory.md", text: "the cat is grey", at: "2026-11-20" },
  ];
  const answer = resultOf(second, { effects: [reply], shown, usage: USAGE, provider: "offline" });
  await createRecord(gateway.fs, Result, archivePath(second.id), answer);
  await gateway.post("/api/input", { text: "and the cat", mode: "next", quote: "t-000001" });
  await gateway.post("/api/steer", { text: "not too much" });
}

async function work({ fs, home }: Started): Promise<void> {
  const result = { text: "the plants are dry" };
  const report = {
    id: "t-000000.0",
    title: "look",
    role: "worker",
    status: "done",
    resultType: "text",
    result,
  } as const;
  const told = { parentId: "t-000001", priority: 7, upstream: [report] };
  const ended = await queue(fs, taskOf(LIVED_IN.ended, told));
  await claim(fs, ended);
  await failAttempt(fs, ended);
  const said = { type: "said", at: NOON, text: "Watered." };
  appendFileSync(join(home, transcriptPath(ended.id)), `${JSON.stringify(said)}\n`);
  await claim(fs, ended, 2);
  const artifact = join(home, OUTPUT);
  mkdirSync(dirname(artifact));
  writeFileSync(artifact, FILE);
  const call = { type: "call", at: NOON, id: "1", tool: "edit_text_file" };
  const input = JSON.stringify({ path: "plants.txt", oldText: "dry", newText: "wet" });
  const output = { type: "output", at: NOON, id: "1", ok: true, text: "edited plants.txt" };
  for (const line of [{ ...call, input }, output])
    appendFileSync(join(home, transcriptPath(ended.id)), `${JSON.stringify(line)}\n`);
  const handedIn = { text: "a file", artifact };
  await archive(
    fs,
    await finish(fs, ended, { result: handedIn, attempts: 2, startedAt: NOON, usage: USAGE, provider: "openai" }),
  );
  await queue(fs, taskOf(LIVED_IN.queued));
  await claim(fs, await queue(fs, taskOf("t-000001.2")));
  const failed = await queue(fs, taskOf("t-000001.3"));
  await finish(fs, failed, { status: "failed", result: null, failureReason: "timeout", error: "too slow" });
  await wait(fs, taskOf("t-000001.5"), LIVED_IN.queued);
  await ask(fs, LIVED_IN.question, { options: ["yes", "no"], default: "yes" });
  recordUsage(home, {
    at: new Date().toISOString(),
    taskId: ended.id,
    attempt: 2,
    role: "worker",
    provider: "openai",
    ...USAGE,
    tools: { bash: { calls: 2, failed: 1, ms: 10 } },
  });
}

async function plan({ fs }: Started): Promise<void> {
  const fired = { outcome: "fired", id: LIVED_IN.ended, at: NOON } as const;
  const skipped = {
    outcome: "skipped",
    id: "s-1",
    from: NOON,
    to: NOON,
    count: null,
    reason: "nobody was there",
  } as const;
  const recurring = recurringOf(LIVED_IN.recurring, { budget: { costUsd: 1 }, recent: [fired, skipped] });
  await stand(fs, recurring);
  const { schedule: _, last: __, missed, ...common } = recurring;
  const runAt = "2126-11-21T12:00:00+08:00";
  await stand<Scheduled>(fs, { ...common, id: LIVED_IN.scheduled, type: "scheduled", runAt, missed });
  await stand<Conditional>(fs, {
    ...common,
    id: LIVED_IN.conditional,
    type: "conditional",
    parentId: "t-000001",
    condition: {
      type: "and",
      conditions: [
        { type: "not", condition: { type: "file_exists", params: { path: "dry" } } },
        { type: "llm_eval", params: { prompt: "Does it rain?" } },
      ],
    },
    cooldownSec: 60,
    evidence: { baselines: {}, evaluations: { 1: { number: 1, result: false, at: NOON } } },
    isArmed: true,
    fired: 0,
  });
}

/** An improvement that was reviewed and is on a branch of its own. */
async function improve({ fs }: Started): Promise<void> {
  const found = { found: true, kind: "docs", title: "a typo", prompt: "mend it", why: "it is wrong" } as const;
  const check = { command: "npm test", ended: "exit code 0", isPassed: true, output: "ok", artifact: "check.txt" };
  const files = [{ path: "README.md", action: "modified" }];
  const change = { base: "a1", commit: "b2", files, diff: "-teh\n+the\n", checks: [check], said: "mended" };
  const review = { pass: true, reasons: ["it is right now"] };
  const landing = { outcome: "branch", branch: "self-improve/imp-000001", commit: "b2", note: "not merged" } as const;
  const steps = [
    { id: "imp-000001", step: "look", resultType: "finding", result: found },
    { id: "imp-000001.work", step: "work", resultType: "change", result: change, improve: { found } },
    { id: "imp-000001.review", step: "review", resultType: "review", result: review, improve: { found, change } },
    { id: "imp-000001.land", step: "land", resultType: "landing", result: landing, improve: { found, change, review } },
  ] as const;
  for (const { id, step, resultType, result, ...rest } of steps) {
    const known = "improve" in rest ? rest.improve : {};
    const { role } = KINDS[`improve-${step}`];
    const task = taskOf(id, { role, consumer: "supervisor", improve: { number: 1, step, ...known } });
    await createRecord(fs, Result, archivePath(id), resultOf(task, { resultType, result, usage: USAGE }));
  }
}

async function writeDocuments({ fs, home }: Started): Promise<void> {
  const id = LIVED_IN.change;
  await createRecord(fs, UndoableChange, changePath(id), {
    kind: "change",
    id,
    at: NOON,
    by: "user",
    title: "the plants",
    what: "memory",
    op: "add",
    document: "memory.md",
    text: `- the plants want water <!-- ${id} -->`,
  });
  writeFileSync(join(home, "memory.md"), `- the plants want water <!-- ${id} -->\n`);
  writeFileSync(join(home, "memory/2026-11-20-plants.md"), "- the plants are green\n");
  writeFileSync(join(home, "memory/summary/2026-10.md"), "- the plants were bought\n");
  writeFileSync(join(home, "backlog.md"), "- [ ] repot the plants\n- [x] buy soil\n");
  const line = { timestamp: NOON, seq: 1, actor: "supervisor", event: "task_queued", previousHash: "" };
  writeFileSync(join(home, "log.jsonl"), `${JSON.stringify({ ...line, taskId: LIVED_IN.queued, detail: { a: 1 } })}\n`);
  mkdirSync(join(home, "skills/water"), { recursive: true });
  writeFileSync(join(home, "skills/water/SKILL.md"), "---\nname: water\ndescription: how to water\n---\nSlowly.\n");
  mkdirSync(join(home, "skills/none"));
  writeFileSync(join(home, "skills/none/SKILL.md"), "no front matter\n");
}
