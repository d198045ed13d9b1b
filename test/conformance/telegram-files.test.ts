/** A file that cannot be had holds up nothing, and an answer to a question keeps what came with it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ask } from "../http-gateway/records.ts";
import { commandsIn, messagesIn, startChannel, stateIn } from "./channel-suite.ts";
import { PERSON, TELEGRAM } from "./telegram-candidate.ts";

const start = async () => {
  const { vendor, ...rest } = await startChannel(TELEGRAM);
  return { ...rest, telegram: vendor.server };
};

const PICTURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3, 4]);

test("a file whose download breaks each time is given up after three tries, its message names it, and what was said after it comes", async () => {
  const { telegram, mimikit } = await start();
  const cut = telegram.keep(Buffer.alloc(200_000, "x"));
  const gone = telegram.keep(Buffer.from("a,b\n"));
  telegram.onFile = (id) => (id === cut ? "cut" : id === gone ? { status: 404 } : "whole");
  telegram.say(PERSON, "", { document: { file_id: cut, file_name: "scan.pdf" }, caption: "file this" });
  telegram.say(PERSON, "", { document: { file_id: gone, file_name: "table.csv" } });
  telegram.say(PERSON, "STOP THE PAYMENT");
  await mimikit.until("it says why", () => stateIn(mimikit.home, "telegram") === "unreachable" || undefined);
  const messages = await mimikit.until("all of them", () => messagesIn(mimikit.home, 3));
  const texts = messages.map(({ text }) => text).sort();
  expect(texts[0]).toBe("STOP THE PAYMENT");
  expect(texts[1]).toMatch(/^\[table\.csv could not be taken: /);
  expect(texts[2]).toMatch(/^file this\n\[scan\.pdf could not be taken: /);
  expect([cut, gone].map((id) => telegram.downloads.filter((each) => each === id).length)).toEqual([3, 3]);
  expect(mimikit.output).not.toContain(telegram.token);
});

test("a file that comes with an answer to a question is a message beside the answer, and neither comes twice", async () => {
  const { telegram, mimikit, fs } = await start();
  await ask(fs, "t-000001.0", { at: new Date().toISOString(), question: "Which receipt do you mean?" });
  const asked = await mimikit.until("the question", () => telegram.sent.find(({ asksReply }) => asksReply));
  const photo = [{ file_id: telegram.keep(PICTURE) }];
  telegram.say(PERSON, "", { photo, caption: "this one", reply_to_message: { message_id: asked.messageId } });
  await mimikit.until("both", () => (telegram.unconfirmed === 0 && messagesIn(mimikit.home, 1)) || undefined);
  await mimikit.kill("channels");
  telegram.repeat(telegram.delivered.at(-1));
  telegram.say(PERSON, "the end");
  await mimikit.until("the end", () => messagesIn(mimikit.home, 2));
  const commands = commandsIn(mimikit.home);
  expect(commands).toHaveLength(3);
  expect(commands.find(({ kind }) => kind === "answer")).toMatchObject({
    questionId: "t-000001.0",
    answer: "this one",
  });
  const message = messagesIn(mimikit.home, 2)?.find(({ text }) => text !== "the end");
  expect(message).toMatchObject({ quote: "t-000001.0", attachments: [{ type: "image/png" }] });
  const [file] = message?.attachments ?? [];
  expect(readFileSync(join(mimikit.home, "attachments", file?.id ?? ""))).toEqual(PICTURE);
});
