/** The one door in: what a client wants becomes a record in inbox/, and is promised only once it is durable (SPEC K2). */
import { randomBytes } from "node:crypto";
import type { InputBody } from "@mimikit/protocol/api";
import { CancelWish, Message, RestartWish } from "@mimikit/protocol/inbox";
import type { Log } from "@mimikit/runtime/log";
import type { FileSystem } from "@mimikit/store/file-system";
import { type Mirror, messageId } from "@mimikit/store/mirror";
import { createRecord } from "@mimikit/store/record";
import { seal } from "@mimikit/store/seal";
import { inboxPath } from "@mimikit/store/state";
import { Problem } from "./problem.ts";
import type { View } from "./view.ts";

const ID_BYTES = 16;

export class Wishes {
  private readonly fs: FileSystem;
  private readonly mirror: Mirror;
  private readonly view: View;
  private readonly token: string;
  private readonly log: Log;

  constructor(fs: FileSystem, mirror: Mirror, view: View, token: string, log: Log) {
    this.fs = fs;
    this.mirror = mirror;
    this.view = view;
    this.token = token;
    this.log = log;
  }

  /**
   * Makes a message durable. The same key always means the same message: sending it again changes nothing.
   * @returns the id of the message.
   * @throws Problem 507 when the disk is full; nothing was promised then.
   */
  async sendMessage(input: InputBody, key: string | undefined): Promise<string> {
    const id = messageId(key);
    // A repeat that comes after the message was answered must not ask a second time.
    if (key !== undefined && (await this.mirror.ledger.confirm(id))) return id;
    const { text, client, quote } = input;
    const message: Message = {
      kind: "message",
      id,
      at: new Date().toISOString(),
      text,
      ...(client !== undefined && { client }),
      ...(quote !== undefined && { quote }),
    };
    const created = await createRecord(this.fs, Message, inboxPath(id), message);
    if (created) this.log.audit({ event: "message_accepted", detail: { id, characters: text.length } });
    return id;
  }

  /**
   * Asks for a task and everything below it to be cancelled.
   * @returns the id of the wish. @throws Problem 404 for an unknown task, 409 for one that has ended.
   */
  async cancelTask(taskId: string): Promise<string> {
    await this.view.assertCancellable(taskId);
    const id = freshId("c");
    await createRecord(this.fs, CancelWish, inboxPath(id), {
      kind: "cancel",
      id,
      at: new Date().toISOString(),
      taskId,
    });
    this.log.audit({ event: "cancel_requested", taskId, detail: { id } });
    return id;
  }

  /** Asks for the processes to be started anew. The seal proves that it was asked by somebody who is signed in. */
  async restart(): Promise<string> {
    const id = freshId("r");
    const wish = { kind: "restart" as const, id, at: new Date().toISOString() };
    const created = await createRecord(this.fs, RestartWish, inboxPath(id), { ...wish, mac: seal(this.token, wish) });
    if (!created) throw new Problem(409, "the same restart was asked for already");
    this.log.audit({ event: "restart_requested", detail: { id } });
    return id;
  }
}

/** Every wish of its own: a second cancel may find children that the first came too early for. */
function freshId(prefix: string): string {
  return `${prefix}-${randomBytes(ID_BYTES).toString("hex")}`;
}
