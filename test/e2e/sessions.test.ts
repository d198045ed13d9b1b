/** Sessions through the real processes: a Worker goes on where a killed pool left it, and old sessions go. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Config } from "@mimikit/runtime/config/config";
import { prepareHome } from "@mimikit/runtime/home/home";
import { openDisk } from "@mimikit/store/disk/disk";
import { sessionPath, summaryPath } from "@mimikit/store/disk/state";
import { ArchiveIndex } from "@mimikit/store/state-cache/archive-index";
import { expect, onTestFinished, test } from "vitest";
import { runMaintenance } from "../../apps/supervisor/src/upkeep/maintenance.ts";
import { RESUMED } from "../../packages/agent/src/kernel/conversation.ts";
import { CUT_OFF, readTurns } from "../../packages/agent/src/session/session.ts";
import { call, section } from "../support/main-job.ts";
import type { ModelRequest, Script, Step } from "../support/model-server.ts";
import { startWithModel } from "../support/start-with-model.ts";

const teller = (request: ModelRequest): Step => {
  const results = section("results", request);
  if (results !== "") return { say: `This came of it:\n\n${results}` };
  return request.turn === 0 ? call("delegate", { prompt: "do it" }) : { say: "I am on it." };
};
const planner = ({ turn }: ModelRequest): Step => (turn === 0 ? call("delegate", { prompt: "do it" }) : { say: "" });

test("a pool that is killed between two calls of a Worker: the next attempt knows of both, and repeats neither", async () => {
  const bash = (command: string) => ({ name: "bash", args: { command } });
  const worker = ({ turn, results }: ModelRequest): Step => {
    if (turn === 0) return { calls: [bash("echo one >> log; cat log")] };
    if (turn === 1) return { calls: [bash("echo two >> log; touch started; sleep 600"), bash("echo three >> log")] };
    return { say: `It goes on with ${results.length} results.` };
  };
  const { mimikit, model } = await startWithModel({ teller, planner, worker });
  await mimikit.send("do it");
  await mimikit.until("the second command", () => existsSync(join(mimikit.workDir, "started")) || undefined);
  await mimikit.kill("workers");
  await mimikit.replyWith("It goes on with 3 results.");
  await mimikit.drained();
  expect(readFileSync(join(mimikit.workDir, "log"), "utf8")).toBe("one\ntwo\n");
  const [, , resumed, ...more] = model.of("worker");
  expect(more).toEqual([]);
  expect(resumed?.messages.map(({ role }) => role)).toEqual([
    ...["system", "user", "assistant", "tool"],
    ...["assistant", "tool", "tool", "user"],
  ]);
  expect(resumed?.prompt).toContain("<M:attempt>\nattempt: 2\n</M:attempt>");
  expect(resumed?.results).toEqual(["[exit code 0]\none\n", CUT_OFF, CUT_OFF]);
  expect(resumed?.messages.at(-1)?.content).toBe(RESUMED);
  const task = (await mimikit.tasks()).find(({ role }) => role === "worker");
  const { turns, badLines } = readTurns(readFileSync(join(mimikit.home, sessionPath(task?.id ?? "")), "utf8"));
  expect(badLines).toBe(0);
  expect(turns.map(({ type }) => type)).toEqual([
    ...["prompt", "assistant", "result", "assistant"],
    ...["prompt", "assistant"],
  ]);
  const audit = readFileSync(join(mimikit.home, "log.workers.jsonl"), "utf8");
  const told = audit.split("\n").filter((line) => line.includes('"tool_call"') && line.includes('"bash"'));
  expect(told).toHaveLength(1);
  expect(JSON.parse(told[0] ?? "")).toMatchObject({
    event: "tool_call",
    durationMs: expect.any(Number),
    detail: { tool: "bash", requestId: expect.any(String), ok: true, artifact: expect.stringContaining("bash-1.txt") },
  });
});

test("the main job runs with a model that cannot call tools: by tags that nobody sees", async () => {
  const script: Script = {
    teller: (request) => {
      const results = section("results", request);
      if (results !== "") return { say: `This came of it:\n\n${results}` };
      return { say: 'I am on it.\n\n<M:create_task prompt="Say hello to the file." title="Hello" />' };
    },
    planner: ({ turn }) => (turn === 0 ? { say: '<M:delegate prompt="Say hello to the file." />' } : { say: "" }),
    worker: ({ turn, messages }) =>
      turn === 0
        ? {
            say: '<M:write_text_file path="hello.txt" content="hello &amp; goodbye" />\n<M:bash command="cat hello.txt" />',
          }
        : { say: `It says: ${/hello & goodbye/.exec(messages.at(-1)?.content ?? "")?.[0]}` },
  };
  const { mimikit, model } = await startWithModel(script, { env: { MIMIKIT_OPENAI_TOOL_CALLS: "false" } });
  const reply = await mimikit.replyTo(await mimikit.send("hello"));
  expect(reply.text).toBe("I am on it.");
  await mimikit.replyWith("It says: hello & goodbye");
  await mimikit.drained();
  expect(model.requests.every((request) => request.tools.length === 0)).toBe(true);
  expect((await mimikit.messages()).every((message) => !message.text.includes("<M:"))).toBe(true);
});

test("the sessions of ended tasks and the copies of long messages go with old scratch folders; what is open or new stays, and so do sign-ins", async () => {
  const home = mkdtempSync(join(tmpdir(), "mimikit-e2e-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  prepareHome(home);
  const week = 8 * 86_400_000;
  const old = new Date(Date.now() - week);
  for (const id of ["t-000001.0", "t-000002.0", "t-000003.0"]) {
    for (const path of [sessionPath(id), summaryPath(id), `sessions/${id}.codex.json`]) {
      writeFileSync(join(home, path), "");
      if (id !== "t-000003.0") utimesSync(join(home, path), old, old);
    }
  }
  utimesSync(join(home, "sessions/web"), old, old);
  const fs = openDisk(home, "test-1-1");
  for (const id of ["t-000001.0", "t-000003.0"]) writeFileSync(join(home, `archive/${id}.json`), "{}");
  const archiveIndex = new ArchiveIndex(fs, () => undefined);
  await archiveIndex.load();
  await runMaintenance({
    home,
    fs,
    archiveIndex,
    config: Config.parse({}),
    nowMs: Date.now(),
    namedAttachments: async () => new Set(),
    audit: () => {},
  });
  expect(readdirSync(join(home, "sessions")).sort()).toEqual([
    "t-000002.0.codex.json",
    "t-000002.0.jsonl",
    "t-000002.0.summary.md",
    "t-000003.0.codex.json",
    "t-000003.0.jsonl",
    "t-000003.0.summary.md",
    "web",
  ]);
});
