/** More tools than a prompt should hold: one tool finds them by words, another calls what was found. */
import { Bm25 } from "@mimikit/memory/search/bm25";
import { tokenize } from "@mimikit/memory/text/tokenize";
import { z } from "zod";
import type { External } from "../tools/external.ts";
import { type Tool, tool } from "../tools/tool.ts";

/** So many tools from outside are told to a model; more are found by words. */
export const OFFERED_MAX = 20;
const FOUND_MAX = 8;
const QUERY_CHARS_MAX = 500;
const SOURCES_NAMED_MAX = 20;

export const FIND_TOOL = "find_tool";
export const USE_TOOL = "use_tool";

const Use = z
  .strictObject({ name: z.string().min(1).max(200), input: z.record(z.string(), z.unknown()).default({}) })
  .describe(`Calls a tool that ${FIND_TOOL} has found: its name, and its input as its schema has it.`);

/** @param sources where the tools come from, for the description. */
export function offered(tools: readonly Tool[], sources: readonly string[]): External {
  const [first] = tools;
  if (first === undefined || tools.length <= OFFERED_MAX) return { tools, offered: tools };
  const pair = [findTool(tools, sources), useTool(first)];
  return { tools: [...tools, ...pair], offered: pair };
}

function findTool(tools: readonly Tool[], sources: readonly string[]): Tool {
  let index: Bm25 | undefined;
  const named = sources.slice(0, SOURCES_NAMED_MAX).join(", ");
  return tool({
    name: FIND_TOOL,
    level: "read-only",
    roles: tools.flatMap(({ roles }) => roles),
    input: z
      .strictObject({ query: z.string().min(1).max(QUERY_CHARS_MAX) })
      .describe(
        `Finds tools by words, in English: say what you want to do. There are ${tools.length}, of ${named}. Call what you found with ${USE_TOOL}.`,
      ),
    run: ({ query }) => {
      index ??= new Bm25(tools.map((each, id) => [id, { words: wordsOf(each) }] as const));
      const found = index.search(tokenize(query)).slice(0, FOUND_MAX);
      return {
        tools: found.flatMap(([id]) => {
          const each = tools[id];
          return each === undefined ? [] : [{ name: each.name, ...each.told }];
        }),
      };
    },
  });
}

/** The call is the one that it names: what the bus checks, refuses and notes is that. */
function useTool({ roles }: Tool): Tool {
  const use = tool({
    name: USE_TOOL,
    level: "read-only",
    roles,
    input: Use,
    run: () => {
      throw new Error("say which tool, and its input");
    },
  });
  return { ...use, forward: (input) => Use.safeParse(input).data ?? null };
}

function wordsOf({ name, told }: Tool): string[] {
  const spoken = name.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/[_-]+/g, " ");
  return tokenize(`${spoken} ${told?.description ?? ""}`);
}
