/** The channels that are set up, and those that there are, for the sub-commands of `mimikit channels`. */
import { BadJson } from "@mimikit/protocol/base/json";
import { PairedPerson } from "@mimikit/protocol/channels/records";
import { loadConfig } from "@mimikit/runtime/config/config";
import { type ChannelFields, readChannels } from "@mimikit/runtime/config/secrets";
import { HomeError } from "@mimikit/runtime/home/home";
import { programOf } from "@mimikit/runtime/home/programs";
import { hasCode } from "@mimikit/store/disk/error-code";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { readRecord } from "@mimikit/store/disk/record";
import { channelPeopleOf } from "@mimikit/store/disk/state";
import { execa } from "execa";
import type { Argv } from "yargs";
import { z } from "zod";
import type { CommonOptions } from "../../arguments/command.ts";
import { t } from "../../i18n/language.ts";
import { Failure } from "../../io/failure.ts";
import { currentPlace } from "../../io/place.ts";
import { plainLine } from "../../io/print.ts";
import { findDaemons, livingRoles } from "../../processes/instance.ts";
import { restartChannels, takeTurn } from "../../processes/pm2.ts";

const PROGRAM_MS_MAX = 30_000;
const PM2_MS_MAX = 60_000;

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
export type ListedChannelKind = z.infer<typeof Kinds>[number];

export function channelArgument(yargs: Argv<CommonOptions>) {
  return yargs.positional("channel", { type: "string", demandOption: true, describe: "telegram, ntfy, …" });
}

/** @throws Failure (usage) if there is no such channel. Only the program of the channels knows which there are. */
export async function kindNamed(name: string): Promise<ListedChannelKind> {
  const kinds = Kinds.parse(JSON.parse((await program(["describe"])).stdout));
  const kind = kinds.find((each) => each.name === name);
  if (kind !== undefined) return kind;
  const names = kinds.map((each) => each.name).join(", ");
  throw new Failure(
    "usage",
    t("there is no channel {name}: the channels are {names}", { name: plainLine(name), names }),
  );
}

export function program(args: string[], input?: string) {
  return execa(process.execPath, [programOf("channels"), ...args], {
    timeout: PROGRAM_MS_MAX,
    ...(input === undefined ? { stdin: "ignore" as const } : { input }),
    stderr: "inherit",
  });
}

export function fieldsOf(home: string): Readonly<Record<string, ChannelFields>> {
  try {
    return readChannels(home, process.env);
  } catch (error) {
    if (error instanceof HomeError) throw new Failure("failed", error.message);
    throw error;
  }
}

/** Restarts the process of the channels, or ends it, if Mimikit runs. @returns whether it runs. */
export async function takeUp(home: string): Promise<boolean> {
  const { workDir, config } = { ...currentPlace(), config: loadConfig(home, process.env).config };
  if (livingRoles(home).size === 0 || (await findDaemons(home)).length === 0) return livingRoles(home).has("channels");
  await takeTurn(home);
  await restartChannels({ home, workDir }, config, PM2_MS_MAX);
  return true;
}

export async function peopleOf(fs: FileSystem, channel: string): Promise<PairedPerson[]> {
  const people: PairedPerson[] = [];
  for (const file of await namesIn(fs, channelPeopleOf(channel))) {
    const person = await readIf(fs, PairedPerson, `${channelPeopleOf(channel)}/${file}`);
    if (person !== null) people.push(person);
  }
  return people.sort((a, b) => (a.at < b.at ? -1 : 1));
}

export async function readIf<T>(fs: FileSystem, schema: z.ZodType<T>, path: string): Promise<T | null> {
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
