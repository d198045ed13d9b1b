/** Mimikit as `npm start` starts it: three processes under PM2, which stays when they are killed and starts them again. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ChatMessage } from "@mimikit/protocol/wire/api";
import { ROOT } from "@mimikit/runtime/home/programs";
import type { Assistant, Reply } from "./assistant.ts";

const UP = `"$NODE" "$ROOT/apps/cli/bin/mimikit.mjs" up --json && exec sleep infinity`;
/** The most that /api/messages gives at once. */
const PAGE_MAX = 200;

export const mimikit: Assistant = {
  id: "mimikit",
  name: "Mimikit",
  package: null,
  isSupervisor: (commandLine) => commandLine.includes("God Daemon"),

  configure() {},

  command: ({ home, port, modelUrl }) => ({
    argv: ["sh", "-c", UP],
    env: {
      NODE: process.execPath,
      ROOT,
      MIMIKIT_HOME: join(home, ".mimikit"),
      MIMIKIT_WORK_DIR: home,
      MIMIKIT_PORT: `${port}`,
      MIMIKIT_PROVIDER: "openai",
      MIMIKIT_MODEL: "scripted",
      OPENAI_BASE_URL: modelUrl,
      OPENAI_API_KEY: "none",
    },
  }),

  async connect({ home, port }) {
    const url = `http://127.0.0.1:${port}`;
    const headers = { authorization: `Bearer ${readFileSync(join(home, ".mimikit/token"), "utf8").trim()}` };
    const get = async <T>(path: string): Promise<T> => {
      const response = await fetch(`${url}${path}`, { headers });
      if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
      return (await response.json()) as T;
    };
    await get("/api/status");
    return {
      async send({ id, text }) {
        const response = await fetch(`${url}/api/input`, {
          method: "POST",
          headers: { ...headers, "content-type": "application/json", "idempotency-key": id },
          body: JSON.stringify({ text }),
        });
        if (response.status !== 202) throw new Error(`${response.status} ${await response.text()}`);
      },
      /** It has one conversation, of which the page keeps the newest messages; the export has all of them. */
      async replies(_conversations, isWhole) {
        const path = isWhole ? "/api/history/export?format=json" : `/api/messages?limit=${PAGE_MAX}`;
        const { messages } = await get<{ messages: ChatMessage[] }>(path);
        const said = messages.filter(({ role }) => role === "assistant");
        return said.map(({ text, at }): Reply => ({ text, atMs: Date.parse(at) }));
      },
      close: () => undefined,
    };
  },
};
