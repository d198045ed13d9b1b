/** Reads the lines of `claude -p --output-format stream-json`. Lines that are new to us mean nothing. */
import type { Usage } from "@mimikit/protocol/base/usage";
import { z } from "zod";
import type { CliEvent } from "../agent-cli/agent-cli.ts";
import { SERVER_NAME } from "../agent-cli/mcp/server-name.ts";

const PREFIX = `mcp__${SERVER_NAME}__`;
/** The author of what the CLI itself puts into the place of an answer. */
const SYNTHETIC = "<synthetic>";
/** How an answer ends that is whole. */
const WHOLE = ["end_turn", "stop_sequence"];

const Count = z.number().int().nonnegative().default(0);
const ToolInput = z.looseObject({
  command: z.string().optional(),
  file_path: z.string().optional(),
  pattern: z.string().optional(),
});

const Blocks = z.array(
  z.union([
    z.object({ type: z.literal("text"), text: z.string() }),
    z.object({ type: z.literal("tool_use"), id: z.string(), name: z.string(), input: z.unknown() }),
    z.looseObject({ type: z.string() }).transform(() => ({ type: "other" as const })),
  ]),
);

const Answers = z.union([
  z.string(),
  z.array(z.looseObject({ text: z.string().optional() })).transform((parts) => parts.map((part) => part.text).join("")),
]);
const Results = z.union([
  z.string().transform(() => []),
  z.array(
    z.union([
      z.object({
        type: z.literal("tool_result"),
        tool_use_id: z.string(),
        content: Answers.default(""),
        is_error: z.boolean().default(false),
      }),
      z.looseObject({ type: z.string() }).transform(() => ({ type: "other" as const })),
    ]),
  ),
]);

const Failure = z.object({
  is_error: z.boolean(),
  terminal_reason: z.string().nullish(),
  stop_reason: z.string().nullish(),
  api_error_status: z.number().nullish(),
  api_error: z.string().nullish(),
  /** The last text, or why there is none. */
  result: z.string().default(""),
  errors: z.array(z.string()).default([]),
});

const Line = z.discriminatedUnion("type", [
  z.looseObject({
    type: z.literal("system"),
    subtype: z.string(),
    session_id: z.string().optional(),
    mcp_servers: z.array(z.object({ name: z.string(), status: z.string() })).optional(),
    error_status: z.number().nullish(),
  }),
  z.object({
    type: z.literal("stream_event"),
    event: z.looseObject({ type: z.string(), delta: z.looseObject({ text: z.string().optional() }).optional() }),
  }),
  z.object({
    type: z.literal("assistant"),
    message: z.object({ id: z.string(), model: z.string().optional(), content: Blocks }),
  }),
  z.object({
    type: z.literal("user"),
    message: z.object({ content: Results }),
    isSynthetic: z.boolean().default(false),
  }),
  /** The limits of a subscription; `resetsAt` is seconds since 1970. */
  z.object({
    type: z.literal("rate_limit_event"),
    rate_limit_info: z.looseObject({ status: z.string(), resetsAt: z.number().optional() }),
  }),
  Failure.extend({
    type: z.literal("result"),
    session_id: z.string().optional(),
    usage: z.object({
      input_tokens: Count,
      cache_creation_input_tokens: Count,
      cache_read_input_tokens: Count,
      output_tokens: Count,
    }),
    model_usage_since_last_result: z.record(z.string(), z.object({ costUSD: z.number().nonnegative() })).default({}),
  }),
]);
type Line = z.infer<typeof Line>;
type LineOf<Type extends Line["type"]> = Extract<Line, { type: Type }>;
export type ClaudeFailure = z.infer<typeof Failure>;

interface Call {
  tool: string;
  input: unknown;
  startMs: number;
}

export interface ReaderOptions {
  /** Has the role tools of ours? A turn would go on without them when their server does not start. */
  hasTools: boolean;
  /** Is what the CLI says it costs what it costs? It knows the prices of one endpoint only. */
  countsCost: boolean;
}

/** Reads the lines of one process. */
export class ClaudeReader {
  /** How it ended where that is no answer; null before the end, and where it is one. */
  failure: ClaudeFailure | null = null;
  /** Has the model said or called anything? */
  hasSpoken = false;
  /** When the limit ends that has been reached, in seconds since 1970; null where none has. */
  limitedUntilSec: number | null = null;
  readonly #options: ReaderOptions;
  readonly #calls = new Map<string, Call>();
  #message = "";
  /** The text of the answer so far, and whether what comes next goes on with it. */
  #text = "";
  #isContinued = false;
  #isFirstPiece = true;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  *read(line: unknown): Generator<CliEvent> {
    const checked = Line.safeParse(line);
    if (!checked.success) return;
    const { data } = checked;
    switch (data.type) {
      case "system":
        return yield* this.#system(data);
      case "stream_event":
        return yield* this.#piece(data.event);
      case "assistant":
        return yield* this.#said(data);
      case "user":
        return yield* this.#answered(data);
      case "rate_limit_event": {
        const { status, resetsAt = null } = data.rate_limit_info;
        this.limitedUntilSec = status === "rejected" ? resetsAt : null;
        return;
      }
      case "result":
        return yield* this.#ended(data);
    }
  }

  *#system({ subtype, session_id, mcp_servers = [], error_status }: LineOf<"system">): Generator<CliEvent> {
    if (subtype === "api_retry")
      yield { type: "trouble", message: `the model does not answer (${error_status ?? "no connection"})` };
    if (subtype !== "init") return;
    if (session_id !== undefined) yield { type: "thread", id: session_id };
    const status = mcp_servers.find(({ name }) => name === SERVER_NAME)?.status ?? "missing";
    if (this.#options.hasTools && status !== "connected")
      yield { type: "broken", message: `its tools are not there: the server is ${status}` };
  }

  *#piece({ type, delta }: LineOf<"stream_event">["event"]): Generator<CliEvent> {
    if (type === "message_start") this.#isFirstPiece = !this.#isContinued;
    if (type !== "content_block_delta" || !delta?.text) return;
    yield { type: "delta", text: delta.text, isFirst: this.#isFirstPiece };
    this.#isFirstPiece = false;
  }

  /** A message comes in one line for each of its blocks. */
  *#said({ message }: LineOf<"assistant">): Generator<CliEvent> {
    if (message.model === SYNTHETIC) return;
    this.hasSpoken = true;
    if (message.id !== this.#message && !this.#isContinued) this.#text = "";
    this.#message = message.id;
    this.#isContinued = false;
    for (const block of message.content) {
      if (block.type === "text") {
        this.#text += block.text;
        yield { type: "said", text: this.#text, isShown: true };
      } else if (block.type === "tool_use") {
        this.#calls.set(block.id, { tool: block.name, input: block.input, startMs: performance.now() });
        const isCall = block.name.startsWith(PREFIX);
        yield { type: "began", item: block.id, step: stepOf(block.name, block.input), isCall };
      }
    }
  }

  *#answered({ message, isSynthetic }: LineOf<"user">): Generator<CliEvent> {
    // The CLI tells the model that its answer was cut off: the next message is the rest of it, not another one.
    if (isSynthetic) this.#isContinued = true;
    for (const block of message.content) {
      if (block.type === "other") continue;
      const call = this.#calls.get(block.tool_use_id);
      if (call === undefined) continue;
      this.#calls.delete(block.tool_use_id);
      yield* this.#called(call, block.tool_use_id, block);
      yield { type: "ended", item: block.tool_use_id };
    }
  }

  *#called(
    { tool, input, startMs }: Call,
    requestId: string,
    { is_error, content }: { is_error: boolean; content: string },
  ): Generator<CliEvent> {
    const durationMs = Math.round(performance.now() - startMs);
    const isOurs = tool.startsWith(PREFIX);
    const name = isOurs ? tool.slice(PREFIX.length) : tool;
    if (isOurs && !is_error)
      return yield { type: "called", call: { requestId, tool: name, input, answer: content, durationMs } };
    const record = { tool: name, requestId, durationMs, ok: !is_error, ...(is_error && { errorCode: "failed" }) };
    yield { type: "used", record, input, output: content };
  }

  *#ended(line: LineOf<"result">): Generator<CliEvent> {
    const { is_error, terminal_reason, stop_reason, result, errors, usage } = line;
    if (line.session_id !== undefined && !is_error) yield { type: "thread", id: line.session_id };
    const isWhole = !is_error && terminal_reason === "completed" && WHOLE.includes(stop_reason ?? "");
    if (!isWhole) {
      this.failure = line;
      const what = errors.at(-1) ?? result;
      return yield {
        type: "trouble",
        message: is_error ? what : `the answer was cut off (${stop_reason ?? "no reason"})`,
      };
    }
    yield { type: "said", text: this.#text, isShown: true };
    const cachedTokens = usage.cache_read_input_tokens;
    const inputTokens = usage.input_tokens + usage.cache_creation_input_tokens + cachedTokens;
    const costUsd = this.#options.countsCost ? costOf(line) : 0;
    yield { type: "completed", usage: { inputTokens, cachedTokens, outputTokens: usage.output_tokens, costUsd } };
  }
}

/** `total_cost_usd` is that of the whole thread; this is that of this process, as its tokens are. */
function costOf({ model_usage_since_last_result }: LineOf<"result">): Usage["costUsd"] {
  return Object.values(model_usage_since_last_result).reduce((sum, { costUSD }) => sum + costUSD, 0);
}

/** The activity, for those who watch. */
function stepOf(tool: string, input: unknown): string {
  if (tool.startsWith(PREFIX)) return tool.slice(PREFIX.length);
  const { command, file_path, pattern } = ToolInput.safeParse(input).data ?? {};
  if (command !== undefined) return command.replace(/\s+/g, " ");
  return [tool, file_path ?? pattern].filter((part) => part !== undefined).join(" ");
}
