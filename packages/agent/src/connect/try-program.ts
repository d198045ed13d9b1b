/** One small turn of an agent CLI, as the Teller's are: the program, its login, its model and our tools must all be there. */

import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { HistoryIndex } from "@mimikit/memory/search/history-index";
import { byRole } from "@mimikit/protocol/base/kind";
import { Task } from "@mimikit/protocol/records/task";
import { sentence } from "@mimikit/protocol/texts/coded";
import type { ConnectionTest } from "@mimikit/protocol/wire/connect";
import { VERSION } from "@mimikit/runtime/home/version";
import { MARK_VARIABLE, markOf } from "@mimikit/runtime/process/marked-processes";
import { TEMPORARY } from "@mimikit/store/disk/state";
import { createToolBus } from "../bus.ts";
import type { DoneEvent, FailedEvent, Run } from "../provider.ts";
import { TABLE } from "../providers/index.ts";
import { Steering } from "../steering.ts";
import { TOOLS } from "../tools/index.ts";
import type { ProviderTrial } from "./test-connection.ts";

const ROLE = "teller";
/** No task has this number. */
const TRIAL_ID = "t-000000";
const WORDS = "This only tries out whether you answer. Say: ready";
const NO_LOGIN = /\b(401|403)\b|not logged in|log in|login|authenticat|API key/i;

/** @param workDir the workspace, which is not touched. */
export async function tryProgram(trial: ProviderTrial, workDir: string, signal: AbortSignal): Promise<ConnectionTest> {
  const { id, config, environment } = trial;
  const lack = TABLE[id].missing(ROLE, config, environment);
  if (lack !== null) {
    const cause = /^(a|the) program\b/.test(lack) ? "program" : "key";
    return { models: [], problem: { cause, text: sentence("provider_lacks", { id: trial.title, lack }) } };
  }
  const { home } = environment;
  const runDir = join(home, TEMPORARY, `trial-${process.pid}-${performance.now()}`);
  await mkdir(runDir, { recursive: true, mode: 0o700 });
  try {
    const provider = await TABLE[id].create(ROLE, config, environment);
    const begun = performance.now();
    let last: DoneEvent | FailedEvent | undefined;
    for await (const event of provider.run(trialRun({ home, workDir, runDir }), signal))
      if (event.type === "done" || event.type === "failed") last = event;
    const latencyMs = Math.round(performance.now() - begun);
    if (last?.type !== "done") return { models: [], problem: problemOf(last) };
    const { model = "" } = config;
    // It was shown our tools, or it would not have begun.
    const answer = { model, latencyMs, toolCalls: true, vision: true, contextWindow: null, price: null };
    return { models: [], answer };
  } finally {
    await rm(runDir, { recursive: true, force: true });
  }
}

function problemOf(failed: FailedEvent | undefined): NonNullable<ConnectionTest["problem"]> {
  if (failed === undefined) return { cause: "program", text: sentence("test_no_word") };
  const cause = NO_LOGIN.test(failed.error) ? "key" : failed.isOutage ? "down" : failed.retryable ? "busy" : "other";
  return { cause, text: failed.error };
}

function trialRun(place: { home: string; workDir: string; runDir: string }): Run {
  const now = new Date().toISOString();
  const task = Task.parse({
    id: TRIAL_ID,
    role: ROLE,
    type: "oneshot",
    title: "a trial",
    prompt: "",
    priority: 5,
    timeoutSec: null,
    createdAt: now,
    traceId: TRIAL_ID,
    upstream: [],
    onInterrupt: "rerun",
    consumer: "teller",
    turn: { messages: [{ kind: "message", id: "m-trial", at: now, text: WORDS }], events: [], results: [] },
  });
  const said = new HistoryIndex(place.runDir).with([]);
  const context: Run["context"] = {
    now,
    origin: [],
    history: [],
    summary: "",
    rules: "",
    persona: "",
    profile: "",
    longTexts: {},
    said,
    tasks: [],
    summaries: {},
    triggers: [],
    questions: [],
    memory: [],
    recalled: [],
    memoryPlace: { home: place.runDir, workDir: place.runDir },
    skills: [],
    backlog: [],
    providers: byRole(() => "offline"),
    version: VERSION,
  };
  const onToolCall = () => undefined;
  return {
    task,
    attempt: 1,
    context,
    bus: createToolBus({ task, tools: TOOLS, reads: context, onCall: onToolCall }),
    onToolCall,
    tell: () => undefined,
    steering: new Steering(),
    sandbox: "auto",
    environment: { [MARK_VARIABLE]: markOf(place.home, TRIAL_ID, 1) },
    overBudget: () => null,
    ...place,
  };
}
