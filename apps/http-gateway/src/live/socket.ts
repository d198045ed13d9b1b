/**
 * One client of /ws. It says hello first, in time, and is then answered frame by frame in order; a client that does not
 * read what it is sent is cut off, not buffered for (SPEC K3).
 */

import type { IncomingMessage } from "node:http";
import { coded } from "@mimikit/protocol/texts/coded";
import { BODY_BYTES_MAX, ClientFrame, type ServerFrame } from "@mimikit/protocol/wire/api";
import type { RawData, WebSocket } from "ws";
import type { Auth, Caller } from "../auth/auth.ts";
import { checkedAs, FRAME_BYTES_MAX, parseBounded } from "../http/limits.ts";
import { HttpProblem, problemOf } from "../http/problem.ts";
import type { Commands } from "../state/commands.ts";
import type { Live } from "./live.ts";

/** How long a client may take to say hello, in ms. */
export const HELLO_MS_MAX = 5_000;
/** The bytes that a client may leave unread before it is cut off. */
export const BUFFERED_BYTES_MAX = 1_048_576;
const REASON_BYTES_MAX = 123;

/** Close codes of RFC 6455. */
const GOING_AWAY = 1001;
const UNSUPPORTED = 1003;
const POLICY = 1008;
const TRY_LATER = 1013;

export interface SocketParts {
  auth: Auth;
  commands: Commands;
  live: Pick<Live, "join" | "leave">;
  /** Keeps the time zone of a signed-in browser. */
  seeZone(timeZone: string): Promise<void>;
  helloMs: number;
  onError(error: unknown): void;
  onClose(socket: Socket): void;
}

export class Socket {
  private readonly socket: WebSocket;
  private readonly upgrade: IncomingMessage;
  private readonly parts: SocketParts;
  private caller: Caller | undefined;
  private hasAnsweredPing = true;
  private work: Promise<void> = Promise.resolve();

  constructor(socket: WebSocket, upgrade: IncomingMessage, parts: SocketParts) {
    this.socket = socket;
    this.upgrade = upgrade;
    this.parts = parts;
    const hello = setTimeout(() => this.close(POLICY, "no hello in time"), parts.helloMs);
    socket.on("message", (data, isBinary) => {
      clearTimeout(hello);
      this.enqueue(data, isBinary);
    });
    socket.on("pong", () => {
      this.hasAnsweredPing = true;
    });
    // The library has answered with the code that fits (too large, not UTF-8, not masked); the close event follows.
    socket.on("error", () => undefined);
    socket.on("close", () => {
      clearTimeout(hello);
      parts.live.leave(this);
      parts.onClose(this);
    });
  }

  /** The session that this socket was opened with; undefined for scripts and before hello. */
  get session(): string | undefined {
    return this.caller?.kind === "page" ? this.caller.session : undefined;
  }

  get isOpen(): boolean {
    return this.socket.readyState === this.socket.OPEN;
  }

  /** Sends a frame, or cuts the client off when it has left too much unread. */
  send(text: string): void {
    if (!this.isOpen) return;
    if (this.socket.bufferedAmount > BUFFERED_BYTES_MAX) this.socket.terminate();
    else this.socket.send(text);
  }

  close(code: number, reason: string): void {
    this.socket.close(code, Buffer.from(reason).subarray(0, REASON_BYTES_MAX).toString());
  }

  goAway(): void {
    this.close(GOING_AWAY, "the gateway is stopping");
  }

  terminate(): void {
    this.socket.terminate();
  }

  /** The session of this socket is over. */
  signOut(): void {
    this.close(POLICY, "signed out");
  }

  /** Asks for a sign of life. A client that did not answer the last time is gone. */
  ping(): void {
    if (!this.hasAnsweredPing) this.socket.terminate();
    this.hasAnsweredPing = false;
    if (this.isOpen) this.socket.ping();
  }

  /** Frames are handled one after another; while one is, no more are read, so that a flood waits at its sender. */
  private enqueue(data: RawData, isBinary: boolean): void {
    this.socket.pause();
    this.work = this.work
      .then(() => this.handle(data, isBinary))
      .catch((error: unknown) => this.parts.onError(error))
      .finally(() => this.socket.resume());
  }

  private async handle(data: RawData, isBinary: boolean): Promise<void> {
    if (!this.isOpen) return;
    if (isBinary) return this.close(UNSUPPORTED, "frames are JSON text");
    let value: unknown;
    try {
      // A hello holds no message.
      value = parseBounded(data.toString(), this.caller === undefined ? BODY_BYTES_MAX : FRAME_BYTES_MAX);
      const frame = checkedAs(ClientFrame, value);
      if (this.caller === undefined) await this.greet(frame);
      else await this.answer(frame);
    } catch (error) {
      this.refuse(problemOf(error), error, value);
    }
  }

  private async greet(frame: ClientFrame): Promise<void> {
    if (frame.type !== "hello") throw new HttpProblem(401, coded("socket_hello_first"));
    const caller = await this.parts.auth.identifySocket(this.upgrade, frame.token);
    await this.parts.live.join(this, frame.cursor);
    this.caller = caller;
    await this.see(frame.timeZone);
  }

  /** The zone of a program is not the owner's. It is a convenience: a full disk ends no conversation. */
  private async see(timeZone: string | undefined): Promise<void> {
    if (timeZone === undefined || this.session === undefined) return;
    await this.parts.seeZone(timeZone).catch((error: unknown) => this.parts.onError(error));
  }

  private async answer(frame: ClientFrame): Promise<void> {
    switch (frame.type) {
      case "hello":
        throw new HttpProblem(400, coded("socket_hello_twice"));
      case "input": {
        const { id, type: _, ...input } = frame;
        const messageId = await this.parts.commands.sendMessage(input, id);
        await this.see(input.client?.timeZone);
        return this.reply({ type: "accepted", id, messageId });
      }
      case "cancel": {
        const messageId = await this.parts.commands.cancelTask(frame.taskId);
        return this.reply({ type: "accepted", id: frame.taskId, messageId });
      }
      case "steer": {
        const messageId = await this.parts.commands.steer(frame.text, frame.taskId, frame.id);
        return this.reply({ type: "accepted", id: frame.id, messageId });
      }
      case "stop": {
        const messageId = await this.parts.commands.stop(frame.id, frame.only);
        return this.reply({ type: "accepted", id: frame.id, messageId });
      }
      case "clear": {
        const messageId = await this.parts.commands.clear(frame.id);
        return this.reply({ type: "accepted", id: frame.id, messageId });
      }
      case "answer": {
        const { id, questionId, answer } = frame;
        const messageId = await this.parts.commands.answer(questionId, answer, id);
        return this.reply({ type: "accepted", id, messageId });
      }
      default:
        frame satisfies never;
    }
  }

  /** Before hello every mistake ends the connection; after it the client is told, and goes on. */
  private refuse(problem: HttpProblem, error: unknown, frame: unknown): void {
    if (problem.status >= 500) this.parts.onError(error);
    if (this.caller === undefined) {
      this.close(problem.status >= 500 ? TRY_LATER : POLICY, problem.message);
      return;
    }
    const id = frameId(frame);
    const { code, message, coded: codes } = problem.body.error;
    this.reply({ type: "error", code, message, ...(codes && { coded: codes }), ...(id !== undefined && { id }) });
  }

  private reply(frame: ServerFrame): void {
    this.send(JSON.stringify(frame));
  }
}

/** The client's id of its frame, so that it can tell which one was refused. */
function frameId(frame: unknown): string | undefined {
  const named = frame as { id?: unknown; taskId?: unknown } | null | undefined;
  const id = named?.id ?? named?.taskId;
  return typeof id === "string" && id.length <= 128 ? id : undefined;
}
