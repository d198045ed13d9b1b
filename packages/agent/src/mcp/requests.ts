/**
 * The two requests that a server is sent. The library's own methods refuse a whole list for one malformed tool, and an answer after the tool has
 * run where it is not as the server declared it; so both are read here part by part.
 */
import type { Client } from "@modelcontextprotocol/client";
import { z } from "zod";
import type { ContentPart } from "./answer-text.ts";

/** Of one list. A server that goes on after them has the tools of these. */
const PAGES_MAX = 64;

const Page = z.looseObject({
  tools: z.array(z.unknown()).catch([]),
  nextCursor: z.string().optional().catch(undefined),
});
const Answer = z.looseObject({
  content: z.unknown().optional(),
  structuredContent: z.unknown().optional(),
  isError: z.unknown().optional(),
});
const Part = z.looseObject({ type: z.string() });

export interface McpAnswer {
  content: readonly ContentPart[];
  structured: unknown;
  isError: boolean;
  /** The answer is not as the protocol, or the server's own list, says. The tool has run all the same. */
  remark?: string;
}

/** Every tool that the server lists, unchecked. Throws what the library throws. */
export async function listTools(client: Client, timeout: number): Promise<unknown[]> {
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const tools: unknown[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < PAGES_MAX; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await client.request({ method: "tools/list", params }, Page, { timeout });
    tools.push(...answer.tools);
    cursor = answer.nextCursor;
    if (cursor === undefined || seen.has(cursor)) break;
    seen.add(cursor);
  }
  return tools;
}

interface Call {
  name: string;
  arguments: Record<string, unknown>;
}

/** Makes a call, once. Throws what the library throws. @param hasOutput whether the server says that it answers with data. */
export async function callTool(
  client: Client,
  call: Call,
  hasOutput: boolean,
  options: { timeout: number; maxTotalTimeout: number; signal: AbortSignal },
): Promise<McpAnswer> {
  const params = { ...call };
  const answer = await client.request({ method: "tools/call", params }, Answer, options);
  const { structuredContent: structured } = answer;
  const isError = answer.isError === true;
  const { content, isWhole } = partsOf(answer.content, structured);
  const remark = isWhole
    ? hasOutput &&
      structured === undefined &&
      !isError &&
      "the server declares an output schema for this tool, and answered without data"
    : "parts of the answer are not as the protocol says";
  return { content, structured, isError, ...(remark !== false && { remark }) };
}

/** The parts of an answer; each that is none is shown as it came. */
function partsOf(content: unknown, structured: unknown): { content: ContentPart[]; isWhole: boolean } {
  if (content === undefined) return { content: [], isWhole: structured !== undefined };
  let isWhole = Array.isArray(content);
  const parts = (Array.isArray(content) ? content : [content]).map((each: unknown): ContentPart => {
    const part = Part.safeParse(each);
    const isReadable = part.success && (part.data.type !== "text" || typeof part.data.text === "string");
    if (isReadable) return part.data;
    isWhole = false;
    return { type: "text", text: typeof each === "string" ? each : JSON.stringify(each) };
  });
  return { content: parts, isWhole };
}
