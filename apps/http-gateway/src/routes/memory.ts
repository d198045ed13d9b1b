/** `/api/memory`: what is remembered, found by what it says, and the command that adds to it (SPEC E6). */

import { refreshMemoryIndex, searchMemory as search } from "@mimikit/memory/search/search";
import { describeMemory } from "@mimikit/memory/sources/describe-memory";
import { HITS_DEFAULT, MemorySearch } from "@mimikit/memory/sources/memory-query";
import { listMemory, readMemory } from "@mimikit/memory/sources/read-memory";
import { coded } from "@mimikit/protocol/texts/coded";
import {
  Accepted,
  MemoryAnswer,
  MemoryBody,
  MemoryEditBody,
  MemoryFiles,
  MemoryStatus,
  MemoryText,
} from "@mimikit/protocol/wire/api";
import { countUnarchived } from "@mimikit/store/views/unarchived";
import { z } from "zod";
import { route } from "../api/route.ts";
import { HttpProblem } from "../http/problem.ts";
import { numberFrom } from "../http/query-fields.ts";

const SearchQuery = z.strictObject({
  q: MemorySearch.shape.query,
  limit: numberFrom(MemorySearch.shape.limit.unwrap()).prefault(HITS_DEFAULT),
  source: z.string().min(1).optional(),
  after: MemorySearch.shape.after,
  before: MemorySearch.shape.before,
});

export const searchMemory = route({
  method: "get",
  path: "/api/memory/search",
  summary:
    "search results of memory, best match first; `after` and `before` are days, inclusive; `source` is the beginning of a file name (`memory/summary/`)",
  query: SearchQuery,
  status: 200,
  answer: MemoryAnswer,
  handle: ({ query: { q, source, ...rest } }, { memory }) =>
    search({ ...memory, query: q, ...rest, ...(source !== undefined && { sources: [source] }) }),
});

export const memoryStatus = route({
  method: "get",
  path: "/api/memory/status",
  summary: "what memory holds; `index` is null while reading it takes too long",
  status: 200,
  answer: MemoryStatus,
  handle: async (_asked, { memory, view, cache }) => {
    await view.refresh();
    const files = await describeMemory(memory);
    const index = await refreshMemoryIndex(memory);
    return { ...files, unarchived: await countUnarchived(cache.archiveIndex), index };
  },
});

export const memoryFiles = route({
  method: "get",
  path: "/api/memory/files",
  summary: "the memory files, in order of precedence, the newest notes and summaries first",
  status: 200,
  answer: MemoryFiles,
  handle: async (_asked, { memory }) => ({ files: await listMemory(memory) }),
});

export const memoryFile = route({
  method: "get",
  path: "/api/memory/file",
  summary: "the text of one memory file",
  query: z.strictObject({ name: z.string().min(1) }),
  status: 200,
  answer: MemoryText,
  errors: { 404: "unknown, a link, or larger than 1 MB" },
  handle: async ({ query: { name } }, { memory }) => {
    const read = await readMemory(memory, name);
    if (read === null)
      throw new HttpProblem(404, coded("no_memory_file", { name }), {
        hint: "GET /api/memory/files lists them; links, and files of more than 1 MB, are not shown",
      });
    return read;
  },
});

export const addMemory = route({
  method: "post",
  path: "/api/memory",
  summary:
    "remembers something; durable when answered; `target` is `persona`, `profile`, or `forgotten`: no model is shown these words again ([memory](memory.md))",
  body: MemoryBody,
  takesKey: true,
  status: 202,
  answer: Accepted,
  handle: async ({ body, key }, { commands }) => ({ id: await commands.addMemory(body, key) }),
});

export const editMemory = route({
  method: "post",
  path: "/api/memory/edit",
  summary:
    "replaces an entry of memory by `to`, or forgets it without `to`; the entry is given by its beginning, at most 1,000 characters ([memory](memory.md))",
  body: MemoryEditBody,
  takesKey: true,
  status: 202,
  answer: Accepted,
  handle: async ({ body, key }, { commands }) => ({ id: await commands.editMemory(body, key) }),
});
