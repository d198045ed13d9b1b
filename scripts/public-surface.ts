/** All that docs/compatibility.md makes a promise of, as data: the API, the commands with their options, the settings. */

import { Config } from "@mimikit/runtime/config/config";
import { CONFIG_FIELDS } from "@mimikit/runtime/config/fields";
import { VERSION } from "@mimikit/runtime/home/version";
import { z } from "zod";
import type { Command } from "../apps/cli/src/arguments/command.ts";
import { describeApi } from "../apps/http-gateway/src/api/describe-api.ts";
import { ROUTES } from "../apps/http-gateway/src/routes.ts";
import { allCommands, helpOf } from "./command-page.ts";

/** A command as `--help` shows it. */
export interface CommandSurface {
  /** Its arguments in their order, as the usage line shows them: `<file>`, `[text..]`. */
  positionals: string[];
  /** Each argument and option, with the names it has (`--lines`, `-n`) and the values that it takes, where they are counted. */
  takes: Record<string, { names: string[]; choices?: string[]; isRequired?: true }>;
}

export interface Names {
  commands: Record<string, CommandSurface>;
  /** The variables of each setting, by its path with dots. */
  variables: Record<string, readonly string[]>;
  /** The settings of `config.yaml`, as JSON Schema. */
  settings: z.core.JSONSchema.BaseSchema;
}

export const describeOpenApi = () => describeApi(ROUTES, VERSION);

export async function describeNames(): Promise<Names> {
  const commands = await Promise.all((await allCommands()).map(surfacesOf));
  return {
    commands: Object.fromEntries(commands.flat()),
    variables: Object.fromEntries(CONFIG_FIELDS.map(({ path, variables }) => [path.join("."), variables])),
    settings: z.toJSONSchema(Config, { io: "input", unrepresentable: "any" }),
  };
}

/**
 * A command, and each of its sub-commands by both words. A command with sub-commands is described as one whose first argument is
 * their name, and which takes the options of all of them: releases up to 0.2.0 are described so, and such lines still work.
 */
async function surfacesOf(command: Command): Promise<[string, CommandSurface][]> {
  const { name, subCommands } = command;
  const own = readHelp(await helpOf(command));
  const parts = await Promise.all(
    subCommands.map(async (each): Promise<[string, CommandSurface]> => {
      return [`${name} ${each.name}`, readHelp(await helpOf(command, each))];
    }),
  );
  if (parts.length === 0) return [[name, own]];
  const surfaces = parts.map(([, surface]) => surface);
  const arguments_ = Math.max(...surfaces.map(({ positionals }) => positionals.length));
  const longest = surfaces.find(({ positionals }) => positionals.length === arguments_)?.positionals ?? [];
  const taken = surfaces.flatMap(({ takes }) => Object.entries(takes));
  // No sub-command needs the arguments of another.
  const optional = taken.map(([each, { isRequired: _, ...rest }]) => [each, rest] as const);
  const action = { names: ["action"], choices: subCommands.map((each) => each.name) };
  return [
    [name, { positionals: [...own.positionals, ...longest], takes: { action, ...Object.fromEntries(optional) } }],
    ...parts,
  ];
}

/** A row of the help begins with a name: `  -n, --lines   tail: how many  [number] [default: 30]`. Others go on with the one above. */
const ROW = /^ {2,6}(?<names>(?:-\w, )?--[\w-]+|\w[\w-]*)(?: {2,}|$)/;

function readHelp(help: string): CommandSurface {
  const [usage = "", ...lines] = (help.split(/^(?:Examples|Exit codes):/m)[0] ?? "").split("\n");
  const rows: { names: string[]; text: string }[] = [];
  let isTable = false;
  for (const line of lines) {
    isTable = /^(?:Positionals|Options):$/.test(line) || (isTable && line !== "");
    const names = isTable ? ROW.exec(line)?.groups?.names?.split(", ") : undefined;
    const last = rows.at(-1);
    if (names !== undefined) rows.push({ names, text: line });
    else if (isTable && last !== undefined) last.text += ` ${line.trim()}`;
  }
  const takes = rows.map(({ names, text }) => {
    const choices = /\[choices: ([^\][]*)\]/.exec(text)?.[1]?.match(/[^",\s]+/g);
    const isRequired = text.includes("[required]");
    return [names.at(-1) ?? "", { names, ...(choices && { choices }), ...(isRequired && { isRequired }) }] as const;
  });
  // Behind `mimikit` and the name, or both names.
  return {
    positionals: usage.split(" ").filter((word) => /^[<[]/.test(word)),
    takes: Object.fromEntries(takes) as CommandSurface["takes"],
  };
}
