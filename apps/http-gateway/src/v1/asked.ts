/**
 * The words of a request, whichever of the two APIs it came by. A client sends the whole conversation each time; new is what its
 * user has said since the last answer. The rest is in our conversation already, and what a client tells a model about itself
 * is no word of the user's (docs/clients.md#how-it-behaves).
 */

import { ATTACHMENT_NAME_CHARS_MAX, MESSAGE_ATTACHMENTS_MAX } from "@mimikit/protocol/base/attachment";
import { MESSAGE_CHARS_MAX } from "@mimikit/protocol/base/fields";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import type { ChatBody, MessagePart, ResponsesBody } from "@mimikit/protocol/wire/v1";
import { wrong } from "./wrong.ts";

export interface ChatTurn {
  role: string;
  content: string | readonly MessagePart[];
}

/** The request, without what it wants to have done differently. */
export interface ChatRequest {
  /** The rules that the client gives to a model. */
  system: string;
  /** The turns of user and assistant, oldest first, without those rules. */
  turns: readonly ChatTurn[];
}

/** A file that was sent along, as its base64. */
export interface GivenFile {
  base64: string;
  name?: string;
}

/** The part that goes into the conversation. */
export interface NewWords {
  text: string;
  files: readonly GivenFile[];
}

const OF_CLIENT = new Set(["system", "developer"]);

export function askedByChat({ messages }: ChatBody): ChatRequest {
  return asked(messages.map(({ role, content }) => ({ role, content: content ?? "" })));
}

export function askedByResponse({ input, instructions }: ResponsesBody): ChatRequest {
  const items =
    typeof input === "string"
      ? [{ role: "user", content: input }]
      : // Items that are no messages (calls of tools, their results, thoughts) are ignored.
        input.map(({ role, content }) => ({ role: role ?? "tool", content: content ?? "" }));
  return asked([{ role: "system", content: instructions ?? "" }, ...items]);
}

function asked(all: readonly ChatTurn[]): ChatRequest {
  const system = all.filter(({ role }) => OF_CLIENT.has(role)).map(({ content }) => textOf(content));
  return { system: system.join("\n\n"), turns: all.filter(({ role }) => !OF_CLIENT.has(role)) };
}

/** The texts of a content, whatever else is in it. */
export function textOf(content: ChatTurn["content"]): string {
  if (typeof content === "string") return content;
  return content.flatMap(({ text }) => (typeof text === "string" ? [text] : [])).join("\n");
}

/**
 * The words and files of the user since the last answer.
 * @throws Problem 400 where that is nothing, too much, or a part that cannot be taken.
 */
export function newWords({ turns }: ChatRequest): NewWords {
  const since = turns.slice(turns.findLastIndex(({ role }) => role === "assistant") + 1);
  const said = since.filter(({ role }) => role === "user");
  if (said.length === 0) throw wrong("the last message is not the user's: there is nothing to answer", "messages");
  const parts = said.flatMap(({ content }) => (typeof content === "string" ? [] : content));
  const files = parts.flatMap((part) => fileOf(part) ?? []);
  if (files.length > MESSAGE_ATTACHMENTS_MAX)
    throw wrong(`at most ${MESSAGE_ATTACHMENTS_MAX} files go along with one message`, "messages");
  const words = said.map(({ content }) => textOf(content).trim()).filter((text) => text !== "");
  const text = words.join("\n\n") || files.map(({ name }) => name ?? "(a file)").join(", ");
  if (text === "") throw wrong("the message is empty", "messages");
  if (text.length > MESSAGE_CHARS_MAX)
    throw wrong(`a message has at most ${MESSAGE_CHARS_MAX} characters, and this has ${text.length}`, "messages");
  return { text, files };
}

const TEXTS = new Set(["text", "input_text", "output_text"]);

/** null for a text. @throws Problem 400 for what is neither a text nor a file that came along. */
function fileOf(part: MessagePart): GivenFile | null {
  switch (part.type) {
    case "image_url":
      return embedded(urlIn(part.image_url), "picture");
    case "input_image":
      return embedded(part.image_url, "picture");
    case "input_audio":
      return embedded((part.input_audio as { data?: unknown } | undefined)?.data, "recording");
    case "file":
      return namedFile((part.file ?? {}) as Record<string, unknown>);
    case "input_file":
      return namedFile(part);
    default:
      if (TEXTS.has(part.type) && typeof part.text === "string") return null;
      throw wrong(`parts of the type ${beginningOf(part.type, ATTACHMENT_NAME_CHARS_MAX)} are not taken`, "messages");
  }
}

function urlIn(value: unknown): unknown {
  return typeof value === "object" && value !== null && "url" in value ? value.url : value;
}

function namedFile({ file_data: data, filename }: Record<string, unknown>): GivenFile {
  const name = typeof filename === "string" ? beginningOf(filename.trim(), ATTACHMENT_NAME_CHARS_MAX) : "";
  return { ...embedded(data, "file"), ...(name !== "" && { name }) };
}

const DATA_URL = /^data:[^,]{0,200};base64,/i;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/** Nothing is loaded from elsewhere for a client: an address could be one that only we can reach. */
function embedded(value: unknown, what: string): GivenFile {
  const base64 = typeof value === "string" ? value.replace(DATA_URL, "") : "";
  if (BASE64.test(base64)) return { base64 };
  throw wrong(`a ${what} must be in the request itself, as base64 or a data: URL of base64`, "messages");
}
