/** The tools that a server lists, as roles may be given them: bounded, levelled, and what cannot be used said in words. */

import type { Level } from "@mimikit/protocol/base/skill";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import type { McpRights } from "@mimikit/protocol/wire/mcp";
import { oneLine } from "../prompt/quote.ts";
import { SCHEMA_CHARS_MAX, UNKNOWN_LEVEL } from "../tools/external.ts";

/** Of one server. */
export const TOOLS_MAX = 256;
const DESCRIPTION_CHARS_MAX = 1_500;

/** A tool as the protocol has it, as far as we look at it. */
export interface RawTool {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  inputSchema: { type: "object"; [key: string]: unknown };
  annotations?: { readOnlyHint?: boolean | undefined } | undefined;
}

export interface ListedTool {
  /** As the server calls it. */
  tool: string;
  description: string;
  level: Level;
  parameters: Record<string, unknown>;
}

/** The server's word on a tool is an untrusted hint: it makes a tool at most read-only or not, and the owner's word goes before it. */
export function readTools(
  raw: readonly RawTool[],
  rights: McpRights = {},
): { tools: ListedTool[]; problems: string[] } {
  const tools: ListedTool[] = [];
  const problems: string[] = [];
  const wanted = raw.filter(({ name }) => rights.tools?.includes(name) ?? true);
  for (const name of rights.tools ?? [])
    if (!raw.some((each) => each.name === name)) problems.push(`it has no tool ${oneLine(name)}`);
  for (const each of wanted.slice(0, TOOLS_MAX)) {
    const { $schema: _, ...parameters } = each.inputSchema;
    const chars = JSON.stringify(parameters).length;
    if (chars > SCHEMA_CHARS_MAX) {
      problems.push(
        `its tool ${oneLine(each.name)} is left out: its input schema has ${chars} characters, and ${SCHEMA_CHARS_MAX} are allowed`,
      );
      continue;
    }
    const level = rights.levels?.[each.name] ?? rights.level ?? hinted(each);
    const said = oneLine(each.description ?? each.title ?? each.name);
    tools.push({ tool: each.name, description: beginningOf(said, DESCRIPTION_CHARS_MAX), level, parameters });
  }
  if (wanted.length > TOOLS_MAX)
    problems.push(
      `it has ${wanted.length} tools, of which ${TOOLS_MAX} are used: name those you want in mimikit.tools`,
    );
  return { tools, problems };
}

function hinted({ annotations }: RawTool): Level {
  return annotations?.readOnlyHint === true ? "read-only" : UNKNOWN_LEVEL;
}
