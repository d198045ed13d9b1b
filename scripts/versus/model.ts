/**
 * The scripted model, the same for all: Chat Completions and Responses on loopback. It says the nonce of each message that it is
 * asked to answer and that the request does not already hold an answer to, as a careful model would.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { TRIAL_TOOL } from "@mimikit/agent/connect/trial-request";
import { repliesIn, requestsIn } from "./words.ts";

/** As long as a quick model takes. */
const THINKING_MS = 300;
const MODEL = "scripted";
const USAGE = { prompt_tokens: 1_000, completion_tokens: 10, total_tokens: 1_010 };
/** As long as those of OpenAI's small model; no search of an assistant finds one message nearer than another. */
const EMBEDDING = { object: "embedding", index: 0, embedding: Array.from({ length: 1_536 }, () => 0.02) };

interface Turn {
  role: string;
  content: string | { type: string; text?: string }[] | null;
}

interface Body {
  stream?: boolean;
  tools?: { function: { name: string } }[];
  /** Of Chat Completions. */
  messages?: Turn[];
  /** Of Responses, and of embeddings. */
  input?: Turn[];
}

export class ScriptedModel {
  /** Requests that it was sent, those too that were cut off. */
  private calls = 0;
  private readonly phrase: (words: string) => string;
  private readonly server = createServer((request, response) => {
    this.answer(request, response).catch((error: unknown) => {
      // A client that was killed in the middle is what this is about.
      if (!response.headersSent) response.writeHead(400);
      response.end(String(error));
    });
  });

  private constructor(phrase: (words: string) => string) {
    this.phrase = phrase;
  }

  /** @param phrase puts its words in the format that the prompts of an assistant demand. */
  static async start(phrase = (words: string) => words): Promise<ScriptedModel> {
    const model = new ScriptedModel(phrase);
    model.server.listen(0, "127.0.0.1");
    await once(model.server, "listening");
    return model;
  }

  get url(): string {
    const address = this.server.address();
    if (address === null || typeof address === "string") throw new Error("the scripted model does not listen");
    return `http://127.0.0.1:${address.port}/v1`;
  }

  /** The requests since it was asked last. */
  takeCalls(): number {
    const { calls } = this;
    this.calls = 0;
    return calls;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === "GET")
      return sendJson(response, { object: "list", data: [{ id: MODEL, object: "model", owned_by: "versus" }] });
    const body = JSON.parse(await text(request)) as Body;
    if (request.url?.endsWith("/embeddings"))
      return sendJson(response, { object: "list", data: [EMBEDDING], model: MODEL });
    const isTrial = body.tools?.some((tool) => tool.function?.name === TRIAL_TOOL) === true;
    if (!isTrial) {
      this.calls++;
      await wait(THINKING_MS);
    }
    const words = this.phrase(wordsFor(body.messages ?? body.input ?? []));
    const { whole, events } = body.messages === undefined ? asResponse(words) : asCompletion(isTrial ? null : words);
    if (body.stream !== true) return sendJson(response, whole);
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of events) response.write(`data: ${JSON.stringify(event)}\n\n`);
    response.end("data: [DONE]\n\n");
  }
}

function sendJson(response: ServerResponse, body: object): void {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

interface Answer {
  whole: object;
  /** Of its stream. */
  events: object[];
}

/** Of Chat Completions. @param words null for a call of our trial tool. */
function asCompletion(words: string | null): Answer {
  const call = { id: "call_1", type: "function", function: { name: TRIAL_TOOL, arguments: '{"word":"ready"}' } };
  const said = words === null ? { content: null, tool_calls: [call] } : { content: words };
  const delta = words === null ? { tool_calls: [{ index: 0, ...call }] } : said;
  const finish_reason = words === null ? "tool_calls" : "stop";
  const head = { id: `c${Date.now()}`, created: Math.floor(Date.now() / 1_000), model: MODEL };
  const choices = [{ index: 0, message: { role: "assistant", ...said }, finish_reason }];
  const chunk = (more: object) => ({ ...head, object: "chat.completion.chunk", ...more });
  return {
    whole: { ...head, object: "chat.completion", choices, usage: USAGE },
    events: [
      chunk({ choices: [{ index: 0, delta: { role: "assistant", ...delta }, finish_reason: null }] }),
      chunk({ choices: [{ index: 0, delta: {}, finish_reason }] }),
      chunk({ choices: [], usage: USAGE }),
    ],
  };
}

/** Of Responses. */
function asResponse(words: string): Answer {
  const content = [{ type: "output_text", text: words, annotations: [] }];
  const item = { type: "message", id: "m1", role: "assistant", status: "completed", content };
  const head = { id: `r${Date.now()}`, object: "response", created_at: Math.floor(Date.now() / 1_000), model: MODEL };
  const usage = { input_tokens: USAGE.prompt_tokens, output_tokens: USAGE.completion_tokens };
  const whole = { ...head, output: [item], usage };
  const place = { output_index: 0, item_id: item.id };
  return {
    whole,
    events: [
      { type: "response.created", response: head },
      { type: "response.output_item.added", ...place, item },
      { type: "response.output_text.delta", ...place, content_index: 0, delta: words },
      { type: "response.output_item.done", ...place, item },
      { type: "response.completed", response: whole },
    ],
  };
}

/** Words that stand in a request are answered unless their answer stands there, too. */
function wordsFor(turns: readonly Turn[]): string {
  const texts = turns.map(({ role, content }) => ({ role, text: textOf(content) }));
  // A turn that a kill has left empty is no reply.
  const lastReply = texts.findLastIndex(({ role, text }) => role === "assistant" && text !== "");
  const newest = texts.slice(lastReply + 1).filter(({ role }) => role === "user" || role === "tool");
  const answered = new Set(texts.flatMap(({ text }) => repliesIn(text)));
  const open = newest.flatMap(({ text }) => requestsIn(newIn(text))).filter((nonce) => !answered.has(nonce));
  return open.length === 0 ? "ok" : [...new Set(open)].map((nonce) => `said ${nonce}`).join("\n");
}

/** Mimikit's prompt marks the part that is new, and its rules say that only that is to be answered. */
const newIn = (text: string): string => text.split("<M:inputs>", 2)[1]?.split("</M:inputs>", 1)[0] ?? text;

function textOf(content: Turn["content"]): string {
  if (content === null) return "";
  return typeof content === "string" ? content : content.map(({ text = "" }) => text).join("\n");
}
