/** Gives jobs at all edges at once, as people and programs do: each is tried until it is acknowledged, under the same name. */
import { createHash, createHmac } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { oneOf, type Random, randomOf } from "../../../apps/cli/src/chaos/random.ts";
import type { UnderPm2 } from "../../../apps/cli/src/chaos/under-pm2.ts";
import { Refused, Unreachable } from "../../../apps/cli/src/instance/client.ts";
import { freshKey } from "../../../apps/cli/src/instance/hand-over.ts";
import type { Given } from "./check.ts";
import {
  type Edge,
  fileNameOf,
  HEARD,
  KINDS,
  type Kind,
  kindOf,
  markOf,
  marksBehind,
  marksIn,
  REPORTED,
} from "./jobs.ts";
import { type Outside, OWNER } from "./outside.ts";

/** The hook at which deliveries of others arrive, and its secret. */
export const OTHERS = "others";
export const OTHERS_SECRET = "a secret of the sender";

/** Milliseconds. */
const PAUSE_MS_MAX = 2_500;
const HOOK_PAUSE_MS_MAX = 4_000;
const RETRY_MS = 100;
const QUESTIONS_MS = 300;
/** An answer by Telegram that has not arrived by then is given by the API. */
const PRESS_MS_MAX = 8_000;
/** More jobs than these are not open: they would only wait for each other. */
const OPEN_MAX = 10;
/** A job that was not seen to end for so long does not count as open any more. */
const OPEN_MS_MAX = 60_000;
/** The share of deliveries that are delivered again, and of questions that are answered by Telegram. */
const AGAIN = 0.3;
const BY_TELEGRAM = 0.4;

interface Answered {
  status: number;
  text: string;
}

export class Load {
  readonly given: Given[] = [];
  /** The answers that were acknowledged, by question. */
  readonly answers = new Map<string, string>();
  /** The longest time that a request went without an answer, in milliseconds, by its path. */
  readonly slowest = new Map<string, number>();
  private readonly instance: UnderPm2;
  private readonly outside: Outside;
  private readonly seed: number;
  private readonly open = new Map<string, number>();
  private readonly ending = new AbortController();
  private readonly pressed = new Map<string, number>();
  private going: Promise<void>[] = [];
  private answering: Promise<void> | undefined;
  private isOver = false;
  private count = 0;

  constructor(instance: UnderPm2, outside: Outside, seed: number) {
    this.instance = instance;
    this.outside = outside;
    this.seed = seed;
  }

  begin(): void {
    const edges: [Edge, number, (mark: string, random: Random) => Promise<void>][] = [
      ["page", PAUSE_MS_MAX, (mark) => this.byPage(mark)],
      ["telegram", PAUSE_MS_MAX, async (mark) => this.byTelegram(mark)],
      ["v1", PAUSE_MS_MAX, (mark) => this.byClient(mark)],
      ["hook", HOOK_PAUSE_MS_MAX, (mark, random) => this.byHook(mark, random)],
    ];
    this.going = edges.map(([edge, pauseMs, give], at) => this.giveAt(edge, pauseMs, randomOf(this.seed + at), give));
    this.answering = this.answerAll(randomOf(this.seed + edges.length));
    // One that fails is told by `end` and `stop`, not before.
    for (const each of [...this.going, this.answering]) each.catch(() => undefined);
  }

  /** A reply of the model was seen. */
  see(reply: string): void {
    for (const mark of marksBehind(HEARD, reply)) if (kindOf(mark) === "talk") this.open.delete(mark);
    for (const mark of marksBehind(REPORTED, reply)) this.open.delete(mark);
  }

  /** Gives no more, and resolves when all is acknowledged; questions are answered until `stop`. */
  async end(): Promise<void> {
    this.ending.abort();
    await Promise.all(this.going);
  }

  async stop(): Promise<void> {
    this.ending.abort();
    this.isOver = true;
    await this.answering;
  }

  private async giveAt(
    edge: Edge,
    pauseMs: number,
    random: Random,
    give: (mark: string, random: Random) => Promise<void>,
  ): Promise<void> {
    while (await this.pause(random() * pauseMs)) {
      const kinds: readonly Kind[] = edge === "hook" ? ["mcp", "write", "allow"] : KINDS;
      // Files by /v1 are in the request itself, and have tests of their own.
      const kind = oneOf(random, edge === "v1" ? kinds.filter((each) => each !== "file") : kinds);
      const now = performance.now();
      for (const [mark, sinceMs] of this.open) if (now - sinceMs > OPEN_MS_MAX) this.open.delete(mark);
      if (this.open.size >= OPEN_MAX) continue;
      const mark = markOf(kind, edge, ++this.count);
      this.open.set(mark, now);
      await give(mark, random);
    }
  }

  private async byPage(mark: string): Promise<void> {
    const { client } = this.instance;
    const key = freshKey();
    const file = kindOf(mark) === "file" ? await this.upload(fileOf(mark)) : undefined;
    const attachments =
      file === undefined ? [] : [{ id: file, type: "text/plain" as const, bytes: 1, name: fileNameOf(mark) }];
    const id = await untilTaken(() => client.send(`please ${mark}`, key, { attachments }));
    this.given.push({ mark, edge: "page", ids: [id], ...(file !== undefined && { file }) });
  }

  private async upload(content: string): Promise<string> {
    const { status, text } = await this.request("/api/attachments", content, { "content-type": "text/plain" });
    if (status !== 201) throw new Error(`an upload was refused: ${status} ${text}`);
    return (JSON.parse(text) as { id: string }).id;
  }

  /** Telegram acknowledges at once, and hands an update out until it is confirmed. */
  private byTelegram(mark: string): void {
    const { telegram } = this.outside;
    const content = fileOf(mark);
    if (kindOf(mark) === "file") {
      const file_id = telegram.keep(Buffer.from(content));
      telegram.say(OWNER, "", { caption: `please ${mark}`, document: { file_id, file_name: fileNameOf(mark) } });
    } else telegram.say(OWNER, `please ${mark}`);
    const file = kindOf(mark) === "file" ? { file: createHash("sha256").update(content).digest("hex") } : {};
    this.given.push({ mark, edge: "telegram", ids: [], ...file });
  }

  private async byClient(mark: string): Promise<void> {
    const body = { model: "mimikit", messages: [{ role: "user", content: `please ${mark}` }] };
    let tries = 0;
    // The official packages say how often they have tried.
    const headers = () => ({ "content-type": "application/json", "x-stainless-retry-count": String(tries++) });
    const { status, text } = await this.request("/v1/chat/completions", JSON.stringify(body), headers);
    if (status !== 200) throw new Error(`a client was refused: ${status} ${text}`);
    const [choice] = (JSON.parse(text) as { choices: { message: { content: string } }[] }).choices;
    this.given.push({ mark, edge: "v1", ids: [], reply: choice?.message.content ?? "" });
  }

  private async byHook(mark: string, random: Random): Promise<void> {
    const id = freshKey();
    const body = JSON.stringify({ mark });
    const ids: string[] = [];
    do {
      const { status, text } = await this.request(`/hooks/${OTHERS}`, body, () => signed(id, body));
      if (status !== 202) throw new Error(`a delivery was refused: ${status} ${text}`);
      ids.push((JSON.parse(text) as { id: string }).id);
    } while (random() < AGAIN);
    this.given.push({ mark, edge: "hook", ids });
  }

  private async answerAll(random: Random): Promise<void> {
    while (!this.isOver) {
      await wait(QUESTIONS_MS);
      const open = await this.instance.client.questions().catch(passing);
      for (const { id, question } of open ?? []) {
        const pressedMs = this.pressed.get(id);
        if (this.answers.has(id) || (pressedMs !== undefined && performance.now() - pressedMs < PRESS_MS_MAX)) continue;
        const [mark = ""] = marksIn(question);
        const answer = kindOf(mark) === "refuse" ? "no" : "yes, once";
        const asked =
          pressedMs === undefined && random() < BY_TELEGRAM ? this.outside.questionWith(question) : undefined;
        const button = asked?.buttons.find(({ label }) => label === answer);
        if (asked !== undefined && button !== undefined) {
          this.pressed.set(id, performance.now());
          this.outside.telegram.press(OWNER, asked, button.data);
          continue;
        }
        const path = `/api/questions/${encodeURIComponent(id)}/answer`;
        const given = await this.request(path, JSON.stringify({ answer }), { "content-type": "application/json" });
        if (given.status < 300) this.answers.set(id, answer);
      }
    }
  }

  /** POSTs it until there is an answer that does not pass. @param headers may differ from try to try. */
  private async request(
    path: string,
    body: string,
    headers: Record<string, string> | (() => Record<string, string>),
  ): Promise<Answered> {
    const { url, token } = this.instance.client;
    for (;;) {
      const askedMs = performance.now();
      try {
        const more = typeof headers === "function" ? headers() : headers;
        const authorization = { authorization: `Bearer ${token}` };
        const response = await fetch(`${url}${path}`, { method: "POST", body, headers: { ...authorization, ...more } });
        const answered = { status: response.status, text: await response.text() };
        if (answered.status < 500 && answered.status !== 429) return answered;
      } catch (error) {
        // The connection was refused or cut.
        if (!(error instanceof TypeError)) throw error;
      } finally {
        const [, edge = ""] = path.split("/");
        this.slowest.set(edge, Math.max(this.slowest.get(edge) ?? 0, performance.now() - askedMs));
      }
      await wait(RETRY_MS);
    }
  }

  /** @returns false when nothing more is wanted. */
  private async pause(ms: number): Promise<boolean> {
    const { signal } = this.ending;
    if (!signal.aborted) await wait(ms, undefined, { signal }).catch(() => undefined);
    return !signal.aborted;
  }
}

const fileOf = (mark: string) => `file of ${mark}`;

function signed(id: string, body: string): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signature = createHmac("sha256", OTHERS_SECRET).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
}

async function untilTaken<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      passing(error);
      await wait(RETRY_MS);
    }
  }
}

/** A gateway that is down, or cannot answer now. Throws what does not pass. */
export function passing(error: unknown): undefined {
  if (error instanceof Unreachable || (error instanceof Refused && error.status >= 500)) return undefined;
  throw error;
}
