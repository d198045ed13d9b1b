/** Ids of Telegram hold within one bot: another one counts the messages of the same chat from 1 again. */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PairedPerson } from "@mimikit/protocol/channels/records";
import { setChannel } from "@mimikit/runtime/config/secrets";
import { readToken } from "@mimikit/runtime/home/home";
import { commandId, createCommand } from "@mimikit/store/disk/create-command";
import { openDisk } from "@mimikit/store/disk/disk";
import { createRecord } from "@mimikit/store/disk/record";
import { pairedPersonPath } from "@mimikit/store/disk/state";
import { expect, onTestFinished, test } from "vitest";
import { hashOf, personId } from "../../apps/channels/src/people/people.ts";
import { ask } from "../http-gateway/records.ts";
import type { Instance } from "../support/instance.ts";
import { TelegramServer } from "../support/telegram-server.ts";
import { commandsIn, messagesIn, settle, startChannel } from "./channel-suite.ts";
import { PERSON, TELEGRAM } from "./telegram-candidate.ts";

const VIA = { channel: "telegram", chat: String(PERSON.id), person: String(PERSON.id) };
const NEW_CODE = "M4XT8R3B";
const TEXTS = ["one", "two", "three", "four", "five"];

const start = async () => {
  const { vendor, ...rest } = await startChannel(TELEGRAM);
  return { ...rest, telegram: vendor.server };
};

/** From now on the channel is another bot. */
async function changeBot(mimikit: Instance): Promise<TelegramServer> {
  const other = await TelegramServer.start("987654321:BBotherOTHERotherOTHERotherOTHERother");
  onTestFinished(async () => {
    expect(other.mistakes).toEqual([]);
    await other.dispose();
  });
  await setChannel(mimikit.home, "telegram", { token: other.token, server: other.url });
  await mimikit.kill("channels");
  return other;
}

const textsIn = (mimikit: Instance, count: number) =>
  mimikit.until(`${count} messages`, () =>
    messagesIn(mimikit.home, count)
      ?.map(({ text }) => text)
      .sort(),
  );

test("all that is said to a new bot in the same chat is taken, whatever ids the old bot has used there", async () => {
  const { telegram, mimikit } = await start();
  for (const text of TEXTS) telegram.say(PERSON, `old ${text}`);
  await textsIn(mimikit, TEXTS.length);
  const other = await changeBot(mimikit);
  // From id 1 on, also over those of what the old bot has sent.
  const all = Array.from({ length: 8 }, (_, n) => `new ${n}`);
  for (const text of all) other.say(PERSON, text);
  expect(await textsIn(mimikit, TEXTS.length + all.length)).toEqual(
    [...TEXTS.map((text) => `old ${text}`), ...all].sort(),
  );
});

test("who sends a code to a new bot is paired and told so, though they were paired with the old one", async () => {
  const { mimikit } = await start();
  const other = await changeBot(mimikit);
  const expiresAt = new Date(Date.now() + 300_000).toISOString();
  const offer = join(mimikit.home, `channels/telegram/offer-${hashOf(NEW_CODE)}.json`);
  writeFileSync(offer, JSON.stringify({ expiresAt }), { mode: 0o600 });
  other.say(PERSON, NEW_CODE);
  const [greeting] = await mimikit.until("the greeting", () => (other.sent.length > 0 ? other.sent : undefined));
  expect(greeting?.text).toMatch(/^Paired\./);
  other.say(PERSON, "hello");
  expect(await textsIn(mimikit, 1)).toEqual(["hello"]);
  expect(readdirSync(join(mimikit.home, "channels/telegram/people"))).toHaveLength(1);
});

test("what is due before a person has opened the new bot waits for that, and is sent as soon as they write", async () => {
  const { mimikit, fs } = await start();
  const other = await changeBot(mimikit);
  await settle(fs, 1, { effects: [{ type: "notify", text: "feed the cat" }] });
  await mimikit.until("it waits", () => mimikit.output.includes("bot can't initiate conversation") || undefined);
  other.say(PERSON, "/start");
  await mimikit.until("it is sent", () => other.sent.find(({ text }) => text === "feed the cat"));
});

test("a reply in the chat of a new bot is neither an answer nor a quotation of what the old bot has sent", async () => {
  const { telegram, mimikit, fs } = await start();
  await ask(fs, "t-000001.0", { at: new Date().toISOString(), question: "Which seeds?" });
  const asked = await mimikit.until("the question", () => telegram.sent.find(({ asksReply }) => asksReply));
  const other = await changeBot(mimikit);
  other.say(PERSON, "mint", { reply_to_message: { message_id: asked.messageId } });
  expect(await textsIn(mimikit, 1)).toEqual(["mint"]);
  expect(commandsIn(mimikit.home)).toMatchObject([{ kind: "message", text: "mint" }]);
  expect(commandsIn(mimikit.home)[0]).not.toHaveProperty("quote");
});

test("two edits within one second are two messages, and the same edit delivered again is one", async () => {
  const { telegram, mimikit } = await start();
  const id = telegram.say(PERSON, "at nine");
  telegram.edit(PERSON, id, "at ten");
  telegram.edit(PERSON, id, "at eleven");
  telegram.edit(PERSON, id, "at eleven");
  telegram.say(PERSON, "the end");
  expect(await textsIn(mimikit, 4)).toEqual(["at eleven", "at nine", "at ten", "the end"]);
  const [original] = messagesIn(mimikit.home, 4)?.filter(({ text }) => text === "at nine") ?? [];
  for (const text of ["at ten", "at eleven"])
    expect(messagesIn(mimikit.home, 4)?.find((each) => each.text === text)).toMatchObject({ quote: original?.id });
});

test("a message that is dropped because another has its id is said in the log, without its words", async () => {
  const { telegram, mimikit } = await start();
  const message_id = telegram.say(PERSON, "first words");
  telegram.say(PERSON, "other words", { message_id });
  telegram.say(PERSON, "the end");
  expect(await textsIn(mimikit, 2)).toEqual(["first words", "the end"]);
  expect(mimikit.output).toContain("a message was dropped: one with other words has its id");
  expect(mimikit.output.match(/(?<!one with )other words/g)).toBeNull();
});

/** A state directory as an earlier version left it, with a message that it had taken and not confirmed. */
async function startFromBefore(id: string, words: string) {
  return startChannel({
    ...TELEGRAM,
    async pair({ server }, home) {
      server.known.add(PERSON.id);
      const fs = openDisk(home, "before");
      // As it was: a person, and no note of the account.
      const person = { id: personId(VIA), ...VIA, name: "Ada", at: new Date().toISOString(), code: "0".repeat(64) };
      await createRecord(fs, PairedPerson, pairedPersonPath("telegram", person.id), person);
      await fs.unlink("channels/telegram/former.json");
      const key = `channel ${JSON.stringify(["telegram", VIA.chat, id])}`;
      const said = { kind: "message" as const, text: words, via: VIA };
      await createCommand(fs, readToken(home), said, commandId("message", key));
    },
  });
}

test("what was taken just before the update is not doubled after it", async () => {
  const { vendor, mimikit } = await startFromBefore("2", "said before");
  await mimikit.kill("channels");
  vendor.say("said before");
  vendor.say("said after");
  expect(await textsIn(mimikit, 2)).toEqual(["said after", "said before"]);
  // An edit quotes the record that there is.
  const { server } = vendor;
  server.edit(PERSON, 2, "said otherwise");
  await textsIn(mimikit, 3);
  const before = messagesIn(mimikit.home, 3)?.find(({ text }) => text === "said before");
  expect(messagesIn(mimikit.home, 3)?.find(({ text }) => text === "said otherwise")).toMatchObject({
    quote: before?.id,
  });
});

test("a bot that comes after the update is not taken for the one of before, nor one that came with it", async () => {
  const { vendor, mimikit } = await startFromBefore("2", "the old bot's");
  await mimikit.kill("channels");
  // The same id with other words, as of a bot that was changed while Mimikit was down.
  vendor.say("the new bot's");
  expect(await textsIn(mimikit, 2)).toEqual(["the new bot's", "the old bot's"]);
  const third = await changeBot(mimikit);
  third.say(PERSON, "the old bot's", { message_id: 2 });
  expect(await textsIn(mimikit, 3)).toEqual(["the new bot's", "the old bot's", "the old bot's"]);
});
