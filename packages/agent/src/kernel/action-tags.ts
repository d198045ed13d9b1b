/**
 * Calls of models that cannot call tools (SPEC G1): tags at the very end of a message. Only there, at the beginning of a
 * line, and never in code, in a quotation or in a section that was repeated from a prompt, is a tag a call; everywhere
 * else it is text. Text above the tags is the model's answer.
 */

import { parseJson, tryJson } from "@mimikit/protocol/base/json";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import { Parser } from "htmlparser2";
import { z } from "zod";
import { linesOutsideCode, QUOTE_LINE } from "../conclusion/outside-code.ts";
import type { Tool } from "../tools/tool.ts";

/** A call as a tag says it. */
export interface TagCall {
  name: string;
  /** JSON for the tool's input, or the tag itself where it cannot be read. */
  arguments: string;
  /** Why it cannot be made. */
  problem?: string | undefined;
}

interface Tag {
  name: string;
  attributes: Readonly<Record<string, string>>;
}

/** How a line begins that may be a call. */
export const TAG = "<M:";
const SCHEMA_CHARS_MAX = 600;

/** Splits `text` into its words and the calls made by the tags at its end. A name that is no tool's is a call all the same. */
export function readActions(text: string, tools: readonly Tool[]): { text: string; calls: TagCall[] } {
  const zone = findZone(text, tools);
  if (zone === null) return { text: text.trim(), calls: [] };
  const before = text.slice(0, zone.at).trim();
  if (zone.tags.length > 0) return { text: before, calls: zone.tags.map((tag) => callOf(tag, tools)) };
  const tool = tools.find(({ name }) => name === toolName(zone.name));
  if (tool === undefined) return { text: text.trim(), calls: [] };
  const problem = `the tag is not complete: write it as ${usageOf(tool)}, everything in attributes, at the very end`;
  return { text: before, calls: [{ name: tool.name, arguments: text.slice(zone.at).trim(), problem }] };
}

/** The part of the rules that tells a model its tools. */
export function describeActions(tools: readonly Tool[]): string {
  const list = tools.map((tool) => `- \`${usageOf(tool)}\`\n${describeTool(tool)}`);
  return `## Actions

You cannot call tools. Wherever these rules speak of a call, write a tag instead; what is in brackets may be left out:

${list.join("\n")}

- Tags stand only at the very end of your message, each on a line of its own that begins with it. Nothing follows them, and they are in no code block and no quotation: anywhere else they do nothing.
- Your message is the text above the tags. The user does not see the tags.
- Everything is in attributes, in quotation marks. Inside them write \`&quot;\` for ", \`&lt;\` for < and \`&amp;\` for &; a line break may stand as it is. JSON goes in single quotation marks.
- What the tags did is told to you in \`M:action_results\`; what was wrong with them in \`M:action_feedback\`: correct that and do not repeat it. When there is nothing more to do, write no tags.
`;
}

/** How the tag of a tool is written: `<M:remember content="…" [longTerm="true|false"] />`. */
export function usageOf(tool: Tool): string {
  const attributes = propertiesOf(tool.shown, tool.told).map(({ name, schema, isRequired }) => {
    const written = isJson(schema) ? `${name}='{…}'` : `${name}="${hintOf(schema)}"`;
    return isRequired ? ` ${written}` : ` [${written}]`;
  });
  return `${TAG}${tool.name}${attributes.join("")} />`;
}

/** A call as the tag that would make it: how a conversation is shown to the model again. */
export function writeTag({ name, arguments: input, problem }: TagCall): string {
  if (problem !== undefined && !input.startsWith("{")) return input;
  const value: unknown = input.trim() === "" ? {} : parseJson(input);
  const object = typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
  const attributes = Object.entries(object).map(([key, value]: [string, unknown]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return ` ${key}="${text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")}"`;
  });
  return `${TAG}${name}${attributes.join("")} />`;
}

// --- where the tags are

interface Zone {
  at: number;
  /** Empty where the tags cannot be read; `name` is that of the first. */
  tags: Tag[];
  name: string;
}

/** The tags at the end of `text`, or what was meant to be tags and runs to its end. */
function findZone(text: string, tools: readonly Tool[]): Zone | null {
  let from = 0;
  for (const { at, line } of linesOutsideCode(text)) {
    // A place inside what was read already may be in an attribute.
    if (at < from || !line.startsWith(TAG)) continue;
    const read = readTags(text, at, (name) => tools.some((tool) => tool.name === toolName(name)));
    if ("end" in read) {
      from = Math.max(read.end, at + 1);
      continue;
    }
    return isQuoted(text.slice(0, at)) ? null : { at, tags: read.tags, name: read.name };
  }
  return null;
}

/**
 * Reads tags from `at` to the end of the text. Where text follows them they are not at its end: `end` is a place behind
 * them. Where they run to the end but are nested, hold text or are not closed, there are none. A name with an end tag
 * that is no tool is a section, and text.
 */
function readTags(
  text: string,
  at: number,
  isTool: (name: string) => boolean,
): { tags: Tag[]; name: string } | { end: number } {
  const tags: Tag[] = [];
  let name = "";
  let depth = 0;
  let isSound = true;
  let covered = at;
  let stopped: number | null = null;
  const isGap = (start: number) => text.slice(covered, start).trim() !== "";
  const parser = new Parser(
    {
      onopentag(tag, attributes) {
        const start = at + parser.startIndex;
        if (isGap(start)) {
          isSound = false;
          if (depth === 0) {
            stopped = start;
            parser.pause();
            return;
          }
        }
        if (stopped !== null) return;
        isSound &&= depth === 0 && tag.startsWith("M:");
        name ||= tag.slice("M:".length);
        tags.push({ name: tag.slice("M:".length), attributes });
        depth++;
        covered = at + parser.endIndex + 1;
      },
      onclosetag(tag) {
        if (stopped !== null) return;
        const start = at + parser.startIndex;
        const hasEndTag = start >= covered;
        if (hasEndTag && isGap(start)) isSound = false;
        if (hasEndTag && !isTool(tag.slice("M:".length))) stopped = text.length;
        depth--;
        covered = Math.max(covered, at + parser.endIndex + 1);
      },
    },
    { xmlMode: true },
  );
  parser.write(text.slice(at));
  if (stopped !== null) return { end: stopped };
  if (depth > 0) return { tags: [], name };
  const rest = text.slice(covered).trim();
  if (rest === "") return { tags: isSound ? tags : [], name };
  // Of a tag that never ends the parser has not spoken.
  const torn = /^<M:([a-z_]+)/.exec(rest)?.[1];
  return torn === undefined ? { end: text.length } : { tags: [], name: torn };
}

const SECTION = /^<(\/?)M:([A-Za-z_]+)>\s*$/gm;

/** Does what comes next belong to a quotation (a line after one goes on with it), or to a section that is still open? */
function isQuoted(before: string): boolean {
  const paragraph = before.slice(lastBlankLine(before));
  if (paragraph.split("\n").some((line) => QUOTE_LINE.test(line))) return true;
  const open: string[] = [];
  for (const [, slash, name = ""] of before.matchAll(SECTION)) {
    if (slash === "") open.push(name);
    else if (open.includes(name)) open.length = open.lastIndexOf(name);
  }
  return open.length > 0;
}

/** The place behind the last blank line. */
function lastBlankLine(text: string): number {
  let end = 0;
  for (const { index, 0: blank } of text.matchAll(/\n[ \t\r]*\n/g)) end = index + blank.length;
  return end;
}

// --- what a tag calls

/** An older name (SPEC G1): a task that starts at once is delegated, one that starts later is scheduled. */
const CREATION = "create_task";
/** The names of `schedule`'s fields in `create_task`, for a task that starts later. */
const LATER = new Map([
  ["cron", "cron"],
  ["scheduled_at", "runAt"],
  ["run_at", "runAt"],
  ["runAt", "runAt"],
  ["interval", "interval"],
  ["timezone", "timezone"],
  ["cooldown", "cooldown"],
  ["missed", "missed"],
]);

/** Older names of attributes (SPEC G1). */
const RENAMED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  summarize_task_result: { task_id: "taskId" },
};

/** The tool that a tag means, as far as its name says. */
function toolName(tag: string): string {
  return tag === CREATION ? "delegate" : tag;
}

function callOf(tag: Tag, tools: readonly Tool[]): TagCall {
  const { name, attributes } = tag.name === CREATION ? creationOf(tag.attributes) : tag;
  const tool = tools.find((each) => each.name === name);
  const named = Object.entries(attributes).map(([key, text]) => [RENAMED[name]?.[key] ?? key, text] as const);
  return { name, arguments: JSON.stringify(inputOf(Object.fromEntries(named), tool)) };
}

/** Two ways of saying when stay two: `schedule` refuses them. */
function creationOf(attributes: Tag["attributes"]): Tag {
  const { type, ...rest } = attributes;
  const isLater = Object.keys(rest).some((key) => LATER.has(key)) || (type !== undefined && type !== "oneshot");
  if (!isLater) return { name: "delegate", attributes: rest };
  const renamed = Object.entries(rest).map(([key, text]) => [LATER.get(key) ?? key, text] as const);
  return { name: "schedule", attributes: { ...(type !== undefined && { type }), ...Object.fromEntries(renamed) } };
}

/** Attributes are text; each becomes what the tool's schema says it is, or stays text for the schema to refuse. */
export function inputOf(attributes: Tag["attributes"], tool: Tool | undefined): Record<string, unknown> {
  const properties = tool === undefined ? [] : propertiesOf(tool.input, tool.told);
  return Object.fromEntries(
    Object.entries(attributes).map(([key, text]) => {
      const schema = properties.find(({ name }) => name === key)?.schema;
      return [key, schema === undefined ? text : readAttribute(text, schema)];
    }),
  );
}

function readAttribute(text: string, schema: JsonSchema): unknown {
  if (schema.type === "string") return text;
  if (schema.type === "boolean") return text === "true" ? true : text === "false" ? false : text;
  if (schema.type === "number" || schema.type === "integer")
    return /^\s*-?\d+(\.\d+)?\s*$/.test(text) ? Number(text) : text;
  if (schema.type === "array" && !text.trimStart().startsWith("["))
    return text
      .split(",")
      .map((part) => ROLE_NAMES.get(part.trim()) ?? part.trim())
      .filter((part) => part !== "");
  const value = tryJson(text);
  return value === undefined ? text : value;
}

/** The older name of the conversation's second voice (SPEC G1). */
const ROLE_NAMES = new Map([["agent", "assistant"]]);

// --- what a tool takes

const JsonSchema = z.looseObject({
  type: z.string().optional(),
  description: z.string().optional(),
  enum: z.array(z.string()).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  maxLength: z.number().optional(),
  default: z.unknown().optional(),
  items: z.looseObject({ enum: z.array(z.string()).optional() }).optional(),
});
type JsonSchema = z.infer<typeof JsonSchema>;
const ObjectSchema = z.looseObject({
  description: z.string().optional(),
  properties: z.record(z.string(), JsonSchema).default({}),
  required: z.array(z.string()).default([]),
});

interface Property {
  name: string;
  schema: JsonSchema;
  isRequired: boolean;
}

/** Of a tool from outside, what of its schema is like ours: the rest is checked where it is carried out. */
function propertiesOf(input: z.ZodType, told?: Tool["told"]): Property[] {
  const read = told === undefined ? null : ObjectSchema.safeParse(told.parameters);
  const { properties, required } = read?.data ?? ObjectSchema.parse(z.toJSONSchema(input, { io: "input" }));
  return Object.entries(properties).map(([name, schema]) => ({ name, schema, isRequired: required.includes(name) }));
}

function isJson({ type }: JsonSchema): boolean {
  return type === undefined || type === "object";
}

function hintOf(schema: JsonSchema): string {
  if (schema.enum !== undefined) return schema.enum.join("|");
  if (schema.type === "boolean") return "true|false";
  if (schema.type === "array") return schema.items?.enum?.join(",") ?? "…,…";
  if (schema.type !== "integer" && schema.type !== "number") return "…";
  const { minimum, maximum = Number.MAX_SAFE_INTEGER } = schema;
  return minimum === undefined || maximum >= Number.MAX_SAFE_INTEGER ? "number" : `${minimum}-${maximum}`;
}

function describeTool(tool: Tool): string {
  const { description } = tool.told ?? ObjectSchema.parse(z.toJSONSchema(tool.shown, { io: "input" }));
  const attributes = propertiesOf(tool.shown, tool.told).map(({ name, schema }) => `    - ${name}: ${typeOf(schema)}`);
  return [...(description === undefined ? [] : [`    ${description}`]), ...attributes].join("\n");
}

function typeOf(schema: JsonSchema): string {
  const { type, description, maxLength, default: standard } = schema;
  const facts = [
    schema.enum !== undefined ? `one of ${schema.enum.join(", ")}` : nameOf(type),
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
    ...(isJson(schema) && description === undefined
      ? [`of the schema ${beginningOf(JSON.stringify(schema), SCHEMA_CHARS_MAX)}`]
      : []),
    ...(standard === undefined ? [] : [`${JSON.stringify(standard)} where it is not said`]),
    ...(description === undefined ? [] : [description]),
  ];
  return facts.join(", ");
}

function nameOf(type: string | undefined): string {
  if (type === "string") return "text";
  if (type === "integer") return "whole number";
  if (type === "number") return "number";
  if (type === "boolean") return "true or false";
  return type === "array" ? "list, divided by commas" : "JSON";
}
