/** The tools that a server lists, as roles may be given them: bounded, levelled, and what cannot be used said in words. */
import type { Level } from "@mimikit/protocol/base/skill";
import { describeIssues } from "@mimikit/protocol/texts/issues";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import type { McpRights } from "@mimikit/protocol/wire/mcp";
import { z } from "zod";
import { oneLine } from "../prompt/quote.ts";
import { SCHEMA_CHARS_MAX, UNKNOWN_LEVEL } from "../tools/external.ts";

/** Of one server. */
export const TOOLS_MAX = 256;
const DESCRIPTION_CHARS_MAX = 1_500;
/** How many tools are named that are left out. */
const PROBLEMS_MAX = 10;
const NAME_CHARS_MAX = 100;

const Text = z.string().optional().catch(undefined);
const Schema = z.record(z.string(), z.unknown());
const Properties = z.looseObject({ properties: Schema.optional() });

/** A tool as the protocol has it, as far as we look at it: without a name or with another input than an object it is none. */
export const RawTool = z.looseObject({
  name: z.string().min(1),
  title: Text,
  description: Text,
  inputSchema: Schema.refine(({ type = "object" }) => type === "object", "is no schema of an object").default({}),
  outputSchema: z.unknown().optional(),
  annotations: z
    .looseObject({ readOnlyHint: z.boolean().optional().catch(undefined) })
    .optional()
    .catch(undefined),
});
export type RawTool = z.input<typeof RawTool>;

export interface ListedTool {
  /** As the server calls it. */
  tool: string;
  description: string;
  level: Level;
  parameters: Record<string, unknown>;
  /** Does the server say that it answers with data? */
  hasOutput: boolean;
}

/** The server's word on a tool is an untrusted hint: it makes a tool at most read-only or not, and the owner's word goes before it. */
export function readTools(
  raw: readonly unknown[],
  rights: McpRights = {},
): { tools: ListedTool[]; problems: string[] } {
  const tools: ListedTool[] = [];
  const { read, problems } = readEach(raw);
  const wanted = read.filter(({ name }) => rights.tools?.includes(name) ?? true);
  for (const name of rights.tools ?? [])
    if (!read.some((each) => each.name === name)) problems.push(`it has no tool ${oneLine(name)}`);
  for (const each of wanted.slice(0, TOOLS_MAX)) {
    const parameters = parametersOf(each.inputSchema);
    const chars = JSON.stringify(parameters).length;
    if (chars > SCHEMA_CHARS_MAX) {
      problems.push(
        `its tool ${oneLine(each.name)} is left out: its input schema has ${chars} characters, and ${SCHEMA_CHARS_MAX} are allowed`,
      );
      continue;
    }
    const level = rights.levels?.[each.name] ?? rights.level ?? hinted(each);
    const said = oneLine(each.description ?? each.title ?? each.name);
    const description = beginningOf(said, DESCRIPTION_CHARS_MAX);
    tools.push({ tool: each.name, description, level, parameters, hasOutput: each.outputSchema != null });
  }
  if (wanted.length > TOOLS_MAX)
    problems.push(
      `it has ${wanted.length} tools, of which ${TOOLS_MAX} are used: name those you want in mimikit.tools`,
    );
  return { tools, problems };
}

/** Each tool by itself, under a name that no other has: one that is malformed costs the server nothing else. */
function readEach(raw: readonly unknown[]): { read: z.output<typeof RawTool>[]; problems: string[] } {
  const read = new Map<string, z.output<typeof RawTool>>();
  const problems = new Set<string>();
  for (const [i, each] of raw.entries()) {
    const tool = RawTool.safeParse(each);
    if (!tool.success)
      problems.add(`its tool ${nameIn(each) ?? `number ${i + 1}`} is left out: ${describeIssues(tool.error)}`);
    else if (read.has(tool.data.name))
      problems.add(`it lists the tool ${oneLine(tool.data.name)} more than once: the first counts`);
    else read.set(tool.data.name, tool.data);
  }
  return { read: [...read.values()], problems: [...problems].slice(0, PROBLEMS_MAX) };
}

function nameIn(tool: unknown): string | undefined {
  const name = (tool as { name?: unknown } | null)?.name;
  return typeof name === "string" && name !== "" ? beginningOf(oneLine(name), NAME_CHARS_MAX) : undefined;
}

/**
 * A schema as every vendor takes it: of an object, and without alternatives at the top, which Anthropic and Gemini refuse together with the
 * whole request. Their properties are all named instead; the server checks its input itself.
 */
function parametersOf({ $schema: _, ...schema }: Record<string, unknown>): Record<string, unknown> {
  const { anyOf, oneOf, allOf, ...rest } = schema;
  const parts = [anyOf, oneOf, allOf].flatMap((each) => (Array.isArray(each) ? each : []));
  const properties = [...parts, rest].map((each) => Properties.safeParse(each).data?.properties ?? {});
  const named: Record<string, unknown> = Object.assign({}, ...properties);
  return { ...rest, type: "object", ...(parts.length > 0 && { properties: named }) };
}

function hinted({ annotations }: z.output<typeof RawTool>): Level {
  return annotations?.readOnlyHint === true ? "read-only" : UNKNOWN_LEVEL;
}
