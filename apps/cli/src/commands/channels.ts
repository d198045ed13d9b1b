/** Sets up channels, pairs people with them, and shows their state. It needs no running process; a running one notices changes at once. */
import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { PairingOffer } from "@mimikit/protocol/channels/records";
import { setChannel } from "@mimikit/runtime/config/secrets";
import { newTyped, PAIRING_MS, typedText } from "@mimikit/runtime/home/pairing";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { createRecord } from "@mimikit/store/disk/record";
import { channelOf, channelPeopleOf, pairedPersonPath, pairingOfferPath } from "@mimikit/store/disk/state";
import { command, commandGroup } from "../arguments/command.ts";
import { t } from "../i18n/language.ts";
import { withDisk } from "../instance/state.ts";
import { Failure } from "../io/failure.ts";
import { openedHome } from "../io/place.ts";
import { plainLine, printJson, printLine, printProgress } from "../io/print.ts";
import { livingRoles } from "../processes/instance.ts";
import { addCommand } from "./channels/add.ts";
import { channelArgument, fieldsOf, kindNamed, type ListedChannelKind, peopleOf, takeUp } from "./channels/channel.ts";
import { listCommand } from "./channels/list.ts";

const pairCommand = command({
  usage: "pair <channel>",
  summary: "print a code that pairs the person who sends it to the bot",
  examples: [["mimikit channels pair telegram", "the code is valid once, for ten minutes"]],
  options: channelArgument,
  async run({ json, channel }) {
    const home = openedHome();
    const kind = await kindNamed(channel);
    await withDisk(home, (fs) => pair(json, home, fs, kind));
  },
});

const unpairCommand = command({
  usage: "unpair <person>",
  summary: "end the pairing of a person",
  examples: [["mimikit channels unpair 3f9a2c01", "the beginning of an id is enough"]],
  options: (yargs) =>
    yargs.positional("person", { type: "string", demandOption: true, describe: "an id: mimikit channels lists them" }),
  async run({ json, person }) {
    const home = openedHome();
    await withDisk(home, (fs) => unpair(json, home, fs, person));
  },
});

const removeCommand = command({
  usage: "remove <channel>",
  summary: "delete the token of a channel, and its pairings",
  examples: [["mimikit channels remove telegram", "its process ends, if Mimikit runs"]],
  options: channelArgument,
  async run({ json, channel }) {
    const home = openedHome();
    await remove(json, home, channel);
  },
});

export const channels = commandGroup({
  name: "channels",
  summary: "talk to it by Telegram, get notifications by ntfy: set channels up, pair people, see their state",
  epilogue:
    "A paired person writes as you, and reads the answers. Tokens are saved in secrets.json, which only this user may read. See docs/channels.md.",
  subCommands: [listCommand, addCommand, pairCommand, unpairCommand, removeCommand],
  alone: listCommand,
});

async function pair(json: boolean, home: string, fs: FileSystem, kind: ListedChannelKind): Promise<void> {
  if (fieldsOf(home)[kind.name] === undefined)
    throw new Failure("failed", t("{name} is not set up yet: mimikit channels add {name}", { name: kind.name }));
  if (kind.pairing === "owner") throw new Failure("usage", t("{title} needs no pairing", { title: kind.title }));
  const typed = newTyped();
  const expiresAt = new Date(Date.now() + PAIRING_MS).toISOString();
  const hash = createHash("sha256").update(typed).digest("hex");
  await fs.makeDir(channelOf(kind.name));
  await createRecord(fs, PairingOffer, pairingOfferPath(kind.name, hash), { expiresAt });
  const code = typedText(typed);
  if (json) return printJson({ channel: kind.name, code, expiresAt });
  printLine(code);
  printProgress(
    t("Send it to your bot in a private chat, within ten minutes. The sender writes as you from then on{what}.", {
      what: livingRoles(home).has("channels") ? "" : t(", when Mimikit runs"),
    }),
  );
}

async function unpair(json: boolean, home: string, fs: FileSystem, beginning: string): Promise<void> {
  const all = (await Promise.all(Object.keys(fieldsOf(home)).map((name) => peopleOf(fs, name)))).flat();
  const meant = all.filter(({ id }) => id.slice("p-".length).startsWith(beginning) || id === beginning);
  const [person, ...others] = meant;
  if (person === undefined || others.length > 0)
    throw new Failure(
      "usage",
      person === undefined
        ? t("no person has the id {beginning}:  mimikit channels  lists them", { beginning: plainLine(beginning) })
        : t("several people have the id {beginning}:  mimikit channels  lists them", {
            beginning: plainLine(beginning),
          }),
    );
  await fs.unlink(pairedPersonPath(person.channel, person.id));
  await fs.syncDir(channelPeopleOf(person.channel));
  if (json) printJson({ id: person.id, channel: person.channel });
  else
    printLine(
      plainLine(t("{name} is no longer paired with {channel}", { name: person.name, channel: person.channel })),
    );
}

async function remove(json: boolean, home: string, name: string): Promise<void> {
  if (fieldsOf(home)[name] === undefined)
    throw new Failure(
      "usage",
      t("{name} is not set up:  mimikit channels  lists those that are", { name: plainLine(name) }),
    );
  await setChannel(home, name, undefined);
  await takeUp(home);
  rmSync(join(home, channelOf(name)), { recursive: true, force: true });
  if (json) printJson({ removed: name });
  else printLine(t("removed: {name}", { name }));
}
