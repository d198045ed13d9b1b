/** ElizaOS: its server with the agent that its own command creates, over its HTTP (its docs: messaging API). */
import { createHash } from "node:crypto";
import { existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Assistant, Reply } from "./assistant.ts";

const CREATE_AND_START = `
[ -s eliza.json ] || $ELIZAOS create --yes --type agent eliza
exec $ELIZAOS start --port "$PORT" --character eliza.json`;
const SERVER = "00000000-0000-0000-0000-000000000000";
const USER = "22222222-2222-4222-8222-222222222222";
const ANSWER_MS_MAX = 60_000;
const MESSAGES_MAX = 1_000;
/** It allows a client 1000 requests in 15 minutes; when fewer than these are left, they are made to last. */
const LEFT_MIN = 400;
const SPARING_MS = 2_000;

interface Agents {
  data: { agents: { id: string; status: string }[] };
}

interface Messages {
  data: { messages: { authorId: string; content: string; created_at: number }[] };
}

export const eliza: Assistant = {
  id: "eliza",
  name: "ElizaOS",
  package: { name: "@elizaos/cli", version: "1.7.2" },

  /** Plugins are looked for in the folder that it is started in, as in the projects that its command creates. */
  configure({ home, installed }) {
    const link = join(home, "node_modules");
    if (!existsSync(link)) symlinkSync(`${installed}/node_modules`, link);
  },

  command: ({ installed, port, modelUrl }) => ({
    argv: ["sh", "-c", CREATE_AND_START],
    env: {
      ELIZAOS: `${bunIn(`${installed}`)} ${installed}/node_modules/@elizaos/cli/dist/index.js`,
      PORT: `${port}`,
      OPENAI_BASE_URL: modelUrl,
      OPENAI_API_KEY: "none",
      OPENAI_SMALL_MODEL: "scripted",
      OPENAI_LARGE_MODEL: "scripted",
      // Each start looks for an update, and npm would try again for minutes where there is no network.
      npm_config_fetch_retries: "0",
    },
  }),

  phrase: (words) =>
    `<response><thought>an answer</thought><actions>REPLY</actions><providers></providers><text>${words}</text></response>`,

  async connect({ port }) {
    let left = Number.POSITIVE_INFINITY;
    const call = async <T>(path: string, body?: object): Promise<T> => {
      const response = await fetch(`http://127.0.0.1:${port}/api/${path}`, {
        ...(body && { method: "POST", body: JSON.stringify(body) }),
        headers: { "content-type": "application/json" },
        signal: AbortSignal.timeout(ANSWER_MS_MAX),
      });
      left = Number(response.headers.get("ratelimit-remaining") ?? left);
      if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
      return (await response.json()) as T;
    };
    const agent = (await call<Agents>("agents")).data.agents.find(({ status }) => status === "active")?.id;
    if (agent === undefined) throw new Error("its agent is not active");
    return {
      async send({ conversation, text }) {
        await call(`messaging/channels/${channelOf(conversation)}/messages`, {
          author_id: USER,
          content: text,
          message_server_id: SERVER,
          metadata: { isDm: true, channelType: "DM", targetUserId: agent, user_display_name: "User" },
        });
      },
      async replies(conversations) {
        const found: Messages[] = [];
        for (const conversation of conversations) {
          found.push(await call(`messaging/channels/${channelOf(conversation)}/messages?limit=${MESSAGES_MAX}`));
          if (left < LEFT_MIN) await wait(SPARING_MS);
        }
        return found
          .flatMap(({ data }) => data.messages)
          .filter(({ authorId }) => authorId === agent)
          .map(({ content, created_at }): Reply => ({ text: content, atMs: created_at }));
      },
      close: () => undefined,
    };
  },
};

/** Bun comes with it as a package; the package's install script would only link to it. */
const bunIn = (installed: string): string =>
  `${installed}/node_modules/@oven/bun-linux-${process.arch === "arm64" ? "aarch64" : process.arch}/bin/bun`;

/** A client gives its channels their ids. */
function channelOf(conversation: string): string {
  const hex = createHash("sha256").update(conversation).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
