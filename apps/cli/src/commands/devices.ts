/** The browsers and clients that are signed in; each can be signed out from here, and clients be given a token. */
import { momentText } from "@mimikit/core/schedule/trigger-words";
import type { Device } from "@mimikit/protocol/wire/api";
import { MODEL } from "@mimikit/protocol/wire/v1";
import { loadConfig } from "@mimikit/runtime/config/config";
import { actions, command } from "../arguments/command.ts";
import { wordsOf } from "../arguments/text-argument.ts";
import { terminalZone } from "../arguments/trigger-options.ts";
import { connect } from "../instance/client.ts";
import { found } from "../instance/state.ts";
import { Failure } from "../io/failure.ts";
import { currentPlace } from "../io/place.ts";
import { plainLine, printJson, printLine, printProgress, printTable } from "../io/print.ts";

/** Digits of an id that are shown: enough to tell a hundred devices apart, and few enough to type. */
const SHORT_ID_CHARS = 8;

export const devices = command({
  usage: "devices [action] [words..]",
  summary: "list the browsers and clients that are signed in, add a client, sign one out",
  examples: [
    ["mimikit devices", "what each is called, and when it was seen last"],
    ["mimikit devices add 'Open WebUI'", "prints a token for one client of /v1, once"],
    ["mimikit devices sign-out 3f9a2c01", "that one is out at once; the beginning of an id will do"],
    ["mimikit pair", "signs another browser in"],
  ],
  options: (yargs) =>
    yargs.positional("action", actions("list", "add", "sign-out")).positional("words", {
      type: "string",
      array: true,
      describe: "add: what to call the client; sign-out: its name, its id or the beginning of it",
    }),
  async run({ json, action, words: given }) {
    const client = connect();
    const words = wordsOf(given).join(" ").trim();
    if (action === "list") {
      const all = await client.devices();
      if (json) printJson({ devices: all });
      else list(all);
    } else if (words === "") {
      const what = action === "add" ? "say what to call the client" : "say which device";
      throw new Failure("usage", `${what}: mimikit devices ${action} ${action === "add" ? "<name>" : "<id>"}`);
    } else if (action === "add") {
      const { id, token } = await client.addClient(words);
      const { publicUrl = client.url } = loadConfig(currentPlace().home, process.env).config;
      const baseUrl = `${publicUrl.replace(/\/$/, "")}/v1`;
      if (json) return printJson({ id, name: words, token, baseUrl, model: MODEL });
      printLine(token);
      printProgress(`It is not shown again. Base URL  ${baseUrl}  model  ${MODEL}`);
    } else {
      const all = await client.devices();
      const named = all.map((device) => ({ ...device, title: nameOf(device) }));
      const device = found(words, named, "device");
      await client.signOut(device.id);
      if (json) printJson({ id: device.id });
      else printLine(`signed out: ${plainLine(nameOf(device))}`);
    }
  },
});

function list(all: readonly Device[]): void {
  const timeZone = terminalZone();
  const at = (time: string) => momentText(Date.parse(time), timeZone);
  const rows = all.map((device) => [
    device.id.slice(0, SHORT_ID_CHARS),
    plainLine(nameOf(device)),
    device.kind,
    notifiedText(device),
    at(device.seenAt),
    at(device.pairedAt),
    device.expiresAt === null ? "signed out" : at(device.expiresAt),
  ]);
  const none = "no browser or client is signed in: mimikit pair, mimikit devices add";
  printTable(["id", "device", "kind", "notified", "last seen", "added", "until"], rows, none);
}

const nameOf = ({ name }: Device) => name ?? "a browser";

/** By Web Push. */
function notifiedText({ push }: Device): string {
  if (push === null) return "";
  return push.refused === null ? "yes" : `refused (HTTP ${push.refused})`;
}
