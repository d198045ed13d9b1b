/** The outside world of a run: Telegram, the address of hooks, and a model. Each of them fails at times, and keeps a record. */
import { randomOf } from "../../../apps/cli/src/chaos/random.ts";
import { HookReceiver } from "../../support/hook-receiver.ts";
import { ModelServer } from "../../support/model-server.ts";
import { type Person, type SentMessage, TelegramServer } from "../../support/telegram-server.ts";
import type { Received } from "./check.ts";
import { scriptOfEdges } from "./jobs.ts";

export const OWNER: Person = { id: 4_711, first_name: "Ada", username: "ada" };

/** The share of messages at Telegram, and of calls of hooks, that fail, each in three ways. */
const FAILS = 0.2;

export class Outside {
  readonly telegram: TelegramServer;
  readonly hooks: HookReceiver;
  readonly model: ModelServer;
  readonly received: Received[];
  /** The texts that Telegram has taken, with their times. */
  readonly taken: { text: string; atMs: number }[] = [];

  private constructor(telegram: TelegramServer, hooks: HookReceiver, model: ModelServer, received: Received[]) {
    this.received = received;
    this.telegram = telegram;
    this.hooks = hooks;
    this.model = model;
  }

  /** @param onReply is told of each reply of the model. */
  static async start(seed: number, onReply: (text: string) => void): Promise<Outside> {
    const random = randomOf(seed);
    const received: Received[] = [];
    const hooks = await HookReceiver.start(({ headers, body }, response) => {
      const fate = random() < FAILS ? Math.floor(random() * 3) : null;
      const answer = fate === null ? "taken" : fate === 0 ? "cut" : "refused";
      received.push({ id: String(headers["webhook-id"]), body, atMs: Date.now(), answer });
      if (fate === null) response.writeHead(204).end();
      else if (fate === 0) response.destroy();
      else response.writeHead(fate === 1 ? 503 : 429, { "retry-after": "1" }).end();
    });
    const telegram = await TelegramServer.start();
    const outside = new Outside(telegram, hooks, await ModelServer.start(scriptOfEdges(onReply)), received);
    telegram.onSend = ({ text }) => {
      const fate = random() < FAILS ? Math.floor(random() * 3) : null;
      if (fate === 0) return { status: 429, retryAfter: 1 };
      if (fate === 1) return "not json";
      outside.taken.push({ text, atMs: Date.now() });
      return fate === 2 ? "taken unanswered" : "taken";
    };
    return outside;
  }

  /** The message at Telegram that asks a question, once it is there. */
  questionWith(text: string): SentMessage | undefined {
    return this.telegram.sent.find((message) => message.buttons.length > 0 && message.text.includes(text));
  }

  async close(): Promise<void> {
    await Promise.all([this.telegram.dispose(), this.hooks.close(), this.model.close()]);
  }
}
