/** The chat as somebody has it before them: what is shown, what keys do, and what is kept. */
import { appendFileSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { InboxCommand } from "@mimikit/protocol/records/inbox";
import { openDisk } from "@mimikit/store/disk/disk";
import { attachmentPath, CHAT_LINES_PATH, streamPath } from "@mimikit/store/disk/state";
import { describe, expect, onTestFinished, test } from "vitest";
import { claim, queue, settleTurn, taskOf } from "../http-gateway/records.ts";
import { Instance } from "../support/instance.ts";
import { hasTerminals, openTerminal, type Terminal } from "./terminal.ts";

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const UP = "\u001b[A";
const LEFT = "\u001b[D";
const BACKSPACE = "\u007f";
const pasted = (text: string) => `\u001b[200~${text}\u001b[201~`;

async function serve(): Promise<Instance> {
  const served = await Instance.start({ roles: ["gateway"] });
  onTestFinished(() => served.dispose());
  await served.until("the gateway answers", () => served.api("/api/status"));
  return served;
}

/** A chat that waits for what is typed. */
async function startChat(): Promise<{ served: Instance; chat: Terminal }> {
  const served = await serve();
  const chat = openTerminal(served, ["chat"]);
  await chat.shows("› ");
  return { served, chat };
}

/** The messages in inbox/, as they were sent. */
function sent({ home }: Instance): string[] {
  const names = readdirSync(join(home, "inbox")).filter((name) => name.startsWith("m-"));
  const commands = names.map((name) => InboxCommand.parse(JSON.parse(readFileSync(join(home, "inbox", name), "utf8"))));
  return commands.flatMap((command) => (command.kind === "message" ? [command.text] : []));
}

describe.skipIf(!hasTerminals)("at a terminal", () => {
  test("what was said before is shown at the start, and Markdown as it is meant", async () => {
    const served = await serve();
    const fs = openDisk(served.home, "test-1-1");
    const id = await served.send("what is new?");
    await settleTurn(fs, 1, [id], "# News\n\n- **all** is `well`\n\n```sh\nls -l\n```");
    await served.until("the reply", async () => (await served.messages()).length === 2 || undefined);
    const chat = openTerminal(served, ["chat"]);
    await chat.shows("answered by offline (no model is connected:");
    await chat.shows("› what is new?");
    await chat.shows("News");
    await chat.shows("• all is well");
    await chat.shows("  ls -l");
    expect(chat.raw()).toContain("\u001b[1mall\u001b[22m");
    const plain = openTerminal(served, ["chat"], { NO_COLOR: "1" });
    await plain.shows("• all is well");
    // Only the cursor is moved, and pastes are asked for: nothing is coloured or bold.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: this is how a style begins.
    expect(plain.raw()).not.toMatch(/\u001b\[\d+m/);
  });

  test("a paste of several lines is one message, sent with Enter, and the keys in it do nothing", async () => {
    const { served, chat } = await startChat();
    chat.type(`look: ${pasted("one\r\ttwo\u0003\rthree 行")}`);
    await chat.shows("three 行");
    expect(sent(served)).toEqual([]);
    chat.type("\r");
    await served.until("the message", () => sent(served).length > 0 || undefined);
    expect(sent(served)).toEqual(["look: one\n\ttwo\nthree 行"]);
  });

  test("a long paste is a few words on the screen, and goes along whole as a file", async () => {
    const { served, chat } = await startChat();
    const long = "\ta line of a log\n".repeat(5_000);
    chat.type(`look: ${pasted(long.replaceAll("\n", "\r"))}`);
    await chat.shows("look: [paste 1: 5000 lines, 85000 characters]");
    expect(chat.raw()).not.toContain("a line of a log");
    chat.type("\r");
    const message = await served.until("the message", async () => (await served.messages())[0]);
    expect(message).toMatchObject({ text: "look: [paste-1.txt]", attachments: [{ name: "paste-1.txt" }] });
    const id = message.attachments?.[0]?.id ?? "";
    expect(readFileSync(join(served.home, attachmentPath(id)), "utf8")).toBe(long);
  });

  test("a Chinese terminal says in Chinese that a reply is awaited", async () => {
    const served = await serve();
    const chat = openTerminal(served, ["chat"], { LANG: "zh_CN.UTF-8", LC_ALL: "", LC_MESSAGES: "" });
    await chat.shows("› ");
    chat.type("你好\r");
    await chat.shows("… 思考");
  });

  test("wide characters are edited one by one, and Alt-Enter begins a line", async () => {
    const { served, chat } = await startChat();
    chat.type("你好世界");
    await chat.shows("界");
    chat.type(`${LEFT}${LEFT}${BACKSPACE}`);
    chat.type("\u0005\u001b\rok\r");
    await served.until("the message", () => sent(served).length > 0 || undefined);
    expect(sent(served)).toEqual(["你世界\nok"]);
  });

  test("what was typed comes back with the arrow keys in the next chat, from a file that only its owner reads", async () => {
    const { served, chat } = await startChat();
    chat.type("first thing\r");
    await served.until("the message", () => sent(served).length === 1 || undefined);
    chat.type("second thing\r");
    await served.until("both messages", () => sent(served).length === 2 || undefined);
    chat.type(CTRL_D);
    await chat.shows("mimikit chat  continues");
    expect(await chat.ended()).toBe(0);
    expect(statSync(join(served.home, CHAT_LINES_PATH)).mode & 0o777).toBe(0o600);
    const next = openTerminal(served, ["chat"]);
    await next.shows("› ");
    await next.shows("second thing");
    await next.shows("› ");
    next.type(UP);
    await next.shows("second thing");
    next.type(`${UP}\r`);
    await served.until("it is sent again", () => sent(served).length === 3 || undefined);
    expect(sent(served).filter((text) => text === "first thing")).toHaveLength(2);
  });

  test("Ctrl-C drops what is typed; where nothing is typed and nothing runs, the second one leaves and says so", async () => {
    const { served, chat } = await startChat();
    chat.type("not this");
    await chat.shows("not this");
    chat.type(CTRL_C);
    chat.type("but this\r");
    await served.until("the message", () => sent(served).length > 0 || undefined);
    expect(sent(served)).toEqual(["but this"]);
    chat.type(CTRL_C);
    await chat.shows("Ctrl-C once more leaves");
    await chat.shows("stopping …");
    chat.type(CTRL_C);
    await chat.shows("Mimikit keeps running");
    expect(await chat.ended()).toBe(0);
  });

  test("a reply appears while it is written, as it is meant; while something is typed it waits", async () => {
    const { served, chat } = await startChat();
    // A reply that is being written is only told to clients that are connected by then.
    const fs = openDisk(served.home, "test-1-1");
    await settleTurn(fs, 1, [await served.send("hello")], "Here I am.");
    await chat.shows("Here I am.");
    chat.type("tell me\r");
    await chat.shows("… thinking");
    await served.until("the message", () => sent(served).includes("tell me") || undefined);
    const turn = { messages: [], events: [], results: [] };
    const task = await queue(fs, taskOf("t-000002", { role: "teller", prompt: "", turn }));
    await claim(fs, task);
    const says = (text: string) =>
      appendFileSync(join(served.home, streamPath(task.id)), `${JSON.stringify({ type: "delta", text })}\n`);
    appendFileSync(join(served.home, streamPath(task.id)), '{"type":"begin"}\n');
    says("It is **very imp");
    await chat.shows("It is ");
    says("ortant**.\n- one");
    await chat.shows("very important.");
    await chat.shows("• one");
    expect(chat.raw()).toContain("\u001b[1mvery important\u001b[22m");
    chat.type("and");
    await chat.shows("› and");
    says("\n- two");
    chat.type(" then?");
    await chat.shows(" then?");
    // Text written by then comes before the second of these, which are two looks of the gateway.
    for (const id of ["t-000001.0", "t-000001.1"]) {
      await claim(fs, await queue(fs, taskOf(id, { role: "worker", title: `dig ${id}` })));
      await chat.shows(`▸ dig ${id}`);
    }
    expect(chat.raw()).not.toContain("• two");
    chat.type("\r");
    await chat.shows("• two");
    says("\n- three");
    await chat.shows("• three");
  });

  test("a gateway that is killed is said, and what is typed meanwhile is sent once", async () => {
    const { served, chat } = await startChat();
    // The connection is there when a message of somebody else is shown.
    const fs = openDisk(served.home, "test-1-1");
    await settleTurn(fs, 1, [await served.send("hello")], "Here I am.");
    await chat.shows("Here I am.");
    await served.kill("gateway");
    await chat.shows("the gateway does not answer right now");
    chat.type("are you back?\r");
    await chat.shows("the gateway answers again");
    await served.until("the message", () => sent(served).includes("are you back?") || undefined);
    await settleTurn(fs, 2, [], "I am.");
    await chat.shows("I am.");
    expect(sent(served).filter((text) => text === "are you back?")).toHaveLength(1);
  });

  test("where nothing runs any more, what is typed is kept for the next start", async () => {
    const { served, chat } = await startChat();
    await served.stop();
    chat.type("for later\r");
    await chat.shows("this is kept, and answered at the next start");
    expect(sent(served)).toEqual(["for later"]);
  });

  test("who leaves while no gateway takes it loses nothing of what was typed", async () => {
    const { served, chat } = await startChat();
    await served.kill("gateway");
    // The wait ends with the chat, before the gateway is there again.
    chat.type(`not lost\r${CTRL_D}`);
    expect(await chat.ended()).toBe(0);
    await served.until("the message", () => sent(served).includes("not lost") || undefined);
    expect(sent(served)).toEqual(["not lost"]);
  });

  test("lines that cannot be kept or read cost nothing but the arrow keys", async () => {
    const served = await serve();
    mkdirSync(join(served.home, CHAT_LINES_PATH), { recursive: true });
    const chat = openTerminal(served, ["chat"]);
    await chat.shows("your earlier input cannot be read");
    chat.type("still sent\r");
    await served.until("the message", () => sent(served).includes("still sent") || undefined);
    chat.type(CTRL_D);
    await chat.shows("mimikit chat  continues");
    expect(await chat.ended()).toBe(0);
  });
});
