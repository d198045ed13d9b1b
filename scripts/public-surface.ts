/** All that docs/compatibility.md makes a promise of, as data: the API, the commands with their options, the settings. */

import { Config } from "@mimikit/runtime/config/config";
import { CONFIG_FIELDS } from "@mimikit/runtime/config/fields";
import { VERSION } from "@mimikit/runtime/home/version";
import { z } from "zod";
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
  const commands = await allCommands();
  return {
    commands: Object.fromEntries(
      await Promise.all(commands.map(async (each) => [each.name, readHelp(await helpOf(each))] as const)),
    ),
    variables: Object.fromEntries(CONFIG_FIELDS.map(({ path, variables }) => [path.join("."), variables])),
    settings: z.toJSONSchema(Config, { io: "input", unrepresentable: "any" }),
  };
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
    const choices = /\[choices: ([^\]]*)\]/.exec(text)?.[1]?.match(/[^",\s]+/g);
    const isRequired = text.includes("[required]");
    return [names.at(-1) ?? "", { names, ...(choices && { choices }), ...(isRequired && { isRequired }) }] as const;
  });
  return { positionals: usage.split(" ").slice(2), takes: Object.fromEntries(takes) as CommandSurface["takes"] };
}
