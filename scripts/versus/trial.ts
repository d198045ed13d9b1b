/** One assistant under the load, killed again and again, then left alone until everything is calm. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { freePort } from "../../test/support/free-port.ts";
import type { Assistant, Client, Place, Reply } from "./assistants/assistant.ts";
import { type Entry, Journal } from "./journal.ts";
import { judge, type Verdict } from "./judge.ts";
import { ScriptedModel } from "./model.ts";
import { randomFrom } from "./random.ts";
import { Service } from "./service.ts";
import { repliesIn, requestOf } from "./words.ts";

/** Conversations that go on at the same time. */
const CONVERSATIONS = 4;
/** A message is sent so often, to one conversation after the other, until the kill. */
const SEND_EVERY_MS = 250;
/** Before each load one message is to be answered, within so long: the first after a start may load what all others find loaded. */
const WARM_MS_MAX = 60_000;
/** The kill comes at a seeded moment of so long from the first message: among 8 of them, so that some are always under way. */
const KILL_WITHIN_MS = 2_000;
/** Conversations are left for new ones after so many kills, as no model has room for all of it. */
const KILLS_EACH = 10;
const READY_MS_MAX = 300_000;
const RETRY_MS = 50;
const LOOK_EVERY_MS = 1_000;
/** A look may cost the assistant seconds of work: it then has this many times as long to itself before the next. */
const REST_PER_LOOK = 4;
/**
 * It is left alone before the next kill until all is answered, or nothing has been for as long as its start took, within these
 * bounds.
 */
const STILL_MS = { least: 5_000, most: 120_000 };
/** After the last kill it has so long from its last answer before a message counts as lost. */
const LAST_STILL_MS = 120_000;

export interface TrialOptions {
  kills: number;
  seed: number;
  /** Everything of this trial is in it, of each home in a folder of its own. */
  folder: string;
  installed: string | null;
  say(text: string): void;
}

/** Runs a trial, in as many homes as the assistant needs. Throws when it answers nothing before its first kill. */
export async function runTrial(assistant: Assistant, options: TrialOptions): Promise<Verdict> {
  const { homes, apartMs } = assistant.kills ?? { homes: 1, apartMs: 0 };
  const share = Math.ceil(options.kills / homes);
  const journals = await Promise.all(
    Array.from({ length: Math.ceil(options.kills / share) }, async (_, index) => {
      // Their starts, which take all processors, do not fall together.
      await wait((apartMs / homes) * index);
      const kills = Math.min(share, options.kills - share * index);
      const folder = join(options.folder, `${index + 1}`);
      return runHome(assistant, { ...options, kills, apartMs, folder, seed: options.seed + index });
    }),
  );
  return judge(...journals);
}

async function runHome(assistant: Assistant, options: TrialOptions & { apartMs: number }): Promise<Entry[]> {
  const { kills, apartMs, seed, folder, installed, say } = options;
  const home = join(folder, "home");
  mkdirSync(home, { recursive: true });
  const journal = new Journal(join(folder, "journal.jsonl"));
  if (journal.count("calm") > 0) return journal.entries;
  const model = await ScriptedModel.start(assistant.phrase);
  const place: Place = { home, installed, port: await freePort(), modelUrl: model.url };
  assistant.configure(place);
  const service = Service.start(assistant, place);
  const load = new Load(journal, seed, () => assistant.connect(place));
  try {
    await load.connect();
    load.send(0);
    await load.calm(LAST_STILL_MS);
    // A run that goes on has moments of its own.
    const done = journal.count("killed");
    if (done === 0 && load.waits) throw new Error(`${assistant.name} answers nothing, and was not killed yet`);
    const random = randomFrom(seed + done);
    for (let kill = done; kill < kills; kill++) {
      const beforeMs = journal.entries.findLast(({ is }) => is === "killed")?.atMs ?? 0;
      await wait(Math.max(0, beforeMs + apartMs - Date.now()));
      const round = Math.floor(kill / KILLS_EACH);
      await load.warmUp(round);
      const killAtMs = Date.now() + random() * KILL_WITHIN_MS;
      do {
        load.send(round);
        await wait(Math.max(0, Math.min(SEND_EVERY_MS, killAtMs - Date.now())));
      } while (Date.now() < killAtMs);
      journal.add({ is: "killed" });
      await service.kill();
      load.disconnect();
      const killedMs = Date.now();
      await load.connect();
      await load.calm(Math.min(STILL_MS.most, Math.max(STILL_MS.least, Date.now() - killedMs)));
      journal.add({ is: "model", calls: model.takeCalls() });
      say(`${assistant.name}: kill ${kill + 1} of ${kills}; ${load.summary()}`);
    }
    await load.calm(LAST_STILL_MS);
    journal.add({ is: "calm", replies: await load.replies() });
    if (assistant.sendsAgain === true) {
      await load.sendAgain();
      await load.calm(LAST_STILL_MS);
      journal.add({ is: "sent again", replies: await load.replies() });
    }
  } finally {
    journal.add({ is: "model", calls: model.takeCalls() });
    load.disconnect();
    await service.stop();
    model.close();
  }
  return journal.entries;
}

/** A user who sends messages, and looks for the answers. */
class Load {
  private readonly journal: Journal;
  private readonly random: () => number;
  private readonly openClient: () => Promise<Client>;
  private client: Client | null = null;
  private readonly sending = new Set<Promise<void>>();
  /** Messages that were taken and of which no answer has been seen, with their conversations. */
  private readonly open = new Map<string, string>();

  constructor(journal: Journal, seed: number, openClient: () => Promise<Client>) {
    this.journal = journal;
    this.openClient = openClient;
    this.random = randomFrom(seed - 1 - journal.count("sent"));
    const taken = new Set(journal.entries.flatMap((entry) => (entry.is === "taken" ? [entry.nonce] : [])));
    for (const entry of journal.entries)
      if (entry.is === "sent" && taken.has(entry.nonce)) this.open.set(entry.nonce, entry.conversation);
  }

  /** Waits until a client can send. Throws when that takes `READY_MS_MAX`. */
  async connect(): Promise<void> {
    const endMs = Date.now() + READY_MS_MAX;
    let last: unknown;
    while (Date.now() < endMs) {
      try {
        this.client = await this.openClient();
        this.journal.add({ is: "ready" });
        return;
      } catch (error) {
        last = error;
        await wait(RETRY_MS);
      }
    }
    throw new Error(`it is not ready after ${READY_MS_MAX / 1_000} s: ${String(last)}`);
  }

  disconnect(): void {
    this.client?.close();
    this.client = null;
  }

  /**
   * Sends a message; it is noted when the assistant has taken it, and when it has not.
   * @param round of conversations. @returns its nonce.
   */
  send(round: number): string {
    const { client, journal, open } = this;
    const number = journal.count("sent");
    const letters = Array.from({ length: 4 }, () => String.fromCharCode(97 + Math.floor(this.random() * 26)));
    const nonce = `n${String(number).padStart(5, "0")}${letters.join("")}`;
    const conversation = `talk-${round}-${number % CONVERSATIONS}`;
    journal.add({ is: "sent", nonce, conversation });
    const message = { id: nonce, conversation, text: requestOf(nonce) };
    const sent = client === null ? Promise.reject(new Error("it is down")) : client.send(message);
    const noted = sent
      .then(
        () => {
          journal.add({ is: "taken", nonce });
          open.set(nonce, conversation);
        },
        (error: unknown) => journal.add({ is: "unconfirmed", nonce, why: String(error) }),
      )
      .finally(() => this.sending.delete(noted));
    this.sending.add(noted);
    return nonce;
  }

  /** Sends a message and waits for its answer, `WARM_MS_MAX` at most. */
  async warmUp(round: number): Promise<void> {
    await this.calm(WARM_MS_MAX, this.send(round));
  }

  /**
   * Waits until each message that was taken is answered, or nothing more has been for `stillMs`.
   * @param only the message that is waited for.
   */
  async calm(stillMs: number, only?: string): Promise<void> {
    await Promise.all(this.sending);
    let sinceMs = Date.now();
    const waits = () => (only === undefined ? this.open.size > 0 : this.open.has(only));
    while (waits() && Date.now() - sinceMs < stillMs) {
      const lookedMs = Date.now();
      const replies = await this.look(false).catch(() => this.lookAnew());
      for (const nonce of replies.flatMap(({ text }) => repliesIn(text)))
        if (this.open.delete(nonce)) sinceMs = Date.now();
      if (waits()) await wait(Math.max(LOOK_EVERY_MS, REST_PER_LOOK * (Date.now() - lookedMs)));
    }
  }

  /** Sends every message again that was taken and is not answered, under its own id, one after the other. */
  async sendAgain(): Promise<void> {
    for (const [id, conversation] of this.open)
      await this.client?.send({ id, conversation, text: requestOf(id) }).catch(() => undefined);
  }

  /** Every reply of every conversation. */
  replies(): Promise<Reply[]> {
    return this.look(true).catch(() => this.lookAnew());
  }

  /** The replies in conversations where one is missing, or all of them. */
  private async look(isWhole: boolean): Promise<Reply[]> {
    const sent = this.journal.entries.flatMap((entry) => (entry.is === "sent" ? [entry.conversation] : []));
    return (await this.client?.replies([...new Set(isWhole ? sent : this.open.values())], isWhole)) ?? [];
  }

  /** For a service that has ended by itself, or that took too long to say. */
  private async lookAnew(): Promise<Reply[]> {
    this.disconnect();
    await this.connect();
    return this.look(true);
  }

  /** Is there a message that was taken, or not even that, and has no answer? */
  get waits(): boolean {
    return this.open.size > 0 || this.journal.count("taken") === 0;
  }

  summary(): string {
    const { journal, open } = this;
    return `of ${journal.count("sent")} messages ${journal.count("taken")} were taken, ${open.size} of these are not answered`;
  }
}
