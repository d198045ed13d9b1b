/** A request to a model, in one form for every wire: a conversation in the shape of Chat Completions. */
import type { IncomingHttpHeaders } from "node:http";
import { Role } from "@mimikit/protocol/base/role";

export interface WireCall {
  id: string;
  function: { name: string; arguments: string };
}

/** A picture or a recording as it was sent, in base64. */
export interface Media {
  type: string;
  data: string;
}

/** A model's thought before it spoke or called, and the vendor's signature on it: it must come back as it was. */
export interface WireThought {
  text: string;
  seal?: string | undefined;
}

export interface Message {
  role: "system" | "user" | "assistant" | "tool";
  content: string;
  tool_calls?: WireCall[] | undefined;
  tool_call_id?: string | undefined;
  media?: Media[];
  thought?: WireThought | undefined;
}

/** A tool as a request offers it. `custom` takes text in place of JSON. */
export interface OfferedTool {
  name: string;
  namespace?: string;
  kind: "function" | "custom";
}

/** For JSON.parse. Strict endpoints refuse half a character, as Anthropic: "no low surrogate in string" (anthropics/claude-code#8108). */
export function wholeText(_name: string, value: unknown): unknown {
  if (typeof value === "string" && !value.isWellFormed()) throw new BadRequest("no low surrogate in string");
  return value;
}

/** The reading of a request's body on a wire. */
export interface Reading {
  model: string;
  messages: Message[];
  /** Those that may be called. */
  tools: OfferedTool[];
  isStreamed: boolean;
}

export type WireName = "chat-completions" | "responses" | "anthropic-messages" | "gemini" | "bedrock";

export interface ModelRequest {
  wire: WireName;
  role: Role;
  /** Answers of the model in this run: 0 for its first request. */
  turn: number;
  /** 1 for the first request of this role, whatever conversation it belongs to. */
  nth: number;
  model: string;
  messages: Message[];
  system: string;
  /** The prompt of the run: what was said before, and the user message with the state and the question. */
  prompt: string;
  /** The pictures and recordings that it holds, in their order. */
  media: Media[];
  /** The answers of the tools, in order. */
  results: string[];
  /** The names of the tools, without what the client has put before them. */
  tools: string[];
  headers: IncomingHttpHeaders;
  bytes: number;
  /** The body as it was sent. */
  body: unknown;
  /** Resolves when the exchange is over: did the client hang up before it had everything? */
  wasAborted: Promise<boolean>;
}

/** The request cannot be answered. */
export class BadRequest extends Error {}

/** All that a run was told before it began. */
export function promptIn(messages: readonly Pick<Message, "role" | "content">[]): string {
  const told = messages.slice(0, promptAt(messages) + 1).filter(({ role }) => role === "user" || role === "assistant");
  return told.map(({ content }) => content).join("\n\n");
}

/** The place of the question of a run: every one has this section. */
export function promptAt(messages: readonly Pick<Message, "role" | "content">[]): number {
  const isUser = ({ role }: Pick<Message, "role">) => role === "user";
  const at = messages.findLastIndex((message) => isUser(message) && /^<M:environment>$/m.test(message.content));
  return at < 0 ? messages.findIndex(isUser) : at;
}

const RULES = /^You are the Mimikit runtime (\w+)\./m;

/** Whose rules these are; undefined when they are nobody's. */
export function roleOf(system: string): Role | undefined {
  const name = RULES.exec(system)?.[1];
  return Role.options.find((role) => role === name);
}

/** `mcp__mimikit__reply` is `reply`. */
export function bareName(name: string): string {
  return name.replace(/^mcp__.*?__/, "");
}

/**
 * Strict endpoints refuse a conversation in which calls and results do not match, and so does this one.
 * Throws `BadRequest`.
 */
export function checkAnswered(messages: readonly Message[]): void {
  let open: string[] = [];
  for (const { role, tool_calls = [], tool_call_id = "" } of messages) {
    if (role === "tool") {
      if (!open.includes(tool_call_id)) throw new BadRequest(`the result ${tool_call_id} has no call`);
      // One of them: where calls are known by their names, several may have the same.
      open.splice(open.indexOf(tool_call_id), 1);
      continue;
    }
    if (open.length > 0) break;
    open = tool_calls.map((call) => call.id);
  }
  if (open.length > 0) throw new BadRequest(`the calls ${open.join(", ")} have no result`);
}

/**
 * Vendors that sign what their model thought refuse a conversation in which its calls stand without that, word for word.
 * @param signed what was thought, by the id of the call that came of it. Throws `BadRequest`.
 */
export function checkThoughts(messages: readonly Message[], sealed: ReadonlyMap<string, WireThought>): void {
  const newest = messages.findLast(({ role }) => role === "assistant");
  const [first] = newest?.tool_calls ?? [];
  const thought = first === undefined ? undefined : sealed.get(first.id);
  if (thought === undefined || newest === undefined) return;
  if (newest.thought?.text !== thought.text || newest.thought.seal !== thought.seal)
    throw new BadRequest(`the call ${first?.id} stands without the thought that it came of`);
}
