/**
 * The scripted model, the same for all: Chat Completions on loopback. It says the nonce of each message that it is asked to
 * answer and that the request does not already hold an answer to, as a careful model would.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { TRIAL_TOOL } from "@mimikit/agent/connect/trial-request";
import { repliesIn, requestsIn } from "./words.ts";

/** As long as a quick model takes. */
const THINKING_MS = 300;
const USAGE = { prompt_tokens: 1_000, completion_tokens: 10, total_tokens: 1_010 };

interface Body {
  stream?: boolean;
  tools?: { function: { name: string } }[];
  messages: { role: string; content: string | { type: string; text?: string }[] | null }[];
}

export class ScriptedModel {
  /** Requests that it was sent, those too that were cut off. */
  private calls = 0;
  private readonly server = createServer((request, response) => {
    this.answer(request, response).catch((error: unknown) => {
      // A client that was killed in the middle is what this is about.
      if (!response.headersSent) response.writeHead(400);
      response.end(String(error));
    });
  });

  static async start(): Promise<ScriptedModel> {
    const model = new ScriptedModel();
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
    if (request.method === "GET") {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ object: "list", data: [{ id: "scripted", object: "model", owned_by: "versus" }] }));
      return;
    }
    const body = JSON.parse(await text(request)) as Body;
    const isTrial = body.tools?.some((tool) => tool.function.name === TRIAL_TOOL) === true;
    if (!isTrial) {
      this.calls++;
      await wait(THINKING_MS);
    }
    const call = { id: "call_1", type: "function", function: { name: TRIAL_TOOL, arguments: '{"word":"ready"}' } };
    const said = isTrial ? { content: null, tool_calls: [call] } : { content: wordsFor(body) };
    const finish_reason = isTrial ? "tool_calls" : "stop";
    const head = { id: `c${Date.now()}`, created: Math.floor(Date.now() / 1_000), model: "scripted" };
    if (body.stream !== true) {
      const choices = [{ index: 0, message: { role: "assistant", ...said }, finish_reason }];
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ ...head, object: "chat.completion", choices, usage: USAGE }));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    const send = (more: object) =>
      response.write(`data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", ...more })}\n\n`);
    const delta = isTrial ? { tool_calls: [{ index: 0, ...call }] } : said;
    send({ choices: [{ index: 0, delta: { role: "assistant", ...delta }, finish_reason: null }] });
    send({ choices: [{ index: 0, delta: {}, finish_reason }] });
    send({ choices: [], usage: USAGE });
    response.end("data: [DONE]\n\n");
  }
}

/** Words that stand in a request are answered unless their answer stands there, too. */
function wordsFor({ messages }: Body): string {
  const texts = messages.map(({ role, content }) => ({ role, text: textOf(content) }));
  const lastReply = texts.findLastIndex(({ role }) => role === "assistant");
  const newest = texts.slice(lastReply + 1).filter(({ role }) => role === "user" || role === "tool");
  const answered = new Set(texts.flatMap(({ text }) => repliesIn(text)));
  const open = newest.flatMap(({ text }) => requestsIn(newIn(text))).filter((nonce) => !answered.has(nonce));
  return open.length === 0 ? "ok" : [...new Set(open)].map((nonce) => `said ${nonce}`).join("\n");
}

/** Mimikit's prompt marks the part that is new, and its rules say that only that is to be answered. */
const newIn = (text: string): string => /<M:inputs>.*?<\/M:inputs>/s.exec(text)?.[0] ?? text;

function textOf(content: Body["messages"][number]["content"]): string {
  if (content === null) return "";
  return typeof content === "string" ? content : content.map(({ text = "" }) => text).join("\n");
}
