/**
 * Runs one attempt of a task with its provider and makes of it what the pool publishes. Any behaviour of a provider
 * gives an outcome: it never throws, and a turn that the user began always has a reply (SPEC G4).
 */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { brokenOff, failureNotice, planLimitNotice, restartWords } from "@mimikit/core/views/notices";
import { problemWords } from "@mimikit/core/views/problem-words";
import type { AskedCall } from "@mimikit/protocol/approvals/approval";
import type { ProviderProblem } from "@mimikit/protocol/base/cause";
import type { FailureReason } from "@mimikit/protocol/base/failure";
import { PLAN_NOTE_CHARS_MAX } from "@mimikit/protocol/base/fields";
import { childId } from "@mimikit/protocol/base/id";
import { KINDS } from "@mimikit/protocol/base/kind";
import type { Steer } from "@mimikit/protocol/base/signal";
import { NO_USAGE, type Usage } from "@mimikit/protocol/base/usage";
import { type Effect, REPLY_CHARS_MAX } from "@mimikit/protocol/records/effect";
import { RESULT_SCHEMAS, RESULT_TEXT_CHARS_MAX, type Result, type ResultType } from "@mimikit/protocol/records/result";
import type { ShownMemory } from "@mimikit/protocol/records/shown-memory";
import { isTurn, type Task, type TurnInput } from "@mimikit/protocol/records/task";
import { describeIssues } from "@mimikit/protocol/texts/issues";
import { beginningOf, endOf } from "@mimikit/protocol/texts/whole-characters";
import type { StreamLine } from "@mimikit/protocol/wire/stream";
import { createToolBus } from "../bus.ts";
import { type DoneEvent, type FailedEvent, type Provider, type Run, stopReason } from "../provider.ts";
import type { Answerers } from "../providers/index.ts";
import { definitionOf } from "../roles/index.ts";
import { TOOLS } from "../tools/index.ts";
import type { Circuits, ProviderVerdict, Trouble } from "./circuit.ts";
import { compress } from "./compress.ts";

/** A provider that goes on for this long after it was told to stop is left behind. */
export const STOP_MS_MAX = 7_000;
/** The file that keeps a text which is too long for its result. */
export const TEXT_FILE = "text.txt";

/** A result of any other type than text that is longer than this as JSON is refused. */
export const RESULT_JSON_CHARS_MAX = 200_000;

const ERROR_CHARS_MAX = 1_000;
const QUESTION_CHARS_MAX = 4_000;
const STEP_CHARS_MAX = 200;
const CUT = "\n\n[truncated]";

/** The data that the pool needs to publish a result, or to plan another attempt. */
export interface RunOutcome {
  status: Result["status"];
  resultType: ResultType;
  /** Shaped by `resultType`; null where there is none. */
  result: unknown;
  error?: string;
  failureReason?: FailureReason;
  /** The provider that did not answer, and the reason, if that was the problem. */
  problem?: ProviderProblem;
  question?: string;
  /** Whether the same task may succeed later (SPEC C4). Never for a turn: the user waits for it, and is told. */
  retryable: boolean;
  /** No provider could be reached: the task stays open until one can (SPEC G4). */
  isOutage?: boolean;
  /** The call that it waits for a yes to: it goes on when there is an answer (SPEC I10). */
  asks?: AskedCall;
  /** Something that it started still runs, and could not be found to be ended. */
  hasLeft?: boolean;
  effects: Effect[];
  /** Turns that are done: what of memory the model was shown. */
  shown?: readonly ShownMemory[];
  /** The user's steering messages, as far as the provider took them. */
  steers: readonly Steer[];
  usage: Usage;
  provider: string;
  /** The name of the model, where it is known: its price is found under it. */
  model?: string;
}

export interface AttemptOptions extends Omit<Run, "bus" | "overBudget"> {
  /** The providers: the first, and those that follow if it cannot be reached. */
  answerers: Answerers;
  circuits: Circuits;
  /** Milliseconds of a clock that never jumps. */
  monotonicMs(): number;
  /** Receives what the user sees before the result. */
  onStream: (line: StreamLine) => void;
  /** As for a run; the model that was asked has its price. */
  overBudget(usage: Usage, model: string | undefined): string | null;
}

/**
 * Runs the task to its end, or until `signal` aborts; `stopReason` says how to abort. A provider that cannot be reached
 * is skipped (SPEC M), as long as nothing has been done yet. Never throws.
 */
export async function runTask(attempt: AttemptOptions, signal: AbortSignal): Promise<RunOutcome> {
  const { task, circuits, monotonicMs } = attempt;
  const { providers, problems } = attempt.answerers;
  const unreached: Trouble[] = problems.map((error) => ({ error }));
  let spent: Spent = { usage: NO_USAGE, provider: providers[0] };
  for (const provider of providers) {
    const tell = circuits.enter(provider, monotonicMs());
    if (tell === null) {
      unreached.push(circuits.troubleOf(provider, monotonicMs()));
      continue;
    }
    if (unreached.length > 0)
      attempt.onStream({ type: "progress", step: stepOf(`${provider.name} takes over: ${errorsOf(unreached)}`) });
    const ran = await runWith(provider, attempt, signal, () => tell("answering", monotonicMs()));
    const { last, effects } = ran;
    const trouble = troubleOf(last, provider);
    tell(verdictOf(ran), monotonicMs(), trouble);
    const isLast = provider === providers.at(-1) || !ran.isUntouched;
    if (last.type !== "failed" || !isHandedBack(last, task, isLast)) {
      const asks = attempt.gate?.asked ?? null;
      if (asks !== null && !signal.aborted) return waiting(asks, last, provider, attempt);
      const outcome = { ...(await conclude(last, effects, provider, attempt)), ...withProblem(trouble) };
      if (!isTurn(task)) return helped(outcome);
      const turn = answered(outcome, ran, task.turn);
      const { memory } = ran;
      return {
        ...turn,
        effects: compress(turn.effects, attempt.context, last.wasTooLong === true),
        ...(turn.status === "done" && memory.length > 0 && { shown: memory }),
      };
    }
    unreached.push(trouble);
    spent = { usage: last.usage, provider };
    // A run that has begun is not continued by another provider, which knows nothing of it: that is for the next attempt.
    if (!ran.isUntouched) break;
  }
  return nobodyAnswered(unreached, spent, attempt);
}

/**
 * Is the task left to another provider, or to a later attempt? A user is told of a wait whose end is known; of one without,
 * the turn ends, if nobody else may answer.
 */
function isHandedBack({ isOutage, waits, retryAfterMs }: FailedEvent, task: Task, isLast: boolean): boolean {
  if (isOutage === true) return true;
  return waits === true && (retryAfterMs !== undefined || !isTurn(task) || !isLast);
}

/** The cost before it broke off, and its provider. */
interface Spent {
  usage: Usage;
  provider: Provider | undefined;
}

/** No provider could be reached: no answer is made up, and the task stays open (SPEC G4). */
function nobodyAnswered(
  unreached: readonly Trouble[],
  { usage, provider }: Spent,
  { task, steering }: AttemptOptions,
): RunOutcome {
  return {
    status: "failed",
    failureReason: "provider",
    error: beginningOf(errorsOf(unreached), ERROR_CHARS_MAX),
    ...withProblem(unreached.find(({ problem }) => problem !== undefined)),
    retryable: true,
    isOutage: true,
    resultType: KINDS[task.kind].results[0],
    result: null,
    effects: [],
    steers: [...steering.taken],
    usage,
    provider: provider?.name ?? "nobody",
    ...(provider?.model !== undefined && { model: provider.model }),
  };
}

/** However the run ended after it asked, it is not over: the next attempt begins with the answer. */
function waiting(
  asks: AskedCall,
  { usage }: Last,
  { name, model }: Provider,
  { task, steering }: AttemptOptions,
): RunOutcome {
  return {
    status: "failed",
    failureReason: "needs_approval",
    error: `waits for a yes to ${asks.tool}`,
    asks,
    retryable: true,
    resultType: KINDS[task.kind].results[0],
    result: null,
    effects: [],
    steers: [...steering.taken],
    usage,
    provider: name,
    ...(model !== undefined && { model }),
  };
}

function errorsOf(troubles: readonly Trouble[]): string {
  return troubles.map(({ error }) => error).join("; ");
}

function withProblem(trouble: Trouble | undefined): Pick<RunOutcome, "problem"> {
  return trouble?.problem === undefined ? {} : { problem: trouble.problem };
}

/** Work whose model will not answer as things are says what helps: its error is all that others are told. */
function helped(outcome: RunOutcome): RunOutcome {
  const { problem, error = "", retryable } = outcome;
  if (problem === undefined || retryable) return outcome;
  return { ...outcome, error: beginningOf(`${error}. ${problemWords(problem, false).remedy}`, ERROR_CHARS_MAX) };
}

type Last = DoneEvent | FailedEvent;

/** Why it did not answer, if it did not. */
function troubleOf(last: Last, { name: provider, model }: Provider): Trouble {
  if (last.type !== "failed") return { error: "" };
  const { error, cause, host, names, retryAfterMs } = last;
  const wait = { ...(retryAfterMs !== undefined && { retryAfterMs }) };
  if (cause === undefined) return { error, ...wait };
  const asked = { provider, ...(model !== undefined && { model }), ...(host !== undefined && { host }) };
  const until = retryAfterMs === undefined ? {} : { until: new Date(Date.now() + retryAfterMs).toISOString() };
  return { error, problem: { cause, ...asked, ...until, ...(names !== undefined && { names: [...names] }) }, ...wait };
}

/** The outcome of one provider. */
interface Ran {
  last: Last;
  effects: Effect[];
  /** The memories that it was shown. */
  memory: readonly ShownMemory[];
  /** The shown part of its answer. */
  shown: string;
  /** It has said nothing, called nothing, taken nothing and cost nothing. */
  isUntouched: boolean;
}

/** @param onAnswer is called at the first sign of an answer: the end of the work may be far. */
async function runWith(
  provider: Provider,
  attempt: AttemptOptions,
  signal: AbortSignal,
  onAnswer: () => void,
): Promise<Ran> {
  const { task, context, steering, gate, external } = attempt;
  const takenBefore = steering.taken.length;
  let isUntouched = true;
  let shown = "";
  const touch = () => {
    if (isUntouched) onAnswer();
    isUntouched = false;
  };
  const onToolCall: Run["onToolCall"] = (call) => {
    touch();
    attempt.onToolCall(call);
  };
  const onStream: AttemptOptions["onStream"] = (line) => {
    if (line.type === "delta" || line.type === "thought") touch();
    if (line.type === "delta" && shown.length < REPLY_CHARS_MAX) shown += line.text;
    if (line.type === "begin") shown = "";
    attempt.onStream(line);
  };
  const bus = createToolBus({ task, tools: TOOLS, external, reads: context, gate, onCall: onToolCall });
  const overBudget: Run["overBudget"] = (usage) => attempt.overBudget(usage, provider.model);
  const last = await drive(provider, { ...attempt, onToolCall, bus, overBudget }, onStream, signal);
  // A provider that was left behind may still call tools: what it stages from now on is not part of the result.
  const effects = [...bus.effects];
  const hasCost = Object.values(last.usage).some((value) => value > 0);
  const memory = [...bus.shown];
  return {
    last,
    effects,
    memory,
    shown,
    isUntouched: isUntouched && !hasCost && steering.taken.length === takenBefore,
  };
}

/** A run's verdict on its provider, for its circuit. A provider that broke off in the middle had been reached. */
function verdictOf({ last, isUntouched }: Ran): ProviderVerdict {
  if (last.type === "done") return "reached";
  if (last.isOutage === true) return "outage";
  if (last.waits === true) return "limited";
  if (!isUntouched) return "reached";
  switch (last.failureReason) {
    case "provider":
    case "timeout":
      // A permanent failure was an answer: a refused key, an unknown model.
      return last.retryable ? "failed" : "reached";
    case "error":
    case "invalid_result":
    case "needs_approval":
      return "reached";
    default:
      return "unknown";
  }
}

function stepOf(text: string): string {
  return beginningOf(text, STEP_CHARS_MAX);
}

/** Forwards the stream and returns the last event; makes one up where the provider does not keep its contract. */
async function drive(
  provider: Provider,
  run: Run,
  onStream: AttemptOptions["onStream"],
  signal: AbortSignal,
): Promise<Last> {
  const finished = new AbortController();
  const abandoned = abandonedAfter(signal, finished.signal);
  try {
    const events = provider.run(run, signal)[Symbol.asyncIterator]();
    for (;;) {
      const next = await Promise.race([events.next(), abandoned]);
      if (next === "abandoned") return failedEvent(stopReason(signal), `${provider.name} did not stop when told to`);
      if (next.done === true) return failedEvent("provider", `${provider.name} ended without a result`);
      const event = next.value;
      if (event.type === "done" || event.type === "failed") {
        await Promise.race([events.return?.(), abandoned]);
        return event;
      }
      onStream(event);
    }
  } catch (error) {
    if (signal.aborted) return failedEvent(stopReason(signal), "stopped");
    return failedEvent("provider", `${provider.name}: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    finished.abort();
  }
}

function failedEvent(failureReason: FailureReason, error: string): FailedEvent {
  return { type: "failed", failureReason, error, retryable: true, usage: NO_USAGE };
}

/** Resolves when `signal` has been aborted for STOP_MS_MAX; never, once `finished` aborts. */
function abandonedAfter(signal: AbortSignal, finished: AbortSignal): Promise<"abandoned"> {
  return new Promise((resolve) => {
    const count = () => {
      const timer = setTimeout(resolve, STOP_MS_MAX, "abandoned");
      finished.addEventListener("abort", () => clearTimeout(timer), { once: true });
    };
    if (signal.aborted) count();
    else signal.addEventListener("abort", count, { once: true, signal: finished });
  });
}

const resultsOf = ({ kind }: Task): readonly [ResultType, ...ResultType[]] => KINDS[kind].results;

/** Checks what the provider handed in against what its role must hand in. A failed run changes nothing: no effects. */
async function conclude(
  last: Last,
  effects: Effect[],
  provider: Provider,
  attempt: AttemptOptions,
): Promise<RunOutcome> {
  const { task } = attempt;
  const results = resultsOf(task);
  const resultType = last.resultType ?? results[0];
  const steers = [...attempt.steering.taken];
  const base = {
    resultType,
    result: null,
    effects: [],
    steers,
    usage: last.usage,
    provider: provider.name,
    ...(provider.model !== undefined && { model: provider.model }),
  };
  const fail = (failureReason: FailureReason, error: string, retryable: boolean): RunOutcome => ({
    ...base,
    resultType: results.includes(resultType) ? resultType : results[0],
    status: "failed",
    failureReason,
    error: beginningOf(error, ERROR_CHARS_MAX),
    retryable,
  });
  const invalid = (why: string) => fail("invalid_result", `${provider.name} handed in no valid result: ${why}`, false);

  const result = await readResult(last, effects, attempt).catch((error: unknown) => ({ unwritten: String(error) }));
  if ("unwritten" in result) return fail("provider", `the result could not be stored: ${result.unwritten}`, true);
  if (last.type === "failed") {
    const failed = fail(last.failureReason, last.error, last.retryable);
    return "value" in result ? { ...failed, result: result.value } : failed;
  }
  if (last.status === "needs_input") {
    const question = last.question?.trim() ?? "";
    if (!definitionOf(task).mayAsk || question === "") return invalid("a question was to be asked, but there is none");
    const value = "value" in result ? result.value : null;
    return {
      ...base,
      status: "needs_input",
      result: value,
      question: beginningOf(question, QUESTION_CHARS_MAX),
      retryable: false,
    };
  }
  if ("problem" in result) return invalid(result.problem);
  return { ...base, status: "done", result: result.value, effects, retryable: false };
}

/** The result in the shape of its type. A turn is its effects, a plan is the tasks that it delegated. */
async function readResult(
  last: Last,
  effects: Effect[],
  { task, runDir }: AttemptOptions,
): Promise<{ value: unknown } | { problem: string }> {
  const results = resultsOf(task);
  const type = last.resultType ?? results[0];
  if (!results.includes(type)) return { problem: `a ${task.role} cannot hand in "${type}"` };
  if (type === "turn" || type === "plan") {
    // An unfinished run has started nothing, whatever it had staged.
    if (last.type === "failed" || last.status !== "done") return { value: null };
    if (type === "turn") return { value: {} };
    if (effects.length === 0) return { problem: "the plan is empty" };
    const tasks = effects.flatMap((effect, k) => (effect.type === "delegate" ? [childId(task.id, k)] : []));
    const note = noteOf(last, task);
    return { value: { tasks, ...(note !== "" && { note }) } };
  }
  const checked = RESULT_SCHEMAS[type].safeParse(last.result);
  if (!checked.success) return { problem: describeIssues(checked.error) };
  if ("text" in checked.data) return { value: await boundText(checked.data, runDir) };
  const isLong = JSON.stringify(checked.data).length > RESULT_JSON_CHARS_MAX;
  return isLong ? { problem: `longer than ${RESULT_JSON_CHARS_MAX} characters` } : { value: checked.data };
}

/** The note of a plan beside its tasks: first that it reached a limit, which no model can leave out. */
function noteOf({ note = "", limit }: DoneEvent, { prompt }: Task): string {
  const notice = limit === undefined ? "" : planLimitNotice(limit, prompt);
  const text = [notice, note.trim()].filter((part) => part !== "").join("\n\n");
  return text.length <= PLAN_NOTE_CHARS_MAX ? text : `${beginningOf(text, PLAN_NOTE_CHARS_MAX - 1)}…`;
}

type TextResult = { text: string; artifact?: string | undefined };

/** The end of a long text stays in the result; all of it is in the artifact. */
async function boundText({ text, artifact }: TextResult, runDir: string): Promise<TextResult> {
  if (text.length <= RESULT_TEXT_CHARS_MAX) return { text, ...(artifact !== undefined && { artifact }) };
  const path = artifact ?? join(runDir, TEXT_FILE);
  if (artifact === undefined) await writeFile(path, text, { mode: 0o600 });
  return { text: endOf(text, RESULT_TEXT_CHARS_MAX), artifact: path };
}

/** A turn ends in a reply: the staged one, else what the provider said last, else the truth about what went wrong. */
function answered(outcome: RunOutcome, { last, shown }: Ran, turn: TurnInput): RunOutcome {
  const notice = (failureReason: FailureReason, error: string, problem?: ProviderProblem): Effect => ({
    type: "reply",
    // An unusable answer is not kept; one that broke off is.
    ...brokenOff(
      failureReason === "invalid_result" ? "" : shown,
      failureNotice(turn, failureReason, error, problem),
      REPLY_CHARS_MAX,
    ),
  });
  if (outcome.status !== "done") {
    const { failureReason = "provider", error = "", problem } = outcome;
    return { ...outcome, retryable: false, effects: [notice(failureReason, error, problem)] };
  }
  if (outcome.effects.some((effect) => effect.type === "reply")) return outcome;
  const text = (last.type === "done" && last.text?.trim()) || questionsIn(outcome.effects, turn);
  const said: Effect | null = text === "" ? null : { type: "reply", text: cutReply(text) };
  const isAwaited = turn.messages.length + turn.results.length > 0;
  if (said === null && !isAwaited) return outcome;
  return {
    ...outcome,
    effects: [...outcome.effects, said ?? notice("invalid_result", `${outcome.provider} said nothing`)],
  };
}

/** A turn that only asks says what it asks. */
function questionsIn(effects: readonly Effect[], turn: TurnInput): string {
  return effects
    .flatMap((effect) => {
      if (effect.type === "restart_server") return [restartWords(turn).question];
      return effect.type === "ask_user" ? [effect.question] : [];
    })
    .join("\n\n");
}

function cutReply(text: string): string {
  return text.length <= REPLY_CHARS_MAX ? text : `${beginningOf(text, REPLY_CHARS_MAX - CUT.length)}${CUT}`;
}
