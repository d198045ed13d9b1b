/** The one door in: what a client wants becomes a record in inbox/, and is promised only once it is durable (SPEC K2). */
import type { InputBody } from "@mimikit/protocol/api";
import { CancelWish, ClearWish, Message, RestartWish, SteerWish, StopWish } from "@mimikit/protocol/inbox";
import type { Log } from "@mimikit/runtime/log";
import type { FileSystem } from "@mimikit/store/file-system";
import { type Mirror, wishId } from "@mimikit/store/mirror";
import { createRecord } from "@mimikit/store/record";
import { seal } from "@mimikit/store/seal";
import { inboxPath } from "@mimikit/store/state";
import { Problem } from "./problem.ts";
import type { View } from "./view.ts";

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
    const id = wishId("message", key);
    if (await this.isDone(id, key)) return id;
    const { text, client, quote, mode } = input;
    const message: Message = {
      kind: "message",
      id,
      at: new Date().toISOString(),
      text,
      ...(client !== undefined && { client }),
      ...(quote !== undefined && { quote }),
      ...(mode !== undefined && { mode }),
    };
    const created = await createRecord(this.fs, Message, inboxPath(id), message);
    if (created) this.log.audit({ event: "message_accepted", detail: { id, characters: text.length } });
    return id;
  }

  /**
   * Says something to a task or, without one, to what runs now (SPEC I5). The same key always means the same words.
   * @returns the id of the wish. @throws Problem 404 for an unknown task, 409 for one that has ended.
   */
  async steer(text: string, taskId: string | undefined, key: string | undefined): Promise<string> {
    const id = wishId("steer", key);
    if (await this.isDone(id, key)) return id;
    // A repeat is no news: the task may have ended since the first time.
    const isRepeat = await this.fs.exists(inboxPath(id));
    if (taskId !== undefined && !isRepeat) await this.view.assertOpen(taskId);
    const wish: SteerWish = {
      kind: "steer",
      id,
      at: new Date().toISOString(),
      text,
      ...(taskId !== undefined && { taskId }),
    };
    const created = await createRecord(this.fs, SteerWish, inboxPath(id), wish);
    if (created)
      this.log.audit({
        event: "steer_accepted",
        ...(taskId !== undefined && { taskId }),
        detail: { id, characters: text.length },
      });
    return id;
  }

  /** Asks for what runs now to be ended (SPEC I5). @returns the id of the wish. */
  async stop(key: string | undefined): Promise<string> {
    const id = wishId("stop", key);
    if (await this.isDone(id, key)) return id;
    const wish: StopWish = { kind: "stop", id, at: new Date().toISOString() };
    if (await createRecord(this.fs, StopWish, inboxPath(id), wish))
      this.log.audit({ event: "stop_requested", detail: { id } });
    return id;
  }

  /** Asks for the conversation to begin anew (SPEC F3); sealed, like a restart. @returns the id of the wish. */
  async clear(key: string | undefined): Promise<string> {
    const id = wishId("clear", key);
    if (await this.isDone(id, key)) return id;
    const wish = { kind: "clear" as const, id, at: new Date().toISOString() };
    const sealed: ClearWish = { ...wish, mac: seal(this.token, wish) };
    if (await createRecord(this.fs, ClearWish, inboxPath(id), sealed))
      this.log.audit({ event: "clear_requested", detail: { id } });
    return id;
  }

  /**
   * Asks for a task and everything below it to be cancelled. Every wish is one of its own: a second cancel may find
   * children that the first came too early for.
   * @returns the id of the wish. @throws Problem 404 for an unknown task, 409 for one that has ended.
   */
  async cancelTask(taskId: string): Promise<string> {
    await this.view.assertCancellable(taskId);
    const id = wishId("cancel");
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
    const id = wishId("restart");
    const wish = { kind: "restart" as const, id, at: new Date().toISOString() };
    const created = await createRecord(this.fs, RestartWish, inboxPath(id), { ...wish, mac: seal(this.token, wish) });
    if (!created) throw new Problem(409, "the same restart was asked for already");
    this.log.audit({ event: "restart_requested", detail: { id } });
    return id;
  }

  /** Was this carried out already? A repeat that comes after that must not ask a second time. */
  private async isDone(id: string, key: string | undefined): Promise<boolean> {
    return key !== undefined && (await this.mirror.ledger.confirm(id));
  }
}
