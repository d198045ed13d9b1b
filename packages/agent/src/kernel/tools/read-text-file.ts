/** Reads a text file of the workspace, some lines at a time. */
import { realpath } from "node:fs/promises";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import { readAs } from "@mimikit/store/text/decode-text";
import { z } from "zod";
import { readTextFile } from "../../skills/text-file.ts";
import { tool } from "../../tools/tool.ts";
import { resolveInside, type Workspace, wantedOutside } from "./workspace.ts";

export const PAGE_CHARS_MAX = 16_384;
const PATH_CHARS_MAX = 4_096;

export const Path = z.string().min(1).max(PATH_CHARS_MAX).describe("Relative to the workspace, or absolute inside it.");

export const readTextFileTool = (workspace: Workspace) => {
  const isSent = (path: string) => workspace.sent?.includes(path) === true;
  return tool({
    name: "read_text_file",
    level: "read-only",
    roles: [workspace.task.role],
    input: z
      .strictObject({ path: Path, fromLine: z.number().int().min(1).default(1).describe("The first line is 1.") })
      .describe(`Reads a text file, at most ${PAGE_CHARS_MAX} characters at once; fromLine goes on where it stopped.`),
    wants: async ({ path }) => (isSent(path) ? null : wantedOutside("read", path, (real) => `read ${real}`, workspace)),
    run: async ({ path, fromLine }, { place }) => {
      const file = await readTextFile(
        isSent(path) ? await realpath(path) : await resolveInside("read", path, workspace, place),
      );
      const encoding = readAs(file);
      return { text: pageOf(file.text, fromLine) + (encoding === null ? "" : `\n[${encoding}]`) };
    },
  });
};

/** Whole lines from `fromLine` on, as many as fit, and a note where more follow. */
export function pageOf(text: string, fromLine: number): string {
  const lines = text.split(/\r?\n/);
  if (text.endsWith("\n")) lines.pop();
  if (fromLine > 1 && fromLine > lines.length) return `[the file has only ${lines.length} lines]`;
  let end = fromLine - 1;
  for (let room = PAGE_CHARS_MAX; end < lines.length; end++) {
    room -= (lines[end] ?? "").length + 1;
    if (room < 0) break;
  }
  if (end === fromLine - 1 && end < lines.length) {
    const line = lines[end] ?? "";
    return `${beginningOf(line, PAGE_CHARS_MAX)}\n[line ${fromLine} of ${lines.length} has ${line.length} characters; only the first ${PAGE_CHARS_MAX} are shown]`;
  }
  const page = lines.slice(fromLine - 1, end).join("\n");
  if (end === lines.length) return page === "" && text === "" ? "[the file is empty]" : page;
  return `${page}\n[lines ${fromLine} to ${end} of ${lines.length}; go on with fromLine ${end + 1}]`;
}
