/** OpenClaw: its gateway, over the WebSocket that its own page uses (its docs: gateway/protocol, web/webchat). */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Frames } from "../frames.ts";
import type { Assistant, Place, Reply } from "./assistant.ts";

const TOKEN = "versus-versus-versus-versus";
const WIRE_VERSION = 4;
/** Its breaker trips at the third start within five minutes that follows a kill (its docs: gateway/restart-recovery). */
const KILLS_APART_MS = 151_000;
/** So that a hundred kills take little more than an hour. */
const HOMES = 4;
/** The most that chat.history gives at once. */
const HISTORY_MAX = 1_000;

interface HistoryMessage {
  role: string;
  content: string | { type: string; text?: string }[];
  timestamp?: number;
}

export const openclaw: Assistant = {
  id: "openclaw",
  name: "OpenClaw",
  package: { name: "openclaw", version: "2026.9.6" },
  sendsAgain: true,
  kills: { apartMs: KILLS_APART_MS, homes: HOMES },

  configure({ home, port, modelUrl }) {
    const model = { id: "scripted", name: "scripted", contextWindow: 200_000, maxTokens: 8_192, input: ["text"] };
    const provider = { baseUrl: modelUrl, apiKey: "none", api: "openai-completions", models: [model] };
    const config = {
      gateway: { mode: "local", port, bind: "loopback", auth: { mode: "token", token: TOKEN } },
      models: { providers: { scripted: provider } },
      agents: { defaults: { model: { primary: "scripted/scripted" } } },
      update: { checkOnStart: false },
    };
    mkdirSync(join(home, ".openclaw"), { recursive: true });
    writeFileSync(join(home, ".openclaw/openclaw.json"), JSON.stringify(config, null, 2));
  },

  command: ({ installed, port }) => ({
    argv: [process.execPath, `${installed}/node_modules/openclaw/openclaw.mjs`, "gateway", "run", "--port", `${port}`],
    env: {},
  }),

  async connect({ port }: Place) {
    const frames = await Frames.open(`ws://127.0.0.1:${port}/`);
    const call = (method: string, params: object) =>
      frames.ask<object>((id) => ({ type: "req", id, method, params }), readAnswer);
    try {
      await call("connect", {
        minProtocol: WIRE_VERSION,
        maxProtocol: WIRE_VERSION,
        client: { id: "gateway-client", version: "1.0.0", platform: "linux", mode: "backend" },
        role: "operator",
        scopes: ["operator.read", "operator.write", "operator.admin"],
        caps: [],
        auth: { token: TOKEN },
      });
    } catch (error) {
      frames.close();
      throw error;
    }
    return {
      async send({ id, conversation, text }) {
        await call("chat.send", { sessionKey: sessionOf(conversation), message: text, idempotencyKey: id });
      },
      async replies(conversations) {
        const replies: Reply[] = [];
        for (const conversation of conversations) {
          const params = { sessionKey: sessionOf(conversation), limit: HISTORY_MAX };
          const { messages } = (await call("chat.history", params)) as { messages: HistoryMessage[] };
          for (const { role, content, timestamp } of messages)
            if (role === "assistant") replies.push({ text: textOf(content), atMs: timestamp ?? null });
        }
        return replies;
      },
      close: () => frames.close(),
    };
  },
};

const sessionOf = (conversation: string) => `agent:main:${conversation}`;

function textOf(content: HistoryMessage["content"]): string {
  return typeof content === "string" ? content : content.map(({ text = "" }) => text).join("");
}

function readAnswer(frame: Record<string, unknown>) {
  if (frame.type !== "res") return undefined;
  const { id, ok, payload, error } = frame as { id: string; ok: boolean; payload: object; error: object };
  return ok ? { id, value: payload } : { id, problem: JSON.stringify(error) };
}
