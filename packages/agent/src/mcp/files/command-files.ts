/**
 * The owner's commands as files: `tools/<name>.yaml` in the state directory. A command is a program and its arguments, never a
 * line for a shell.
 */
import { readdir, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Level } from "@mimikit/protocol/base/skill";
import { sentence } from "@mimikit/protocol/texts/coded";
import { describeIssues } from "@mimikit/protocol/texts/issues";
import { EXTERNAL_ROLES, ExternalRole } from "@mimikit/protocol/wire/mcp";
import { hasCode } from "@mimikit/store/disk/error-code";
import { OWN_TOOLS } from "@mimikit/store/disk/state";
import { parse as parseYaml } from "yaml";
import { z } from "zod";
import { oneLine } from "../../prompt/quote.ts";
import { readTextFile } from "../../skills/text-file.ts";
import { EXTERNAL_SEC_MAX, SCHEMA_CHARS_MAX, UNKNOWN_LEVEL } from "../../tools/external.ts";

export const COMMANDS_MAX = 64;
const FILE = /^([A-Za-z0-9][A-Za-z0-9_-]{0,39})\.ya?ml$/;
const TIMEOUT_SEC = 60;
export const BLANK = /\{\{\s*([A-Za-z_][A-Za-z0-9_-]*)\s*\}\}/g;
const YAML_ALIASES_MAX = 0;

const CommandFile = z.strictObject({
  description: z.string().trim().min(1).max(1_500),
  command: z.array(z.string().min(1).max(32_768)).min(1).max(256),
  /** JSON Schema of an object. */
  input: z.looseObject({ type: z.literal("object").default("object") }).default({ type: "object" }),
  level: Level.default(UNKNOWN_LEVEL),
  roles: z.array(ExternalRole).min(1).max(EXTERNAL_ROLES.length).default(["worker"]),
  timeoutSec: z.number().int().min(1).max(EXTERNAL_SEC_MAX).default(TIMEOUT_SEC),
});

export interface OwnCommand extends z.infer<typeof CommandFile> {
  /** The name of the file without its ending. */
  name: string;
}

export interface OwnCommands {
  /** Sorted by name. */
  commands: OwnCommand[];
  /** Why a file is no tool, for people. */
  problems: string[];
}

/** Throws what the disk throws where the folder is there and cannot be listed. */
export async function readOwnCommands(home: string): Promise<OwnCommands> {
  const commands: OwnCommand[] = [];
  const problems: string[] = [];
  for (const file of (await namesIn(join(home, OWN_TOOLS))).sort()) {
    const path = `${OWN_TOOLS}/${file}`;
    try {
      if (commands.length >= COMMANDS_MAX) throw new Error(sentence("tools_too_many", { max: COMMANDS_MAX }));
      commands.push(parseCommand(file, (await readTextFile(await realPathIn(home, path))).text));
    } catch (error) {
      const detail = oneLine(error instanceof Error ? error.message : String(error));
      problems.push(sentence("tool_file_wrong", { path, detail }));
    }
  }
  return { commands, problems };
}

/** A link in the place of the file stays one, which is then refused. */
async function realPathIn(home: string, path: string): Promise<string> {
  return join(await realpath(dirname(join(home, path))), basename(path));
}

/** Throws an error for people. */
function parseCommand(file: string, text: string): OwnCommand {
  const [, name] = FILE.exec(file) ?? [];
  if (name === undefined) throw new Error(sentence("tool_file_name"));
  const read = CommandFile.safeParse(parseYaml(text, { maxAliasCount: YAML_ALIASES_MAX }));
  if (!read.success) throw new Error(describeIssues(read.error));
  const { input, command } = read.data;
  if (JSON.stringify(input).length > SCHEMA_CHARS_MAX)
    throw new Error(sentence("tool_input_long", { max: SCHEMA_CHARS_MAX }));
  const properties = Object.keys((input as { properties?: object }).properties ?? {});
  const blanks = command.flatMap((part) => [...part.matchAll(BLANK)].map(([, blank = ""]) => blank));
  const missing = blanks.find((blank) => !properties.includes(blank));
  if (missing !== undefined) throw new Error(sentence("tool_blank", { name: missing }));
  return { name, ...read.data };
}

async function namesIn(dir: string): Promise<string[]> {
  try {
    return (await readdir(dir)).filter((name) => /\.ya?ml$/.test(name));
  } catch (error) {
    if (hasCode(error, "ENOENT")) return [];
    throw error;
  }
}
