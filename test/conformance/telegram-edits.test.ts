/** An edit that says nothing new is none, and a reply is about the message that it names. */
import { expect, test } from "vitest";
import { ask } from "../http-gateway/records.ts";
import { commandsIn, messagesIn, startChannel } from "./channel-suite.ts";
import { PERSON, TELEGRAM } from "./telegram-candidate.ts";

const start = async () => {
  const { vendor, ...rest } = await startChannel(TELEGRAM);
  return { ...rest, telegram: vendor.server };
};

const PICTURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3, 4]);

test("a reaction to a message, a command, an answer or an edit makes nothing of it again, though the channels are killed", async () => {
  const { telegram, mimikit, fs } = await start();
  await ask(fs, "t-000001.0", { at: new Date().toISOString(), question: "Which seeds?" });
  const asked = await mimikit.until("the question", () => telegram.sent.find(({ asksReply }) => asksReply));
  const photo = [{ file_id: telegram.keep(PICTURE), file_unique_id: "u1" }];
  const first = telegram.say(PERSON, "pay the rent");
  const ids = [
    first,
    telegram.say(PERSON, "/steer only mint"),
    telegram.say(PERSON, "/stop"),
    telegram.say(PERSON, "", { photo, caption: "what is this?" }),
    telegram.say(PERSON, "", { photo }),
    telegram.say(PERSON, "mint", { reply_to_message: { message_id: asked.messageId } }),
  ];
  const said = await mimikit.until("all of them", () =>
    commandsIn(mimikit.home).length === ids.length ? commandsIn(mimikit.home) : undefined,
  );
  telegram.edit(PERSON, first, "pay the rent and the gas");
  await mimikit.until("the edit", () => commandsIn(mimikit.home).length === ids.length + 1 || undefined);
  await mimikit.kill("channels");
  for (const [k, id] of ids.entries()) telegram.touch(id, 1_800_000_100 + k);
  telegram.edit(PERSON, first, "pay the rent", { edit_date: 1_800_000_200 });
  telegram.touch(first, 1_800_000_201);
  telegram.say(PERSON, "the end");
  const messages = await mimikit.until("the end", () =>
    messagesIn(mimikit.home, 6)?.some(({ text }) => text === "the end") ? messagesIn(mimikit.home, 6) : undefined,
  );
  // An edit that takes the first words again is one.
  expect(messages?.map(({ text }) => text).sort()).toEqual(
    ["[file]", "pay the rent", "pay the rent", "pay the rent and the gas", "the end", "what is this?"].sort(),
  );
  expect(commandsIn(mimikit.home)).toHaveLength(said.length + 3);
});

test("a live location is one message, however often it moves", async () => {
  const { telegram, mimikit } = await start();
  const location = { latitude: 1, longitude: 2, live_period: 900 };
  const id = telegram.say(PERSON, "", { location });
  for (let k = 1; k <= 20; k++)
    telegram.edit(PERSON, id, "", {
      text: undefined,
      location: { ...location, latitude: k },
      edit_date: 1_800_000_000 + k,
    });
  telegram.say(PERSON, "the end");
  const messages = await mimikit.until("the end", () => messagesIn(mimikit.home, 2));
  expect(messages.map(({ text }) => text).sort()).toEqual(["[location 1, 2]", "the end"]);
});

test("a reply to one's own message quotes it, also to a picture, to one of an album and to an edited one", async () => {
  const { telegram, mimikit } = await start();
  const [one = "", two = "", three = ""] = [1, 2, 3].map((k) => telegram.keep(Buffer.from([...PICTURE, k])));
  const words = telegram.say(PERSON, "water the basil");
  const photo = telegram.say(PERSON, "", { photo: [{ file_id: one }], caption: "yesterday" });
  const [, second = 0] = telegram.sayAlbum(PERSON, "g1", [two, three], "the garden");
  await mimikit.until("all of them", () => messagesIn(mimikit.home, 3));
  telegram.edit(PERSON, words, "water the mint");
  await mimikit.until("the edit", () => messagesIn(mimikit.home, 4));
  await mimikit.kill("channels");
  const quotes = [
    [words, "water the mint"],
    [photo, "yesterday"],
    [second, "the garden"],
  ] as const;
  for (const [message_id, text] of quotes) telegram.say(PERSON, `about ${text}`, { reply_to_message: { message_id } });
  const messages = await mimikit.until("the replies", () => messagesIn(mimikit.home, 7));
  for (const [, text] of quotes) {
    const quoted = messages.find((message) => message.text === text);
    expect(quoted, text).toBeDefined();
    expect(messages.find((message) => message.text === `about ${text}`)).toMatchObject({ quote: quoted?.id });
  }
});
