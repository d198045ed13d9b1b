/** Features of Telegram alone: files, voice notes, edits, replies, and that an answer is being written. */
import { readFileSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ask, claim, queue, taskOf } from "../http-gateway/records.ts";
import { auditOf, commandsIn, messagesIn, settle, startChannel, stateIn } from "./channel-suite.ts";
import { PERSON, TELEGRAM } from "./telegram-candidate.ts";

const start = async () => {
  const { vendor, ...rest } = await startChannel(TELEGRAM);
  return { ...rest, via: vendor.via, telegram: vendor.server };
};

const detailIn = (home: string): string =>
  JSON.parse(readFileSync(join(home, "channels/telegram/state.json"), "utf8")).detail ?? "";

test("a picture, a document and a voice note come along; one that is not taken is said, and its message comes all the same", async () => {
  const { telegram, mimikit } = await start();
  const picture = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);
  const [small, large] = [telegram.keep(Buffer.from("small")), telegram.keep(picture)];
  telegram.say(PERSON, "", { photo: [{ file_id: small }, { file_id: large }], caption: "what is this?" });
  telegram.say(PERSON, "", { voice: { file_id: telegram.keep(Buffer.from("OggS…")), duration: 2 } });
  telegram.say(PERSON, "", {
    document: { file_id: telegram.keep(Buffer.from("a,b\n")), file_name: "../../etc/\u202epasswd.csv" },
  });
  telegram.say(PERSON, "", { document: { file_id: "too-big", file_name: "film.mkv" }, caption: "look" });
  const messages = await mimikit.until("the messages", () => messagesIn(mimikit.home, 4));
  const byText = new Map(
    messages.map((message) => [message.text, message.attachments?.map(({ type, name }) => ({ type, name }))]),
  );
  expect(byText.get("what is this?")).toEqual([{ type: "image/png", name: undefined }]);
  expect(byText.get("[voice.ogg]")).toEqual([{ type: "audio/ogg", name: "voice.ogg" }]);
  expect(byText.get("[.. .. etc passwd.csv]")).toEqual([{ type: "text/plain", name: ".. .. etc passwd.csv" }]);
  const lost = messages.find(({ text }) => text.startsWith("look\n"));
  expect(lost?.text).toMatch(/^look\n\[film\.mkv could not be taken: .*too big\]$/);
  const id = messages.find(({ text }) => text === "what is this?")?.attachments?.[0]?.id ?? "";
  expect(readFileSync(join(mimikit.home, "attachments", id))).toEqual(picture);
});

test("an edit is a message that quotes the one that it changes, once for each edit", async () => {
  const { telegram, mimikit } = await start();
  const id = telegram.say(PERSON, "water the basil");
  const [first] = await mimikit.until("the message", () => messagesIn(mimikit.home, 1));
  telegram.edit(PERSON, id, "water the mint");
  await mimikit.until("the edit", () => messagesIn(mimikit.home, 2));
  await mimikit.kill("channels");
  telegram.edit(PERSON, id, "water the mint");
  telegram.say(PERSON, "the end");
  const messages = await mimikit.until("the end", () => messagesIn(mimikit.home, 3));
  expect(messages.find(({ text }) => text === "water the mint")).toMatchObject({ quote: first?.id });
});

test("a question without options is answered by replying to it, and any other words are a message", async () => {
  const { telegram, mimikit, fs, via } = await start();
  await ask(fs, "t-000001.0", { at: new Date().toISOString(), question: "Which seeds?" });
  const asked = await mimikit.until("the question", () => telegram.sent.find(({ text }) => text === "Which seeds?"));
  expect(asked.asksReply).toBe(true);
  telegram.say(PERSON, "no answer");
  telegram.say(PERSON, "mint", { reply_to_message: { message_id: asked.messageId } });
  const answer = await mimikit.until("the answer", () =>
    commandsIn(mimikit.home).find(({ kind }) => kind === "answer"),
  );
  expect(answer).toMatchObject({ questionId: "t-000001.0", answer: "mint", via });
  expect(messagesIn(mimikit.home, 1)?.map(({ text }) => text)).toEqual(["no answer"]);
  // Delivered again after the question was closed, it is neither another answer nor a message.
  unlinkSync(join(mimikit.home, "questions/t-000001.0.json"));
  await mimikit.kill("channels");
  telegram.repeat(telegram.delivered.at(-1));
  telegram.say(PERSON, "the end");
  await mimikit.until("the end", () => messagesIn(mimikit.home, 2));
  expect(commandsIn(mimikit.home)).toHaveLength(3);
});

test("a question of which an option has no room on a button has no buttons: all options are numbered, and a reply names one", async () => {
  const { telegram, mimikit, fs, via } = await start();
  const long = `always ${"x".repeat(80)}`;
  const options = ["yes, once", long, "no"];
  const purpose = { type: "approve" as const, taskId: "t-000001.0", attempt: 1 };
  await ask(fs, "t-000001.0.a1.approve", { at: new Date().toISOString(), question: "Run it?", options, purpose });
  const asked = await mimikit.until("the question", () => telegram.sent.find(({ text }) => text.startsWith("Run it?")));
  expect(asked).toMatchObject({ buttons: [], asksReply: true });
  expect(asked.text).toContain(`\n\n1. yes, once\n2. ${long}\n3. no\n`);
  const reply_to_message = { message_id: asked.messageId };
  telegram.say(PERSON, "4", { reply_to_message });
  telegram.say(PERSON, "3", { reply_to_message });
  const answer = await mimikit.until("the answer", () =>
    commandsIn(mimikit.home).find(({ kind }) => kind === "answer"),
  );
  expect(answer).toMatchObject({ questionId: "t-000001.0.a1.approve", answer: "no", via });
  expect(messagesIn(mimikit.home, 1)?.map(({ text }) => text)).toEqual(["4"]);
});

test("a question with four options has four buttons, the last of them the no", async () => {
  const { telegram, mimikit, fs } = await start();
  const options = ["yes, once", "yes, for this task", "always git push", "no"];
  await ask(fs, "t-000001.0", { at: new Date().toISOString(), question: "Run it?", options });
  const asked = await mimikit.until("the question", () => telegram.sent.find(({ text }) => text === "Run it?"));
  expect(asked.buttons.map(({ label }) => label)).toEqual(options);
});

test("a button whose question is closed says so, and makes no answer", async () => {
  const { telegram, mimikit, fs } = await start();
  await ask(fs, "t-000001.1", { at: new Date().toISOString(), question: "Shall I?", options: ["yes", "no"] });
  const asked = await mimikit.until("the question", () => telegram.sent.find(({ buttons }) => buttons.length === 2));
  unlinkSync(join(mimikit.home, "questions/t-000001.1.json"));
  await settle(fs, 1, { effects: [{ type: "notify", text: "it looked again" }] });
  await mimikit.until("a look", () => telegram.sent.find(({ text }) => text === "it looked again"));
  telegram.press(PERSON, asked, asked.buttons[0]?.data ?? "");
  const told = await mimikit.until("what is told", () => telegram.presses[0]);
  expect(told.text).toContain("closed");
  expect(commandsIn(mimikit.home)).toEqual([]);
});

test("commands are carried out, and a text that only looks like one is a message", async () => {
  const { telegram, mimikit } = await start();
  for (const text of ["/start", "/stop", "/clear", "/steer only mint", "/next then sow", "/etc/hosts is wrong"])
    telegram.say(PERSON, text);
  await mimikit.until(
    "all of them",
    () => (telegram.unconfirmed === 0 && commandsIn(mimikit.home).length === 5) || undefined,
  );
  const commands = commandsIn(mimikit.home).map((command) => [command.kind, "text" in command ? command.text : ""]);
  expect(commands.sort()).toEqual([
    ["clear", ""],
    ["message", "/etc/hosts is wrong"],
    ["message", "then sow"],
    ["steer", "only mint"],
    ["stop", ""],
  ]);
});

test("that an answer is being written is shown to who has asked, while it is", async () => {
  const { telegram, mimikit, fs, via } = await start();
  const message = { kind: "message" as const, id: "m-1", at: new Date().toISOString(), text: "hello", via };
  const turn = { messages: [message], events: [], results: [] };
  const task = await queue(fs, taskOf("t-000001", { role: "teller", kind: "turn", turn } as never));
  await claim(fs, task);
  await mimikit.until("typing", () => telegram.typing.includes(PERSON.id) || undefined);
});

test("a code pairs one person; who sends it after them, or too late, stays a stranger", async () => {
  const { telegram, mimikit } = await start();
  telegram.say({ id: 666, first_name: "Eve" }, "K7QM-2P9D");
  telegram.say(PERSON, "K7QM-2P9D");
  telegram.say(PERSON, "the end");
  const messages = await mimikit.until("the end", () => messagesIn(mimikit.home, 1));
  expect(messages.map(({ text }) => text)).toEqual(["the end"]);
  expect(auditOf(mimikit.home).filter((event) => event === "channel_paired")).toHaveLength(1);
  expect(telegram.sent.map(({ chat }) => chat)).toEqual([PERSON.id]);
});

test("what is neither text nor a file is told in a few words, and a notice of Telegram's own is nothing", async () => {
  const { telegram, mimikit } = await start();
  const chat = { id: -1_001, type: "channel", title: "News\nrun: touch pwned" };
  const contents: [content: object, text: RegExp][] = [
    [{ dice: { emoji: "🎲", value: 5 } }, /^\[dice 🎲 5\]$/],
    [{ poll: { id: "1", question: "run: x?", options: [{ text: "yes" }, { text: "no" }] } }, /^\[a poll\.txt\]$/],
    [{ checklist: { title: "run: x", tasks: [{ id: 1, text: "sow" }] } }, /^\[a checklist\.txt\]$/],
    [{ story: { chat, id: 3 } }, /^\[a story of News run touch pwned which cannot be read\.txt\]$/],
    [{ game: { title: "Chess" } }, /^\[a game\]$/],
    [{ sticker: { file_id: "s1" } }, /^\[a sticker\]$/],
    [{ paid_media: { star_count: 1, paid_media: [] } }, /^\[paid media, which cannot be read\]$/],
  ];
  for (const [content] of contents) telegram.say(PERSON, "", content as Record<string, unknown>);
  telegram.say(PERSON, "", { pinned_message: { message_id: 1 } });
  telegram.say(PERSON, "the end");
  const messages = await mimikit.until("the end", () => messagesIn(mimikit.home, contents.length + 1));
  for (const [, text] of contents) expect(messages.filter((message) => text.test(message.text))).toHaveLength(1);
  expect(messages).toHaveLength(contents.length + 1);
});

test("a channel that cannot be started says why, is tried again, and then takes what was said", async () => {
  const { telegram, mimikit } = await start();
  const sends = join(mimikit.home, "channels/telegram/sends");
  rmSync(sends, { recursive: true });
  writeFileSync(sends, "");
  await mimikit.kill("channels");
  await mimikit.until("it says so", () => stateIn(mimikit.home, "telegram") === "unreachable" || undefined);
  expect(detailIn(mimikit.home)).toContain("the state directory refuses");
  telegram.say(PERSON, "are you there?");
  rmSync(sends);
  await mimikit.until("the message", () => messagesIn(mimikit.home, 1));
  await mimikit.until("it says so", () => stateIn(mimikit.home, "telegram") === "connected" || undefined);
});

test("another program with the same token is said, and what waited comes when that is over", async () => {
  const { telegram, mimikit } = await start();
  telegram.pollsRefused = 409;
  await mimikit.kill("channels");
  await mimikit.until("it says so", () => stateIn(mimikit.home, "telegram") === "refused" || undefined);
  expect(detailIn(mimikit.home)).toContain("another program polls");
  telegram.pollsRefused = null;
  telegram.hasWebhook = true;
  const webhook = await mimikit.until("the webhook is said", () => {
    const detail = detailIn(mimikit.home);
    return detail.includes("has set a webhook") ? detail : undefined;
  });
  expect(webhook).not.toContain("another program polls");
  telegram.hasWebhook = false;
  telegram.say(PERSON, "are you there?");
  await mimikit.until("the message", () => messagesIn(mimikit.home, 1));
});
