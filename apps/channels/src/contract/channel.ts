/**
 * A channel, as its one file in `channels/` describes it. It speaks a vendor's protocol and nothing else: it touches no disk, keeps
 * nothing between two calls that would matter after a kill, and decides nothing. All that is durable is in `receive/` and `send/`.
 */

import { createHash } from "node:crypto";
import type { ButtonRoom } from "@mimikit/core/tasks/buttons";
import { proxyErrorIn } from "@mimikit/runtime/network/proxy-error";

/** The description of a channel: what it needs to be set up, and what the shared part has to know of it. */
export interface ChannelKind {
  /** As in `mimikit channels add telegram`, and on disk. */
  name: string;
  title: string;
  /** The fields that it needs when it is set up. */
  fields: readonly ChannelField[];
  /** The next step for a person after that, in a line. */
  hint: string;
  /** Has a message of the vendor's a title of its own? Without one, it is the first line of the text. */
  hasTitles: boolean;
  /** The longest text of one message, in UTF-16 units, which is what a string's `length` counts. */
  textUnitsMax: number;
  /** The buttons that it can show below a message, each for paired people alone; absent where a mere reader could press one. */
  buttons?: ButtonRoom;
  /** Can a person reply to one of our messages? Otherwise questions are answered elsewhere. */
  hasReplies?: boolean;
  /**
   * The treatment of a send of which it is unknown whether it arrived: `mark` sends it once more and says that it may be
   * a repetition; `again` sends it as it is, because the vendor knows the repetition by its id.
   */
  unsure: "mark" | "again";
  /** `code`: a person sends a code to be paired. `owner`: who sets it up names where it leads, and is the only person. */
  pairing: "code" | "owner";
  /** Can what a person sends as one thing come as several messages, and can it be changed? Then the last words of each are kept. */
  hasEdits?: boolean;
  /** Is the cursor to be kept on disk? Not where the vendor itself remembers what was confirmed. */
  keepsCursor: boolean;
  /** @throws Error with a line for people where the fields cannot be right. Loads the vendor's library; connects to no server. */
  open(fields: Readonly<Record<string, string>>): Promise<Channel>;
}

/** The person of a channel whose pairing is `owner`. */
export const OWNER = "owner";

export interface ChannelField {
  name: string;
  what: string;
  /** Typed unseen. */
  isSecret?: boolean;
  isOptional?: boolean;
}

export interface Channel {
  /** The account that we have there, if the vendor's ids are unique only within it. It says nothing that is secret. */
  readonly account?: string;
  /** Our name at the vendor: `@garden_bot`. @throws ChannelError where it cannot be told. */
  about(signal: AbortSignal): Promise<string>;
  /** The only chat, of a channel whose pairing is `owner`: the name that is kept, not the vendor's. */
  ownChat?: string;
  /** The name under which earlier versions kept it, which is a secret. */
  formerChat?: string;
  /**
   * Waits for what is new, as long as the vendor likes. Messages that were returned with a cursor are confirmed by
   * handing that cursor in: it is handed in when all of them are durable. undefined: nothing is known; what is not
   * confirmed comes again, and that is fine.
   * @throws ChannelError.
   */
  poll(cursor: string | undefined, signal: AbortSignal): Promise<Polled>;
  /** Sends one part. Never throws: what is not known is `unsure`. */
  send(chat: string, part: VendorMessage, signal: AbortSignal): Promise<Sent>;
  /** Shows that an answer is being written. Its outcome does not matter. */
  showTyping?(chat: string, signal: AbortSignal): Promise<void>;
  /** The bytes of a file that came along. @throws FileRefused where it will never be had, ChannelError. */
  fetchFile?(ref: string, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Tells who pressed a button what came of it. Its outcome does not matter. */
  tellPress?(press: string, text: string, signal: AbortSignal): Promise<void>;
}

export interface Polled {
  incoming: readonly Incoming[];
  cursor: string | undefined;
  /** There may be more behind it, which comes only when some of it is confirmed. */
  isFull?: boolean;
}

/** Something that a person did. Every text in it is theirs: data, never an instruction to this code. */
export type Incoming = {
  /** The vendor's own id of it, the same whenever it is delivered; unique in its chat with our account. */
  id: string;
  /** The id under which earlier versions kept it, where it was another one. */
  formerId?: string;
  chat: string;
  person: string;
  /** As the vendor shows them. */
  name: string;
  /** Is it between this person and us alone? */
  isPrivate: boolean;
  /** The cursor that confirms all that came before it and nothing else, where the vendor has one. */
  before?: string;
} & (
  | {
      kind: "message";
      /** The words that the person typed. */
      text: string;
      /** The words that came along and that the person did not type. Beside them, nothing is a command or an answer. */
      quoted?: readonly QuotedText[];
      files: readonly IncomingFile[];
      /** The vendor's id of the message of ours, or of theirs, that it is about. */
      replyTo?: string;
      /** The vendor's id of the message of which these are the new words. */
      edits?: string;
      /** When it was sent, in seconds since 1970. */
      atSec?: number;
      /** The vendor's id of the album that it belongs to. */
      album?: string;
      /** It is so long that the person's client may have cut it: more may follow in another message. */
      isLong?: true;
      /** It was sent on from elsewhere, which can be together with words of the person's in another message. */
      isForwarded?: true;
    }
  | { kind: "press"; press: string; data: string }
);

/** Words of others: data, for whoever sent them on. */
export interface QuotedText {
  /** `forwarded from Eve`: as the vendor says it. */
  origin: string;
  text: string;
}

export interface IncomingFile {
  /** The reference that `fetchFile` takes. */
  ref: string;
  /** The vendor's id of the content, if `ref` may differ from one delivery to the next. */
  content?: string;
  name?: string;
  /** The vendor made it of the words that the person typed, because they were long. */
  isWords?: true;
}

/** One message of the vendor's. */
export interface VendorMessage {
  /** The same for the same part, whenever it is sent. */
  id: string;
  text: string;
  title?: string;
  /** At most BUTTON_DATA_BYTES_MAX bytes of data each. */
  buttons?: readonly { label: string; data: string }[];
  /** It is answered by replying to it. */
  asksReply?: boolean;
  isUrgent: boolean;
}

/** The narrowest vendor's limit for the data of a button, in bytes. */
export const BUTTON_DATA_BYTES_MAX = 64;

const HIDDEN_CHAT = /^topic:[0-9a-f]{32}$/;
const HIDDEN_CHARS = 32;

/** The name under which a chat is kept whose own name is a secret: it opens nothing. A name that is one already stays. */
export function hiddenChat(chat: string): string {
  return HIDDEN_CHAT.test(chat) ? chat : `topic:${digestOf(chat)}`;
}

/** A short name for `text`, from which it cannot be read. */
export function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, HIDDEN_CHARS);
}

export type Sent =
  /** `remote`: the vendor's id of it. */
  | { outcome: "sent"; remote?: string }
  /**
   * It was surely not sent, and is to be tried later.
   * @param afterMs as long as the vendor asked for.
   * @param isForPerson the chat takes nothing until its person writes: then it is tried at once.
   */
  | { outcome: "waits"; reason: string; afterMs?: number; isForPerson?: true }
  /** It was on its way when the connection broke. */
  | { outcome: "unsure"; reason: string }
  /** It will never be taken; the next one may be. */
  | { outcome: "refused"; reason: string };

/** The vendor could not be asked, or did not want to answer. */
export class ChannelError extends Error {
  /** `refused`: it knows us, and will not talk to us until the owner does something. */
  readonly kind: "unreachable" | "refused";
  readonly afterMs: number | undefined;

  constructor(kind: ChannelError["kind"], message: string, afterMs?: number) {
    super(message);
    this.kind = kind;
    this.afterMs = afterMs;
  }
}

/** A file will never be had; the message says why, for its sender. */
export class FileRefused extends Error {}

/** Did `error`, which `fetch` threw, happen before anything was on its way? */
export function isBeforeSending(error: unknown): boolean {
  if (proxyErrorIn(error) !== null) return true;
  const code = codeIn(error);
  return code !== undefined && NEVER_CONNECTED.has(code);
}

const NEVER_CONNECTED: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENETDOWN",
  "UND_ERR_CONNECT_TIMEOUT",
]);

function codeIn(error: unknown): string | undefined {
  for (let each = error; each instanceof Error; each = each.cause) {
    if ("code" in each && typeof each.code === "string") return each.code;
    // Several addresses were tried: all of them failed.
    if (each instanceof AggregateError && each.errors.length > 0) return codeIn(each.errors[0]);
  }
  return undefined;
}
