/** Orders, cancels and a trigger, as users give them, while everything is killed. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { INTERVAL_SEC_MIN } from "@mimikit/protocol/triggers/trigger-order";
import { hasCode } from "@mimikit/store/disk/error-code";
import { queueOf } from "@mimikit/store/disk/state";
import { Refused, Unreachable } from "../instance/client.ts";
import { freshKey } from "../instance/hand-over.ts";
import { withState } from "../instance/state.ts";
import { writeCommand } from "../instance/write-command.ts";
import { commandOf, type Order } from "./after-kills.ts";
import { oneOf, type Random } from "./random.ts";
import type { UnderPm2 } from "./under-pm2.ts";

const SENDERS = 2;
/** A status of HTTP from here on is a fault of the server, here a full disk. */
const SERVER_ERROR = 500;
const PAUSE_MS_MAX = 2_000;
const CANCEL_MS_MAX = 20_000;
/** Tasks that wait; beyond this, orders only wait longer. */
const QUEUED_MAX = 20;
const RETRY_MS = 100;
/** A trigger is made again before it forgets what it did first (RECENT_MAX firings). */
const TRIGGER_MS = 150_000;
/** Answered at once, without a plan. */
const TALK = ["help", "status"];
/** Of the messages, such a part is talk. */
const TALK_SHARE = 0.2;
/** Of the orders, in such a part each command takes a second. */
const SLOW_SHARE = 0.3;

export class Load {
  /** Those that were acknowledged. */
  readonly orders: Order[] = [];
  cancels = 0;
  triggers = 0;
  private readonly instance: UnderPm2;
  private readonly random: Random;
  private readonly going: Promise<void>[] = [];
  private readonly ending = new AbortController();
  private given = 0;

  constructor(instance: UnderPm2, random: Random) {
    this.instance = instance;
    this.random = random;
  }

  begin(): void {
    for (let i = 0; i < SENDERS; i++) this.going.push(this.giveOrders());
    this.going.push(this.cancelSome(), this.keepTrigger());
    // One that fails is told by `end`, not before.
    for (const each of this.going) each.catch(() => undefined);
  }

  /** Gives no more, and resolves when what was begun is acknowledged. Throws what is no passing refusal. */
  async end(): Promise<void> {
    this.ending.abort();
    await Promise.all(this.going);
  }

  private async giveOrders(): Promise<void> {
    while (await this.pause(PAUSE_MS_MAX)) {
      if (this.queued().length > QUEUED_MAX) continue;
      const { text, marks } = this.nextOrder();
      const key = freshKey();
      // The gateway may be down at any time, and the disk full; the same key says it once.
      const id = await this.untilDone(() => this.instance.client.send(text, key));
      this.orders.push({ id, marks });
    }
  }

  private nextOrder(): { text: string; marks: string[] } {
    const { random } = this;
    if (random() < TALK_SHARE) return { text: oneOf(random, TALK), marks: [] };
    const name = `ran-${++this.given}`;
    const marks = oneOf(random, [["a"], ["a", "b"], ["a", "b", "c"]]).map((step) => `${name}-${step}`);
    const seconds = random() < SLOW_SHARE ? "sleep 1; " : "";
    return { text: `run ${marks.map((mark) => `\`${seconds}${commandOf(mark)}\``).join(" then ")}`, marks };
  }

  /** A cancel as a file, which needs no gateway. */
  private async cancelSome(): Promise<void> {
    while (await this.pause(CANCEL_MS_MAX)) {
      const open = this.queued();
      if (open.length === 0) continue;
      const taskId = oneOf(this.random, open);
      const key = freshKey();
      await this.untilDone(() => writeCommand(this.instance.place.home, { kind: "cancel", taskId }, key));
      this.cancels++;
    }
  }

  /** One that fires as often as it may, from its making to its deletion. */
  private async keepTrigger(): Promise<void> {
    const { home } = this.instance.place;
    const order = { prompt: "run `true`", title: "fires while all is killed", target: "worker" as const };
    const when = { type: "recurring" as const, schedule: { interval: INTERVAL_SEC_MIN }, missed: "all" as const };
    do {
      const key = freshKey();
      const put = { kind: "trigger-put" as const, definition: { order, when } };
      const id = await this.untilDone(() => writeCommand(home, put, key));
      this.triggers++;
      await wait(TRIGGER_MS, undefined, { signal: this.ending.signal }).catch(() => undefined);
      const triggerId = id.replace(/^put-/, "trg-");
      await this.untilDone(() => writeCommand(home, { kind: "trigger-delete", triggerId }, `${key}-end`));
    } while (!this.ending.signal.aborted);
  }

  private queued(): string[] {
    const { home } = this.instance.place;
    return (["planner", "worker"] as const)
      .flatMap((role) => readdirSync(join(home, queueOf(role))))
      .map((name) => name.replace(/\.json$/, ""));
  }

  /** @returns false when nothing more is wanted. */
  private async pause(msMax: number): Promise<boolean> {
    const { signal } = this.ending;
    if (!signal.aborted) await wait(this.random() * msMax, undefined, { signal }).catch(() => undefined);
    return !signal.aborted;
  }

  /** Tries until it is taken: what is refused now is not refused for good. */
  private async untilDone<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!isPassing(error)) throw error;
        await wait(RETRY_MS);
      }
    }
  }
}

/** A gateway that is down, a disk that is full, or a directory that is just being looked at. */
function isPassing(error: unknown): boolean {
  if (hasCode(error, "ENOSPC", "EDQUOT", "ENOENT")) return true;
  return error instanceof Unreachable || (error instanceof Refused && error.status >= SERVER_ERROR);
}

/** A chain behind a failure waits for a word whether it goes on: the first of what is offered. @returns how many were asked. */
export async function answerQuestions({ place }: UnderPm2): Promise<number> {
  const asked = await withState(async ({ questions }) => [...questions], place);
  for (const { id: questionId, options } of asked)
    await writeCommand(place.home, { kind: "answer", questionId, answer: options[0] ?? "yes" }, questionId);
  return asked.length;
}
