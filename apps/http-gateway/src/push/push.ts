/**
 * Web Push (docs/notifications.md#web-push), as the rest of the gateway knows it. The code for it is loaded when a
 * browser is subscribed, and not before: without one this file is all of it.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { coded } from "@mimikit/protocol/texts/coded";
import { hasCode } from "@mimikit/store/disk/error-code";
import { PUSH, PUSH_KEYS_PATH } from "@mimikit/store/disk/state";
import { Problem } from "../http/problem.ts";
import type { Look } from "../state/view.ts";
import type { Sender, SenderParts } from "./sender.ts";

export interface PushParts extends SenderParts {
  home: string;
  /** Nothing is pushed from a state directory that is a stranger's. */
  isAdopted: () => boolean;
}

export class Push {
  private readonly parts: PushParts;
  private loading: Promise<Sender> | undefined;
  private look: Look | undefined;

  constructor(parts: PushParts) {
    this.parts = parts;
  }

  /** Call once, at the start: those who are subscribed hear of what they missed. */
  begin(): void {
    if (!this.parts.isAdopted() || !isAnyoneSubscribed(this.parts.home)) return;
    this.sender().catch((error: unknown) => this.parts.log.error("nothing can be pushed", { error }));
  }

  /** Sends what is new in it to all who are subscribed. Costs nothing without subscribers. */
  note(look: Look): void {
    this.look = look;
    void this.loading?.then(
      (sender) => sender.note(look),
      () => undefined,
    );
  }

  /** The sender, loaded for the first browser that subscribes. @throws Problem 409 where the state directory is not adopted. */
  async sender(): Promise<Sender> {
    if (!this.parts.isAdopted()) throw new Problem(409, coded("push_needs_adoption"), { hint: "Run `mimikit adopt`." });
    this.loading ??= this.load();
    return this.loading;
  }

  /** The same, if it is loaded. A subscription that is there is loaded from the start on. */
  async loaded(): Promise<Sender | undefined> {
    return this.loading?.catch(() => undefined);
  }

  async close(): Promise<void> {
    await (await this.loaded())?.close();
  }

  private async load(): Promise<Sender> {
    try {
      const { Sender } = await import("./sender.ts");
      const sender = await Sender.open(this.parts);
      if (this.look !== undefined) sender.note(this.look);
      return sender;
    } catch (error) {
      // The next one tries again.
      this.loading = undefined;
      throw error;
    }
  }
}

function isAnyoneSubscribed(home: string): boolean {
  try {
    return readdirSync(join(home, PUSH)).some((name) => `${PUSH}/${name}` !== PUSH_KEYS_PATH);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return false;
    throw error;
  }
}
