/** Telegram: a bot of the owner's, by long polling, so that no address of ours has to be reachable. `grammy` speaks its API. */

import type { ButtonRoom } from "@mimikit/core/tasks/buttons";
import { OPTIONS_MAX } from "@mimikit/protocol/records/question";
import type { Chat, Document, Message, MessageEntity, MessageOrigin, Update, User } from "grammy/types";
import { Api, GrammyError, HttpError } from "grammy/web";
import {
  type Channel,
  ChannelError,
  type ChannelKind,
  digestOf,
  FileRefused,
  type Incoming,
  type IncomingFile,
  isBeforeSending,
  type Polled,
  type QuotedText,
  type Sent,
  type VendorMessage,
} from "../contract/channel.ts";
import { download, reasonOf, within } from "../contract/vendor-http.ts";

const API_ROOT = "https://api.telegram.org";
/** How long Telegram holds a poll open, in seconds, and how long we wait for it. */
const POLL_SEC = 25;
const POLL_MS_MAX = 40_000;
const CALL_MS_MAX = 30_000;
/** Telegram's bound of a message. */
const TEXT_UNITS_MAX = 4_096;
/** Clients cut a longer text, at a line or a space before that (seen at 3,900: github.com/openclaw/openclaw/issues/26237). */
const LONG_UNITS_MIN = 3_500;
/** Updates in one answer, where nothing else is asked for. */
const UPDATES_MAX = 100;
/** Clients shorten longer labels. */
const LABEL_UNITS_MAX = 60;
/** Telegram takes more buttons than a question has options. */
const BUTTONS: ButtonRoom = { countMax: OPTIONS_MAX, fits: (label) => label.length <= LABEL_UNITS_MAX };
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
  buttons: BUTTONS,
  hasReplies: true,
  unsure: "mark",
  pairing: "code",
  hasEdits: true,
  keepsCursor: false,
  async open({ token = "", server = API_ROOT }) {
    if (!TOKEN.test(token))
      throw new Error("the token of a bot is digits, a colon and letters, as @BotFather gives it");
    return new Telegram(token, server.replace(/(?<!\/)\/+$/, ""));
  },
};

class Telegram implements Channel {
  /** The bot's id. In private chats Telegram counts messages for each bot, from 1, and a chat has the same id for all of them. */
  readonly account: string;
  private readonly api: Api;
  private readonly filesAt: string;

  constructor(token: string, server: string) {
    this.account = token.slice(0, token.indexOf(":"));
    this.api = new Api(token, { apiRoot: server, fetch: fetchForGrammy as never, timeoutSeconds: POLL_MS_MAX / 1_000 });
    this.filesAt = `${server}/file/bot${token}`;
  }

  async about(signal: AbortSignal): Promise<string> {
    const { username } = await asked(() => this.api.raw.getMe(withinForGrammy(CALL_MS_MAX, signal)));
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
        withinForGrammy(POLL_MS_MAX, signal),
      ),
    );
    const last = updates.at(-1)?.update_id;
    // After a week of silence the numbers start over at random: an offset is good for one confirmation and no longer.
    return {
      incoming: updates.flatMap((update) => this.incomingOf(update)),
      cursor: last === undefined ? undefined : String(last + 1),
      isFull: updates.length >= UPDATES_MAX,
    };
  }

  async send(chat: string, part: VendorMessage, signal: AbortSignal): Promise<Sent> {
    const keyboard = part.buttons?.map(({ label, data }) => [{ text: label, callback_data: data }]);
    try {
      const { message_id } = await this.api.raw.sendMessage(
        {
          chat_id: Number(chat),
          text: part.text,
          link_preview_options: { is_disabled: true },
          ...(keyboard !== undefined && { reply_markup: { inline_keyboard: keyboard } }),
          ...(part.asksReply === true && { reply_markup: { force_reply: true as const } }),
        },
        withinForGrammy(CALL_MS_MAX, signal),
      );
      return { outcome: "sent", remote: String(message_id) };
    } catch (error) {
      return notSent(error);
    }
  }

  async showTyping(chat: string, signal: AbortSignal): Promise<void> {
    await this.api.raw.sendChatAction(
      { chat_id: Number(chat), action: "typing" },
      withinForGrammy(CALL_MS_MAX, signal),
    );
  }

  async *fetchFile(ref: string, signal: AbortSignal): AsyncIterable<Uint8Array> {
    yield* download(`${this.filesAt}/${await this.pathOf(ref, signal)}`, {}, signal);
  }

  async tellPress(press: string, text: string, signal: AbortSignal): Promise<void> {
    await this.api.raw.answerCallbackQuery({ callback_query_id: press, text }, withinForGrammy(CALL_MS_MAX, signal));
  }

  private incomingOf(update: Update): Incoming[] {
    const message = update.message ?? update.edited_message;
    // A reaction to a message of ours is an edit of it (github.com/tdlib/telegram-bot-api/issues/773).
    if (String(message?.from?.id) === this.account) return [];
    return incomingOf(update).map((incoming) => ({ ...incoming, before: String(update.update_id) }));
  }

  private async pathOf(ref: string, signal: AbortSignal): Promise<string> {
    try {
      const { file_path } = await this.api.raw.getFile({ file_id: ref }, withinForGrammy(CALL_MS_MAX, signal));
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
  // A live location is edited every few seconds, for hours.
  if (isEdit && message.location !== undefined) return [];
  const words = wordsIn(message);
  const files = filesIn(message);
  const id = String(message.message_id);
  const edited = `${id} edit ${message.edit_date}`;
  const refs = files.map(({ content: _content, ...file }) => file);
  return [
    {
      kind: "message",
      // `edit_date` is in seconds: two edits within one of them differ by what they say.
      ...(isEdit
        ? { id: `${edited} ${digestOf(JSON.stringify([words, refs]))}`, formerId: edited, edits: id }
        : { id }),
      chat: String(message.chat.id),
      ...personOf(message.from),
      isPrivate: isOwnChat(message),
      ...words,
      files,
      atSec: message.date,
      ...(message.media_group_id !== undefined && { album: message.media_group_id }),
      ...((message.text?.length ?? 0) >= LONG_UNITS_MIN && { isLong: true as const }),
      ...(isForwarded(message) && { isForwarded: true as const }),
      ...(message.reply_to_message !== undefined && { replyTo: String(message.reply_to_message.message_id) }),
    },
  ];
}

/** Chats of a business account and of a guest bot may have the number of a private one, and are others (core.telegram.org/bots/api#message). */
function isOwnChat({ chat, business_connection_id, guest_query_id }: Message): boolean {
  return chat.type === "private" && business_connection_id === undefined && guest_query_id === undefined;
}

function personOf(user: User): { person: string; name: string } {
  return { person: String(user.id), name: nameOf(user) };
}

/** The words of a message, also those under a file: those that its sender typed, and those that are of others. */
function wordsIn(message: Message): { text: string; quoted?: QuotedText[] } {
  const text = textIn(message);
  const origin = originOf(message);
  if (origin !== undefined) return { text: "", quoted: [{ origin, text }] };
  const cited = citedIn(message);
  return cited === undefined ? { text } : { text, quoted: [cited] };
}

/** Content that is neither text nor a file is said in words, so that it is not passed over in silence. */
function textIn({ text, caption, entities, caption_entities, ...message }: Message): string {
  if (text !== undefined || caption !== undefined)
    return withBlocks(text ?? caption ?? "", entities ?? caption_entities ?? []);
  const { location, contact, sticker, dice, poll, checklist } = message;
  if (location !== undefined) return `[location ${location.latitude}, ${location.longitude}]`;
  if (contact !== undefined) return `${nameOf(contact)} ${contact.phone_number}`;
  if (sticker !== undefined) return sticker.emoji ?? "[a sticker]";
  if (dice !== undefined) return `[dice ${dice.emoji} ${dice.value}]`;
  if (poll !== undefined) return listOf(poll.question, poll.options);
  if (checklist !== undefined) return listOf(checklist.title, checklist.tasks);
  const named = Object.keys(message).find((field) => Object.hasOwn(NAMED, field));
  return named === undefined ? "" : `[${NAMED[named]}]`;
}

function listOf(title: string, entries: readonly { text: string }[] = []): string {
  return [title, ...entries.map(({ text }) => `- ${text}`)].join("\n");
}

/** Content of which a bot is given nothing that could be read (core.telegram.org/bots/api#message). All other fields are notices of Telegram's own. */
const NAMED: Readonly<Record<string, string>> = {
  rich_message: "a formatted message, which cannot be read",
  paid_media: "paid media, which cannot be read",
  game: "a game",
  invoice: "an invoice",
  gift: "a gift",
  unique_gift: "a gift",
  giveaway: "a giveaway",
  giveaway_winners: "the winners of a giveaway",
};

function isForwarded(message: Message): boolean {
  return Object.keys(message).some((field) => field.startsWith("forward_"));
}

/**
 * The origin of a message that its sender did not type; undefined where they typed it. Each field is one of
 * core.telegram.org/bots/api#message; those that begin with `forward_` were there before `forward_origin`, and servers of one's own
 * may still say them.
 */
function originOf(message: Message): string | undefined {
  const { forward_origin, via_bot, sender_chat, sender_business_bot, guest_bot_caller_user } = message;
  if (forward_origin !== undefined) return `forwarded from ${senderOf(forward_origin)}`;
  if (isForwarded(message)) return `forwarded from ${formerSenderOf(message)}`;
  if (message.is_automatic_forward !== undefined) return "forwarded automatically";
  if (via_bot !== undefined) return `sent by ${nameOf(via_bot)}`;
  if (sender_business_bot !== undefined) return `sent by ${nameOf(sender_business_bot)}`;
  if (guest_bot_caller_user !== undefined || message.guest_bot_caller_chat !== undefined) return "sent by a guest bot";
  if (sender_chat !== undefined) return `sent as ${chatName(sender_chat)}`;
  if (message.is_from_offline !== undefined) return "sent automatically";
  if (message.contact !== undefined) return "a contact that was shared";
  if (message.poll !== undefined) return "a poll";
  if (message.checklist !== undefined) return "a checklist";
  return message.story === undefined ? undefined : `a story of ${chatName(message.story.chat)}, which cannot be read`;
}

/** The words of others that typed words are about. */
function citedIn({ external_reply, quote, reply_to_story }: Message): QuotedText | undefined {
  const text = quote?.text ?? "";
  if (external_reply !== undefined) return { origin: `quoted from ${senderOf(external_reply.origin)}`, text };
  if (reply_to_story !== undefined) return { origin: `about a story of ${chatName(reply_to_story.chat)}`, text };
  return quote === undefined ? undefined : { origin: "quoted", text };
}

function senderOf(origin: MessageOrigin): string {
  switch (origin.type) {
    case "user":
      return nameOf(origin.sender_user);
    case "hidden_user":
      return origin.sender_user_name;
    case "chat":
      return chatName(origin.sender_chat);
    case "channel":
      return chatName(origin.chat);
    default:
      // A type that is newer than this list.
      return "somebody";
  }
}

function formerSenderOf(message: object): string {
  const { forward_from, forward_from_chat, forward_sender_name } = message as {
    forward_from?: User;
    forward_from_chat?: Chat;
    forward_sender_name?: string;
  };
  if (forward_from !== undefined) return nameOf(forward_from);
  return forward_from_chat === undefined ? (forward_sender_name ?? "somebody") : chatName(forward_from_chat);
}

function nameOf({
  first_name,
  last_name,
  username,
}: Partial<Pick<User, "first_name" | "last_name" | "username">>): string {
  const name = [first_name, last_name, username === undefined ? undefined : `@${username}`];
  return name.filter((each) => each !== undefined).join(" ");
}

function chatName(chat: Chat): string {
  return chat.title ?? nameOf(chat);
}

/** Clients send a quotation and a block of code without the marks that say where they begin. They are not what the sender says. */
const BLOCKS: Partial<Record<MessageEntity["type"], (text: string) => string>> = {
  blockquote: quotation,
  expandable_blockquote: quotation,
  pre(text) {
    const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
    const fence = "`".repeat(longest + 1);
    return `${fence}\n${text}\n${fence}`;
  },
};

function quotation(text: string): string {
  return text.replace(/^/gm, "> ");
}

/** The text with its blocks marked, each on lines of its own. Offsets are in UTF-16 units, as those of a string are. */
function withBlocks(text: string, entities: readonly MessageEntity[]): string {
  const parts: string[] = [];
  let at = 0;
  const between = (end: number) => parts.push(text.slice(at, end).replace(at > 0 ? /^\n/ : "", ""));
  for (const { type, offset, length } of entities.toSorted((a, b) => a.offset - b.offset || b.length - a.length)) {
    const mark = BLOCKS[type];
    if (mark === undefined || offset < at) continue;
    between(text[offset - 1] === "\n" ? offset - 1 : offset);
    at = offset + length;
    parts.push(mark(text.slice(offset, at)));
  }
  between(text.length);
  return parts.filter((part) => part !== "").join("\n");
}

function filesIn({ photo, live_photo, document, voice, audio, video, video_note, animation }: Message): IncomingFile[] {
  // The last is the largest.
  const picture = (photo ?? live_photo?.photo)?.at(-1);
  if (picture !== undefined) return [fileOf(picture)];
  if (voice !== undefined) return [{ ...fileOf(voice), name: "voice.ogg" }];
  // An animation comes as a document as well.
  const file = document ?? audio ?? video ?? animation ?? video_note ?? live_photo;
  if (file === undefined) return [];
  const name = "file_name" in file ? file.file_name : undefined;
  return [{ ...fileOf(file), ...(name !== undefined && { name }) }];
}

/** Only `file_unique_id` is the same over time (core.telegram.org/bots/api#document). */
function fileOf({ file_id, file_unique_id }: Pick<Document, "file_id" | "file_unique_id">): IncomingFile {
  return { ref: file_id, ...(file_unique_id !== undefined && { content: file_unique_id }) };
}

function notSent(error: unknown): Sent {
  if (error instanceof GrammyError) {
    const { error_code: code, description, parameters } = error;
    const reason = `Telegram answers ${code}: ${description}`;
    // A gateway says so of a message that was taken, too (github.com/tdlib/telegram-bot-api/issues/868).
    if (code >= 500) return { outcome: "unsure", reason };
    if (code === 429) {
      const { retry_after: sec } = parameters;
      return { outcome: "waits", reason, ...(sec !== undefined && { afterMs: sec * 1_000 }) };
    }
    // The token was revoked: all that waits, waits for the owner.
    if (code === 401 || code === 404) return { outcome: "waits", reason, afterMs: REFUSED_MS };
    // The person has not written to this bot yet, or has blocked it (github.com/TelegramBotAPI/errors/issues/2).
    if (code === 403) return { outcome: "waits", reason, afterMs: REFUSED_MS, isForPerson: true };
    return { outcome: "refused", reason };
  }
  const cause = error instanceof HttpError ? error.error : error;
  return { outcome: isBeforeSending(cause) ? "waits" : "unsure", reason: reasonOf(cause) };
}

/** There are two conflicts (github.com/tdlib/telegram-bot-api, `Client::fail_query_conflict`): a webhook, and another poll. */
function conflictOf(description: string): string {
  return /webhook/i.test(description)
    ? "; another program has set a webhook for this bot, to which all messages go"
    : "; another program polls with the same token";
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
    const reason = `Telegram answers ${code}: ${description}${code === 409 ? conflictOf(description) : ""}`;
    return new ChannelError(
      isRefused ? "refused" : "unreachable",
      reason,
      after === undefined ? undefined : after * 1_000,
    );
  }
  if (error instanceof ChannelError) return error;
  return new ChannelError("unreachable", reasonOf(error instanceof HttpError ? error.error : error));
}

/** grammy hands its own kind of signal around; what it is given here has only to behave like one. */
function withinForGrammy(ms: number, signal: AbortSignal) {
  return within(ms, signal) as never;
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
  // Its status says nothing of what Telegram did.
  return { ok: false, error_code: 502, description: `the answer (HTTP ${status}) is none of Telegram's` };
}
