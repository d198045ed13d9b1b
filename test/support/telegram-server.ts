/**
 * A server of the test's own that speaks the Bot API of Telegram (core.telegram.org/bots/api) as far as a channel needs
 * it: polls that confirm by offset, messages with their bounds, files, and all the ways in which it can fail. Mistakes
 * of a client are in `mistakes`.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readAll } from "node:stream/consumers";

const TEXT_UNITS_MAX = 4_096;
const DATA_BYTES_MAX = 64;
/** Of one answer (core.telegram.org/bots/api#getupdates, `limit`). */
const UPDATES_MAX = 100;
const FIRST_UPDATE = 731_000_001;

export interface Person {
  id: number;
  first_name: string;
  username?: string;
}

export interface SentMessage {
  chat: number;
  text: string;
  messageId: number;
  buttons: { label: string; data: string }[];
  asksReply: boolean;
}

/**
 * The fate of a sent message: it is taken, and answered or not, or a gateway in between answers (an HTML page, or Telegram's own
 * `{"ok":false,"error_code":502,"description":"Bad Gateway"}`, github.com/tdlib/telegram-bot-api/issues/868); or it is not taken.
 */
export type Fate =
  | "taken"
  | "taken unanswered"
  | { taken: true; status: number; page?: true }
  | { taken?: false; status: number; retryAfter?: number; page?: true }
  | "not json";

/** The fate of a download: a connection that is cut in the middle of the body, or an answer in place of the file. */
export type FileFate = "whole" | "cut" | { status: number };

interface Update {
  update_id: number;
  [kind: string]: unknown;
}

export class TelegramServer {
  readonly token: string;
  /** The messages that were taken, in order. */
  readonly sent: SentMessage[] = [];
  readonly typing: number[] = [];
  readonly presses: { id: string; text: string }[] = [];
  readonly mistakes: string[] = [];
  /** Called before each message is taken. */
  onSend: (message: Omit<SentMessage, "messageId">) => Fate | Promise<Fate> = () => "taken";
  /** Called after updates were handed out, before the answer. */
  onUpdates: (updates: readonly Update[]) => void = () => {};
  /** A gateway in front answers everything with a page of this status. */
  page: number | null = null;
  /** The requests that were answered with it. */
  readonly pages: string[] = [];
  /** Called before each download. */
  onFile: (id: string) => FileFate = () => "whole";
  /** The files that were asked for, in order. */
  readonly downloads: string[] = [];
  /** Another program polls, or the token was revoked: the status of every poll. */
  pollsRefused: number | null = null;
  /** Another program has set a webhook. */
  hasWebhook = false;
  /** All that was handed out, and again what was so more than once. */
  readonly delivered: Update[] = [];
  private updates: Update[] = [];
  private readonly said: ReturnType<TelegramServer["messageOf"]>[] = [];
  private readonly files = new Map<string, Buffer>();
  private nextUpdate = FIRST_UPDATE;
  private nextMessage = 1;
  private server: Server | undefined;
  private port = 0;
  private polls = new Set<() => void>();
  /** People who have written to the bot: it cannot write to others (github.com/TelegramBotAPI/errors/issues/2). */
  readonly known = new Set<number>();

  private constructor(token: string) {
    this.token = token;
  }

  /** A server with one bot. Message ids of private chats are counted for each bot, from 1; the id of a private chat is the person's. */
  static async start(token = "123456789:AAtestTESTtestTESTtestTESTtestTESTte"): Promise<TelegramServer> {
    const telegram = new TelegramServer(token);
    await telegram.open();
    return telegram;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Updates that nobody has confirmed. */
  get unconfirmed(): number {
    return this.updates.length;
  }

  /** Begins to answer, at the same address as before. */
  async open(): Promise<void> {
    this.server = createServer((request, response) => {
      this.answer(request, response).catch((error: unknown) => this.mistakes.push(String(error)));
    });
    this.server.listen(this.port, "127.0.0.1");
    await once(this.server, "listening");
    this.port = (this.server.address() as AddressInfo).port;
  }

  /** The server is gone: connections are refused. */
  async close(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    if (server === undefined) return;
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  }

  /** A person writes to the bot. @returns the id of the message. */
  say(from: Person, text: string, more: Record<string, unknown> = {}): number {
    const message_id = this.nextMessage++;
    this.known.add(from.id);
    const message = this.messageOf(from, message_id, { ...(text !== "" && { text }), ...more });
    this.said.push(message);
    this.push({ message });
    return message_id;
  }

  /**
   * An album: a message and an update for each file, with the words on the first (core.telegram.org/bots/api#message,
   * `media_group_id`). The updates may come in several answers (github.com/zeroclaw-labs/zeroclaw/pull/6088).
   */
  sayAlbum(from: Person, album: string, files: readonly string[], caption?: string): number[] {
    return files.map((file_id, k) =>
      this.say(from, "", {
        media_group_id: album,
        photo: [{ file_id, file_unique_id: `u-${file_id}` }],
        ...(k === 0 && caption !== undefined && { caption }),
      }),
    );
  }

  /** A person writes in a group in which the bot is. */
  sayInGroup(from: Person, text: string): void {
    const chat = { id: -100_123_456, type: "supergroup", title: "everybody" };
    this.push({ message: { ...this.messageOf(from, this.nextMessage++, { text }), chat } });
  }

  /**
   * An update of a message whose words are what they were: a reaction, a preview that was loaded
   * (core.telegram.org/bots/api#update, `edited_message`; github.com/tdlib/telegram-bot-api/issues/773).
   */
  touch(message_id: number, edit_date: number): void {
    const said = [...this.said].reverse().find((message) => message.message_id === message_id);
    if (said === undefined) throw new Error(`there is no message ${message_id}`);
    this.push({ edited_message: { ...said, edit_date } });
  }

  edit(from: Person, message_id: number, text: string, more: Record<string, unknown> = {}): void {
    const edited = this.messageOf(from, message_id, { text, edit_date: 1_800_000_001, ...more });
    this.said.push(edited);
    this.push({ edited_message: edited });
  }

  press(from: Person, { messageId, chat }: SentMessage, data: string): void {
    const message = { message_id: messageId, date: 1, chat: { id: chat, type: "private" } };
    this.push({ callback_query: { id: `press-${this.nextUpdate}`, from, message, chat_instance: "1", data } });
  }

  /** Hands out an update once more, as where its confirmation was lost. */
  repeat(update: Update | undefined): void {
    if (update === undefined) throw new Error("nothing was handed out");
    this.updates.push(update);
    this.wake();
  }

  /** @returns the reference by which a message names it. */
  keep(content: Buffer): string {
    const id = `file-${this.files.size + 1}`;
    this.files.set(id, content);
    return id;
  }

  private messageOf(from: Person, message_id: number, more: Record<string, unknown>) {
    const chat = { id: from.id, type: "private", first_name: from.first_name };
    return { message_id, date: 1_800_000_000, chat, from: { ...from, is_bot: false }, ...more };
  }

  private push(update: Record<string, unknown>): void {
    this.updates.push({ update_id: this.nextUpdate++, ...update });
    this.wake();
  }

  private wake(): void {
    for (const each of this.polls) each();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? "";
    const [, token, method] = /^\/bot([^/]+)\/(\w+)$/.exec(path) ?? [];
    const [, tokenOfFile, file] = /^\/file\/bot([^/]+)\/files\/([\w-]+)$/.exec(path) ?? [];
    const body = JSON.parse((await readAll(request)) || "{}") as Record<string, never>;
    if (this.page !== null) {
      this.pages.push(path);
      return showPage(response, this.page);
    }
    if ((token ?? tokenOfFile) !== this.token) return refuse(response, 401, "Unauthorized");
    if (file !== undefined) {
      this.download(file, response);
      return;
    }
    switch (method) {
      case "getMe":
        return accept(response, {
          id: Number(this.token.split(":")[0]),
          is_bot: true,
          first_name: "Garden",
          username: "garden_bot",
        });
      case "getUpdates":
        return this.poll(body, response);
      case "sendMessage":
        return this.take(body, response);
      case "sendChatAction":
        this.typing.push(Number(body.chat_id));
        return accept(response, true);
      case "answerCallbackQuery":
        this.presses.push({ id: body.callback_query_id ?? "", text: body.text ?? "" });
        return accept(response, true);
      case "getFile": {
        const id: string = body.file_id ?? "";
        if (!this.files.has(id)) return refuse(response, 400, "Bad Request: file is too big");
        return accept(response, { file_id: id, file_unique_id: id, file_path: `files/${id}` });
      }
      default:
        this.mistakes.push(`${path} is no method`);
        return refuse(response, 404, "Not Found");
    }
  }

  private download(id: string, response: ServerResponse): void {
    this.downloads.push(id);
    const fate = this.onFile(id);
    const content = this.files.get(id) ?? Buffer.alloc(0);
    if (typeof fate === "object") response.writeHead(fate.status).end("not found");
    else if (fate === "whole") response.end(content);
    else {
      response.writeHead(200, { "content-length": content.length });
      response.write(content.subarray(0, content.length / 2), () => response.destroy());
    }
  }

  /** @param offset what is below it is confirmed, and comes never again. */
  private async poll(
    { offset, timeout = 0 }: { offset?: number; timeout?: number },
    response: ServerResponse,
  ): Promise<void> {
    if (this.hasWebhook)
      return refuse(
        response,
        409,
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
      );
    if (this.pollsRefused !== null)
      return refuse(response, this.pollsRefused, "Conflict: terminated by other getUpdates request");
    if (offset !== undefined) this.updates = this.updates.filter(({ update_id }) => update_id >= offset);
    if (this.updates.length === 0 && timeout > 0)
      await new Promise<void>((resolve) => {
        const done = () => {
          clearTimeout(timer);
          this.polls.delete(done);
          resolve();
        };
        const timer = setTimeout(done, timeout * 1_000).unref();
        this.polls.add(done);
        response.once("close", done);
      });
    const updates = this.updates.slice(0, UPDATES_MAX);
    this.delivered.push(...updates);
    accept(response, updates);
    this.onUpdates(updates);
  }

  private async take(body: Record<string, unknown>, response: ServerResponse): Promise<void> {
    const {
      chat_id: chat,
      text,
      parse_mode,
      reply_markup: markup,
    } = body as {
      chat_id: number;
      text: string;
      parse_mode?: string;
      reply_markup?: { inline_keyboard?: { text: string; callback_data: string }[][]; force_reply?: boolean };
    };
    const buttons = (markup?.inline_keyboard ?? [])
      .flat()
      .map((each) => ({ label: each.text, data: each.callback_data }));
    const wrong =
      typeof chat !== "number"
        ? "chat not found"
        : text.trim() === ""
          ? "message text is empty"
          : text.length > TEXT_UNITS_MAX
            ? "message is too long"
            : !text.isWellFormed()
              ? "strings must be encoded in UTF-8"
              : buttons.some(({ data }) => Buffer.byteLength(data) > DATA_BYTES_MAX || data === "")
                ? "BUTTON_DATA_INVALID"
                : parse_mode !== undefined
                  ? "can't parse entities"
                  : null;
    if (wrong !== null) {
      this.mistakes.push(wrong);
      return refuse(response, 400, `Bad Request: ${wrong}`);
    }
    if (!this.known.has(chat)) return refuse(response, 403, "Forbidden: bot can't initiate conversation with a user");
    const message = { chat, text, buttons, asksReply: markup?.force_reply === true };
    const fate = await this.onSend(message);
    if (fate === "not json") return showPage(response, 502);
    if (typeof fate === "object" && fate.taken !== true)
      return fate.page === true
        ? showPage(response, fate.status)
        : refuse(response, fate.status, "Too Many Requests", fate.retryAfter && { retry_after: fate.retryAfter });
    const messageId = this.nextMessage++;
    this.sent.push({ ...message, messageId });
    if (typeof fate === "object")
      return fate.page === true ? showPage(response, fate.status) : refuse(response, fate.status, "Bad Gateway");
    if (fate === "taken unanswered") response.destroy();
    else accept(response, { message_id: messageId, date: 1, chat: { id: chat, type: "private" }, text });
  }

  async dispose(): Promise<void> {
    await this.close();
  }
}

function accept(response: ServerResponse, result: unknown): void {
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ ok: true, result }));
}

/** As a gateway or a portal in between does. */
function showPage(response: ServerResponse, status: number): void {
  response.writeHead(status, { "content-type": "text/html" }).end("<html>no answer of the vendor's</html>");
}

function refuse(response: ServerResponse, code: number, description: string, parameters?: unknown): void {
  response.statusCode = code;
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ ok: false, error_code: code, description, ...(parameters ? { parameters } : {}) }));
}
