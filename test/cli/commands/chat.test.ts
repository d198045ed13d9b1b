/** A conversation in the terminal while a reply is being written. */
import { once } from "node:events";
import { appendFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { openDisk } from "@mimikit/store/disk/disk";
import { streamPath } from "@mimikit/store/disk/state";
import { expect, onTestFinished, test } from "vitest";
import { claim, queue, settleTurn, taskOf } from "../../http-gateway/records.ts";
import { Instance } from "../../support/instance.ts";
import { startCli } from "../run-cli.ts";
import { hasTerminals, openTerminal } from "../terminal.ts";

test("a reply that is begun anew stands in a line of its own, below what was shown of it", async () => {
  const served = await Instance.start({ roles: ["gateway"] });
  onTestFinished(() => served.dispose());
  await served.until("the gateway answers", () => served.api("/api/status"));
  const chat = startCli(served, ["chat"]);
  let out = "";
  chat.stdout.on("data", (data) => {
    out += String(data);
  });
  const shows = async (text: string) => {
    while (!out.includes(text)) await once(chat.stdout, "data");
  };
  chat.stdin.write("what time is it?\n");
  await served.until("the message is there", () => readdirSync(join(served.home, "inbox")).length > 0);

  const turn = { messages: [], events: [], results: [] };
  const fs = openDisk(served.home, "test-1-1");
  const task = await queue(fs, taskOf("t-000001", { role: "teller", prompt: "", turn }));
  await claim(fs, task);
  const path = join(served.home, streamPath(task.id));
  appendFileSync(path, '{"type":"begin"}\n{"type":"delta","text":"Half p"}\n');
  await shows("Half p");
  appendFileSync(path, '{"type":"begin"}\n{"type":"delta","text":"Half past "}\n');
  await shows("past ");
  appendFileSync(path, '{"type":"delta","text":"nine."}\n');
  await shows("nine.");
  expect(out).toBe("Half p\nHalf past nine.");
});

test("a notification stands in the conversation at once, and only once", async () => {
  const served = await Instance.start({ roles: ["gateway"] });
  onTestFinished(() => served.dispose());
  await served.until("the gateway answers", () => served.api("/api/status"));
  const chat = startCli(served, ["chat"]);
  let out = "";
  chat.stdout.on("data", (data) => {
    out += String(data);
  });
  const shows = async (text: string) => {
    while (!out.includes(text)) await once(chat.stdout, "data");
  };
  chat.stdin.write("wake me\n");
  const inbox = join(served.home, "inbox");
  const name = await served.until("the message is there", () => readdirSync(inbox)[0]);
  const fs = openDisk(served.home, "test-1-1");
  const notify = { type: "notify" as const, title: "Alarm", text: "Wake up!" };
  await settleTurn(fs, 1, [name.replace(/\.json$/, "")], "I did.", [notify]);
  await shows("I did.");
  expect(out).toBe("! Alarm: Wake up!\nI did.\n");
});

test.skipIf(!hasTerminals)(
  "at a terminal Tab completes commands, and Ctrl-C ends what runs and not the program",
  async () => {
    const served = await Instance.start({ roles: ["gateway"] });
    onTestFinished(() => served.dispose());
    await served.until("the gateway answers", () => served.api("/api/status"));
    const chat = openTerminal(served, ["chat"]);
    await chat.shows("› ");
    chat.type("/he\t");
    await chat.shows("/help");
    chat.type("\r");
    await chat.shows("start a new conversation");
    chat.type("what time is it?\r");
    const names = () => readdirSync(join(served.home, "inbox"));
    await served.until("the message is there", () => names().some((name) => name.startsWith("m-")) || undefined);
    chat.type("\u0003");
    await served.until("the stop is there", () => names().some((name) => name.startsWith("stop-")) || undefined);
    await chat.shows("stopping …");
    chat.type("\u0004");
    expect(await chat.ended()).toBe(0);
  },
);
