/** OpenCode: its server, over the HTTP of its own page (its docs: server). */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Names } from "../names.ts";
import type { Assistant, Reply } from "./assistant.ts";

/** Its home may be below a repository, of which it would keep a snapshot for each message. */
const START = 'mkdir -p /tmp/work && cd /tmp/work && exec "$OPENCODE" serve --port "$PORT"';
/** It never answers a connection that comes while it starts. */
const HEALTHY_MS_MAX = 5_000;
const ANSWER_MS_MAX = 60_000;

interface Message {
  info: { role: string; time: { created: number; completed?: number } };
  parts: { type: string; text?: string }[];
}

export const opencode: Assistant = {
  id: "opencode",
  name: "OpenCode",
  package: { name: "opencode-ai", version: "1.18.33" },

  configure({ home, modelUrl }) {
    const provider = {
      npm: "@ai-sdk/openai-compatible",
      options: { baseURL: modelUrl, apiKey: "none" },
      models: { scripted: {} },
    };
    const config = { model: "scripted/scripted", provider: { scripted: provider } };
    mkdirSync(join(home, ".config/opencode"), { recursive: true });
    writeFileSync(join(home, ".config/opencode/opencode.json"), JSON.stringify(config, null, 2));
  },

  /** The program of this machine, to which the package's install script would link. */
  command: ({ installed, port }) => ({
    argv: ["sh", "-c", START],
    env: { OPENCODE: `${installed}/node_modules/opencode-linux-${process.arch}/bin/opencode`, PORT: `${port}` },
  }),

  async connect({ home, port }) {
    const call = async (path: string, body?: object, msMax = ANSWER_MS_MAX) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        ...(body && { method: "POST", body: JSON.stringify(body) }),
        headers: { "content-type": "application/json" },
        signal: AbortSignal.timeout(msMax),
      });
      if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
      return response;
    };
    await call("/global/health", undefined, HEALTHY_MS_MAX);
    const sessions = new Names(home);
    const begin = async () => ((await (await call("/session", {})).json()) as { id: string }).id;
    return {
      async send({ conversation, text }) {
        const session = await sessions.of(conversation, begin);
        await call(`/session/${session}/prompt_async`, { parts: [{ type: "text", text }] });
      },
      async replies(conversations) {
        const known = conversations.flatMap((conversation) => sessions.get(conversation) ?? []);
        const all = known.map(async (id) => (await (await call(`/session/${id}/message`)).json()) as Message[]);
        return (await Promise.all(all)).flat().flatMap(({ info, parts }): Reply[] => {
          const texts = parts.flatMap(({ type, text }) => (type === "text" ? [text] : []));
          const { created, completed } = info.time;
          return info.role === "assistant" ? [{ text: texts.join("\n"), atMs: completed ?? created }] : [];
        });
      },
      close: () => undefined,
    };
  },
};
