/** The browsers that are signed in; each can be signed out from here. */
import { momentText } from "@mimikit/core/schedule/trigger-words";
import type { Device } from "@mimikit/protocol/wire/api";
import { actions, command } from "../arguments/command.ts";
import { terminalZone } from "../arguments/trigger-options.ts";
import { connect } from "../instance/client.ts";
import { found } from "../instance/state.ts";
import { Failure } from "../io/failure.ts";
import { plainLine, printJson, printLine, printTable } from "../io/print.ts";

/** Digits of an id that are shown: enough to tell a hundred devices apart, and few enough to type. */
const SHORT_ID_CHARS = 8;

export const devices = command({
  usage: "devices [action] [id]",
  summary: "list the browsers that are signed in, sign one out",
  examples: [
    ["mimikit devices", "what each calls itself, and when it was seen last"],
    ["mimikit devices sign-out 3f9a2c01", "that one is out at once; the beginning of an id will do"],
    ["mimikit pair", "signs another one in"],
  ],
  options: (yargs) =>
    yargs
      .positional("action", actions("list", "sign-out"))
      .positional("id", { type: "string", describe: "sign-out: the device, or the beginning of its id" }),
  async run({ json, action, id }) {
    const client = connect();
    const all = await client.devices();
    if (action === "list") {
      if (json) printJson({ devices: all });
      else list(all);
      return;
    }
    if (id === undefined) throw new Failure("usage", "say which device: mimikit devices sign-out <id>");
    const device = found(id, all, "device");
    await client.signOut(device.id);
    if (json) printJson({ id: device.id });
    else printLine(`signed out: ${plainLine(nameOf(device))}`);
  },
});

function list(all: readonly Device[]): void {
  const timeZone = terminalZone();
  const at = (time: string) => momentText(Date.parse(time), timeZone);
  const rows = all.map((device) => [
    device.id.slice(0, SHORT_ID_CHARS),
    plainLine(nameOf(device)),
    at(device.seenAt),
    at(device.pairedAt),
    at(device.expiresAt),
  ]);
  printTable(["id", "device", "last seen", "paired", "until"], rows, "no browser is signed in: mimikit pair");
}

const nameOf = ({ name }: Device) => name ?? "a browser";
