/**
 * Gemma: its gateway, over the WebSocket that its page uses. A socket is in one session; sessions get their names from it. It
 * acknowledges only messages that wait (`queue:ack`); others count as acknowledged when they stand in the transcript that its page
 * shows.
 */
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { WebSocket } from "ws";
import { Names } from "../names.ts";
import type { Assistant, Message, Reply } from "./assistant.ts";

const SEEN_EVERY_MS = 20;
const OPEN_MS_MAX = 10_000;

interface Line {
  type: string;
  text: string;
  timestamp: string;
}

export const gemma: Assistant = {
  id: "gemma",
  name: "Gemma",
  package: { name: "boten-gemma", version: "0.2.1" },

  configure({ home, modelUrl }) {
    const config = {
      model: { provider: "openai-compat", openaiCompat: { baseUrl: modelUrl, model: "scripted" } },
      channels: { web: { enabled: true } },
    };
    mkdirSync(join(home, ".gemma"), { recursive: true });
    writeFileSync(join(home, ".gemma/gemma.json"), JSON.stringify(config, null, 2));
  },

  command: ({ installed, port }) => ({
    argv: [process.execPath, `${installed}/node_modules/boten-gemma/dist/index.js`, "start"],
    env: { GEMMA_PORT: `${port}`, GEMMA_BIND: "127.0.0.1" },
  }),

  async connect({ home, port }) {
    const health = await fetch(`http://127.0.0.1:${port}/health`);
    if (!health.ok) throw new Error(`/health answers ${health.status}`);
    const sessions = new Sessions(home);
    const talks = new Map<string, Promise<Talk>>();
    const talkOf = (conversation: string) => {
      const talk = talks.get(conversation) ?? Talk.open(port, sessions, conversation);
      talks.set(conversation, talk);
      return talk;
    };
    return {
      send: async (message) => (await talkOf(message.conversation)).send(message),
      replies: async (conversations) =>
        conversations.flatMap((conversation) =>
          sessions.lines(conversation).flatMap(({ type, text, timestamp }): Reply[] => {
            return type === "assistant" ? [{ text, atMs: Date.parse(timestamp) }] : [];
          }),
        ),
      close() {
        for (const talk of talks.values()) talk.then((one) => one.close()).catch(() => undefined);
      },
    };
  },
};

/** The sessions of the conversations, and what stands in their transcripts. */
class Sessions {
  readonly names: Names;
  private readonly home: string;

  constructor(home: string) {
    this.home = home;
    this.names = new Names(home);
  }

  /** As its page shows them, which leaves out a line that is broken. */
  lines(conversation: string): Line[] {
    const path = join(this.home, `.gemma/sessions/${this.names.get(conversation)?.replace(/[^\w-]/g, "_")}.jsonl`);
    if (!existsSync(path)) return [];
    return readFileSync(path, "utf8")
      .split("\n")
      .flatMap((line) => {
        try {
          return [JSON.parse(line) as Line];
        } catch {
          return [];
        }
      });
  }
}

/** A socket in the session of one conversation. */
class Talk {
  private readonly socket: WebSocket;
  private readonly sessions: Sessions;
  /** Messages that have not been seen yet, the oldest first. */
  private readonly unseen: string[] = [];

  private constructor(socket: WebSocket, sessions: Sessions) {
    this.socket = socket;
    this.sessions = sessions;
    socket.on("error", () => undefined);
  }

  static async open(port: number, sessions: Sessions, conversation: string): Promise<Talk> {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { handshakeTimeout: OPEN_MS_MAX });
    const talk = new Talk(socket, sessions);
    await once(socket, "open");
    const sessionId = sessions.names.get(conversation);
    const restored = new Promise<string>((resolve, reject) => {
      socket.on("close", () => reject(new Error("the connection was closed")));
      socket.on("message", (data) => {
        const frame = JSON.parse(String(data)) as { type: string; sessionId?: string };
        if (frame.type === "session:restored") resolve(frame.sessionId ?? "");
        if (frame.type === "queue:ack") talk.unseen.shift();
      });
    });
    socket.send(JSON.stringify(sessionId ? { type: "session:resume", sessionId } : { type: "session:new" }));
    sessions.names.set(conversation, await restored);
    return talk;
  }

  async send({ id, conversation, text }: Message): Promise<void> {
    this.unseen.push(id);
    this.socket.send(JSON.stringify({ type: "chat", role: "user", content: text }));
    while (this.unseen.includes(id)) {
      if (this.socket.readyState !== WebSocket.OPEN) throw new Error("the connection was closed");
      if (this.sessions.lines(conversation).some((line) => line.type === "user" && line.text === text))
        this.unseen.splice(this.unseen.indexOf(id), 1);
      else await wait(SEEN_EVERY_MS);
    }
  }

  close(): void {
    this.socket.terminate();
  }
}
