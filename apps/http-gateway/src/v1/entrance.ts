/**
 * Puts what is new in a request into the conversation, once: a request that is sent again is the same message. Which
 * message it is follows from the client and from all that it has sent. A user may mean the very same again, though, in
 * another chat: it counts as sent again until its reply was delivered and, if that is unknown, for REPEAT_MS_MAX after
 * the reply. Only the last message of the same content can be the one that is sent again: the earlier ones are over.
 */
import { hash } from "node:crypto";
import { codeOrQuote } from "@mimikit/protocol/texts/coded";
import { AttachmentRefused, storeAttachment } from "@mimikit/store/attachments/attachments";
import { commandId } from "@mimikit/store/disk/create-command";
import type { Request } from "express";
import type { RouteDeps } from "../api/parts.ts";
import { HttpProblem } from "../http/problem.ts";
import { problemOfRefusal } from "../routes/attachments.ts";
import { lastNumber } from "../state/last-number.ts";
import type { GivenFile, NewWords } from "./asked.ts";
import { Delivered } from "./delivered.ts";
import { courseOf } from "./reply.ts";

/** As long as the official packages wait for an answer before they ask again, and a half more. */
const REPEAT_MS_MAX = 900_000;
/** How many requests wait for a reply at one time: each turn answers one of them. */
const WAITING_MAX = 64;

/** The client that asks, and how it tells its requests apart. */
export interface RequestSender {
  /** The id of its session, or `instance`. */
  client: string;
  /** Its Idempotency-Key. */
  key: string | undefined;
  /** All that it asked, but for how it wants to be told. */
  body: unknown;
  request: Request;
}

export class Entrance {
  private delivered: Delivered | undefined;
  private waiting = 0;

  /**
   * Makes what is new durable. @returns the id of its message.
   * @throws HttpProblem 400, 413 or 415 for a file that is not taken, 507 when the disk is full.
   */
  async enter({ text, files }: NewWords, sender: RequestSender, parts: RouteDeps): Promise<string> {
    const attachments = await Promise.all(files.map((file) => stored(file, parts)));
    const key = await this.keyOf(sender, parts);
    return parts.commands.sendMessage({ text, mode: "next", ...(attachments.length > 0 && { attachments }) }, key);
  }

  /** From now on, the same request is another message. */
  noteDelivered(messageId: string, { home, log }: Pick<RouteDeps, "home" | "log">): void {
    try {
      this.known(home).add(messageId);
    } catch (error) {
      // It is known here as long as this process lives, and then the time decides.
      log.warn("a delivered reply could not be noted", { error });
    }
  }

  private known(home: string): Delivered {
    this.delivered ??= new Delivered(home);
    return this.delivered;
  }

  /** Counts who waits while `work` goes on. @throws HttpProblem 503 where too many do. */
  async admit<T>(work: () => Promise<T>): Promise<T> {
    if (this.waiting >= WAITING_MAX)
      throw new HttpProblem(503, codeOrQuote(`${WAITING_MAX} requests wait for a reply already`), {
        code: "too_many_waiting",
        headers: { "Retry-After": "10" },
      });
    this.waiting++;
    try {
      return await work();
    } finally {
      this.waiting--;
    }
  }

  /** The idempotency key of its message. */
  private async keyOf(
    { client, key, body, request }: RequestSender,
    { view, cache, home }: RouteDeps,
  ): Promise<string> {
    if (key !== undefined) return `v1 ${client} key ${key}`;
    const { messages } = await view.refresh();
    const digest = hash("sha256", JSON.stringify([request.path, body]));
    const keyAt = (n: number) => `v1 ${client} ${digest} ${n}`;
    const idAt = (n: number) => commandId("message", keyAt(n));
    const isThere = (n: number) => cache.archiveIndex.has(idAt(n)) || courseOf(idAt(n), messages).state !== "unknown";
    let last = lastNumber((n) => cache.archiveIndex.has(idAt(n)));
    while (isThere(last + 1)) last++;
    const course = courseOf(idAt(last), messages);
    if (course.state === "waiting") return keyAt(last);
    // One that has left the window was answered long ago.
    if (course.state === "unknown") return keyAt(cache.archiveIndex.has(idAt(last)) ? last + 1 : last);
    const isDelivered = this.known(home).has(idAt(last));
    const isOld = Date.now() - Date.parse(course.reply.at) >= REPEAT_MS_MAX;
    return keyAt(isDelivered || isOld ? last + 1 : last);
  }
}

/** @throws HttpProblem for a file that is not taken. */
async function stored({ base64, name }: GivenFile, { home, fs }: RouteDeps): Promise<{ id: string; name?: string }> {
  async function* bytes() {
    yield Buffer.from(base64, "base64");
  }
  try {
    const { id } = await storeAttachment(home, fs, bytes());
    return { id, ...(name !== undefined && { name }) };
  } catch (error) {
    if (error instanceof AttachmentRefused) throw problemOfRefusal(error);
    throw error;
  }
}
