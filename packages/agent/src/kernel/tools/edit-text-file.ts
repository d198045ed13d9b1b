/** Replaces one place of a text file of the workspace, which must be named without doubt. */
import { z } from "zod";
import { readTextFile, TEXT_FILE_BYTES_MAX, writeTextFile } from "../../skills/text-file.ts";
import { tool } from "../../tools/tool.ts";
import { Path } from "./read-text-file.ts";
import { resolveInside, type Workspace, wantedOutside } from "./workspace.ts";

export const editTextFileTool = (workspace: Workspace) =>
  tool({
    name: "edit_text_file",
    level: "local-write",
    roles: [workspace.task.role],
    input: z
      .strictObject({
        path: Path,
        oldText: z
          .string()
          .min(1)
          .max(TEXT_FILE_BYTES_MAX)
          .describe("Exactly as it stands in the file, and only once."),
        newText: z.string().max(TEXT_FILE_BYTES_MAX),
      })
      .describe("Replaces one piece of a text file by another."),
    wants: ({ path, oldText, newText }) =>
      wantedOutside("write", path, (real) => `edit ${real}\n\n${oldText}\n\n→\n\n${newText}`, workspace),
    run: async ({ path, oldText, newText }, { place }) => {
      const real = await resolveInside("write", path, workspace, place);
      const { text } = await readTextFile(real);
      const at = text.indexOf(oldText);
      if (at < 0) throw new Error(`oldText does not occur in ${path}; read the file and quote it exactly`);
      if (text.indexOf(oldText, at + 1) >= 0)
        throw new Error(`oldText occurs more than once in ${path}; quote more of what stands around it`);
      await writeTextFile(real, text.slice(0, at) + newText + text.slice(at + oldText.length));
      return { text: `edited ${path}` };
    },
  });
