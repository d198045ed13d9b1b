/** nanobot, as its port to TypeScript (the original is a Python package): its gateway, over the HTTP of its own page. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Assistant, Reply } from "./assistant.ts";

const PROGRAM = "node_modules/@jcheesepkg/nanobot/dist/cli/index.mjs";

interface Message {
  role: string;
  content: string | null;
}

export const nanobot: Assistant = {
  id: "nanobot",
  name: "nanobot (TypeScript)",
  package: { name: "@jcheesepkg/nanobot", version: "0.9.2" },

  configure() {},

  /** Its settings are variables: the file that its readme names is not read. */
  command: ({ installed, port, modelUrl }) => ({
    argv: [process.execPath, `${installed}/${PROGRAM}`, "gateway", "--port", `${port}`],
    env: { LLM_API_KEY: "none", LLM_API_BASE: modelUrl, LLM_MODEL: "scripted" },
  }),

  async connect({ port, home }) {
    const url = `http://127.0.0.1:${port}`;
    const page = await fetch(url);
    if (!page.ok) throw new Error(`its page answers ${page.status}`);
    return {
      async send({ conversation, text }) {
        const response = await fetch(`${url}/api/chat`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ message: text, chatId: conversation, session: `web:${conversation}` }),
        });
        if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
      },
      /** Its page shows the last 200 messages of a session; its file has all. */
      async replies(conversations) {
        return conversations.flatMap((conversation): Reply[] => {
          const path = join(home, `.nanobot/sessions/web_${conversation}.jsonl`);
          if (!existsSync(path)) return [];
          const lines = readFileSync(path, "utf8").split("\n").filter(Boolean);
          const messages = lines.map((line) => JSON.parse(line) as Message);
          const own = messages.filter(({ role }) => role === "assistant");
          return own.map(({ content }) => ({ text: content ?? "", atMs: null }));
        });
      },
      close: () => undefined,
    };
  },
};
