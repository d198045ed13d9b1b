/** Hands a message over and does not wait for the answer. Works with everything down: a message is a file in inbox/. */
import { randomBytes } from "node:crypto";
import { rmdirSync } from "node:fs";
import { join } from "node:path";
import { Message } from "@mimikit/protocol/inbox";
import { prepareHome } from "@mimikit/runtime/home";
import { ownIdentity } from "@mimikit/runtime/identity";
import { openDisk } from "@mimikit/store/disk";
import { messageId } from "@mimikit/store/mirror";
import { createRecord } from "@mimikit/store/record";
import { inboxPath, TEMPORARY } from "@mimikit/store/state";
import { connect, mayPass } from "../client.ts";
import { command } from "../command.ts";
import { currentPlace } from "../place.ts";
import { printJson, printLine } from "../print.ts";
import { readText, textArgument } from "../text-argument.ts";

const ID_BYTES = 16;

export const send = command({
  usage: "send [text..]",
  summary: "hand a message over, without waiting for the answer",
  examples: [
    ["mimikit send remind me to water the plants", "kept safely, also while Mimikit is stopped"],
    ["git log -5 | mimikit send -", "send what comes through the pipe"],
  ],
  options: textArgument,
  async run({ json, text: words }) {
    const text = await readText(words);
    const key = randomBytes(ID_BYTES).toString("hex");
    const sent = await overHttp(text, key);
    const id = sent ?? (await asFile(text, key));
    if (json) printJson({ id, taken: sent !== null });
    else printLine(sent === null ? `${id} (Mimikit is not running; it is taken up at the next start)` : id);
  },
});

/** null when there is no gateway; then nothing was sent, or the same id will be. */
async function overHttp(text: string, key: string): Promise<string | null> {
  try {
    return await connect().send(text, key);
  } catch (error) {
    if (mayPass(error)) return null;
    throw error;
  }
}

/** Creates the very record that the gateway would have created for this key, so that both ways together send once. */
async function asFile(text: string, key: string): Promise<string> {
  const { home } = currentPlace();
  prepareHome(home);
  const { pid, startTime } = ownIdentity();
  const incarnation = `cli-${pid}-${startTime}`;
  const fs = openDisk(home, incarnation);
  const id = messageId(key);
  await createRecord(fs, Message, inboxPath(id), { kind: "message", id, at: new Date().toISOString(), text });
  rmdirSync(join(home, TEMPORARY, incarnation));
  return id;
}
