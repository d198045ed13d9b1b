/**
 * Web Push (docs/notifications.md#web-push), as the rest of the gateway knows it. The code for it is loaded when a
 * browser is subscribed, and not before: without one this file is all of it.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { coded } from "@mimikit/protocol/texts/coded";
import { hasCode } from "@mimikit/store/disk/error-code";
import { PUSH, PUSH_KEYS_PATH } from "@mimikit/store/disk/state";
import { HttpProblem } from "../http/problem.ts";
import type { StateView } from "../state/view.ts";
import type { PushSender, SenderParts } from "./sender.ts";

export interface PushParts extends SenderParts {
  home: string;
  /** Nothing is pushed from a state directory that is a stranger's. */
  isAdopted: () => boolean;
}

export class Push {
  private readonly parts: PushParts;
  private loading: Promise<PushSender> | undefined;
  private state: StateView | undefined;

  constructor(parts: PushParts) {
    this.parts = parts;
  }

  /** Call once, at the start: those who are subscribed hear of what they missed. */
  begin(): void {
    if (!this.parts.isAdopted() || !isAnyoneSubscribed(this.parts.home)) return;
    this.sender().catch((error: unknown) => this.parts.log.error("nothing can be pushed", { error }));
  }

  /** Sends what is new in it to all who are subscribed. Costs nothing without subscribers. */
  note(state: StateView): void {
    this.state = state;
    void this.loading?.then(
      (sender) => sender.note(state),
      () => undefined,
    );
  }

  /** The sender, loaded for the first browser that subscribes. @throws HttpProblem 409 where the state directory is not adopted. */
  async sender(): Promise<PushSender> {
    if (!this.parts.isAdopted())
      throw new HttpProblem(409, coded("push_needs_adoption"), { hint: "Run `mimikit adopt`." });
    this.loading ??= this.load();
    return this.loading;
  }

  /** The same, if it is loaded. A subscription that is there is loaded from the start on. */
  async loaded(): Promise<PushSender | undefined> {
    return this.loading?.catch(() => undefined);
  }

  async close(): Promise<void> {
    await (await this.loaded())?.close();
  }

  private async load(): Promise<PushSender> {
    try {
      const { PushSender: Sender } = await import("./sender.ts");
      const sender = await Sender.open(this.parts);
      if (this.state !== undefined) sender.note(this.state);
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
