/** Sets up channels, pairs people with them, and says how each does. It needs no running process; one that runs takes it up at once. */
import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { momentText } from "@mimikit/core/schedule/trigger-words";
import { BadJson, tryJson } from "@mimikit/protocol/base/json";
import { PairedPerson, PairingOffer, Strangers } from "@mimikit/protocol/channels/records";
import { loadConfig } from "@mimikit/runtime/config/config";
import { type ChannelFields, readChannels, setChannel } from "@mimikit/runtime/config/secrets";
import { isAdopted, NOT_ADOPTED, openHome } from "@mimikit/runtime/home/adoption";
import { HomeError } from "@mimikit/runtime/home/home";
import { newTyped, PAIRING_MS, typedText } from "@mimikit/runtime/home/pairing";
import { programOf } from "@mimikit/runtime/home/programs";
import { hasCode } from "@mimikit/store/disk/error-code";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { createRecord, readRecord } from "@mimikit/store/disk/record";
import {
  channelOf,
  channelPeopleOf,
  pairedPersonPath,
  pairingOfferPath,
  strangersPath,
} from "@mimikit/store/disk/state";
import { readChannelStates } from "@mimikit/store/views/channel-states";
import { execa } from "execa";
import { z } from "zod";
import { actions, command } from "../arguments/command.ts";
import { terminalZone } from "../arguments/trigger-options.ts";
import { withDisk } from "../instance/state.ts";
import { Failure } from "../io/failure.ts";
import { currentPlace } from "../io/place.ts";
import { plainLine, printJson, printLine, printProgress, printTable, styled } from "../io/print.ts";
import { findDaemons, livingRoles } from "../processes/instance.ts";
import { restartChannels, takeTurn } from "../processes/pm2.ts";

const PROGRAM_MS_MAX = 30_000;
const PM2_MS_MAX = 60_000;
/** Digits of a person's id that are shown, after its `p-`. */
const SHORT_ID_CHARS = 10;

const Kinds = z.array(
  z.object({
    name: z.string(),
    title: z.string(),
    hint: z.string(),
    pairing: z.enum(["code", "owner"]),
    fields: z.array(
      z.object({
        name: z.string(),
        what: z.string(),
        isSecret: z.boolean().optional(),
        isOptional: z.boolean().optional(),
      }),
    ),
  }),
);
type Kind = z.infer<typeof Kinds>[number];

export const channels = command({
  usage: "channels [action] [name]",
  summary: "talk to it by Telegram, be notified by ntfy: sets channels up, pairs people, says how each does",
  examples: [
    ["mimikit channels", "each channel, who is paired, and strangers that spoke to it"],
    ["mimikit channels add telegram", "asks for the token of your bot, typed unseen, and tries it"],
    ["mimikit channels add telegram < token.txt", "the same for scripts"],
    ["mimikit channels pair telegram", "a code that you send to the bot, once, within ten minutes: that pairs you"],
    ["mimikit channels unpair 3f9a2c01", "that person is a stranger again; the beginning of an id will do"],
    ["mimikit channels remove telegram", "forgets its token, and everybody who is paired there"],
  ],
  epilogue:
    "Who is paired speaks as you, and reads the answers. Tokens are kept in secrets.json, which this user alone may read. See docs/channels.md.",
  options: (yargs) =>
    yargs
      .positional("action", actions("list", "add", "pair", "unpair", "remove"))
      .positional("name", { type: "string", describe: "the channel; for unpair, the person" })
      .option("set", {
        type: "string",
        array: true,
        default: [] as string[],
        describe: "add: a field that is no secret, as server=https://…",
      })
      .option("test", { type: "boolean", default: true, describe: "add: try it first; --no-test leaves that out" }),
  async run({ json, action, name, set, test }) {
    const { home } = currentPlace();
    if (!isAdopted(home, process.env)) throw new Failure("failed", NOT_ADOPTED);
    if (action === "list") return withDisk(home, (fs) => list(json, home, fs));
    if (name === undefined)
      throw new Failure("usage", `say which: mimikit channels ${action} <${action === "unpair" ? "id" : "channel"}>`);
    openHome(home, process.env);
    if (action === "unpair") return withDisk(home, (fs) => unpair(json, home, fs, name));
    const kind = (await kinds()).find((each) => each.name === name);
    if (kind === undefined && action !== "remove")
      throw new Failure(
        "usage",
        `there is no channel ${plainLine(name)}: ${(await kinds()).map((each) => each.name).join(", ")}`,
      );
    if (action === "remove") await remove(json, home, name);
    else if (kind !== undefined && action === "add") await add(json, home, kind, set, test);
    else if (kind !== undefined) await withDisk(home, (fs) => pair(json, home, fs, kind));
  },
});

/** What channels there are is known by their own program, which alone has them. */
async function kinds(): Promise<Kind[]> {
  return Kinds.parse(JSON.parse((await program(["describe"])).stdout));
}

function program(args: string[], input?: string) {
  return execa(process.execPath, [programOf("channels"), ...args], {
    timeout: PROGRAM_MS_MAX,
    ...(input === undefined ? { stdin: "ignore" as const } : { input }),
    stderr: "inherit",
  });
}

function fieldsOf(home: string): Readonly<Record<string, ChannelFields>> {
  try {
    return readChannels(home, process.env);
  } catch (error) {
    if (error instanceof HomeError) throw new Failure("failed", error.message);
    throw error;
  }
}

async function add(json: boolean, home: string, kind: Kind, set: readonly string[], isTested: boolean): Promise<void> {
  const said = fieldsIn(set, kind);
  const typed = await secretsOf(kind, said);
  const fields = Object.fromEntries(Object.entries({ ...said, ...typed }).filter(([, value]) => value !== ""));
  const missing = kind.fields.find(({ name, isOptional }) => isOptional !== true && fields[name] === undefined);
  if (missing !== undefined) throw new Failure("usage", `${missing.name} is missing: ${missing.what}`);
  let about = kind.title;
  if (isTested) {
    const tried: unknown = JSON.parse((await program(["check", kind.name], JSON.stringify(fields))).stdout);
    const answer = z.object({ about: z.string().optional(), problem: z.string().optional() }).parse(tried);
    if (answer.problem !== undefined)
      throw new Failure("failed", plainLine(`${answer.problem}; nothing was saved (--no-test saves it all the same)`));
    about = answer.about ?? about;
  }
  await setChannel(home, kind.name, fields);
  const runs = await takeUp(home);
  if (json) return printJson({ channel: kind.name, about, running: runs });
  printLine(plainLine(`${kind.title} is set up: ${about}`));
  const begins =
    livingRoles(home).size === 0 ? "it begins when Mimikit runs" : "it begins at the next start of Mimikit";
  printProgress(runs ? kind.hint : `${begins}; ${kind.hint}`);
}

function fieldsIn(set: readonly string[], { fields }: Kind): Record<string, string> {
  return Object.fromEntries(
    set.map((each) => {
      const [name = "", ...rest] = each.split("=");
      const field = fields.find((one) => one.name === name);
      if (field === undefined || rest.length === 0)
        throw new Failure("usage", `--set ${name}=…: there are ${fields.map((one) => one.name).join(", ")}`);
      // Others can see the arguments of a command.
      if (field.isSecret === true)
        throw new Failure("usage", `${name} is a secret: it is asked for, or comes through a pipe`);
      return [name, rest.join("=")];
    }),
  );
}

/** Typed unseen, or through a pipe: the value of the first secret, or all of them as JSON. */
async function secretsOf({ title, fields }: Kind, said: Record<string, string>): Promise<Record<string, string>> {
  const open = fields.filter(({ name }) => said[name] === undefined);
  const [first] = open.filter(({ isSecret }) => isSecret === true);
  if (!process.stdin.isTTY) {
    const piped = (await readAll(process.stdin)).trim();
    const object = z.record(z.string(), z.string()).safeParse(tryJson(piped)).data;
    if (object !== undefined) return object;
    return first === undefined ? {} : { [first.name]: piped };
  }
  const prompts = await import("@clack/prompts");
  const typed: Record<string, string> = {};
  for (const { name, what, isSecret, isOptional } of open) {
    const message = `${title}: ${what}${isOptional === true ? " (Enter for none)" : ""}`;
    const answer = await (isSecret === true ? prompts.password : prompts.text)({ output: process.stderr, message });
    if (prompts.isCancel(answer)) throw new Failure("failed", "nothing was changed");
    typed[name] = (answer ?? "").trim();
  }
  return typed;
}

/** Starts the process of the channels anew, or ends it, where Mimikit runs. @returns whether it runs. */
async function takeUp(home: string): Promise<boolean> {
  const { workDir, config } = { ...currentPlace(), config: loadConfig(home, process.env).config };
  if (livingRoles(home).size === 0 || (await findDaemons(home)).length === 0) return livingRoles(home).has("channels");
  await takeTurn(home);
  await restartChannels({ home, workDir }, config, PM2_MS_MAX);
  return true;
}

async function pair(json: boolean, home: string, fs: FileSystem, kind: Kind): Promise<void> {
  if (fieldsOf(home)[kind.name] === undefined)
    throw new Failure("failed", `it is not set up yet: mimikit channels add ${kind.name}`);
  if (kind.pairing === "owner") throw new Failure("usage", `nobody has to be paired with ${kind.title}`);
  const typed = newTyped();
  const expiresAt = new Date(Date.now() + PAIRING_MS).toISOString();
  const hash = createHash("sha256").update(typed).digest("hex");
  await fs.makeDir(channelOf(kind.name));
  await createRecord(fs, PairingOffer, pairingOfferPath(kind.name, hash), { expiresAt });
  const code = typedText(typed);
  if (json) return printJson({ channel: kind.name, code, expiresAt });
  printLine(code);
  printProgress(
    `Send it to your bot in a private chat, within ten minutes. Who does speaks as you from then on${livingRoles(home).has("channels") ? "" : ", when Mimikit runs"}.`,
  );
}

async function peopleOf(fs: FileSystem, channel: string): Promise<PairedPerson[]> {
  const people: PairedPerson[] = [];
  for (const file of await namesIn(fs, channelPeopleOf(channel))) {
    const person = await readIf(fs, PairedPerson, `${channelPeopleOf(channel)}/${file}`);
    if (person !== null) people.push(person);
  }
  return people.sort((a, b) => (a.at < b.at ? -1 : 1));
}

async function unpair(json: boolean, home: string, fs: FileSystem, beginning: string): Promise<void> {
  const all = (await Promise.all(Object.keys(fieldsOf(home)).map((name) => peopleOf(fs, name)))).flat();
  const meant = all.filter(({ id }) => id.slice("p-".length).startsWith(beginning) || id === beginning);
  const [person, ...others] = meant;
  if (person === undefined || others.length > 0)
    throw new Failure(
      "usage",
      `${person === undefined ? "nobody is" : "several are"} paired as ${plainLine(beginning)}:  mimikit channels  lists them`,
    );
  await fs.unlink(pairedPersonPath(person.channel, person.id));
  await fs.syncDir(channelPeopleOf(person.channel));
  if (json) printJson({ id: person.id, channel: person.channel });
  else printLine(plainLine(`${person.name} is a stranger to ${person.channel} now`));
}

async function remove(json: boolean, home: string, name: string): Promise<void> {
  if (fieldsOf(home)[name] === undefined)
    throw new Failure("usage", `${plainLine(name)} is not set up:  mimikit channels`);
  await setChannel(home, name, undefined);
  await takeUp(home);
  rmSync(join(home, channelOf(name)), { recursive: true, force: true });
  if (json) printJson({ removed: name });
  else printLine(`removed: ${name}`);
}

async function list(json: boolean, home: string, fs: FileSystem): Promise<void> {
  const names = Object.keys(fieldsOf(home));
  const states = await readChannelStates(fs);
  const isUp = livingRoles(home).has("channels");
  const all = await Promise.all(
    names.map(async (name) => ({
      name,
      ...(isUp ? (states[name] ?? { state: "starting" }) : { state: "not running" }),
      people: (await peopleOf(fs, name)).map(({ code: _code, ...person }) => person),
      strangers: (await readIf(fs, Strangers, strangersPath(name))) ?? { count: 0, latest: [] },
    })),
  );
  if (json) return printJson({ channels: all });
  const at = (time: string) => momentText(Date.parse(time), terminalZone());
  printTable(
    ["name", "state", "paired", "strangers"],
    all.map(({ name, people, strangers, ...state }) => [
      name,
      plainLine("detail" in state && state.detail !== undefined ? `${state.state}: ${state.detail}` : state.state),
      String(people.length),
      String(strangers.count),
    ]),
    "no channel is set up:  mimikit channels add telegram",
  );
  for (const { people, strangers, name } of all) {
    for (const { id, name: who, at: since } of people)
      printLine(plainLine(`  ${id.slice(2, 2 + SHORT_ID_CHARS)}  ${who}  paired with ${name} ${at(since)}`));
    for (const { name: who, isGroup, count, at: last } of strangers.latest)
      printLine(
        styled(
          "dim",
          plainLine(`  a ${isGroup ? "group" : "stranger"} at ${name}: ${who}, ${count} times, last ${at(last)}`),
        ),
      );
  }
}

async function readIf<T>(fs: FileSystem, schema: z.ZodType<T>, path: string): Promise<T | null> {
  try {
    return await readRecord(fs, schema, path);
  } catch (error) {
    if (error instanceof BadJson) return null;
    throw error;
  }
}

async function namesIn(fs: FileSystem, dir: string): Promise<string[]> {
  try {
    return await fs.list(dir);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return [];
    throw error;
  }
}
