/** Telegram: a bot of the owner's, by long polling, so that no address of ours has to be reachable. `grammy` speaks its API. */

import type { Message, Update, User } from "grammy/types";
import { Api, GrammyError, HttpError } from "grammy/web";
import {
  type Channel,
  ChannelError,
  type ChannelKind,
  FileRefused,
  type Incoming,
  type IncomingFile,
  isBeforeSending,
  type Polled,
  type Sent,
  type VendorMessage,
} from "../contract/channel.ts";

const API_ROOT = "https://api.telegram.org";
/** How long Telegram holds a poll open, in seconds, and how long we wait for it. */
const POLL_SEC = 25;
const POLL_MS_MAX = 40_000;
const CALL_MS_MAX = 30_000;
const FILE_MS_MAX = 120_000;
/** Telegram's bound of a message. */
const TEXT_UNITS_MAX = 4_096;
/** Longer labels are cut by clients anyway. */
const LABEL_UNITS_MAX = 60;
/** The update types that Telegram is asked for; it delivers no others. */
const HEARD = ["message", "edited_message", "callback_query"] as const;
const TOKEN = /^\d{3,20}:[A-Za-z0-9_-]{20,100}$/;
/** A token that is refused is asked again only so often, in ms. */
const REFUSED_MS = 900_000;

export const telegram: ChannelKind = {
  name: "telegram",
  title: "Telegram",
  fields: [
    { name: "token", what: "the token of your bot, as @BotFather gives it", isSecret: true },
    { name: "server", what: "the address of a Bot API server of your own, if you run one", isOptional: true },
  ],
  hint: "next:  mimikit channels pair telegram",
  hasTitles: false,
  textUnitsMax: TEXT_UNITS_MAX,
  unsure: "mark",
  pairing: "code",
  keepsCursor: false,
  async open({ token = "", server = API_ROOT }) {
    if (!TOKEN.test(token))
      throw new Error("the token of a bot is digits, a colon and letters, as @BotFather gives it");
    return new Telegram(token, server.replace(/\/+$/, ""));
  },
};

class Telegram implements Channel {
  private readonly api: Api;
  private readonly filesAt: string;

  constructor(token: string, server: string) {
    this.api = new Api(token, { apiRoot: server, fetch: fetchForGrammy as never, timeoutSeconds: POLL_MS_MAX / 1_000 });
    this.filesAt = `${server}/file/bot${token}`;
  }

  async about(signal: AbortSignal): Promise<string> {
    const { username } = await asked(() => this.api.raw.getMe(within(CALL_MS_MAX, signal)));
    return `@${username}`;
  }

  async poll(cursor: string | undefined, signal: AbortSignal): Promise<Polled> {
    const updates = await asked(() =>
      this.api.raw.getUpdates(
        {
          ...(cursor !== undefined && { offset: Number(cursor) }),
          // A poll that confirms an offset returns at once; only the next one waits.
          timeout: cursor === undefined ? POLL_SEC : 0,
          allowed_updates: [...HEARD],
        },
        within(POLL_MS_MAX, signal),
      ),
    );
    const last = updates.at(-1)?.update_id;
    // After a week of silence the numbers start over at random: an offset is good for one confirmation and no longer.
    return { incoming: updates.flatMap(incomingOf), cursor: last === undefined ? undefined : String(last + 1) };
  }

  async send(chat: string, part: VendorMessage, signal: AbortSignal): Promise<Sent> {
    const keyboard = part.buttons?.map(({ label, data }) => [{ text: cutLabel(label), callback_data: data }]);
    try {
      const { message_id } = await this.api.raw.sendMessage(
        {
          chat_id: Number(chat),
          text: part.text,
          link_preview_options: { is_disabled: true },
          ...(keyboard !== undefined && { reply_markup: { inline_keyboard: keyboard } }),
          ...(part.asksReply === true && { reply_markup: { force_reply: true as const } }),
        },
        within(CALL_MS_MAX, signal),
      );
      return { outcome: "sent", remote: String(message_id) };
    } catch (error) {
      return notSent(error);
    }
  }

  async showTyping(chat: string, signal: AbortSignal): Promise<void> {
    await this.api.raw.sendChatAction({ chat_id: Number(chat), action: "typing" }, within(CALL_MS_MAX, signal));
  }

  async *fetchFile(ref: string, signal: AbortSignal): AsyncIterable<Uint8Array> {
    const path = await this.pathOf(ref, signal);
    const response = await fetchAt(`${this.filesAt}/${path}`, within(FILE_MS_MAX, signal));
    if (!response.ok || response.body === null)
      throw new ChannelError("unreachable", `Telegram answers ${response.status} for a file`);
    yield* response.body;
  }

  async tellPress(press: string, text: string, signal: AbortSignal): Promise<void> {
    await this.api.raw.answerCallbackQuery({ callback_query_id: press, text }, within(CALL_MS_MAX, signal));
  }

  private async pathOf(ref: string, signal: AbortSignal): Promise<string> {
    try {
      const { file_path } = await this.api.raw.getFile({ file_id: ref }, within(CALL_MS_MAX, signal));
      if (file_path === undefined || file_path.split("/").includes(".."))
        throw new FileRefused("Telegram has no such file");
      return file_path;
    } catch (error) {
      // It is too big for a bot, or gone.
      if (error instanceof GrammyError && error.error_code === 400) throw new FileRefused(error.description);
      throw error instanceof FileRefused ? error : channelError(error);
    }
  }
}

function incomingOf(update: Update): Incoming[] {
  const { callback_query: press } = update;
  if (press !== undefined) {
    const chat = press.message?.chat;
    if (chat === undefined || press.data === undefined) return [];
    const id = `press ${update.update_id}`;
    const isPrivate = chat.type === "private";
    return [
      {
        kind: "press",
        id,
        chat: String(chat.id),
        ...personOf(press.from),
        isPrivate,
        press: press.id,
        data: press.data,
      },
    ];
  }
  const message = update.message ?? update.edited_message;
  if (message?.from === undefined) return [];
  const isEdit = update.message === undefined;
  return [
    {
      kind: "message",
      id: isEdit ? `${message.message_id} edit ${message.edit_date}` : String(message.message_id),
      chat: String(message.chat.id),
      ...personOf(message.from),
      isPrivate: message.chat.type === "private",
      text: textIn(message),
      files: filesIn(message),
      ...(message.reply_to_message !== undefined && { replyTo: String(message.reply_to_message.message_id) }),
      ...(isEdit && { edits: String(message.message_id) }),
    },
  ];
}

function personOf({ id, first_name, last_name, username }: User): { person: string; name: string } {
  const name = [first_name, last_name, username === undefined ? undefined : `@${username}`];
  return { person: String(id), name: name.filter((each) => each !== undefined).join(" ") };
}

/** Words, also those under a file; what is neither is said in words, so that it is not passed over in silence. */
function textIn(message: Message): string {
  const { text, caption, location, contact, sticker } = message;
  if (text !== undefined || caption !== undefined) return text ?? caption ?? "";
  if (location !== undefined) return `[location ${location.latitude}, ${location.longitude}]`;
  if (contact !== undefined) return `[contact ${contact.first_name} ${contact.phone_number}]`;
  return sticker?.emoji ?? "";
}

function filesIn({ photo, document, voice, audio, video, video_note, animation }: Message): IncomingFile[] {
  // The last is the largest.
  const picture = photo?.at(-1);
  if (picture !== undefined) return [{ ref: picture.file_id }];
  if (voice !== undefined) return [{ ref: voice.file_id, name: "voice.ogg" }];
  // An animation comes as a document as well.
  const file = document ?? audio ?? video ?? animation ?? video_note;
  if (file === undefined) return [];
  const name = "file_name" in file ? file.file_name : undefined;
  return [{ ref: file.file_id, ...(name !== undefined && { name }) }];
}

function cutLabel(label: string): string {
  return label.length <= LABEL_UNITS_MAX
    ? label
    : `${label.slice(0, LABEL_UNITS_MAX - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

function notSent(error: unknown): Sent {
  if (error instanceof GrammyError) {
    const { error_code: code, description, parameters } = error;
    const reason = `Telegram answers ${code}: ${description}`;
    if (code === 429 || code >= 500) {
      const { retry_after: sec } = parameters;
      return { outcome: "waits", reason, ...(sec !== undefined && { afterMs: sec * 1_000 }) };
    }
    // The token was revoked: all that waits, waits for the owner.
    if (code === 401 || code === 404) return { outcome: "waits", reason, afterMs: REFUSED_MS };
    return { outcome: "refused", reason };
  }
  const cause = error instanceof HttpError ? error.error : error;
  return { outcome: isBeforeSending(cause) ? "waits" : "unsure", reason: reasonOf(cause) };
}

/** @throws ChannelError. */
async function asked<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw channelError(error);
  }
}

function channelError(error: unknown): ChannelError {
  if (error instanceof GrammyError) {
    const { error_code: code, description, parameters } = error;
    const after = parameters.retry_after;
    const isRefused = code === 401 || code === 404 || code === 409;
    const hint = code === 409 ? "; another program polls with the same token" : "";
    const reason = `Telegram answers ${code}: ${description}${hint}`;
    return new ChannelError(
      isRefused ? "refused" : "unreachable",
      reason,
      after === undefined ? undefined : after * 1_000,
    );
  }
  if (error instanceof ChannelError) return error;
  return new ChannelError("unreachable", reasonOf(error instanceof HttpError ? error.error : error));
}

/** Without the address, which holds the token. */
function reasonOf(error: unknown): string {
  for (let each = error; each instanceof Error; each = each.cause)
    if ("code" in each && typeof each.code === "string") return each.code;
  return error instanceof Error ? error.name : "the connection broke";
}

/** grammy hands its own kind of signal around; what it is given here has only to behave like one. */
function within(ms: number, signal: AbortSignal) {
  return AbortSignal.any([signal, AbortSignal.timeout(ms)]) as never;
}

async function fetchAt(url: string, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(url, { signal, redirect: "error" });
  } catch (error) {
    throw channelError(error);
  }
}

/**
 * The fetch that grammy is given (its build for the web, which brings none of its own). An answer that is not Telegram's, as a proxy in
 * between may give, becomes an error of Telegram's API.
 */
async function fetchForGrammy(
  url: string,
  init: { method: string; headers: Record<string, string>; body: string; signal: EventTarget & { aborted: boolean } },
) {
  const ending = new AbortController();
  const abort = () => ending.abort();
  if (init.signal.aborted) abort();
  init.signal.addEventListener("abort", abort);
  try {
    const { method, headers, body } = init;
    const response = await fetch(url, { method, headers, body, signal: ending.signal, redirect: "error" });
    const text = await response.text();
    return { json: async () => answerIn(text, response) };
  } finally {
    init.signal.removeEventListener("abort", abort);
  }
}

function answerIn(text: string, { status }: Response): unknown {
  try {
    const answer: unknown = JSON.parse(text);
    if (typeof answer === "object" && answer !== null && "ok" in answer) return answer;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return { ok: false, error_code: status < 400 ? 502 : status, description: "the answer is none of Telegram's" };
}
