/**
 * A run on an agent CLI. Every question to it is a process of its own in one thread: first the prompt, then what the user
 * says meanwhile, then at most one correction. Never throws: a failure is the last event.
 */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ROLES } from "@mimikit/protocol/base/kind";
import type { Steer } from "@mimikit/protocol/base/signal";
import { addUsage, NO_USAGE, type Usage } from "@mimikit/protocol/base/usage";
import { isTurn } from "@mimikit/protocol/records/task";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import type { StreamLine } from "@mimikit/protocol/wire/stream";
import { MARK_VARIABLE } from "@mimikit/runtime/process/marked-processes";
import { type Conclusion, conclude, describeUseless } from "../../conclusion/conclusion.ts";
import { describeTool } from "../../kernel/describe-tool.ts";
import { renderPrompt } from "../../prompt/prompt.ts";
import { lines, record } from "../../prompt/quote.ts";
import { shownIn } from "../../prompt/shown-memory.ts";
import { shorten } from "../../prompt/tokens.ts";
import { type DoneEvent, type FailedEvent, type ProviderEvent, type Run, stopReason } from "../../provider.ts";
import { isResumable } from "../../roles/index.ts";
import { summarizeTalk } from "../../session/summarize-talk.ts";
import { copySkills } from "../../skills/skills.ts";
import { NO_EXTERNAL } from "../../tools/external.ts";
import { toolsOf } from "../../tools/index.ts";
import type { AgentCli, AnsweredCall, CliAsk, CliEvent, CliFailure } from "./agent-cli.ts";
import { CliAnswer } from "./answer.ts";
import { openPoolSocket, type PoolSocket } from "./mcp/pool-socket.ts";
import { writeToolsFile } from "./mcp/tools-file.ts";
import { runCli, withoutSecrets } from "./run-cli.ts";
import { Scribe } from "./scribe.ts";
import { stageCalls } from "./stage-calls.ts";
import { readThread, removeThread, type ThreadRecord, writeThread } from "./thread-record.ts";
import { UnusableCli } from "./version.ts";
import { ProcessWatch } from "./watch.ts";

const SYSTEM_FILE = "system.md";
const TOOLS_FILE = "tools.json";
/** In the folder of the run, below the only part of it that codex shows its commands. */
const SKILLS_DIR = "tmp/skills";
const STEP_CHARS_MAX = 200;

const INTERRUPTED =
  "An earlier attempt of this task was cut off. This thread is what is left of it. A part may be done: look before you repeat a step, then finish. This is the task again:";
const STEERED =
  "The user says this now. It counts before what was asked earlier. Only your last message is handed on: let it say all that still counts:";
const CUT_OFF = "Cut off by this, and not done to its end:";
const STAGED = "You were cut off. These calls of yours count already; do not repeat them:";

/** A CLI that does not get as far as a request is started so often in one run. */
const STARTS_MAX = 4;

/** Runs a task with the CLI. */
export async function* runAgentCli(run: Run, cli: AgentCli, signal: AbortSignal): AsyncGenerator<ProviderEvent> {
  const agentRun = new AgentRun(run, cli, signal);
  try {
    yield* agentRun.run();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // Where there is no CLI to ask, nothing is wrong with the task; else it was the disk or a prompt file.
    const isUnusable = error instanceof UnusableCli;
    yield agentRun.failed({
      error: message,
      retryable: true,
      isOutage: isUnusable,
      ...(isUnusable && { cause: "program" }),
    });
  }
}

type Failure = CliFailure & Partial<Pick<FailedEvent, "failureReason">>;

class AgentRun {
  private readonly runs: Run;
  private readonly cli: AgentCli;
  private readonly signal: AbortSignal;
  private readonly scribe: Scribe;
  private usage: Usage = NO_USAGE;
  private thread: ThreadRecord | null = null;
  /** The calls that are staged on the bus, in the order of their ids. */
  private readonly staged: AnsweredCall[] = [];
  /** The last text that was not empty. */
  private said = "";
  private isShown = false;
  /** Secrets that no message may repeat, though an endpoint may repeat what it was sent. */
  private secrets: readonly string[] = [];
  /** Where our server hands on the calls of these tools, which the pool makes and notes itself. */
  private socket: PoolSocket | null = null;
  private readonly external: ReadonlySet<string>;

  constructor(run: Run, cli: AgentCli, signal: AbortSignal) {
    this.runs = run;
    const { tools, offered } = run.external ?? NO_EXTERNAL;
    this.external = new Set([...tools, ...offered].map(({ name }) => name));
    this.cli = cli;
    this.signal = signal;
    this.scribe = new Scribe((told) => run.tell(told));
  }

  async *run(): AsyncGenerator<ProviderEvent> {
    try {
      const last = yield* this.converse();
      await this.leaveThread(last);
      yield last;
    } finally {
      this.socket?.close();
    }
  }

  failed(failure: Failure): FailedEvent {
    const { retryable, isOutage = false, wasTooLong = false, failureReason = "provider", cause } = failure;
    const { waits = false, retryAfterMs } = failure;
    const wait = { ...(waits && { waits }), ...(retryAfterMs !== undefined && { retryAfterMs }) };
    const { host } = this.cli;
    const error = withoutSecrets(failure.error, this.secrets);
    const why = { ...(cause !== undefined && { cause }), ...(cause !== undefined && host !== undefined && { host }) };
    const flags = { ...why, ...wait, ...(isOutage && { isOutage }), ...(wasTooLong && { wasTooLong }) };
    return { type: "failed", failureReason, error, retryable, ...flags, usage: this.usage };
  }

  /** Asks until there is something to hand in, or a reason why there is not. */
  private async *converse(): AsyncGenerator<StreamLine, DoneEvent | FailedEvent> {
    const { task, runDir, bus, steering } = this.runs;
    const { system, user } = await renderPrompt(await this.withReadableSkills(), undefined, (history, summary) =>
      summarizeTalk({ history, summary }),
    );
    const systemPath = join(runDir, SYSTEM_FILE);
    await writeFile(systemPath, system, { mode: 0o600 });
    const hasTools = toolsOf(task.role).length > 0 || this.external.size > 0;
    const toolsPath = hasTools ? join(runDir, TOOLS_FILE) : null;
    if (this.external.size > 0) this.socket = await openPoolSocket(bus, this.external);

    this.thread = await this.earlierThread();
    const news = this.runs.gate?.news ?? null;
    const asked = news === null ? user : `${user}\n\n${news}`;
    let words = this.thread === null ? asked : `${INTERRUPTED}\n\n${asked}`;
    let mayBeginAnew = this.thread !== null;
    let isCorrected = false;
    let startsLeft = STARTS_MAX;
    for (;;) {
      words = withSteers(words, steering.take());
      if (toolsPath !== null) await this.writeTools(toolsPath);
      if (this.signal.aborted) return this.stopped();
      const socketPath = this.socket?.path ?? null;
      const threadId = this.thread?.threadId ?? null;
      const ask = { run: this.runs, system, systemPath, toolsPath, socketPath, threadId };
      const answer = yield* this.ask(ask, words);
      if (this.signal.aborted) return this.stopped();
      const problem = answer.problem ?? (await this.stage(answer.calls));
      if (problem !== null) return this.failed({ ...problem, error: `${this.cli.name}: ${problem.error}` });
      if (this.runs.gate?.asked != null)
        return this.failed({ failureReason: "needs_approval", error: "waits for the owner", retryable: true });
      if (answer.isInterrupted) {
        if (this.thread !== null) words = answer.describeOpen(CUT_OFF);
        mayBeginAnew = this.thread !== null;
        continue;
      }
      if (answer.failure !== null) {
        if (answer.failure.isUnasked === true && --startsLeft > 0) continue;
        if (answer.failure.isThreadGone !== true || !mayBeginAnew) return this.failed(answer.failure);
        mayBeginAnew = false;
        this.thread = null;
        words = withSteers(withStaged(asked, this.staged), steering.taken);
        continue;
      }
      // An end that was made before the user spoke is not the end.
      words = withSteers("", steering.take());
      if (words !== "") continue;
      const conclusion = conclude(task, answer.text, bus.effects);
      if ("event" in conclusion) return { ...conclusion.event, usage: this.usage };
      if (isCorrected) return this.giveUp(conclusion);
      isCorrected = true;
      words = conclusion.problem;
    }
  }

  /** A Worker reads skills with the CLI's own tools: those of the state directory are put where it can. */
  private async withReadableSkills(): Promise<Run> {
    const { runs } = this;
    if (!ROLES[runs.task.role].hasWorkspace) return runs;
    const skills = await copySkills(runs.context.skills, runs.home, join(runs.runDir, SKILLS_DIR));
    return { ...runs, context: { ...runs.context, skills } };
  }

  private stopped(): FailedEvent {
    const error = `stopped while ${this.cli.name} was at work`;
    return this.failed({ failureReason: stopReason(this.signal), error, retryable: true });
  }

  /** The CLI was told once what is wrong with its end. An earlier answer of a Teller is better than nothing. */
  private giveUp({ otherwise }: Extract<Conclusion, { problem: string }>): DoneEvent | FailedEvent {
    if (otherwise !== undefined) return { ...otherwise, usage: this.usage };
    if (isTurn(this.runs.task) && this.said !== "")
      return { type: "done", status: "done", text: this.said, usage: this.usage };
    const error = `${this.cli.name} ${describeUseless(this.runs.task)}`;
    return this.failed({ failureReason: "invalid_result", error, retryable: false });
  }

  /** One question, and what came of it. Passes on what the user may watch. */
  private async *ask(ask: CliAsk, words: string): AsyncGenerator<StreamLine, CliAnswer> {
    const { cli, runs, signal } = this;
    const command = await cli.command(ask);
    this.secrets = command.secrets;
    const answer = new CliAnswer(ask.threadId);
    const watch = new ProcessWatch(answer, cli.idleMs, signal, runs.steering);
    const read = cli.createReader(ask);
    const said = shorten(words, cli.inputCharsMax, (char) => char.length);
    runs.bus.show(shownIn(said, runs));
    const process = runCli(
      {
        ...command,
        input: (await cli.input?.(ask, said)) ?? said,
        mark: runs.environment[MARK_VARIABLE],
      },
      watch.stop,
    );
    try {
      for (;;) {
        const next = await process.next();
        if (next.done === true) {
          answer.end(next.value, watch, cli);
          break;
        }
        for (const event of read(next.value)) {
          answer.add(event);
          watch.look();
          if (answer.problem === null) yield* this.pass(event);
        }
      }
    } finally {
      watch.end();
      await process.return({ stderr: "", unreadable: 0 });
    }
    return answer;
  }

  /** Passes an event to those who watch, and to the record of the thread. */
  private *pass(event: CliEvent): Generator<StreamLine> {
    this.scribe.add(event);
    switch (event.type) {
      case "thread":
        if (this.thread?.threadId !== event.id) this.note({ threadId: event.id, usage: NO_USAGE });
        return;
      case "completed":
        return this.count(event.usage);
      case "used":
        if (!this.external.has(event.record.tool)) this.runs.onToolCall(event.record);
        return;
      case "began":
      case "progress":
        if (event.step !== "") yield { type: "progress", step: beginningOf(event.step, STEP_CHARS_MAX) };
        return;
      case "delta":
        yield* this.show(event.text, event.isFirst);
        return;
      case "said":
        if (event.text.trim() !== "") this.said = event.text.trim();
        if (event.isShown !== true) yield* this.show(event.text, true);
        return;
      case "ended":
      case "called":
      case "trouble":
      case "broken":
        return;
      default:
        event satisfies never;
    }
  }

  /** Intermediate text of other roles is not streamed. */
  private *show(text: string, isFirst: boolean): Generator<StreamLine> {
    if (!isTurn(this.runs.task) || text === "") return;
    yield { type: "delta", text: isFirst && this.isShown ? `\n\n${text}` : text };
    this.isShown = true;
  }

  private count(usage: Usage): void {
    const { thread, cli } = this;
    const before = thread?.usage ?? NO_USAGE;
    const added = cli.countsThread ? difference(usage, before) : usage;
    this.usage = addUsage(this.usage, added);
    if (thread !== null) this.note({ ...thread, usage: addUsage(before, added) });
  }

  private async stage(calls: readonly AnsweredCall[]): Promise<CliFailure | null> {
    const { bus, task } = this.runs;
    const ours = calls.filter(({ tool }) => !this.external.has(tool));
    const staging = await stageCalls(ours, task.id, bus);
    if ("problem" in staging) return { error: staging.problem, retryable: true };
    this.staged.push(...staging.staged);
    return null;
  }

  private async writeTools(path: string): Promise<void> {
    const { task, context } = this.runs;
    const { now, client, zone, said, tasks, summaries, triggers, questions, skills, pools, memoryPlace } = context;
    const { endings, steps } = context;
    const calls = this.staged.map(({ tool, input }) => ({ tool, input }));
    await writeToolsFile(path, {
      task,
      reads: { now, client, zone, tasks, summaries, endings, steps, triggers, questions, skills, pools, memoryPlace },
      newest: [...said.newest],
      calls,
      ...this.externalTools(),
    });
  }

  private externalTools() {
    if (this.socket === null) return {};
    const tools = (this.runs.external ?? NO_EXTERNAL).offered.map(describeTool);
    return { external: { socket: this.socket.path, tools } };
  }

  /** Only a Worker goes on with what an earlier attempt began: an effect of a dead attempt must not be believed done. */
  private async earlierThread(): Promise<ThreadRecord | null> {
    return isResumable(this.runs.task) && this.runs.attempt > 1 ? await readThread(this.threadPlace) : null;
  }

  private note(thread: ThreadRecord): void {
    this.thread = thread;
    if (isResumable(this.runs.task)) writeThread(this.threadPlace, thread);
  }

  /** A thread that is not continued leaves nothing behind. */
  private async leaveThread(last: DoneEvent | FailedEvent): Promise<void> {
    const { thread, cli } = this;
    if (thread === null || (isResumable(this.runs.task) && last.type === "failed")) return;
    if (isResumable(this.runs.task)) await removeThread(this.threadPlace);
    await cli.forget(thread.threadId);
  }

  private get threadPlace() {
    return { home: this.runs.home, taskId: this.runs.task.id, cli: this.cli.name };
  }
}

function withSteers(words: string, steers: readonly Steer[]): string {
  if (steers.length === 0) return words;
  const said = lines(...steers.map(({ id, at, text }) => record({ id, at }, text)));
  return [words, `${STEERED}\n<M:meanwhile>\n${said}\n</M:meanwhile>`].filter((part) => part !== "").join("\n\n");
}

function withStaged(words: string, calls: readonly AnsweredCall[]): string {
  if (calls.length === 0) return words;
  const made = lines(...calls.map(({ tool, input }) => record({ tool, input: JSON.stringify(input) })));
  return `${words}\n\n${STAGED}\n<M:calls>\n${made}\n</M:calls>`;
}

function difference(total: Usage, before: Usage): Usage {
  const less = (name: keyof Usage) => Math.max(0, total[name] - before[name]);
  return {
    inputTokens: less("inputTokens"),
    cachedTokens: less("cachedTokens"),
    outputTokens: less("outputTokens"),
    costUsd: less("costUsd"),
  };
}
