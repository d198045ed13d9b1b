/** Exports of other assistants are read as they are; what is damaged or too large is said, and nothing of it is believed. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { REMEMBER_CHARS_MAX } from "@mimikit/protocol/records/effect";
import { describe, expect, onTestFinished, test } from "vitest";
import { memoriesIn } from "../../../apps/cli/src/import/brought.ts";
import { readChatGpt } from "../../../apps/cli/src/import/chatgpt.ts";
import { readClaude } from "../../../apps/cli/src/import/claude.ts";
import { openExport, TEXT_BYTES_MAX } from "../../../apps/cli/src/import/export-files.ts";
import { momentMs } from "../../../apps/cli/src/import/lenient.ts";
import { readOpenClaw } from "../../../apps/cli/src/import/openclaw.ts";
import { CLAUDE_FILES, chatGptExport, OPENCLAW_FILES, TALK_ABOUT_BOILERS } from "../../support/exports.ts";
import { makeZip } from "../../support/make-zip.ts";

const NOW_MS = Date.parse("2026-11-25T12:00:00Z");

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), "mimikit-exports-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** Writes it, and opens it as an export. */
async function opened(name: string, content: Buffer | string) {
  const path = join(folder(), name);
  writeFileSync(path, content);
  const files = await openExport(path);
  onTestFinished(() => files.close());
  return files;
}

async function openedFolder(files: Readonly<Record<string, string>>) {
  const dir = folder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  return openExport(dir);
}

const textsOf = ({ conversations }: Awaited<ReturnType<typeof readClaude>>) =>
  conversations.map(({ title, messages }) => [title, ...messages.map(({ role, text }) => `${role}: ${text}`)]);

describe("ChatGPT", () => {
  test("the way to the last message of each conversation is taken, and what the user has told of themselves", async () => {
    const brought = await readChatGpt(await opened("export.zip", chatGptExport()));
    expect(textsOf(brought)).toEqual([
      [
        "Tomatoes on the balcony",
        "user: Which tomato is good for pots?",
        "assistant: Take a bush variety like Vilma; it stays below half a metre.",
        "user: Like this one?",
      ],
      ["Boiler pressure", "user: The boiler shows 0.6 bar.", "assistant: Fill it up to 1.5 bar when it is cold."],
    ]);
    expect(brought.memories).toEqual(["Grows vegetables in pots. (from ChatGPT)"]);
    expect(brought.passedOver).toEqual([{ what: "pictures and other files (1)", reason: "only texts are brought" }]);
  });

  test("conversations in parts, and the file alone, are read as well", async () => {
    const parts = makeZip([
      { name: "x/conversations-000.json", text: JSON.stringify([TALK_ABOUT_BOILERS]) },
      { name: "x/conversations-001.json", text: "[]" },
    ]);
    expect((await readChatGpt(await opened("e.zip", parts))).conversations).toHaveLength(1);
    const alone = await opened("conversations.json", JSON.stringify([TALK_ABOUT_BOILERS]));
    expect((await readChatGpt(alone)).conversations).toHaveLength(1);
  });

  test("a circle in the tree ends, and a conversation that is none is passed over", async () => {
    const [b1, b2] = [TALK_ABOUT_BOILERS.mapping.b1, TALK_ABOUT_BOILERS.mapping.b2];
    const round = { ...TALK_ABOUT_BOILERS, mapping: { b1: { ...b1, parent: "nowhere" }, b2 } };
    const circle = { ...TALK_ABOUT_BOILERS, mapping: { b1: { ...b1, parent: "b2" }, b2 } };
    const brought = await readChatGpt(await opened("conversations.json", JSON.stringify([round, circle, 7])));
    expect(brought.conversations).toHaveLength(2);
    expect(brought.passedOver).toHaveLength(1);
  });

  test("a list of memories is one each", async () => {
    const files = await opened("memories.txt", "- Has two cats\n- Plays chess\n\n[2025-01-02] - Speaks Danish\n");
    expect((await readChatGpt(files)).memories).toEqual([
      "Has two cats (from ChatGPT)",
      "Plays chess (from ChatGPT)",
      "[2025-01-02] - Speaks Danish (from ChatGPT)",
    ]);
  });
});

test("Claude: what was written is taken, without thoughts and tools, and what it remembers", async () => {
  const brought = await readClaude(
    await opened("data.zip", makeZip(CLAUDE_FILES, { comment: "made PK\u0005\u0006 today" })),
  );
  expect(textsOf(brought)).toEqual([
    [
      "Bread without kneading",
      "user: How long does it rest?",
      "assistant: Eighteen hours at room temperature.",
      "user: An older export has the text alone.",
    ],
  ]);
  expect(brought.memories).toEqual([
    "Work context: Bakes on Saturdays. (from Claude)",
    "Work context: Uses rye flour (from Claude)",
    "Work context: Has a small oven (from Claude)",
    "The oven project measures temperatures. (from Claude)",
  ]);
  expect(brought.passedOver.map(({ what }) => what)).toEqual(["a conversation", "attached files (1)", "projects"]);
});

test("OpenClaw: memory, schedules that can be, and sessions; neither persona nor skills nor settings", async () => {
  const brought = await readOpenClaw(await openedFolder(OPENCLAW_FILES), "Asia/Tokyo", NOW_MS);
  expect(brought.memories).toEqual([
    "Garden: The well is dry in August (from OpenClaw)",
    "Garden: The pump is a Calpeda (from OpenClaw)",
    "House: The key hangs behind the door. (from OpenClaw)",
    "Likes short answers (from OpenClaw)",
    "Ordered seeds (from OpenClaw, 2026-02-01)",
  ]);
  expect(brought.schedules.map(({ definition }) => [definition.order.prompt, definition.when])).toEqual([
    ["remind me: water", { type: "recurring", schedule: { cron: "0 7 * * *", timezone: "Europe/Berlin" } }],
    ["remind me: stretch", { type: "recurring", schedule: { interval: 7_200 } }],
    ["remind me: concert", { type: "scheduled", runAt: "2036-02-01T16:00:00.000Z" }],
  ]);
  expect(textsOf(brought)).toEqual([
    [
      "When does the ferry leave?",
      "user: When does the ferry leave?",
      "assistant: The ferry leaves at twenty past ten.",
    ],
  ]);
  const reasons = Object.fromEntries(brought.passedOver.map(({ what, reason }) => [what, reason]));
  expect(reasons['the schedule "asleep"']).toBe("it is disabled there");
  expect(reasons['the schedule "old"']).toMatch(/2026-02-01/);
  expect(reasons['the schedule "often"']).toMatch(/10/);
  expect(reasons['the schedule "odd"']).toMatch(/full moon|cron/);
  expect(reasons['the schedule "strange"']).toMatch(/not as OpenClaw writes one/);
  expect(Object.keys(reasons)).toEqual(expect.arrayContaining(["skills (tide)", "its persona and its rules"]));
  expect(JSON.stringify(brought)).not.toContain("not-to-be-read");
});

test.each([
  [1_714_550_400, 1_714_550_400_000],
  ["2025-03-01T07:00:00.000000Z", 1_740_812_400_000],
  ["9999-01-01T00:00:00Z", undefined],
  [-1, undefined],
  [Number.NaN, undefined],
  ["soon", undefined],
  [null, undefined],
])("the moment %j is %j in milliseconds", (said, ms) => {
  expect(momentMs(said)).toBe(ms);
});

test("a memory that is too long becomes several, none of them longer than an entry may be", () => {
  const memories = memoriesIn("word ".repeat(1_000), " (from X)");
  expect(memories).toHaveLength(3);
  for (const each of memories) expect(each.length).toBeLessThanOrEqual(REMEMBER_CHARS_MAX);
});

describe("what cannot be read is said", () => {
  const good = { name: "conversations.json", text: "[]" };
  test.each([
    ["no zip", Buffer.from("<html>"), /is no zip file/],
    ["a zip that was cut off", chatGptExport().subarray(0, 300), /is no zip file, or its end is missing/],
    ["a directory that ends too early", makeZip([good], { entries: 2 }), /damaged zip/],
    [
      "content that is larger than it says",
      makeZip([{ ...good, text: "x".repeat(100_000), saysBytes: 10 }]),
      /is damaged/,
    ],
    ["content that is smaller than it says", makeZip([{ ...good, saysBytes: 10 }]), /is damaged/],
    ["more than is read at once", makeZip([{ ...good, saysBytes: TEXT_BYTES_MAX + 1 }]), /more than 268435456/],
    ["a secret file", makeZip([{ ...good, isEncrypted: true }]), /is encrypted/],
    ["half a JSON", makeZip([{ ...good, text: '[{"id":' }]), /no whole JSON/],
    ["another JSON", makeZip([{ ...good, text: '{"a":1}' }]), /is not what was expected/],
    ["larger than a zip without zip64 can be", makeZip([good], { entries: 0xffff }), /unpack it, and name the folder/],
  ])("%s", async (_what, content, reason) => {
    await expect((async () => readChatGpt(await opened("export.zip", content)))()).rejects.toThrow(reason);
  });

  test("a damaged byte is found", async () => {
    const content = chatGptExport();
    content.writeUInt8(content.readUInt8(120) ^ 1, 120);
    await expect((async () => readChatGpt(await opened("export.zip", content)))()).rejects.toThrow(/is damaged/);
  });

  test("a text that is none", async () => {
    const files = await opened("memories.txt", Buffer.from([0xff, 0xfe, 0x00]));
    await expect(readClaude(files)).rejects.toThrow(/no text in UTF-8/);
  });

  test("nothing outside of the folder is read through a link", async () => {
    const dir = folder();
    symlinkSync("/etc", join(dir, "memory"));
    symlinkSync("/etc/hosts", join(dir, "MEMORY.md"));
    expect((await openExport(dir)).names).toEqual([]);
  });
});
