/**
 * How a model's calls are written. Most models call tools; for those that cannot, calls are tags at the end of what they
 * say, and the answers come as a message (SPEC G1, G2). The loop knows only calls and results.
 */

import { lines, NOTHING, type Quoted, record } from "../prompt/quote.ts";
import type { Tool } from "../tools/tool.ts";
import { describeActions, readActions, TAG, type TagCall, usageOf, writeTag } from "./action-tags.ts";
import { describeTool } from "./describe-tool.ts";
import type { KernelMessage, ModelAnswer, ToolDefinition, ToolMessage } from "./model.ts";
import { replayable } from "./round.ts";
import { splitThoughts } from "./shown-text.ts";
import { CALL_MARKS, nameOf, readWrittenCalls } from "./written-calls.ts";

export interface ToolCallFormat {
  /** Whether calls are tags in the text. */
  hasTags: boolean;
  /** The beginnings of calls in the text: from there on it is held back while it streams. */
  callMarks: readonly string[];
  /** The rules about the tools. */
  rules: string;
  /** The tools of a request. */
  tools: readonly ToolDefinition[];
  /**
   * Reads the text and the calls of an answer. `name` makes the ids of its calls unique where the model gives none.
   * @param asked the messages that it answers.
   */
  read(
    answer: ModelAnswer,
    name: string,
    asked?: readonly KernelMessage[],
  ): Pick<ModelAnswer, "text" | "calls" | "unended">;
  /** The conversation as this model is shown it. */
  write(messages: readonly KernelMessage[]): KernelMessage[];
}

/** For models that call tools. @param now the tools of the next request. */
export function nativeFormat(now: () => readonly Tool[]): ToolCallFormat {
  return {
    hasTags: false,
    callMarks: CALL_MARKS,
    rules: "",
    get tools() {
      return now().map(describeTool);
    },
    read: (answer, _name, asked = []) => {
      const tools = now();
      const { calls, ...speech } = readSpeech(answer, tools, asked);
      // Some servers parse the calls and leave them in the text too.
      const made = answer.calls.length > 0 ? answer.calls : calls.map((call) => ({ id: "", ...call }));
      return { ...speech, calls: made.map((call) => ({ ...call, name: nameOf(call.name, tools) })) };
    },
    write: (messages) =>
      joinUsers(
        messages.map((message) =>
          message.role === "assistant" ? { ...message, calls: message.calls.map(replayable) } : message,
        ),
      ),
  };
}

/** For models that do not. */
export function tagFormat(tools: readonly Tool[]): ToolCallFormat {
  return {
    hasTags: true,
    callMarks: [TAG, ...CALL_MARKS],
    rules: describeActions(tools),
    tools: [],
    read: (answer, name, asked = []) => {
      const tagged = readActions(splitThoughts(answer.text).said, tools);
      const { calls, ...speech } = readSpeech(answer, tools, asked);
      const [text, made] = tagged.calls.length > 0 ? [tagged.text, tagged.calls] : [speech.text, calls];
      return { ...speech, text, calls: made.map((call, i) => ({ id: `${name}.${i + 1}`, ...call })) };
    },
    write: (messages) => joinUsers(groupResults(messages).map((group) => writeGroup(group, tools))),
  };
}

/**
 * The speech of an answer and the calls written into it. A thought without an end that ends with a whole call is one that the
 * model forgot to close.
 */
function readSpeech(
  answer: ModelAnswer,
  tools: readonly Tool[],
  asked: readonly KernelMessage[],
): Pick<ModelAnswer, "text" | "unended"> & { calls: TagCall[] } {
  const isShown = (text: string) =>
    asked.some(
      ({ role, content }) => (role === "user" || role === "tool") && lettersOf(content).includes(lettersOf(text)),
    );
  const { said, unended = answer.unended } = splitThoughts(answer.text);
  const { text, calls } = readWrittenCalls(said, tools, isShown);
  if (unended === undefined) return { text: text.trim(), calls };
  const thought = readWrittenCalls(unended, tools, isShown);
  const isTool = ({ name, problem }: TagCall) => problem === undefined && tools.some((tool) => tool.name === name);
  const isMade = said === "" && thought.calls.every(isTool);
  return { text: text.trim(), calls: isMade ? thought.calls : calls, unended: thought.text.trim() };
}

/** A text without the signs in which a repetition may differ: JSON escapes, quotation marks, indentation. */
function lettersOf(text: string): string {
  return text.replace(/[\s\\"'`>]+/g, "");
}

type Group = KernelMessage | ToolMessage[];

/** The results of one answer are one message. */
function groupResults(messages: readonly KernelMessage[]): Group[] {
  const groups: Group[] = [];
  for (const message of messages) {
    const last = groups.at(-1);
    if (message.role !== "tool") groups.push(message);
    else if (Array.isArray(last)) last.push(message);
    else groups.push([message]);
  }
  return groups;
}

function writeGroup(group: Group, tools: readonly Tool[]): KernelMessage {
  if (Array.isArray(group)) return { role: "user", content: writeResults(group, tools) };
  if (group.role !== "assistant" || group.calls.length === 0) return group;
  const tags = group.calls.map((call) => writeTag(call.problem === undefined ? replayable(call) : call));
  return { role: "assistant", content: [group.content, ...tags].filter((part) => part !== "").join("\n\n"), calls: [] };
}

/** Quoted, as everything is that was not written by us: what a tool read opens no section and is no tag. */
function writeResults(results: readonly ToolMessage[], tools: readonly Tool[]): string {
  const isRefused = ({ error }: ToolMessage) => isMistake(error);
  const answered = results.filter((result) => !isRefused(result));
  const refused = results.filter(isRefused);
  const isNamed = ({ name }: Tool) => refused.some((result) => result.tool === name);
  return [
    section("What your actions answered", "action_results", lines(...answered.map(writeResult))),
    section("What was wrong with your actions", "action_feedback", lines(...refused.map(writeResult))),
    ...tools.filter(isNamed).map((tool) => `// ${tool.name} is written: ${usageOf(tool)}`),
  ]
    .filter((part) => part !== "")
    .join("\n");
}

/** Is this how a call ends that the model must write otherwise? Where the tool failed or was cut off, its tag was right. */
export function isMistake(error: string | undefined): boolean {
  return error !== undefined && !["failed", "cut_off", "skipped"].includes(error);
}

function writeResult({ callId, tool, content, error, artifact }: ToolMessage): Quoted {
  return record({ id: callId, action: tool, error, full_text: artifact }, content);
}

/** A section of a conversation, in the form of those of a prompt. */
export function section(remark: string, name: string, content: Quoted): string {
  return content === NOTHING ? "" : `// ${remark}\n<M:${name}>\n${content}\n</M:${name}>`;
}

/** Many local models take only one message of the user at a time, and strict endpoints none that says and calls nothing. */
function joinUsers(messages: readonly KernelMessage[]): KernelMessage[] {
  const joined: KernelMessage[] = [];
  for (const message of messages) {
    if (message.role === "assistant" && message.content === "" && message.calls.length === 0) continue;
    const last = joined.at(-1);
    if (message.role === "user" && last?.role === "user") {
      const media = [...(last.media ?? []), ...(message.media ?? [])];
      const content = `${last.content}\n\n${message.content}`;
      const isQuestion = last.isQuestion === true || message.isQuestion === true;
      joined[joined.length - 1] = {
        role: "user",
        content,
        ...(media.length > 0 && { media }),
        ...(isQuestion && { isQuestion }),
      };
    } else joined.push(message);
  }
  return joined;
}
