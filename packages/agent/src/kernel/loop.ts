/**
 * The tool loop (SPEC I1): the model is shown the conversation, its calls go through the Tool Bus, their answers go back,
 * until it calls nothing more. It always comes to an end: by what the model says, by a limit, by a reason to stop. Never
 * throws: a failure is the last event.
 */
import { addUsage, NO_USAGE, type Usage } from "@mimikit/protocol/usage";
import type { ToolAnswer } from "../bus.ts";
import { type FailedEvent, type ProviderEvent, type Run, stopReason } from "../provider.ts";
import { ToolText } from "../tool-text.ts";
import { conclude } from "./conclusion.ts";
import { Conversation } from "./conversation.ts";
import { describeTool } from "./describe-tool.ts";
import { type Limits, limitsOf } from "./limits.ts";
import type { Model, ModelAnswer, ModelFailure, ToolCall } from "./model.ts";
import { Repetition } from "./repetition.ts";
import { CALLS_KEPT_MAX, planRound, replayable } from "./round.ts";
import { type Toolset, toolsetOf } from "./toolset.ts";
import { Trace } from "./trace.ts";

const STEP_CHARS_MAX = 200;
const LAST_ANSWER = "You cannot call anything more in this run. End now, with what you have; say what is left to do.";
const TRUNCATED = "\n\n[truncated]";

export interface Kernel {
  model: Model;
  /** What a request may have, in tokens: the model's window without what is reserved for its answer. */
  tokensMax: number;
}

/** Runs a task with a model. */
export async function* runKernel(run: Run, kernel: Kernel, signal: AbortSignal): AsyncGenerator<ProviderEvent> {
  const loop = new Loop(run, kernel, signal);
  try {
    yield* loop.run();
  } catch (error) {
    // The disk or a prompt file, not the model: what concerns the model is an answer.
    yield loop.failed({ error: error instanceof Error ? error.message : String(error), retryable: true });
  }
}

/** Why a run ends without a result. */
type Failure = Pick<FailedEvent, "error" | "retryable"> & Partial<Pick<FailedEvent, "failureReason">>;

class Loop {
  private readonly task: Run["task"];
  private readonly input: Run;
  private readonly kernel: Kernel;
  private readonly signal: AbortSignal;
  private readonly limits: Limits;
  private readonly toolset: Toolset;
  private readonly trace: Trace;
  private readonly repetition = new Repetition();
  private usage: Usage = NO_USAGE;
  private callsMade = 0;
  /** The last text of the model that was not empty. */
  private said = "";
  private isShown = false;
  /** Each of these helps once in a run, or not at all. */
  private hasFallenBack = false;
  private hasHalved = false;

  constructor(run: Run, kernel: Kernel, signal: AbortSignal) {
    this.task = run.task;
    this.input = run;
    this.kernel = kernel;
    this.signal = signal;
    this.limits = limitsOf(run.task.role);
    this.toolset = toolsetOf(run, signal);
    this.trace = new Trace(run.runDir);
  }

  async *run(): AsyncGenerator<ProviderEvent> {
    const { limits, task } = this;
    const tools = this.toolset.tools.map(describeTool);
    const conversation = await Conversation.open(this.input, tools, this.kernel.tokensMax);
    let mayCall = true;
    let isCorrected = false;
    for (let round = 1; ; round++) {
      if (mayCall && (round > limits.rounds || this.callsMade >= limits.callsTotal)) {
        mayCall = false;
        conversation.add({ role: "user", content: LAST_ANSWER });
      }
      const answer = yield* this.ask(conversation, round, mayCall);
      if (answer.type === "failure") return yield this.failedBy(answer);
      if (mayCall && answer.calls.length > 0) {
        const stop = yield* this.call(answer, conversation);
        if (stop !== null) return yield this.failed(stop);
        continue;
      }
      const text = answer.isTruncated && answer.text !== "" ? `${answer.text}${TRUNCATED}` : answer.text;
      const conclusion = conclude(task, text, this.toolset.bus.effects);
      if ("event" in conclusion) return yield { ...conclusion.event, usage: this.usage };
      if (isCorrected) return yield this.giveUp(conclusion.problem);
      isCorrected = true;
      await this.trace.note({ event: "retry", reason: "correction", retry: 1, detail: conclusion.problem });
      conversation.add({ role: "assistant", content: text, calls: [] });
      conversation.add({ role: "user", content: conclusion.problem });
    }
  }

  failed(failure: Failure): FailedEvent {
    return { type: "failed", failureReason: "provider", ...failure, usage: this.usage };
  }

  private failedBy({ kind, message }: ModelFailure): FailedEvent {
    if (kind === "aborted") return this.stopped(message);
    return this.failed({ error: message, retryable: kind === "unavailable" });
  }

  private stopped(error: string): FailedEvent {
    return this.failed({ failureReason: stopReason(this.signal), error, retryable: true });
  }

  /** The model was told once what is wrong with its end. What a Teller said earlier is better than nothing. */
  private giveUp(problem: string): ProviderEvent {
    if (this.task.role === "teller" && this.said !== "")
      return { type: "done", status: "done", text: this.said, usage: this.usage };
    return this.failed({
      failureReason: "invalid_result",
      error: `the model was told in vain: ${problem}`,
      retryable: false,
    });
  }

  /** One answer of the model. Where the endpoint refuses what it was sent, it is sent less, once (SPEC I6). */
  private async *ask(
    conversation: Conversation,
    round: number,
    mayCall: boolean,
  ): AsyncGenerator<ProviderEvent, ModelAnswer | ModelFailure> {
    for (;;) {
      const answer = yield* this.stream(conversation, mayCall);
      if (answer.type === "answer") {
        const { isTruncated, usage } = answer;
        const calls = answer.calls.slice(0, CALLS_KEPT_MAX);
        const { inputTokens, outputTokens } = usage;
        await this.trace.note({ event: "answer", round, calls: calls.length, isTruncated, inputTokens, outputTokens });
        this.usage = addUsage(this.usage, usage);
        const text = answer.text.trim();
        if (text !== "") this.said = text;
        return { ...answer, text, calls };
      }
      if (answer.kind === "not_found" && round === 1 && !this.hasFallenBack) {
        this.hasFallenBack = true;
        await this.trace.note({ event: "retry", reason: "404_fallback", retry: 1, detail: answer.message });
        await conversation.dropContext();
      } else if (answer.kind === "overflow" && !this.hasHalved) {
        this.hasHalved = true;
        await this.trace.note({ event: "retry", reason: "overflow", retry: 1, detail: answer.message });
        await conversation.halve();
      } else return answer;
      yield { type: "progress", step: answer.message.slice(0, STEP_CHARS_MAX) };
    }
  }

  /** The user watches a Teller speak; what others say on the way is nobody's. */
  private async *stream(
    conversation: Conversation,
    mayCall: boolean,
  ): AsyncGenerator<ProviderEvent, ModelAnswer | ModelFailure> {
    const isWatched = this.task.role === "teller";
    let isBegun = false;
    for await (const event of this.kernel.model.ask(conversation.request(mayCall), this.signal)) {
      if (event.type === "answer" || event.type === "failure") return event;
      if (event.type === "retry") {
        await this.trace.note({ event: "retry", reason: "unavailable", retry: event.retry, detail: event.message });
        yield { type: "progress", step: event.message.slice(0, STEP_CHARS_MAX) };
        isBegun = false;
      } else if (isWatched && event.text !== "") {
        yield { type: "delta", text: !isBegun && this.isShown ? `\n\n${event.text}` : event.text };
        isBegun = true;
        this.isShown = true;
      }
    }
    return { type: "failure", kind: "unavailable", message: "the model ended without an answer" };
  }

  /** Makes the calls of one answer, one after the other, and answers every one. Returns why the run must stop, or null. */
  private async *call(answer: ModelAnswer, conversation: Conversation): AsyncGenerator<ProviderEvent, Failure | null> {
    conversation.add({ role: "assistant", content: answer.text, calls: answer.calls.map(replayable) });
    const planned = planRound(answer, this.callsMade, this.limits);
    for (const each of planned) {
      const { call } = each;
      if ("refused" in each) {
        conversation.add({ role: "tool", callId: call.id, content: each.refused });
        continue;
      }
      const circles = this.repetition.noteCall(call.name, each.input);
      if (circles !== null) return { failureReason: "error", error: circles, retryable: false };
      yield { type: "progress", step: describeCall(call, each.input) };
      const result = await this.make(call, each.input);
      if (this.signal.aborted) return this.stopped("stopped while a tool ran");
      conversation.add({ role: "tool", callId: call.id, content: result.content });
      const stuck = this.repetition.noteEnd(result.error);
      if (stuck !== null) return { failureReason: "error", error: stuck, retryable: false };
    }
    // Of an answer without a single call that can be made, the first says what is wrong with it.
    const [first] = planned;
    const isInVain = planned.every((each) => "refused" in each);
    const stuck = isInVain && first !== undefined && "refused" in first ? this.repetition.noteEnd(first.refused) : null;
    return stuck === null ? null : { failureReason: "error", error: stuck, retryable: false };
  }

  private async make(call: ToolCall, input: unknown): Promise<{ content: string; error: string | null }> {
    this.callsMade++;
    const startMs = performance.now();
    const answer = await this.toolset.bus.call(call.name, input, { requestId: call.id });
    const text = answer.ok ? ToolText.safeParse(answer.data).data : undefined;
    await this.trace.note({
      event: "call",
      tool: call.name.slice(0, STEP_CHARS_MAX),
      requestId: call.id.slice(0, STEP_CHARS_MAX),
      ok: answer.ok,
      ...(!answer.ok && { errorCode: answer.code }),
      durationMs: Math.round(performance.now() - startMs),
      ...(text?.artifact !== undefined && { artifact: text.artifact }),
    });
    if (!answer.ok) return { content: describeRefusal(answer), error: `${call.name}: ${answer.message}` };
    return { content: text?.text ?? JSON.stringify(answer.data), error: null };
  }
}

function describeRefusal({ code, message }: Extract<ToolAnswer, { ok: false }>): string {
  return JSON.stringify({ error: { code, message } });
}

/** `bash: npm test`: what is being done, for those who watch. */
function describeCall({ name }: ToolCall, input: unknown): string {
  const [first] = typeof input === "object" && input !== null ? Object.values(input) : [];
  const detail = typeof first === "string" ? `: ${first.replace(/\s+/g, " ")}` : "";
  return `${name}${detail}`.slice(0, STEP_CHARS_MAX);
}
