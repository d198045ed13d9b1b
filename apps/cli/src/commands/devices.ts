/** The browsers and clients that are signed in; each can be signed out from here, and clients be given a token. */
import { momentText } from "@mimikit/core/schedule/trigger-words";
import type { Device } from "@mimikit/protocol/wire/api";
import { MODEL } from "@mimikit/protocol/wire/v1";
import { loadConfig } from "@mimikit/runtime/config/config";
import { command, commandGroup } from "../arguments/command.ts";
import { wordsOf } from "../arguments/text-argument.ts";
import { nameIn, t } from "../i18n/language.ts";
import { connect } from "../instance/client.ts";
import { found } from "../instance/state.ts";
import { Failure } from "../io/failure.ts";
import { personZoneHere } from "../io/person-zone.ts";
import { currentPlace } from "../io/place.ts";
import { plainLine, printJson, printLine, printProgress, printTable } from "../io/print.ts";

/** Digits of an id that are shown: enough to tell a hundred devices apart, and few enough to type. */
const SHORT_ID_CHARS = 8;

const list = command({
  usage: "list",
  summary: "the browsers and clients that are signed in",
  examples: [["mimikit devices list", "with when each was seen last; mimikit devices alone is the same"]],
  async run({ json }) {
    const all = await connect().devices();
    if (json) printJson({ devices: all });
    else printDevices(all);
  },
});

const add = command({
  usage: "add <name..>",
  summary: "add a client of /v1 and print its token, once",
  examples: [["mimikit devices add 'Open WebUI'", "a token for one client"]],
  takesText: true,
  options: (yargs) =>
    yargs.positional("name", { type: "string", array: true, demandOption: true, describe: "a name for the client" }),
  async run({ json, name: words }) {
    const client = connect();
    const name = wordsOf(words).join(" ").trim();
    if (name === "") throw new Failure("usage", t("give the client a name: mimikit devices add <name>"));
    const { id, token } = await client.addClient(name);
    const { publicUrl = client.url } = loadConfig(currentPlace().home, process.env).config;
    const baseUrl = `${publicUrl.replace(/\/$/, "")}/v1`;
    if (json) return printJson({ id, name, token, baseUrl, model: MODEL });
    printLine(token);
    printProgress(t("It is not shown again. Base URL  {baseUrl}  model  {model}", { baseUrl, model: MODEL }));
  },
});

const signOut = command({
  usage: "sign-out <device..>",
  summary: "sign a browser or a client out, at once",
  examples: [["mimikit devices sign-out 3f9a2c01", "the beginning of an id is enough"]],
  options: (yargs) =>
    yargs.positional("device", { type: "string", array: true, demandOption: true, describe: "its name or its id" }),
  async run({ json, device: words }) {
    const client = connect();
    const all = await client.devices();
    const named = all.map((device) => ({ ...device, title: nameOf(device) }));
    const device = found(words.join(" ").trim(), named, "device");
    await client.signOut(device.id);
    if (json) printJson({ id: device.id });
    else printLine(t("signed out: {name}", { name: plainLine(nameOf(device)) }));
  },
});

export const devices = commandGroup({
  name: "devices",
  summary: "the browsers and clients that are signed in: list them, add a client, sign one out",
  epilogue: "mimikit pair  signs a browser in.",
  subCommands: [list, add, signOut],
  alone: list,
});

function printDevices(all: readonly Device[]): void {
  const timeZone = personZoneHere();
  const at = (time: string) => momentText(Date.parse(time), timeZone);
  const rows = all.map((device) => [
    device.id.slice(0, SHORT_ID_CHARS),
    plainLine(nameOf(device)),
    nameIn(device.kind),
    notifiedText(device),
    at(device.seenAt),
    at(device.pairedAt),
    device.expiresAt === null ? t("signed out") : at(device.expiresAt),
  ]);
  const none = t("no browser or client is signed in: mimikit pair, mimikit devices add");
  printTable(["id", "device", "kind", "notified", "last seen", "added", "until"], rows, none);
}

const nameOf = ({ name }: Device) => name ?? t("a browser");

/** By Web Push. */
function notifiedText({ push }: Device): string {
  if (push === null) return "";
  return push.refused === null ? t("yes") : t("refused (HTTP {status})", { status: push.refused });
}
