/** Reads the lines of `codex exec --json`. Lines and items that are new to us mean nothing. */

import { tryJson } from "@mimikit/protocol/base/json";
import { z } from "zod";
import type { CliEvent } from "../agent-cli/agent-cli.ts";
import { SERVER_NAME } from "../agent-cli/mcp/server-name.ts";

const Count = z.number().int().nonnegative();

const Item = z.discriminatedUnion("type", [
  z.object({ type: z.literal("agent_message"), id: z.string(), text: z.string() }),
  z.object({ type: z.literal("reasoning"), id: z.string(), text: z.string() }),
  z.object({
    type: z.literal("command_execution"),
    id: z.string(),
    command: z.string(),
    aggregated_output: z.string().default(""),
    exit_code: z.number().nullish(),
    status: z.string(),
  }),
  z.object({
    type: z.literal("file_change"),
    id: z.string(),
    changes: z.array(z.object({ path: z.string(), kind: z.string() })),
    status: z.string(),
  }),
  z.object({
    type: z.literal("mcp_tool_call"),
    id: z.string(),
    server: z.string(),
    tool: z.string(),
    arguments: z.unknown().optional(),
    result: z.object({ content: z.array(z.object({ text: z.string().optional() })) }).nullish(),
    error: z.object({ message: z.string() }).nullish(),
    status: z.string(),
  }),
  z.object({ type: z.literal("web_search"), id: z.string(), query: z.string() }),
  z.object({ type: z.literal("error"), id: z.string(), message: z.string() }),
]);
type Item = z.infer<typeof Item>;
type ToolItem = Extract<Item, { type: "mcp_tool_call" }>;

const Line = z.discriminatedUnion("type", [
  z.object({ type: z.literal("thread.started"), thread_id: z.string().min(1).max(200) }),
  z.object({ type: z.literal("item.started"), item: Item }),
  z.object({ type: z.literal("item.completed"), item: Item }),
  z.object({
    type: z.literal("turn.completed"),
    usage: z.object({ input_tokens: Count, cached_input_tokens: Count, output_tokens: Count }),
  }),
  z.object({ type: z.literal("turn.failed"), error: z.object({ message: z.string() }) }),
  // Also said when it is only trying again.
  z.object({ type: z.literal("error"), message: z.string() }),
]);

/** A reader for the lines of one process. */
export function createCodexReader(): (line: unknown) => Iterable<CliEvent> {
  const beganMs = new Map<string, number>();
  return function* read(line) {
    const checked = Line.safeParse(line);
    if (!checked.success) return;
    const { data } = checked;
    switch (data.type) {
      case "thread.started":
        return yield { type: "thread", id: data.thread_id };
      case "item.started":
        beganMs.set(data.item.id, performance.now());
        return yield* began(data.item);
      case "item.completed": {
        const startMs = beganMs.get(data.item.id);
        beganMs.delete(data.item.id);
        yield* ended(data.item, startMs === undefined ? undefined : Math.round(performance.now() - startMs));
        if (startMs !== undefined) yield { type: "ended", item: data.item.id };
        return;
      }
      case "turn.completed": {
        const { input_tokens, cached_input_tokens, output_tokens } = data.usage;
        const cachedTokens = Math.min(input_tokens, cached_input_tokens);
        const usage = { inputTokens: input_tokens, cachedTokens, outputTokens: output_tokens, costUsd: 0 };
        return yield { type: "completed", usage };
      }
      case "turn.failed":
        return yield { type: "trouble", message: data.error.message };
      case "error":
        return yield { type: "trouble", message: data.message };
    }
  };
}

function* began(item: Item): Generator<CliEvent> {
  const step = stepOf(item);
  if (step !== null) yield { type: "began", item: item.id, step, isCall: item.type === "mcp_tool_call" };
}

function* ended(item: Item, durationMs: number | undefined): Generator<CliEvent> {
  const isNew = durationMs === undefined;
  const record = { requestId: item.id, durationMs: durationMs ?? 0 };
  const step = stepOf(item);
  if (isNew && step !== null) yield { type: "progress", step };
  switch (item.type) {
    case "agent_message":
      return yield { type: "said", text: item.text };
    case "reasoning":
      return yield { type: "progress", step: titleOf(item.text) };
    case "error":
      return yield { type: "trouble", message: item.message };
    case "command_execution": {
      const ok = item.exit_code === 0;
      const errorCode = `exit_${item.exit_code ?? item.status}`;
      const said = item.exit_code ? `${item.aggregated_output}\n(exit code ${item.exit_code})` : item.aggregated_output;
      return yield {
        type: "used",
        record: { ...record, tool: "shell", ok, ...(!ok && { errorCode }) },
        input: stepOf(item),
        output: said,
      };
    }
    case "file_change": {
      const ok = item.status === "completed";
      return yield {
        type: "used",
        record: { ...record, tool: "file_change", ok, ...(!ok && { errorCode: "failed" }) },
        input: step ?? undefined,
      };
    }
    case "mcp_tool_call":
      return yield* calledTool(item, record);
    case "web_search":
      return yield { type: "used", record: { ...record, tool: "web_search", ok: true }, input: item.query };
  }
}

function* calledTool(item: ToolItem, record: { requestId: string; durationMs: number }): Generator<CliEvent> {
  if (item.server !== SERVER_NAME) return;
  const answer = item.result?.content.map(({ text = "" }) => text).join("") ?? "";
  if (item.status === "completed" && item.error == null && item.result != null)
    return yield { type: "called", call: { ...record, tool: item.tool, input: item.arguments, answer } };
  const failed = { ...record, tool: item.tool, ok: false, errorCode: errorCodeIn(answer) };
  yield { type: "used", record: failed, input: item.arguments, output: answer };
}

const Refusal = z.object({ error: z.object({ code: z.string().max(100) }) });

/** The code in our server's refusal; `failed` where it was not our server that refused. */
function errorCodeIn(answer: string): string {
  return Refusal.safeParse(tryJson(answer)).data?.error.code ?? "failed";
}

/** The activity, for those who watch; null if there is none. */
function stepOf(item: Item): string | null {
  switch (item.type) {
    case "command_execution":
      return item.command.replace(/^\S*sh -l?c '(.*)'$/s, "$1").replace(/\s+/g, " ");
    case "file_change":
      return item.changes.map(({ kind, path }) => `${kind} ${path}`).join(", ");
    case "mcp_tool_call":
      return item.tool;
    case "web_search":
      return `search: ${item.query}`;
    case "agent_message":
    case "reasoning":
    case "error":
      return null;
  }
}

/** The title of a thought: its first line, without the asterisks around it. */
function titleOf(text: string): string {
  return (text.trim().split("\n")[0] ?? "").replaceAll("**", "");
}
