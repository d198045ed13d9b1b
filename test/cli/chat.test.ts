/** What a conversation in the terminal shows while a reply is being written. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { openDisk } from "@mimikit/store/disk";
import { streamPath } from "@mimikit/store/state";
import { expect, onTestFinished, test } from "vitest";
import { claim, queue, settleTurn, taskOf } from "../http-gateway/records.ts";
import { Instance } from "../support/instance.ts";
import { startCli } from "./run-cli.ts";

/** util-linux' `script` gives a program a terminal of its own. */
const hasTerminals = spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux") === true;
if (!hasTerminals) process.stdout.write("chat at a terminal is not tested: there is no `script` of util-linux\n");

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
    const main = join(import.meta.dirname, "../../apps/cli/src/main.ts");
    const chat = spawn("script", ["-qec", `'${process.execPath}' '${main}' chat`, "/dev/null"], {
      env: { ...process.env, MIMIKIT_HOME: served.home, MIMIKIT_WORK_DIR: served.workDir, TERM: "xterm" },
      stdio: "pipe",
    });
    onTestFinished(() => void chat.kill("SIGKILL"));
    let out = "";
    chat.stdout.on("data", (data) => {
      out += String(data);
    });
    const shows = async (text: string) => {
      while (!out.includes(text)) await once(chat.stdout, "data");
      out = out.slice(out.indexOf(text) + text.length);
    };
    await shows("›");
    chat.stdin.write("/he\t");
    await shows("/help");
    chat.stdin.write("\r");
    await shows("begin a new conversation");
    chat.stdin.write("what time is it?\r");
    const names = () => readdirSync(join(served.home, "inbox"));
    await served.until("the message is there", () => names().some((name) => name.startsWith("m-")) || undefined);
    chat.stdin.write("\u0003");
    await served.until("the stop is there", () => names().some((name) => name.startsWith("stop-")) || undefined);
    await shows("asked to end what runs now");
    const ended = once(chat, "exit");
    chat.stdin.write("\u0004");
    expect(await ended).toEqual([0, null]);
  },
);
