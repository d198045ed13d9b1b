/** The longest message that there may be, in any script, through every door of the real processes. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { MESSAGE_CHARS_MAX } from "@mimikit/protocol/base/fields";
import { afterEach, expect, test } from "vitest";
import { runCli } from "../cli/run-cli.ts";
import { Instance, ROLE_NAMES } from "../support/instance.ts";

let mimikit: Instance | undefined;
afterEach(async () => {
  await mimikit?.dispose();
  mimikit = undefined;
});

/** As many of a character as a message may have, with a word of its own at the end. */
function longest(character: string, word: string): string {
  return character.repeat(MESSAGE_CHARS_MAX - word.length) + word;
}

test("a message of the most characters is accepted, kept word by word and answered, whichever way it comes", async () => {
  const running = await Instance.start();
  mimikit = running;
  const texts = {
    sent: longest("字", "发送"),
    asked: longest("问", "提问"),
    dropped: longest("放", "文件"),
    down: longest("停", "停机"),
    escaped: longest("\u0001", "control"),
    pairs: longest("😀", "emoji"),
  };
  const sent = await runCli(running, ["send", "--json"], texts.sent);
  expect(sent, sent.error).toMatchObject({ code: 0 });
  const asked = await runCli(running, ["ask"], texts.asked);
  expect(asked, asked.error).toMatchObject({ code: 0, out: expect.stringContaining("还没有配置语言模型") });
  writeFileSync(join(running.home, "inbox/long.json"), JSON.stringify({ kind: "message", text: texts.dropped }));
  await running.send(texts.escaped);
  const pairs = await runCli(running, ["send"], texts.pairs);
  expect(pairs, pairs.error).toMatchObject({ code: 0 });
  await running.drained();
  await running.stop();
  const down = await runCli(running, ["send"], texts.down);
  expect(down, down.error).toMatchObject({ code: 0 });
  for (const role of ROLE_NAMES) running.startRole(role);
  await running.ready();
  await running.drained();

  const messages = await running.messages();
  const answered = new Set(messages.flatMap(({ answers = [] }) => answers));
  for (const [way, text] of Object.entries(texts)) {
    const ids = messages.filter((message) => message.text === text).map(({ id }) => id);
    expect(ids, way).toHaveLength(1);
    expect([...answered], way).toEqual(expect.arrayContaining(ids));
  }
});

test("one character more is refused in words that say how many there may be, and goes along as a file where it is piped", async () => {
  const running = await Instance.start();
  mimikit = running;
  const tooLong = await runCli(running, ["send", "x".repeat(MESSAGE_CHARS_MAX - 1), "y"]);
  expect(tooLong).toMatchObject({ code: 2, error: expect.stringContaining("at most 64000 characters") });
  await expect(running.send("字".repeat(MESSAGE_CHARS_MAX + 1))).rejects.toThrow(/^400 /);
  expect(await running.messages()).toEqual([]);
  const piped = await runCli(running, ["send"], "字".repeat(MESSAGE_CHARS_MAX + 1));
  expect(piped, piped.error).toMatchObject({ code: 0 });
  const [message] = await running.messages();
  expect(message?.attachments).toMatchObject([{ name: "pipe.txt", bytes: 3 * (MESSAGE_CHARS_MAX + 1) }]);
});
