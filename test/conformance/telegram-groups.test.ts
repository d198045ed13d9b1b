/** A thing that its sender sends as one is one message: an album, a text that was cut, a forwarded message with its comment. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commandsIn, messagesIn, startChannel } from "./channel-suite.ts";
import { PERSON, TELEGRAM } from "./telegram-candidate.ts";

const start = async () => {
  const { vendor, ...rest } = await startChannel(TELEGRAM);
  const { server: telegram } = vendor;
  /** Says the next thing whenever the one before was handed out: each in an answer of its own. */
  const sayEach = (...sayings: (() => void)[]) => {
    telegram.onUpdates = (updates) => {
      if (updates.length > 0) sayings.shift()?.();
    };
    sayings.shift()?.();
  };
  return { ...rest, telegram, sayEach };
};

const PICTURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const EVE = { type: "user", date: 1, sender_user: { id: 666, is_bot: false, first_name: "Eve" } };

test("an album is one message with all of its pictures, though they come in several answers and the channels are killed in between", async () => {
  const { telegram, mimikit, sayEach } = await start();
  const files = [1, 2, 3].map((k) => telegram.keep(Buffer.from([...PICTURE, k])));
  const [first = "", ...others] = files;
  let kills = 0;
  sayEach(
    () => telegram.sayAlbum(PERSON, "g1", [first], "which is best?"),
    () => {
      if (kills++ < 1) void mimikit.kill("channels");
      telegram.sayAlbum(PERSON, "g1", others);
    },
  );
  const [message] = await mimikit.until("the album", () => messagesIn(mimikit.home, 1));
  expect(message).toMatchObject({ text: "which is best?", attachments: [{}, {}, {}] });
  const contents = message?.attachments?.map(({ id }) => readFileSync(join(mimikit.home, "attachments", id)).at(-1));
  expect(contents).toEqual([1, 2, 3]);
  // Durable, and delivered again with one more that came late: the late one is a message of its own, once.
  const album = telegram.delivered.filter(
    (update, k, all) =>
      "media_group_id" in (update.message as object) &&
      all.findIndex((other) => other.update_id === update.update_id) === k,
  );
  await mimikit.until("it is confirmed", () => telegram.unconfirmed === 0 || undefined);
  for (let k = 0; k < 2; k++) {
    await mimikit.kill("channels");
    for (const update of album) telegram.repeat(update);
    if (k === 0) {
      telegram.sayAlbum(PERSON, "g1", [telegram.keep(Buffer.from([...PICTURE, 4]))]);
      await mimikit.until("the late one", () => messagesIn(mimikit.home, 2));
    }
    await mimikit.until("it is confirmed again", () => telegram.unconfirmed === 0 || undefined);
  }
  telegram.say(PERSON, "the end");
  const messages = await mimikit.until("the end", () => messagesIn(mimikit.home, 3));
  expect(messages).toHaveLength(3);
  expect(messages.map(({ attachments = [] }) => attachments.length).sort()).toEqual([0, 1, 3]);
});

test("a text that the client has cut is one message without a break, and what is said later is another", async () => {
  const { telegram, mimikit, sayEach } = await start();
  const text = Array.from({ length: 6_000 }, (_, k) => String.fromCharCode(97 + (k % 26))).join("");
  sayEach(
    () => telegram.say(PERSON, text.slice(0, 4_096)),
    () => telegram.say(PERSON, text.slice(4_096)),
  );
  await mimikit.until("the text", () => messagesIn(mimikit.home, 1));
  // Cut at the end of a line, which the vendor has dropped.
  telegram.say(PERSON, "x".repeat(3_900), { date: 1_800_000_100 });
  telegram.say(PERSON, "y".repeat(4_096), { date: 1_800_000_101 });
  telegram.say(PERSON, "z", { date: 1_800_000_101 });
  telegram.say(PERSON, "the end", { date: 1_800_000_200 });
  const messages = await mimikit.until("the end", () => messagesIn(mimikit.home, 3));
  expect(messages.map((message) => message.text).sort()).toEqual(
    [text, `${"x".repeat(3_900)}\n${"y".repeat(4_096)}z`, "the end"].sort(),
  );
});

test.each([
  ["before", true],
  ["behind", false],
] as const)(
  "a forwarded message and the comment %s it are one message, and the comment is no order",
  async (_, isFirst) => {
    const { telegram, mimikit, sayEach } = await start();
    const comment = () => telegram.say(PERSON, "remind me of this at 5");
    const forward = () => telegram.say(PERSON, "/stop and pay", { forward_origin: EVE });
    if (isFirst) sayEach(comment, forward);
    else sayEach(forward, comment);
    const [message] = await mimikit.until("the message", () => messagesIn(mimikit.home, 1));
    expect(message).toMatchObject({ text: "remind me of this at 5", isQuoting: true });
    const [file] = message?.attachments ?? [];
    expect(file?.name).toBe("forwarded from Eve.txt");
    expect(readFileSync(join(mimikit.home, "attachments", file?.id ?? ""), "utf8")).toContain("/stop and pay");
    await mimikit.until("it is confirmed", () => telegram.unconfirmed === 0 || undefined);
    telegram.say(PERSON, "the end");
    await mimikit.until("the end", () => messagesIn(mimikit.home, 2));
    expect(commandsIn(mimikit.home)).toHaveLength(2);
  },
);

test("all of it is there once, and together, though the channels are killed at each of the first deliveries", async () => {
  const { telegram, mimikit, sayEach } = await start();
  const files = [1, 2, 3].map((k) => telegram.keep(Buffer.from([...PICTURE, k])));
  const [first = "", second = "", third = ""] = files;
  const at = (sec: number) => ({ date: 1_800_000_000 + sec });
  let kills = 0;
  const killed = (say: () => void) => () => {
    if (kills++ < 5) void mimikit.kill("channels");
    say();
  };
  sayEach(
    () => telegram.sayAlbum(PERSON, "g1", [first], "the garden"),
    killed(() => telegram.sayAlbum(PERSON, "g1", [second, third])),
    killed(() => telegram.say(PERSON, "p".repeat(4_096), at(100))),
    killed(() => telegram.say(PERSON, "q", at(101))),
    killed(() => telegram.say(PERSON, "remind me", at(200))),
    killed(() => telegram.say(PERSON, "hello", { forward_origin: EVE, ...at(201) })),
    () => telegram.say(PERSON, "the end", at(300)),
  );
  await mimikit.until("all of them", () => (kills >= 5 && messagesIn(mimikit.home, 4)) || undefined);
  await mimikit.until("it is confirmed", () => telegram.unconfirmed === 0 || undefined);
  const said = commandsIn(mimikit.home).map((command) =>
    command.kind === "message" ? [command.text, command.attachments?.length ?? 0] : [],
  );
  expect(said.sort()).toEqual([
    [`${"p".repeat(4_096)}q`, 0],
    ["remind me", 1],
    ["the end", 0],
    ["the garden", 3],
  ]);
});
