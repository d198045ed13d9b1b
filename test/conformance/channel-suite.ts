/**
 * Promises of every channel, whatever is killed: a person's message becomes one record, and messages to a person arrive
 * whole and in order. The process of the channels is real and so are its deaths; the vendor is a server of the test's
 * own that speaks its protocol, and the rest of Mimikit is what it leaves in its state directory.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { turnId } from "@mimikit/protocol/base/id";
import type { Via } from "@mimikit/protocol/channels/via";
import type { Effect } from "@mimikit/protocol/records/effect";
import { InboxCommand, Message } from "@mimikit/protocol/records/inbox";
import type { Question } from "@mimikit/protocol/records/question";
import { Result } from "@mimikit/protocol/records/result";
import { setChannel } from "@mimikit/runtime/config/secrets";
import { prepareHome, readToken } from "@mimikit/runtime/home/home";
import { openDisk } from "@mimikit/store/disk/disk";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { createRecord } from "@mimikit/store/disk/record";
import { isSigned } from "@mimikit/store/disk/sign";
import { archivePath } from "@mimikit/store/disk/state";
import { describe, expect, onTestFinished, test } from "vitest";
import { ask, resultOf, taskOf } from "../http-gateway/records.ts";
import { Instance } from "../support/instance.ts";
import type { Fate } from "../support/telegram-server.ts";

/** A vendor's server, and a person who uses it. */
export interface Vendor {
  readonly fields: Record<string, string>;
  readonly mistakes: readonly string[];
  readonly via: Via;
  /** The messages that a person sees, oldest first, in messages of the vendor's. */
  shown(): string[];
  say(text: string): void;
  /** Presses the button with this label, below the last message that has one; absent where there are no buttons. */
  press?(label: string): void;
  /** Called before each message is taken. */
  onSend(fate: (text: string) => Fate | Promise<Fate>): void;
  /** Called when words of the person were handed out. */
  onDelivered(hear: () => void): void;
  open(): Promise<void>;
  close(): Promise<void>;
  dispose(): Promise<void>;
}

export interface ChannelCandidate<V extends Vendor = Vendor> {
  name: string;
  unsure: "mark" | "again";
  start(): Promise<V>;
  /** Makes what is there before the channel starts. */
  prepare?(home: string): Promise<void>;
  /** Pairs the person with a process that runs, if that takes more than setting it up. */
  pair?(vendor: V, home: string): Promise<void>;
}

const PAIRED = /^Paired\./;
const REPEATED = "(This may be a repetition.)（这条可能是重复的）\n";
const DAY_MS = 86_400_000;

/** The process of one channel, with a person who is paired, in a state directory in which nothing else runs. */
export async function startChannel<V extends Vendor>({ name, start, prepare, pair }: ChannelCandidate<V>) {
  const vendor = await start();
  onTestFinished(() => vendor.dispose());
  const mimikit = await Instance.start({
    roles: [],
    prepare: async (home) => {
      prepareHome(home);
      await setChannel(home, name, vendor.fields);
      await prepare?.(home);
    },
  });
  onTestFinished(async () => {
    await mimikit.dispose();
    expect(vendor.mistakes).toEqual([]);
  });
  mimikit.startRole("channels");
  await mimikit.until("the channel is connected", () => stateIn(mimikit.home, name) === "connected" || undefined);
  await pair?.(vendor, mimikit.home);
  const people = join(mimikit.home, `channels/${name}/people`);
  await mimikit.until("a person is paired", () => readdirSync(people).length === 1 || undefined);
  // A kill meanwhile would have the greeting said again.
  if (pair !== undefined)
    await mimikit.until("the greeting is noted", () => endsIn(mimikit.home, name) === 1 || undefined);
  return { vendor, mimikit, fs: openDisk(mimikit.home, "test") };
}

export function describeChannel(candidate: ChannelCandidate): void {
  const { name, unsure } = candidate;
  const begin = () => startChannel(candidate);

  /** The messages that the person sees, but for those of pairing. */
  const seen = (vendor: Vendor) => vendor.shown().filter((text) => !PAIRED.test(text));
  const isSeen = (mimikit: Instance, vendor: Vendor, text: string) =>
    mimikit.until(`"${text}" at ${name}`, () => seen(vendor).some((each) => each.includes(text)) || undefined);

  describe(`the channel ${name}`, () => {
    test("makes one message of what is said, though it is killed whenever that is handed out", async () => {
      const { vendor, mimikit } = await begin();
      let kills = 0;
      vendor.onDelivered(() => {
        if (kills++ < 2) void mimikit.kill("channels");
      });
      vendor.say("water the basil");
      await mimikit.until("two kills", () => kills > 2 || undefined);
      const [message] = await mimikit.until("the message", () => messagesIn(mimikit.home, 1));
      expect(message).toMatchObject({ text: "water the basil", via: vendor.via });
      // Durable, and perhaps not confirmed.
      await mimikit.kill("channels");
      vendor.say("and the mint");
      await mimikit.until("the next message", () => messagesIn(mimikit.home, 2));
      expect(
        messagesIn(mimikit.home, 2)
          ?.map(({ text }) => text)
          .sort(),
      ).toEqual(["and the mint", "water the basil"]);
    });

    test("sends a long reply whole and in order, and shows what looks like markup as it is", async () => {
      const { vendor, mimikit, fs } = await begin();
      const hostile = "*bold* _x_ [a](javascript:alert(1)) <b>&amp;</b> `~>#+-=|{}.! \\";
      const text = Array.from({ length: 160 }, (_, i) =>
        `${i} ${hostile} 👩‍👩‍👧‍👦🇩🇪 ${"word ".repeat(i % 7)}`.trim(),
      ).join("\n");
      await settle(fs, 1, { via: vendor.via, effects: [{ type: "reply", text }] });
      await isSeen(mimikit, vendor, "159 ");
      expect(seen(vendor).length).toBeGreaterThan(3);
      expect(seen(vendor).join("\n")).toBe(text);
    });

    test("says again what was on its way when it was killed, and no other message", async () => {
      const { vendor, mimikit, fs } = await begin();
      let killed: Promise<void> | undefined;
      vendor.onSend(() => {
        if (killed !== undefined) return "taken";
        killed = mimikit.kill("channels");
        return killed.then(() => "taken unanswered" as const);
      });
      await settle(fs, 1, { via: vendor.via, effects: [{ type: "reply", text: "the first" }] });
      await settle(fs, 2, { via: vendor.via, effects: [{ type: "reply", text: "the second" }] });
      await isSeen(mimikit, vendor, "the second");
      const again = unsure === "mark" ? ["the first", `${REPEATED}the first`] : ["the first"];
      expect(seen(vendor)).toEqual([...again, "the second"]);
      expect(auditOf(mimikit.home).filter((event) => event === "channel_unsure")).toHaveLength(1);
    });

    test("says nothing again that was taken and noted", async () => {
      const { vendor, mimikit, fs } = await begin();
      await settle(fs, 1, { via: vendor.via, effects: [{ type: "reply", text: "the first" }] });
      await mimikit.until("its end", () => auditOf(mimikit.home).includes("channel_sent") || undefined);
      await isSeen(mimikit, vendor, "the first");
      await mimikit.until("the end on disk", () => endsIn(mimikit.home, name) === vendor.shown().length || undefined);
      await mimikit.kill("channels");
      await settle(fs, 2, { via: vendor.via, effects: [{ type: "reply", text: "the second" }] });
      await isSeen(mimikit, vendor, "the second");
      expect(seen(vendor)).toEqual(["the first", "the second"]);
    });

    test("goes on after an outage and a limit of the rate; nothing comes twice", async () => {
      const { vendor, mimikit, fs } = await begin();
      await vendor.close();
      await mimikit.until("it says so", () => stateIn(mimikit.home, name) === "unreachable" || undefined);
      await settle(fs, 1, { effects: [{ type: "notify", text: "feed the cat" }] });
      await mimikit.until("a try in vain", () => mimikit.output.includes("a message waits") || undefined);
      // Killed in the midst of one, nobody would know whether it arrived.
      await mimikit.until("no try is under way", () => triesIn(mimikit.home, name) === 0 || undefined);
      await mimikit.kill("channels");
      const fates: Fate[] = [
        { status: 429, retryAfter: 1 },
        { status: 429, retryAfter: 1 },
      ];
      vendor.onSend(() => fates.shift() ?? "taken");
      await vendor.open();
      await isSeen(mimikit, vendor, "feed the cat");
      expect(fates).toEqual([]);
      expect(seen(vendor)).toEqual(["feed the cat"]);
    });

    test("says again, as what may be a repetition, what a gateway in between or a page of somebody else answered", async () => {
      const { vendor, mimikit, fs } = await begin();
      const repeated = (text: string) => (unsure === "mark" ? `${REPEATED}${text}` : text);
      const cases: [fate: Fate, isTaken: boolean][] = [
        [{ taken: true, status: 504, page: true }, true],
        [{ taken: true, status: 502 }, true],
        ["not json", false],
        [{ status: 404, page: true }, false],
        [{ status: 200, page: true }, false],
      ];
      const expected: string[] = [];
      for (const [k, [fate, isTaken]] of cases.entries()) {
        const text = `feed cat ${k}`;
        const fates = [fate];
        vendor.onSend(() => fates.shift() ?? "taken");
        await settle(fs, k + 1, { effects: [{ type: "notify", text }] });
        if (isTaken && unsure === "mark") expected.push(text);
        expected.push(repeated(text));
        await mimikit.until("its end", () => endsIn(mimikit.home, name) - endsOfPairing(vendor) === k + 1 || undefined);
      }
      expect(seen(vendor)).toEqual(expected);
      const unsures = auditOf(mimikit.home).filter((event) => event === "channel_unsure");
      expect(unsures).toHaveLength(cases.length);
    });

    test("sends what is news to whoever is paired, and neither what was said on the page nor what is older than a day", async () => {
      const { vendor, mimikit, fs } = await begin();
      const old = new Date(Date.now() - DAY_MS - 60_000).toISOString();
      await settle(fs, 1, { effects: [{ type: "notify", text: "long ago" }], at: old });
      await settle(fs, 2, { said: "hello", effects: [{ type: "reply", text: "to the page" }] });
      const stranger = { ...vendor.via, chat: "999", person: "999" };
      await settle(fs, 3, { via: stranger, effects: [{ type: "reply", text: "to somebody else" }] });
      await settle(fs, 4, { effects: [{ type: "reply", text: "a reminder" }] });
      await isSeen(mimikit, vendor, "a reminder");
      expect(seen(vendor)).toEqual(["a reminder"]);
    });

    test("makes a signed answer of a button, though it was killed after it had asked, or names the options where there are no buttons", async () => {
      const { vendor, mimikit, fs } = await begin();
      const at = new Date().toISOString();
      const question: Question = await ask(fs, "t-000001.0", { at, question: "Shall I?", options: ["yes", "no"] });
      await isSeen(mimikit, vendor, "Shall I?");
      await mimikit.kill("channels");
      if (vendor.press === undefined) {
        expect(seen(vendor)[0]).toMatch(/^Shall I\?\n\n1\. yes\n2\. no\n/);
        return;
      }
      vendor.press("no");
      const [answer] = await mimikit.until("the answer", () => {
        const answers = commandsIn(mimikit.home).filter(({ kind }) => kind === "answer");
        return answers.length > 0 ? answers : undefined;
      });
      expect(answer).toMatchObject({ questionId: question.id, answer: "no", via: vendor.via });
      expect(answer !== undefined && isSigned(readToken(mimikit.home), answer)).toBe(true);
    });
  });
}

/** A turn that was applied just now. */
export async function settle(
  fs: FileSystem,
  number: number,
  {
    via,
    said = via && "hello",
    effects,
    at = new Date().toISOString(),
  }: { via?: Via; said?: string | undefined; effects: Effect[]; at?: string },
): Promise<void> {
  const id = turnId(number);
  const message = {
    kind: "message" as const,
    id: `m-${number}`,
    at,
    text: said ?? "",
    ...(via !== undefined && { via }),
  };
  const messages = said === undefined ? [] : [Message.parse(message)];
  const task = taskOf(id, { role: "teller", kind: "turn", turn: { messages, events: [], results: [] } } as never);
  await createRecord(fs, Result, archivePath(id), resultOf(task, { effects, completedAt: at }));
}

export function commandsIn(home: string): InboxCommand[] {
  const dir = join(home, "inbox");
  return readdirSync(dir).map((file) => InboxCommand.parse(JSON.parse(readFileSync(join(dir, file), "utf8"))));
}

/** The messages in the inbox, once there are that many. */
export function messagesIn(home: string, count: number): Message[] | undefined {
  const messages = commandsIn(home).filter((command): command is Message => command.kind === "message");
  return messages.length >= count ? messages : undefined;
}

export function stateIn(home: string, name: string): string | undefined {
  const path = join(home, `channels/${name}/state.json`);
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")).state : undefined;
}

const endsOfPairing = (vendor: Vendor) => vendor.shown().filter((text) => PAIRED.test(text)).length;

const endsIn = (home: string, name: string) =>
  readdirSync(join(home, `channels/${name}/sends`)).filter((file) => file.endsWith(".end.json")).length;

/** How many parts are on their way. */
const triesIn = (home: string, name: string) => {
  const files = readdirSync(join(home, `channels/${name}/sends`));
  return files.filter((file) => /\.b\d+\.json$/.test(file) && !files.includes(file.replace(/b\d+\.json$/, "end.json")))
    .length;
};

export function auditOf(home: string): string[] {
  const path = join(home, "log.channels.jsonl");
  const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
  return lines.flatMap((line) => (line.endsWith("}") ? JSON.parse(line).event : []));
}
