/** ntfy: notifications to a topic of ntfy.sh or of a server of the owner's, and messages from another topic, if there is one. */

import { setTimeout as wait } from "node:timers/promises";
import { tryJson } from "@mimikit/protocol/base/json";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import { z } from "zod";
import {
  type Channel,
  ChannelError,
  type ChannelKind,
  digestOf,
  FileRefused,
  hiddenChat,
  type Incoming,
  type IncomingFile,
  isBeforeSending,
  OWNER,
  type Polled,
  type Sent,
  type VendorMessage,
} from "../contract/channel.ts";
import { download, reasonOf, within } from "../contract/vendor-http.ts";

const SERVER = "https://ntfy.sh";
const TOPIC = /^[-_A-Za-z0-9]{1,64}$/;
/** A message has 4,096 bytes on ntfy.sh; a UTF-16 unit takes 3 at most, and what is longer becomes a file. */
const TEXT_UNITS_MAX = 1_300;
const TITLE_UNITS_MAX = 200;
const CALL_MS_MAX = 30_000;
/** A stream that is silent may be dead: it is asked for again so often. */
const STREAM_MS_MAX = 120_000;
/** How much of an answer is read, and of a line: a message of a server with wider limits, escaped, has room in it. */
const LINE_CHARS_MAX = 1_048_576;
const RATE_LIMITED_MS = 60_000;
const REFUSED_MS = 900_000;

const Attachment = z.looseObject({ name: z.string(), url: z.string(), type: z.string().optional() });
const Line = z.looseObject({
  id: z.string(),
  event: z.string(),
  message: z.string().optional(),
  title: z.string().optional().catch(undefined),
  attachment: Attachment.optional().catch(undefined),
});
type Line = z.infer<typeof Line>;
/** An error of ntfy's own (docs.ntfy.sh/publish). */
const Refusal = z.looseObject({ code: z.number(), http: z.number() });

export const ntfy: ChannelKind = {
  name: "ntfy",
  title: "ntfy",
  fields: [
    {
      name: "topic",
      what: "the topic that you have subscribed to; anyone who knows it can read all of it, and write false notifications",
      isSecret: true,
    },
    {
      name: "listen",
      what: "another topic, for what you say to Mimikit; who knows it speaks as you",
      isSecret: true,
      isOptional: true,
    },
    { name: "server", what: "the address of your server, if it is not ntfy.sh", isOptional: true },
    { name: "token", what: "an access token, if the server needs one", isSecret: true, isOptional: true },
  ],
  hint: "notifications go there from now on",
  hasTitles: true,
  textUnitsMax: TEXT_UNITS_MAX,
  // No buttons: their request is part of the message (docs.ntfy.sh/publish/#action-buttons), so each reader of the topic could send it.
  unsure: "again",
  pairing: "owner",
  keepsCursor: true,
  async open({ topic = "", listen, server = SERVER, token }) {
    for (const each of [topic, listen])
      if (each !== undefined && !TOPIC.test(each)) throw new Error("a topic has 1 to 64 of A-Z a-z 0-9 _ -");
    if (topic === listen) throw new Error("the topic to listen to must be another one: it would hear itself");
    const { protocol, username, password, search, hash } = URL.parse(server) ?? {};
    if (!/^https?:$/.test(protocol ?? "") || [username, password, search, hash].some((part) => part !== ""))
      throw new Error("the server is an address that begins with https:// or http://, without a password or a query");
    return new Ntfy(server.replace(/(?<!\/)\/+$/, ""), topic, listen, token);
  },
};

class Ntfy implements Channel {
  readonly account: string;
  readonly ownChat: string;
  readonly formerChat: string;
  private readonly server: string;
  private readonly topic: string;
  private readonly listen: string | undefined;
  private readonly headers: Record<string, string>;

  constructor(server: string, topic: string, listen: string | undefined, token: string | undefined) {
    this.server = server;
    this.topic = topic;
    this.listen = listen;
    this.account = digestOf(JSON.stringify([server, listen]));
    this.ownChat = hiddenChat(topic);
    this.formerChat = topic;
    this.headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  }

  async about(signal: AbortSignal): Promise<string> {
    const response = await this.ask(`${this.server}/v1/health`, within(CALL_MS_MAX, signal));
    await response.body?.cancel();
    if (!response.ok) throw refusalOf(response.status);
    return new URL(this.server).host;
  }

  async poll(cursor: string | undefined, signal: AbortSignal): Promise<Polled> {
    const { listen } = this;
    if (listen === undefined) return wait(2 ** 31 - 1, { incoming: [], cursor }, { signal });
    // Messages from before the set-up are not for Mimikit.
    if (cursor === undefined) return { incoming: [], cursor: String(Math.floor(Date.now() / 1_000)) };
    const lines = new AbortController();
    const over = AbortSignal.timeout(STREAM_MS_MAX);
    const response = await this.ask(
      `${this.server}/${listen}/json?since=${encodeURIComponent(cursor)}`,
      AbortSignal.any([signal, lines.signal, over]),
    );
    if (!response.ok || response.body === null) throw refusalOf(response.status);
    try {
      return await this.firstOf(response.body, listen);
    } catch (error) {
      // Nothing was said for so long, which is no failure.
      if (over.aborted && !signal.aborted) return { incoming: [], cursor };
      throw error;
    } finally {
      lines.abort();
    }
  }

  async send(_chat: string, part: VendorMessage, signal: AbortSignal): Promise<Sent> {
    const message = {
      topic: this.topic,
      message: part.text,
      sequence_id: part.id,
      ...(part.title !== undefined && { title: beginningOf(part.title, TITLE_UNITS_MAX) }),
      priority: part.isUrgent ? 4 : 3,
    };
    try {
      const response = await fetch(this.server, {
        method: "POST",
        headers: { ...this.headers, "content-type": "application/json", "x-sequence-id": part.id },
        body: JSON.stringify(message),
        signal: within(CALL_MS_MAX, signal),
        redirect: "error",
      });
      const { status } = response;
      const after = Number(response.headers.get("retry-after"));
      const json = tryJson((await response.text()).slice(0, LINE_CHARS_MAX));
      const answer = Line.safeParse(json).data;
      if (response.ok && answer !== undefined) return { outcome: "sent", remote: answer.id };
      const reason = `the server answers ${status}`;
      if (status === 429) return { outcome: "waits", reason, afterMs: after > 0 ? after * 1_000 : RATE_LIMITED_MS };
      if (status === 401 || status === 403) return { outcome: "waits", reason, afterMs: REFUSED_MS };
      // A gateway, or a page that is not of ntfy, says nothing of what ntfy did.
      if (status >= 500 || !Refusal.safeParse(json).success) return { outcome: "unsure", reason };
      return { outcome: "refused", reason };
    } catch (error) {
      return { outcome: isBeforeSending(error) ? "waits" : "unsure", reason: reasonOf(error) };
    }
  }

  async *fetchFile(ref: string, signal: AbortSignal): AsyncIterable<Uint8Array> {
    if (!this.isOurs(ref))
      throw new FileRefused(`it is not on this server but at ${URL.parse(ref)?.href ?? "no address"}`);
    yield* download(ref, this.headers, signal);
  }

  private async ask(url: string, signal: AbortSignal): Promise<Response> {
    try {
      return await fetch(url, { headers: this.headers, signal, redirect: "error" });
    } catch (error) {
      throw new ChannelError("unreachable", reasonOf(error));
    }
  }

  /** The first message of a stream of lines; the next poll begins after it. @throws ChannelError where the stream ends. */
  private async firstOf(body: ReadableStream<Uint8Array>, listen: string): Promise<Polled> {
    let rest = "";
    let isTooLong = false;
    const decoder = new TextDecoder();
    try {
      for await (const chunk of body) {
        rest += decoder.decode(chunk, { stream: true });
        const lines = rest.split("\n");
        rest = lines.pop() ?? "";
        if (isTooLong && lines.length > 0) {
          lines.shift();
          isTooLong = false;
        }
        if (rest.length > LINE_CHARS_MAX) {
          rest = "";
          isTooLong = true;
        }
        for (const line of lines) {
          const said = Line.safeParse(tryJson(line)).data;
          if (said?.event !== "message") continue;
          return { incoming: this.incomingOf(said, listen), cursor: said.id };
        }
      }
    } catch (error) {
      throw new ChannelError("unreachable", reasonOf(error));
    }
    throw new ChannelError("unreachable", "the stream ended");
  }

  private incomingOf({ id, message = "", title = "", attachment }: Line, listen: string): Incoming[] {
    if (message.startsWith(FORMER_PRESS)) return [];
    const own = attachment === undefined ? "" : fileMessage(attachment.name);
    const said = message === own ? "" : message;
    const text = [title, said].filter((part) => part.trim() !== "").join("\n");
    const file = attachment === undefined ? [] : [this.fileOf(id, attachment, said)];
    if (text === "" && file.length === 0) return [];
    const who = { id, formerId: `${listen} ${id}`, chat: this.ownChat, person: OWNER, name: "ntfy", isPrivate: true };
    return [{ kind: "message", ...who, text, files: file }];
  }

  /** ntfy makes a file of a message that is too long, and says so in place of it (docs.ntfy.sh/publish/#attachments). */
  private fileOf(id: string, { name, url, type = "" }: z.infer<typeof Attachment>, said: string): IncomingFile {
    const isOwn = this.isOurs(url) && URL.parse(url)?.pathname.endsWith(`/file/${id}.txt`) === true;
    const isLongMessage = isOwn && said === "" && name === "attachment.txt" && type.startsWith("text/plain");
    return { ref: url, name, ...(isLongMessage && { isWords: true as const }) };
  }

  /** Another server is not asked: a message can name any address, also one of our own network. */
  private isOurs(url: string): boolean {
    return URL.parse(url)?.origin === URL.parse(this.server)?.origin;
  }
}

/** The words that ntfy puts in place of those of a file that has none. */
function fileMessage(name: string): string {
  return `You received a file: ${name}`;
}

/** The beginning of a press of a button, which earlier versions sent. It says nothing any more. */
const FORMER_PRESS = "mimikit:a ";

function refusalOf(status: number): ChannelError {
  const isRefused = status === 401 || status === 403;
  return new ChannelError(isRefused ? "refused" : "unreachable", `the server answers ${status}`);
}
